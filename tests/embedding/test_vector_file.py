"""The mapped file: what was written is found, torn or foreign files are not believed."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.embedding import EmbeddingModel
from memoryd.embedding.vector_file import VectorFile
from memoryd.embedding.vectors import nearest, pack
from memoryd.errors import EmbeddingError

MODEL = EmbeddingModel("fake", "random", "1", 16)


def make_packed(count: int) -> list[bytes]:
    vectors = np.random.default_rng(count).standard_normal((count, 16)).astype(np.float32)
    return pack(vectors)


def read_all(file: VectorFile) -> bytes:
    return b"".join(bytes(block) for block in file.blocks())


@given(counts=st.lists(st.integers(0, 9), max_size=5))
def test_rows_written_in_any_portions_read_back(
    tmp_path_factory: pytest.TempPathFactory, counts: list[int]
) -> None:
    path = tmp_path_factory.mktemp("vectors") / "file"
    packed = make_packed(sum(counts))
    with VectorFile(path, MODEL, write=True) as file:
        for count in counts:
            file.write(file.rows, packed[file.rows : file.rows + count])

    with VectorFile(path, MODEL) as file:
        assert len(packed) == file.rows
        assert b"".join(packed) == read_all(file)


def test_many_blocks_hold_every_row_once(tmp_path: Path) -> None:
    packed = make_packed(3000)
    with VectorFile(tmp_path / "file", MODEL, write=True) as file:
        file.write(0, packed)

        assert 2 < len(list(file.blocks()))
        assert b"".join(packed) == read_all(file)
        assert [2999] == [row for row, _ in nearest(packed[2999], file.blocks(), 1)]


def test_an_empty_file_has_no_blocks(tmp_path: Path) -> None:
    with VectorFile(tmp_path / "file", MODEL, write=True) as file:
        assert 0 == file.rows
        assert [] == list(file.blocks())


def test_rows_skipped_read_as_erased(tmp_path: Path) -> None:
    packed = make_packed(2)
    with VectorFile(tmp_path / "file", MODEL, write=True) as file:
        file.write(5, packed)

        assert 7 == file.rows
        assert {5, 6} == {row for row, _ in nearest(packed[0], file.blocks(), 10)}


def test_an_erased_vector_is_gone_from_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "file"
    packed = make_packed(3)
    with VectorFile(path, MODEL, write=True) as file:
        file.write(0, packed)
        file.erase([1, 99])

        assert {0, 2} == {row for row, _ in nearest(packed[1], file.blocks(), 10)}
        assert 3 == file.rows
    assert packed[1] not in path.read_bytes()
    assert packed[1][4:] not in path.read_bytes()


def test_a_row_can_be_written_again(tmp_path: Path) -> None:
    old, new = make_packed(2)
    with VectorFile(tmp_path / "file", MODEL, write=True) as file:
        file.write(0, [old])
        file.write(0, [new])

        assert new == read_all(file)


def test_a_torn_last_row_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "file"
    packed = make_packed(3)
    with VectorFile(path, MODEL, write=True) as file:
        file.write(0, packed)
    os.truncate(path, path.stat().st_size - 5)

    with VectorFile(path, MODEL) as file:
        assert b"".join(packed[:2]) == read_all(file)


@pytest.mark.parametrize(
    "other",
    [
        EmbeddingModel("fake", "random", "2", 16),
        EmbeddingModel("fake", "other", "1", 16),
        EmbeddingModel("other", "random", "1", 16),
        EmbeddingModel("fake", "random", "1", 17),
    ],
)
@pytest.mark.parametrize("write", [False, True])
def test_vectors_of_another_model_are_refused(
    tmp_path: Path, other: EmbeddingModel, *, write: bool
) -> None:
    path = tmp_path / "file"
    with VectorFile(path, MODEL, write=True) as file:
        file.write(0, make_packed(1))
    before = path.read_bytes()

    with pytest.raises(EmbeddingError, match="another model"):
        VectorFile(path, other, write=write)
    assert before == path.read_bytes()


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"\0" * 500])
def test_what_is_no_vector_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(EmbeddingError, match="another model"):
        VectorFile(path, MODEL)


def test_a_missing_file_is_an_error_for_readers(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="cannot open"):
        VectorFile(tmp_path / "file", MODEL)


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").touch()
    (tmp_path / "file").symlink_to(tmp_path / "target")
    with pytest.raises(EmbeddingError, match="cannot open"):
        VectorFile(tmp_path / "file", MODEL, write=True)


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    with VectorFile(tmp_path / "file", MODEL, write=True):
        pass

    assert 0o600 == stat.S_IMODE((tmp_path / "file").stat().st_mode)


def test_a_broken_vector_is_not_written(tmp_path: Path) -> None:
    with VectorFile(tmp_path / "file", MODEL, write=True) as file:
        with pytest.raises(EmbeddingError):
            file.write(0, [*make_packed(1), b"short"])
        assert 0 == file.rows


def test_a_reader_keeps_its_mapping_while_rows_are_added(tmp_path: Path) -> None:
    packed = make_packed(4)
    with VectorFile(tmp_path / "file", MODEL, write=True) as writer:
        writer.write(0, packed[:2])
        with VectorFile(tmp_path / "file", MODEL) as reader:
            blocks = reader.blocks()
            first = next(blocks)
            writer.write(2, packed[2:])

            assert b"".join(packed[:2]) == bytes(first)
            assert [] == list(blocks)
            assert b"".join(packed) == read_all(reader)

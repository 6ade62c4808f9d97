"""Packing errors, exact search and exact pairs."""

import math
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from memoryd.embedding import EmbeddingModel, cosine
from memoryd.embedding.vector_file import VectorFile
from memoryd.embedding.vectors import check_vectors, nearest, pack, unpack
from memoryd.errors import EmbeddingError

Vectors = NDArray[np.float32]


def make_vectors(count: int, dimension: int = 16, seed: int = 7) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


VECTORS = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 6), st.sampled_from([1, 3, 64])),
    elements=st.floats(-1, 1, width=32),
).filter(lambda array: bool((np.linalg.norm(array, axis=1) > 0.01).all()))


@given(VECTORS)
def test_packing_turns_a_vector_by_no_more_than_rounding_can(vectors: Vectors) -> None:
    dimension = vectors.shape[1]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    cosines = (unit * unpack(pack(vectors), dimension)).sum(axis=1)

    sine = min(1.0, 0.5 * math.sqrt(dimension) / 127)
    assert (cosines >= math.sqrt(1 - sine**2) - 1e-5).all()


@given(VECTORS)
def test_unpacked_vectors_have_unit_length(vectors: Vectors) -> None:
    lengths = np.linalg.norm(unpack(pack(vectors), vectors.shape[1]), axis=1)

    assert np.allclose(lengths, 1, atol=1e-5)


@given(VECTORS)
def test_packing_what_was_unpacked_changes_nothing(vectors: Vectors) -> None:
    packed = pack(vectors)

    assert packed == pack(unpack(packed, vectors.shape[1]))


def test_cosine_with_and_without_numpy_agree() -> None:
    packed = pack(make_vectors(2, 512))
    one, two = unpack(packed, 512)

    assert float(one @ two) == pytest.approx(cosine(*packed), abs=1e-6)


def test_a_blob_of_the_wrong_length_is_refused() -> None:
    (blob,) = pack(make_vectors(1))
    with pytest.raises(EmbeddingError, match="instead of"):
        unpack([blob, blob[:-1]], 16)


def test_checked_vectors_are_float32_of_unit_length() -> None:
    checked = check_vectors(np.array([[3.0, 4.0], [0.0, -2.0]]), 2, 2)

    assert np.float32 == checked.dtype
    assert np.allclose(np.array([[0.6, 0.8], [0.0, -1.0]]), checked)


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        (np.ones((2, 3)), "shape"),
        (np.ones((1, 2)), "shape"),
        (np.ones(2), "shape"),
        (np.array([[1, np.nan], [1, 1]]), "NaN"),
        (np.array([[1, 1], [-np.inf, 1]]), "infinity"),
        (np.array([[1, 1], [0, 0]]), "zero length"),
    ],
)
def test_what_an_engine_must_not_return(vectors: NDArray[np.float64], reason: str) -> None:
    with pytest.raises(EmbeddingError, match=reason):
        check_vectors(vectors, 2, 2)


@given(st.integers(0, 60), st.integers(0, 20), st.integers(1, 30))
def test_nearest_is_exact_however_the_rows_are_cut(count: int, k: int, cut: int) -> None:
    packed = pack(make_vectors(count + 1))
    query, rows = packed[0], packed[1:]
    blocks = [b"".join(rows[start : start + cut]) for start in range(0, count, cut)]

    found = nearest(query, blocks, k)

    similarities = [cosine(query, row) for row in rows]
    expected = sorted(range(count), key=lambda row: -similarities[row])[:k]
    assert expected == [row for row, _ in found]
    assert [similarities[row] for row in expected] == pytest.approx(
        [score for _, score in found], abs=1e-5
    )


@given(st.binary(min_size=0, max_size=40).map(lambda flags: bytes(flag % 2 for flag in flags)))
def test_a_row_that_is_not_wanted_never_comes_back(wanted: bytes) -> None:
    """The flags keep namespaces apart; rows beyond them are not wanted either."""
    packed = pack(make_vectors(31))

    found = {row for row, _ in nearest(packed[0], [b"".join(packed[1:])], 100, wanted)}

    assert {row for row, flag in enumerate(wanted[:30]) if flag} == found


def test_erased_rows_match_nothing() -> None:
    packed = pack(make_vectors(3))
    rows = b"".join([packed[1], bytes(len(packed[0])), packed[2]])

    assert {0, 2} == {row for row, _ in nearest(packed[0], [rows], 5)}


def test_equal_rows_come_in_their_order() -> None:
    (blob,) = pack(make_vectors(1))

    assert [0, 1, 2] == [row for row, _ in nearest(blob, [blob * 5], 3)]


def test_half_a_row_is_refused() -> None:
    (blob,) = pack(make_vectors(1))
    with pytest.raises(EmbeddingError, match="whole packed vectors"):
        nearest(blob, [blob + blob[:7]], 3)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads in /proc")
def test_a_search_runs_in_one_thread() -> None:
    code = (
        "import os; os.environ.pop('OPENBLAS_NUM_THREADS', None)\n"
        "from memoryd.embedding.vectors import nearest, np, pack\n"
        "blob, *_ = pack(np.ones((1, 512), np.float32))\n"
        "nearest(blob, [blob * 2000], 3)\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True
    )

    assert "1" == done.stdout.strip()


@pytest.mark.slow
def test_a_search_of_100_000_vectors_takes_less_than_30_ms(tmp_path: Path) -> None:
    model = EmbeddingModel("fake", "random", "1", 512)
    packed = pack(make_vectors(100_000, 512))
    with VectorFile(tmp_path / "vectors", model, write=True) as file:
        file.write(0, packed)
        nearest(packed[3], file.blocks(), 10)  # warm
        seconds = []
        for row in range(40):
            start = perf_counter()
            found = nearest(packed[row], file.blocks(), 10)
            seconds.append(perf_counter() - start)
            assert row == found[0][0]

    assert sorted(seconds)[38] < 0.030

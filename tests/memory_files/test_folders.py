"""The way to a file: spelled safely, below an allowed root, and walked without following anything."""

import os
import sys
from pathlib import Path

import pytest

from memoryd.errors import UsageError
from memoryd.memory_files.folders import find_target, is_same_folder, open_folder
from memoryd.memory_files.swapping import (
    _exchange_call,
    add_name,
    exchange,
    has_writer,
    replace_keeping,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "a" / "b").mkdir(parents=True, mode=0o700)
    (folder / "a").chmod(0o700)
    folder.chmod(0o700)
    return folder


def test_a_target_is_a_resolved_root_and_the_way_below(root: Path) -> None:
    target = find_target(root / "a" / "b" / "f.md", [root])

    assert (target.root, target.below, target.name) == (root, ("a", "b", "f.md"), "f.md")
    assert target.path == root / "a" / "b" / "f.md"


def test_the_first_root_that_holds_the_path_counts(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()

    assert find_target(root / "f", [other, root]).root == root
    with pytest.raises(UsageError):
        find_target(root / "f", [other])


def test_a_root_named_alike_is_another_root(root: Path) -> None:
    with pytest.raises(UsageError):
        find_target(root.with_name("root2") / "f", [root])


def test_a_root_may_be_named_through_a_link_or_directly(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)

    for path in (tmp_path / "link" / "f", root / "f"):
        assert find_target(path, [tmp_path / "link"]).path == root / "f"


def test_a_folder_is_the_one_on_the_way(root: Path) -> None:
    target = find_target(root / "a" / "b" / "f.md", [root])
    with open_folder(target) as folder:
        assert os.path.samestat(os.fstat(folder), (root / "a" / "b").stat())
        assert is_same_folder(target, folder)
        (root / "a" / "b").rename(root / "a" / "c")
        assert not is_same_folder(target, folder)
        (root / "a" / "b").mkdir(mode=0o700)
        assert not is_same_folder(target, folder)


@pytest.mark.parametrize("depth", ["a", "a/b"])
def test_a_link_at_any_depth_stops_the_walk(root: Path, tmp_path: Path, depth: str) -> None:
    outside = tmp_path / "outside"
    (outside / "b").mkdir(parents=True)
    (root / depth).rename(tmp_path / "gone")
    (root / depth).symlink_to(outside)

    with (
        pytest.raises(UsageError, match="link"),
        open_folder(find_target(root / "a" / "b" / "f.md", [root])),
    ):
        pass


def test_a_file_on_the_way_stops_the_walk(root: Path) -> None:
    (root / "file").write_bytes(b"")

    with pytest.raises(UsageError), open_folder(find_target(root / "file" / "f.md", [root])):
        pass


def test_no_handle_is_left_open(root: Path) -> None:
    def count() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    (root / "x").symlink_to(root / "a")
    before = count()
    for path in ("a/b/f", "x/f", "none/f"):
        try:
            with open_folder(find_target(root / path, [root])):
                pass
        except UsageError:
            pass
    (root / "a").chmod(0o777)
    with pytest.raises(UsageError), open_folder(find_target(root / "a" / "b" / "f", [root])):
        pass

    assert count() == before


@pytest.mark.parametrize("native", [True, False])
def test_the_displaced_file_is_kept_under_the_new_ones_name(
    root: Path, monkeypatch: pytest.MonkeyPatch, native: bool
) -> None:
    if not native:
        monkeypatch.setattr("memoryd.memory_files.swapping._exchange_call", lambda: None)
    elif _exchange_call() is None:
        pytest.skip("this system cannot exchange two names")
    (root / "old").write_bytes(b"old")
    (root / "new").write_bytes(b"new")
    inode = (root / "old").stat().st_ino
    folder = os.open(root, os.O_RDONLY)
    replace_keeping(folder, "new", "old")
    os.close(folder)

    assert (root / "old").read_bytes() == b"new"
    assert ((root / "new").read_bytes(), (root / "new").stat().st_ino) == (b"old", inode)
    assert sorted(path.name for path in root.iterdir()) == ["a", "new", "old"]


@pytest.mark.parametrize("native", [True, False])
def test_replacing_what_is_not_there_fails_and_leaves_the_new_file(
    root: Path, monkeypatch: pytest.MonkeyPatch, native: bool
) -> None:
    if not native:
        monkeypatch.setattr("memoryd.memory_files.swapping._exchange_call", lambda: None)
    (root / "new").write_bytes(b"new")
    folder = os.open(root, os.O_RDONLY)
    with pytest.raises(FileNotFoundError):
        replace_keeping(folder, "new", "old")
    os.close(folder)

    assert sorted(path.name for path in root.iterdir()) == ["a", "new"]


def test_a_name_in_use_is_not_taken(root: Path) -> None:
    (root / "new").write_bytes(b"new")
    (root / "used").write_bytes(b"used")
    folder = os.open(root, os.O_RDONLY)
    with pytest.raises(FileExistsError):
        add_name(folder, "new", "used")
    add_name(folder, "new", "free")
    os.close(folder)

    assert (root / "used").read_bytes() == b"used"
    assert sorted(path.name for path in root.iterdir()) == ["a", "free", "used"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tell")
def test_a_file_open_for_writing_is_told_from_one_that_is_not(root: Path) -> None:
    (root / "f").write_bytes(b"x")
    folder = os.open(root, os.O_RDONLY)
    answers = [has_writer(folder, "f")]
    with (root / "f").open("rb"):
        answers.append(has_writer(folder, "f"))
    with (root / "f").open("ab"):
        answers.append(has_writer(folder, "f"))
    answers.append(has_writer(folder, "f"))
    os.close(folder)

    assert answers == [False, False, True, False]


def test_exchange_says_when_the_system_cannot(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryd.memory_files.swapping._exchange_call", lambda: None)

    assert exchange(0, "a", "b") is False

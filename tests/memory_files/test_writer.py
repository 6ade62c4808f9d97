"""The safe writer: old or new file whatever happens, nothing outside the roots, no change of anybody lost."""

import errno
import fcntl
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.errors import HeldError, MemorydError, RetryError, UsageError
from memoryd.memory_files import swapping, writer
from memoryd.memory_files.editing import merge_versions
from memoryd.memory_files.profiles import find_profile
from memoryd.memory_files.sections import join_sections
from memoryd.memory_files.writer import MAX_BYTES, Patience, Written, write_file

HERMES = find_profile("hermes")
QUICK = Patience(lock_seconds=0.1, settle_seconds=0.01, attempts=5)
OLD = join_sections(["one", "two"]).encode()
NEW = join_sections(["one and two"]).encode()


def merge(base: bytes, theirs: bytes, ours: bytes) -> bytes | None:
    return merge_versions(base, theirs, ours, HERMES, "MEMORY.md")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def file(root: Path) -> Path:
    path = root / "MEMORY.md"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


def put(
    path: Path, root: Path, base: bytes | None = OLD, ours: bytes = NEW, **options: object
) -> Written:
    options.setdefault("patience", QUICK)
    return write_file(path, base, ours, roots=[root], **options)  # type: ignore[arg-type] # options of the test


def temporaries(root: Path) -> list[str]:
    return [path.name for path in root.iterdir() if path.name.startswith(".memoryd-")]


# --- what a write does


def test_a_write_replaces_the_file_and_returns_what_was_there(file: Path, root: Path) -> None:
    written = put(file, root)

    assert file.read_bytes() == NEW
    assert (written.before, written.after, written.merged) == (OLD, NEW, False)
    assert temporaries(root) == []


def test_the_mode_is_kept(file: Path, root: Path) -> None:
    put(file, root)

    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_group_is_kept(file: Path, root: Path) -> None:
    os.chown(file, -1, 12345)
    put(file, root)

    assert file.stat().st_gid == 12345


def test_a_new_file_is_private(root: Path) -> None:
    written = put(root / "MEMORY.md", root, base=None)

    assert written.before is None
    assert stat.S_IMODE((root / "MEMORY.md").stat().st_mode) == 0o600


def test_writing_what_is_there_already_touches_nothing(file: Path, root: Path) -> None:
    before = file.stat()
    put(file, root, ours=OLD)

    assert file.stat().st_ino == before.st_ino


def test_undo_gives_the_same_bytes(file: Path, root: Path) -> None:
    written = put(file, root)
    assert written.before is not None
    put(file, root, base=written.after, ours=written.before)

    assert file.read_bytes() == OLD


def test_leftovers_of_a_crash_are_removed_and_nothing_else(file: Path, root: Path) -> None:
    (root / ".memoryd-0123456789abcdef.tmp").write_bytes(b"half")
    (root / ".memoryd-mine.tmp").write_bytes(b"somebody's")
    put(file, root)

    assert temporaries(root) == [".memoryd-mine.tmp"]


def test_a_system_without_exchange_works_too(
    file: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swapping, "_exchange_call", lambda: None)
    monkeypatch.setattr(writer, "has_writer", lambda *_: None)
    written = put(file, root)

    assert (file.read_bytes(), written.before) == (NEW, OLD)
    assert temporaries(root) == []


# --- what changed meanwhile


def test_a_change_made_meanwhile_is_merged_by_entry(file: Path, root: Path) -> None:
    file.write_bytes(join_sections(["one", "two", "three"]).encode())
    written = put(file, root, merge=merge)

    assert file.read_bytes() == join_sections(["one and two", "three"]).encode()
    assert written.merged
    assert written.before == join_sections(["one", "two", "three"]).encode()


@pytest.mark.parametrize("theirs", [["one", "two, by hand"], ["one"], []])
def test_a_change_of_the_same_entry_is_left_alone(
    file: Path, root: Path, theirs: list[str]
) -> None:
    changed = join_sections(theirs).encode()
    file.write_bytes(changed)

    with pytest.raises(RetryError, match="changed meanwhile"):
        put(file, root, merge=merge)
    assert file.read_bytes() == changed
    assert temporaries(root) == []


def test_without_a_merge_any_change_is_left_alone(file: Path, root: Path) -> None:
    file.write_bytes(OLD + b"!")

    with pytest.raises(RetryError):
        put(file, root)
    assert file.read_bytes() == OLD + b"!"


def test_a_file_that_vanished_is_not_made_again(file: Path, root: Path) -> None:
    file.unlink()

    with pytest.raises(RetryError):
        put(file, root, merge=merge)
    assert not file.exists()


def test_a_file_created_meanwhile_is_not_overwritten(file: Path, root: Path) -> None:
    with pytest.raises(RetryError):
        put(file, root, base=None)
    assert file.read_bytes() == OLD


def interfere(monkeypatch: pytest.MonkeyPatch, where: str, what: Callable[[], object]) -> None:
    """Let somebody act once, just before the writer's own step *where*."""
    original = getattr(writer, where)
    waiting = [what]

    def step(*arguments: object) -> object:
        if waiting:
            waiting.pop()()
        return original(*arguments)

    monkeypatch.setattr(writer, where, step)


MORE = join_sections(["one", "two", "added by hand"]).encode()
JOINED = join_sections(["one and two", "added by hand"]).encode()


def test_an_edit_between_reading_and_replacing_is_kept(
    file: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interfere(monkeypatch, "is_same_folder", lambda: None)
    interfere(monkeypatch, "replace_keeping", lambda: file.write_bytes(MORE))
    written = put(file, root, merge=merge)

    assert file.read_bytes() == JOINED
    assert (written.before, written.merged) == (MORE, True)


def test_an_editor_that_replaces_the_file_in_that_moment_is_not_undone(
    file: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save() -> None:
        (root / "saved").write_bytes(MORE)
        (root / "saved").rename(file)

    interfere(monkeypatch, "replace_keeping", save)
    put(file, root, merge=merge)

    assert file.read_bytes() == JOINED


def test_an_editor_that_still_writes_into_the_displaced_file_is_heard(
    file: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = file.open("r+b")

    def save() -> None:
        opened.write(MORE)
        opened.close()

    monkeypatch.setattr(time, "sleep", lambda _: None if opened.closed else save())
    put(file, root, merge=merge)

    assert file.read_bytes() == JOINED


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells whether a file is open for writing"
)
def test_an_editor_that_takes_its_time_is_waited_for(file: Path, root: Path) -> None:
    opened = file.open("r+b")

    def save() -> None:
        opened.write(MORE)
        opened.close()

    timer = threading.Timer(0.4, save)
    timer.start()
    put(file, root, merge=merge, patience=Patience(1.0, 0.1))
    timer.join()

    assert file.read_bytes() == JOINED


def test_where_it_cannot_be_merged_the_late_edit_is_put_back_and_reported(
    file: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interfere(monkeypatch, "replace_keeping", lambda: file.write_bytes(b"all new"))
    with pytest.raises(RetryError, match="that version stays"):
        put(file, root, merge=merge)

    assert file.read_bytes() == b"all new"
    assert temporaries(root) == []


def test_a_save_that_is_still_under_way_is_waited_for(
    file: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(OLD[:2])
    rest_of_the_save = [OLD]

    def sleep(_: float) -> None:
        if rest_of_the_save:
            file.write_bytes(rest_of_the_save.pop())

    monkeypatch.setattr(time, "sleep", sleep)
    written = put(file, root)

    assert file.read_bytes() == NEW
    assert (written.before, written.merged) == (OLD, False)


def test_a_link_put_in_that_moment_is_put_back_and_its_target_untouched(
    file: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"precious")

    def plant() -> None:
        file.unlink()
        file.symlink_to(outside)

    interfere(monkeypatch, "replace_keeping", plant)
    with pytest.raises(UsageError):
        put(file, root, merge=merge)
    assert outside.read_bytes() == b"precious"
    assert file.is_symlink()
    assert temporaries(root) == []


# --- what is refused


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A file that must never change."""
    folder = tmp_path / "outside"
    folder.mkdir()
    victim = folder / "MEMORY.md"
    victim.write_bytes(OLD)
    yield victim
    assert victim.read_bytes() == OLD
    assert list(folder.iterdir()) == [victim]


def refuse(path: Path, root: Path, match: str, **options: object) -> None:
    options.setdefault("merge", merge)
    with pytest.raises(UsageError, match=match):
        put(path, root, **options)  # type: ignore[arg-type] # options of the test
    assert temporaries(root) == []


def test_a_link_is_refused(root: Path, outside: Path) -> None:
    (root / "MEMORY.md").symlink_to(outside)
    refuse(root / "MEMORY.md", root, "link")


def test_a_linked_parent_is_refused(root: Path, outside: Path) -> None:
    (root / "memories").symlink_to(outside.parent)
    refuse(root / "memories" / "MEMORY.md", root, "link")


def test_a_hard_link_is_refused(root: Path, outside: Path) -> None:
    (root / "MEMORY.md").hardlink_to(outside)
    refuse(root / "MEMORY.md", root, "hard link")


def test_a_pipe_is_refused_and_does_not_hang(root: Path) -> None:
    os.mkfifo(root / "MEMORY.md")
    refuse(root / "MEMORY.md", root, "regular")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make devices")
def test_a_device_is_refused(root: Path) -> None:
    os.mknod(root / "MEMORY.md", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    refuse(root / "MEMORY.md", root, "regular")


def test_a_folder_is_refused(root: Path) -> None:
    (root / "MEMORY.md").mkdir()
    refuse(root / "MEMORY.md", root, "regular|unreadable")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_of_another_user_is_refused(file: Path, root: Path) -> None:
    os.chown(file, 12345, -1)
    refuse(file, root, "another user")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give folders away")
def test_a_folder_of_another_user_is_refused(file: Path, root: Path) -> None:
    os.chown(root, 12345, -1)
    refuse(file, root, "another user")


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_write_into_is_refused(file: Path, root: Path, mode: int) -> None:
    root.chmod(mode)
    refuse(file, root, "chmod go-w")


def test_a_sticky_folder_is_not(file: Path, root: Path) -> None:
    root.chmod(0o1777)
    put(file, root)

    assert file.read_bytes() == NEW


@pytest.mark.parametrize(
    ("path", "match"),
    [
        ("../outside/MEMORY.md", r"\.\."),
        ("a/../../outside/MEMORY.md", r"\.\."),
        ("MEMORY.md\0.txt", "NUL"),
        ("n" * 256, "longer"),
        ("missing/MEMORY.md", "no folder"),
        ("", "outside"),
    ],
)
def test_odd_paths_are_refused(root: Path, outside: Path, path: str, match: str) -> None:
    refuse(root / path, root, match)


def test_a_path_outside_every_root_is_refused(root: Path, outside: Path) -> None:
    refuse(outside, root, "outside")
    refuse(Path("MEMORY.md"), root, "absolute")


def test_a_root_that_does_not_exist_allows_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="outside"):
        put(tmp_path / "none" / "MEMORY.md", tmp_path / "none")


def test_too_big_is_refused_on_both_sides(file: Path, root: Path) -> None:
    refuse(file, root, "more than", ours=b"x" * (MAX_BYTES + 1))
    file.write_bytes(b"x" * (MAX_BYTES + 1))
    refuse(file, root, "more than")


def test_a_name_of_255_bytes_can_be_written(root: Path) -> None:
    put(root / ("n" * 255), root, base=None)

    assert (root / ("n" * 255)).read_bytes() == NEW


def test_links_on_the_way_to_the_root_are_the_users_own(
    tmp_path: Path, file: Path, root: Path
) -> None:
    (tmp_path / "home").symlink_to(root)
    written = put(tmp_path / "home" / "MEMORY.md", tmp_path / "home")

    assert written.path == root / "MEMORY.md"
    assert file.read_bytes() == NEW


def test_a_link_is_followed_inside_the_roots_when_asked(root: Path, file: Path) -> None:
    dotfiles = root / "dotfiles"
    dotfiles.mkdir(mode=0o700)
    file.rename(dotfiles / "MEMORY.md")
    file.symlink_to(dotfiles / "MEMORY.md")
    written = put(file, root, follow=True)

    assert file.is_symlink()
    assert (dotfiles / "MEMORY.md").read_bytes() == NEW
    assert written.path == dotfiles / "MEMORY.md"


def test_a_link_out_of_the_roots_is_refused_even_when_asked(root: Path, outside: Path) -> None:
    (root / "MEMORY.md").symlink_to(outside)
    (root / "way").symlink_to(outside.parent)
    refuse(root / "MEMORY.md", root, "outside", follow=True)
    refuse(root / "way" / "MEMORY.md", root, "outside", follow=True)


def test_a_folder_swapped_under_the_writer_stops_it(
    file: Path, root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swap() -> None:
        root.rename(root.parent / "moved")
        root.symlink_to(outside.parent)

    interfere(monkeypatch, "is_same_folder", swap)
    with pytest.raises(UsageError, match="replaced"):
        put(file, root, merge=merge)
    assert (root.parent / "moved" / "MEMORY.md").read_bytes() == OLD


# --- locks


def test_the_agents_lock_is_waited_for(file: Path, root: Path) -> None:
    with (root / "MEMORY.md.lock").open("a+") as held:
        fcntl_lock(held.fileno())
        with pytest.raises(HeldError):
            put(file, root, sidecar_lock=".lock")
    put(file, root, sidecar_lock=".lock")

    assert file.read_bytes() == NEW
    assert stat.S_IMODE((root / "MEMORY.md.lock").stat().st_mode) in {0o600, 0o644}


def fcntl_lock(handle: int) -> None:
    fcntl.flock(handle, fcntl.LOCK_EX)


def test_a_lock_that_comes_free_in_time_is_taken(file: Path, root: Path) -> None:
    held = (root / "MEMORY.md.lock").open("a+")
    fcntl_lock(held.fileno())
    timer = threading.Timer(0.1, held.close)
    timer.start()
    put(file, root, sidecar_lock=".lock", patience=Patience(5.0, 0.01))
    timer.join()

    assert file.read_bytes() == NEW


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_lock_that_is_no_file_is_refused(
    file: Path, root: Path, outside: Path, kind: str
) -> None:
    lock = root / "MEMORY.md.lock"
    if kind == "link":
        lock.symlink_to(outside)
    else:
        os.mkfifo(lock)
    refuse(file, root, "lock", sidecar_lock=".lock")
    assert file.read_bytes() == OLD


def test_two_memoryds_take_turns(file: Path, root: Path) -> None:
    handle = os.open(root, os.O_RDONLY)
    fcntl_lock(handle)
    with pytest.raises(HeldError):
        put(file, root)
    os.close(handle)


# --- failing disks


@pytest.mark.parametrize(
    ("number", "kind"),
    [(errno.ENOSPC, RetryError), (errno.EDQUOT, RetryError), (errno.EIO, MemorydError)],
)
@pytest.mark.parametrize("step", ["_write_all", "_sync", "replace_keeping"])
def test_a_failing_step_leaves_the_old_file(
    file: Path,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    number: int,
    kind: type[MemorydError],
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(writer, step, fail)
    with pytest.raises(kind, match="cannot write"):
        put(file, root)
    monkeypatch.undo()

    assert file.read_bytes() == OLD
    assert temporaries(root) == []


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("exists", [True, False])
def test_a_disk_that_fails_to_sync_leaves_the_old_state_or_the_write_is_done(
    file: Path, root: Path, monkeypatch: pytest.MonkeyPatch, at: int, exists: bool
) -> None:
    """1: the new file's bytes, 2: its name; 3: only the removal of the other name, which a later write repeats."""
    if not exists:
        file.unlink()
    real, count = writer._sync, 0

    def fail(handle: int) -> None:
        nonlocal count
        count += 1
        if count == at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(handle)

    monkeypatch.setattr(writer, "_sync", fail)
    base = OLD if exists else None
    if at < 3:
        with pytest.raises(MemorydError, match="cannot write"):
            put(file, root, base=base)
        assert (file.read_bytes() if file.exists() else None) == base
    else:
        assert put(file, root, base=base).after == file.read_bytes()
    assert temporaries(root) == []


def test_a_write_takes_about_its_settling_time(file: Path, root: Path) -> None:
    started = time.monotonic()
    put(file, root, patience=Patience(1.0, 0.05))

    assert time.monotonic() - started < 1.0

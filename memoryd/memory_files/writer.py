"""The one safe writer: the only place in memoryd that changes a file which is not memoryd's own.

Whatever happens - a crash at any instant, a full disk, another writer, links planted in the way - the file is the old
one or the new one, whole. What changed meanwhile is merged by entry or nothing is written. Callers ask the user first
(`files approve`); this module only knows how, not whether.

Temporary files are named `.memoryd-<16 hex>.tmp`; those that a crash left behind are removed under the folder's lock.
"""

import contextlib
import errno
import fcntl
import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.errors import MemorydError, RetryError, UsageError
from memoryd.memory_files.folders import Target, find_target, is_same_folder, open_folder
from memoryd.memory_files.locks import hold_locks
from memoryd.memory_files.reading import Version, read_version
from memoryd.memory_files.swapping import add_name, exchange, has_writer, replace_keeping

MAX_BYTES = 1024 * 1024
_STALE = re.compile(r"\.memoryd-[0-9a-f]{16}\.tmp(?:\.old)?\Z")
_TEMPORARY = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EBUSY, errno.EAGAIN}

# base, theirs (on disk now), ours -> what to write; None when the two changes cannot be joined
Merge = Callable[[bytes, bytes, bytes], bytes | None]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the writer waits.

    Attributes:
        lock_seconds: for the locks of others.
        settle_seconds: after a foreign change, until the file rests; and after the exchange, while an editor may
            still write into the displaced file.
        attempts: how often a foreign change is merged, and the file looked at again, before giving up.
    """

    lock_seconds: float = 10.0
    settle_seconds: float = 0.2
    attempts: int = 8


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did.

    Attributes:
        path: the file really written (links resolved where that was asked for).
        before: the bytes that were replaced, foreign changes included, for undo; None when there was no file.
        after: the bytes on disk now.
        merged: somebody else's change was joined in.
    """

    path: Path
    before: bytes | None
    after: bytes
    merged: bool


def write_file(
    path: Path,
    base: bytes | None,
    ours: bytes,
    *,
    roots: Sequence[Path],
    merge: Merge | None = None,
    sidecar_lock: str = "",
    follow: bool = False,
    patience: Patience | None = None,
) -> Written:
    """Replace a memory file.

    Args:
        path: absolute; below one of *roots*.
        base: the bytes that *ours* was made from; None when there was no file.
        merge: joins a change made meanwhile; without it, or when it returns None, nothing is written.
        sidecar_lock: suffix of the lock file that the agent takes (`Profile.sidecar_lock`).
        follow: a link is followed as long as it ends inside a root; otherwise it is refused.

    Raises:
        UsageError: the place or the file is not safe to write.
        HeldError: another process holds the lock.
        RetryError: it changed meanwhile and could not be merged, or the disk is full; the file is untouched.
    """
    if len(ours) > MAX_BYTES:
        raise UsageError(f"refusing to write {path}: {len(ours)} bytes are more than {MAX_BYTES}")
    target = find_target(path, roots, follow=follow)
    waits = patience or Patience()
    try:
        with (
            open_folder(target) as folder,
            hold_locks(folder, target.name, sidecar_lock, waits.lock_seconds),
        ):
            _clear_stale(folder)
            return _Commit(target, folder, merge, waits).run(base, ours)
    except OSError as error:
        kind = RetryError if error.errno in _TEMPORARY else MemorydError
        raise kind(f"cannot write {target.path}: {error.strerror}") from error


def clear_leftovers(path: Path, roots: Sequence[Path]) -> None:
    """Remove what a crashed write of a file left beside it, under the folder's lock.

    Raises:
        UsageError, HeldError, OSError: as `write_file`; nothing was removed.
    """
    target = find_target(path, roots)
    with (
        open_folder(target) as folder,
        hold_locks(folder, target.name, "", Patience().lock_seconds),
    ):
        _clear_stale(folder)


class _RacedError(Exception):
    """Somebody changed the file after we read it and before we replaced it; nothing has happened yet."""


@dataclass(frozen=True, slots=True)
class _Commit:
    """One write under way, with the locks held."""

    target: Target
    folder: int
    merge: Merge | None
    waits: Patience

    def run(self, base: bytes | None, ours: bytes) -> Written:
        """Turn the file from *base* into *ours*, joining in what others change meanwhile."""
        before, merged = base, False
        for _ in range(self.waits.attempts):
            current, joined = self._catch_up(base, ours)
            if _data(current) != base:
                before, merged = _data(current), True
            base, ours = _data(current), joined
            if ours == base:
                return Written(self.target.path, before, ours, merged)
            try:
                displaced = self._replace(current, ours)
            except _RacedError:
                continue
            if displaced in {base, None}:
                return Written(self.target.path, before, ours, merged)
            before, base, ours, merged = (
                displaced,
                ours,
                self._join_late(base, displaced, ours),
                True,
            )
        raise self._restless()

    def _catch_up(self, base: bytes | None, ours: bytes) -> tuple[Version | None, bytes]:
        """The file as it stands now, and *ours* as if it had been made from that."""
        current = self._read(self.target.name)
        if _data(current) != base:
            current = self._rest(self.target.name)
        if _data(current) == base:
            return current, ours
        joined = self._try_merge(base, _data(current), ours)
        if joined is None:
            raise self._changed()
        return current, joined

    def _try_merge(self, base: bytes | None, theirs: bytes | None, ours: bytes) -> bytes | None:
        if self.merge is None or theirs is None:
            return None
        return self.merge(base or b"", theirs, ours)

    def _join_late(self, base: bytes | None, late: bytes | None, ours: bytes) -> bytes:
        """Join what an editor wrote into the file while it was displaced; where that fails, put its version back."""
        joined = self._try_merge(base, late, ours)
        if joined is not None:
            return joined
        self.run(ours, late or b"")
        raise self._changed()

    def _changed(self) -> RetryError:
        return RetryError(f"{self.target.path} was changed meanwhile: that version stays")

    def _read(self, name: str) -> Version | None:
        return read_version(self.folder, name, MAX_BYTES)

    def _rest(self, name: str) -> Version | None:
        """A file once two looks at it agree: an editor may be in the middle of a save."""
        seen = self._read(name)
        for _ in range(self.waits.attempts):
            time.sleep(self.waits.settle_seconds)
            again = self._read(name)
            if _data(again) == _data(seen):
                return again
            seen = again
        raise self._restless()

    def _restless(self) -> RetryError:
        return RetryError(f"cannot write {self.target.path}: it keeps changing")

    def _replace(self, current: Version | None, ours: bytes) -> bytes | None:
        """Put *ours* in the place of *current*.

        Returns:
            What was displaced, once it rests: *current*'s bytes unless an editor was faster.

        Raises:
            _RacedError: the file is not *current* any more; nothing was done.
        """
        temporary = self._write_temporary(ours, current)
        try:
            if _data(self._read(self.target.name)) != _data(current):
                raise _RacedError
            if not is_same_folder(self.target, self.folder):
                raise UsageError(f"refusing to write {self.target.path}: its folder was replaced")
            if current is None:
                self._create(temporary)
                return None
            replace_keeping(self.folder, temporary, self.target.name)
            return self._watch_displaced(temporary)
        finally:
            # What is written is written: a name that cannot be removed now is removed by the next write.
            with contextlib.suppress(OSError):
                _remove(self.folder, temporary)
                _sync(self.folder)

    def _create(self, temporary: str) -> None:
        try:
            add_name(self.folder, temporary, self.target.name)
        except FileExistsError as error:
            raise _RacedError from error
        try:
            _sync(self.folder)
        except OSError:
            _remove(self.folder, self.target.name)
            raise

    def _watch_displaced(self, displaced: str) -> bytes | None:
        """The displaced file's bytes once nobody writes into it.

        If it never rests, is no plain file, or the exchange does not reach the disk, it is put back.
        """
        try:
            _sync(self.folder)
            return self._wait_for_writers(displaced)
        except (MemorydError, OSError):
            if not exchange(self.folder, displaced, self.target.name):
                os.rename(
                    displaced, self.target.name, src_dir_fd=self.folder, dst_dir_fd=self.folder
                )
            raise

    def _wait_for_writers(self, name: str) -> bytes | None:
        """What a file holds when the last who had it open for writing has closed it, as far as one can wait and tell."""
        for _ in range(self.waits.attempts):
            writer = has_writer(self.folder, name)
            if writer is False:
                break
            rested = self._rest(name)
            if writer is None:
                return _data(rested)
        return _data(self._read(name))

    def _write_temporary(self, data: bytes, like: Version | None) -> str:
        """A finished file beside the target, on disk, with the mode and group of the one it will replace."""
        name = f".memoryd-{secrets.token_hex(8)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(name, flags, 0o600, dir_fd=self.folder)
        try:
            _write_all(handle, data)
            if like is not None:
                _copy_rights(handle, like)
            _sync(handle)
        except BaseException:
            _remove(self.folder, name)
            raise
        finally:
            os.close(handle)
        return name


def _data(version: Version | None) -> bytes | None:
    return None if version is None else version.data


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _copy_rights(handle: int, like: Version) -> None:
    if os.fstat(handle).st_gid != like.group:
        with contextlib.suppress(PermissionError):  # a group we are no member of cannot be given
            os.fchown(handle, -1, like.group)
    os.fchmod(handle, like.mode & 0o777)


def _sync(handle: int) -> None:
    """Reach the disk itself; on macOS fsync only reaches the drive's cache, and not every folder allows more."""
    if sys.platform == "darwin":
        with contextlib.suppress(OSError):
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise


def _remove(folder: int, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _clear_stale(folder: int) -> None:
    """Remove what crashed writes left; the folder's lock is held, so nobody is using them."""
    for name in os.listdir(folder):
        if _STALE.match(name):
            _remove(folder, name)

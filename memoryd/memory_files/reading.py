"""Reads memory files: regular files only, never a pipe or a device, never more than a bound."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from memoryd.errors import UsageError
from memoryd.memory_files.file import MemoryFile

READ_BYTES = 16 * 1024 * 1024
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # without NONBLOCK a pipe would hang us


@dataclass(frozen=True, slots=True)
class Version:
    """A file's content at one moment, and what a replacement must keep."""

    data: bytes
    inode: int
    mode: int
    group: int


def read_file(path: Path, *, follow: bool = True, missing_ok: bool = False) -> MemoryFile:
    """Read a memory file to look at it.

    Args:
        follow: read through a link (agents do); a file that was only discovered should not be followed.
        missing_ok: a missing file becomes a `MemoryFile` without data.

    Raises:
        UsageError: missing, no regular file, too big, or unreadable.
    """
    try:
        handle = os.open(path, _OPEN if follow else _OPEN | os.O_NOFOLLOW)
    except FileNotFoundError as error:
        if missing_ok:
            return MemoryFile(path, None)
        raise UsageError(f"cannot read {path}: there is no such file") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {str(path)[:200]!r}: {error}") from error
    try:
        _check_regular(os.fstat(handle), path, READ_BYTES)
        return MemoryFile(path, _read_all(handle))
    finally:
        os.close(handle)


def read_version(folder: int, name: str, max_bytes: int) -> Version | None:
    """Read a file that is to be replaced; None when there is none.

    Args:
        folder: a handle of its folder.

    Raises:
        UsageError: a link, no regular file, a second name for it (hard link), another owner, or too big.
    """
    try:
        handle = os.open(name, _OPEN | os.O_NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(
            f"refusing to write {name}: it is a link or unreadable ({error.strerror})"
        ) from error
    try:
        state = os.fstat(handle)
        _check_regular(state, name, max_bytes)
        _check_ours(state, name)
        return Version(_read_all(handle), state.st_ino, stat.S_IMODE(state.st_mode), state.st_gid)
    finally:
        os.close(handle)


def _check_regular(state: os.stat_result, name: Path | str, max_bytes: int) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise UsageError(f"refusing {name}: it is no regular file")
    if state.st_size > max_bytes:
        raise UsageError(f"refusing {name}: {state.st_size} bytes are more than {max_bytes}")


def _check_ours(state: os.stat_result, name: str) -> None:
    if state.st_uid != os.geteuid():
        raise UsageError(f"refusing to write {name}: it belongs to another user")
    if state.st_nlink > 1:
        raise UsageError(
            f"refusing to write {name}: the same file has another name too (hard link)"
        )


def _read_all(handle: int) -> bytes:
    chunks: list[bytes] = []
    while chunk := os.read(handle, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)

"""Takes the locks that make a memory file's change exclusive: memoryd's own, and the one the agent itself takes.

memoryd's own is flock on the folder's handle: nothing is left behind, and the kernel frees it when a process dies.
The agent's is flock on a sidecar file, as Hermes takes on `MEMORY.md.lock`. Lock files are never removed:
removing one lets two holders in.
"""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memoryd.errors import HeldError, UsageError

_POLL_SECONDS = 0.02
_UNUSABLE = {errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EACCES, errno.EPERM}  # not: a full disk


@contextmanager
def hold_locks(folder: int, name: str, sidecar: str, timeout_seconds: float) -> Iterator[None]:
    """Hold the locks for one file.

    Args:
        folder: a handle of the file's folder.
        sidecar: suffix of the agent's lock file, "" when the agent takes none.

    Raises:
        HeldError: another process holds one of them for longer than the timeout.
        UsageError: the lock file is a link, no regular file, or of another user.
        OSError: it cannot be made: the disk is full, or fails.
    """
    deadline = time.monotonic() + timeout_seconds
    _lock(folder, name, deadline)
    try:
        if not sidecar:
            yield
            return
        handle = _open_sidecar(folder, name + sidecar)
        try:
            _lock(handle, name, deadline)
            yield
        finally:
            os.close(handle)
    finally:
        fcntl.flock(folder, fcntl.LOCK_UN)


def _open_sidecar(folder: int, name: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(name, flags, 0o600, dir_fd=folder)
    except OSError as error:
        if error.errno not in _UNUSABLE:
            raise
        raise UsageError(
            f"cannot take the lock {name}: it is a link or unusable ({error.strerror})"
        ) from error
    state = os.fstat(handle)
    if stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid():
        return handle
    os.close(handle)
    raise UsageError(f"cannot take the lock {name}: it is no regular file of this user")


def _lock(handle: int, name: str, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise HeldError(f"cannot write {name}: another process holds its lock") from error
            time.sleep(_POLL_SECONDS)
        else:
            return

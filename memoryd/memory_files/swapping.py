"""Puts a finished file in another's place in one step, and keeps hold of the one it displaced.

An editor that ignores every lock may write between our last look and our rename. So the old file is not thrown
away: it is exchanged with the new one, and the writer looks at it again afterwards. Linux and macOS can exchange two
names atomically; elsewhere the old file keeps a second name and the new one is renamed over it.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import sys
from collections.abc import Callable
from functools import cache

_RENAME_EXCHANGE = (
    2  # Linux, renameat2(2); RENAME_SWAP of macOS, renameatx_np(2), has the same value
)
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM, errno.EOPNOTSUPP}

_Rename = Callable[[int, bytes, int, bytes, int], int]


@cache
def _exchange_call() -> _Rename | None:
    library = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    call = getattr(library, name, None)
    if call is None:
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    call.restype = ctypes.c_int
    rename: _Rename = call
    return rename


def exchange(folder: int, one: str, other: str) -> bool:
    """Exchange two names of a folder atomically; False where the system cannot."""
    call = _exchange_call()
    if call is None:
        return False
    if call(folder, os.fsencode(one), folder, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), other)


def replace_keeping(folder: int, new: str, name: str) -> None:
    """Put *new* in the place of *name*; afterwards the name *new* holds the displaced file.

    Raises:
        OSError: as rename would; *name* is then unchanged.
    """
    if exchange(folder, new, name):
        return
    kept = new + ".old"
    os.link(name, kept, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    try:
        os.rename(new, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(kept, dir_fd=folder)
        raise
    os.rename(kept, new, src_dir_fd=folder, dst_dir_fd=folder)


def has_writer(folder: int, name: str) -> bool | None:
    """Has anybody this file open for writing? None where the system cannot tell.

    Linux grants a read lease only on a file that nobody has open for writing (fcntl(2), F_SETLEASE). Should somebody
    open it in the instant we hold the lease, the signal must not be SIGIO: that ends a process.
    """
    if sys.platform != "linux":
        return None
    try:
        handle = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
        )
    except OSError:
        return None  # a link or gone; reading it says which
    try:
        fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    else:
        return False
    finally:
        os.close(handle)


def add_name(folder: int, new: str, name: str) -> None:
    """Give a finished file its name, which must be free.

    Raises:
        FileExistsError: somebody created *name* meanwhile.
    """
    os.link(new, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    with contextlib.suppress(
        OSError
    ):  # the name is given; the other one is removed with the leftovers
        os.unlink(new, dir_fd=folder)

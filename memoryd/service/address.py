"""Where the daemon's socket is, and who may speak through it: the owner of the home, nobody else."""

import os
import socket
import stat
import struct
import sys
import tempfile
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import platformdirs

from memoryd.errors import RetryError
from memoryd.service.home import POINTER_NAME, SOCKET_NAME

PATH_BYTES = 100  # sun_path holds 104 bytes on macOS and 108 on Linux, the closing NUL included
LOCAL_PEERCRED = 0x001  # macOS, sys/un.h; SOL_LOCAL is 0
XUCRED = struct.Struct("Iih")  # its beginning: version, uid, number of groups
UCRED = struct.Struct("iII")  # Linux, socket(7): pid, uid, gid


def choose_address(home: Path) -> Path:
    """Where to listen: in the home, or in a short private folder that a pointer file in the home names.

    Raises:
        RetryError: the short folder belongs to somebody else.
    """
    address = home / SOCKET_NAME
    pointer = home / POINTER_NAME
    if len(os.fsencode(address)) <= PATH_BYTES:
        pointer.unlink(missing_ok=True)
        return address
    folder = _private_folder(home)
    pointer.write_text(str(folder / SOCKET_NAME), encoding="utf-8")
    return folder / SOCKET_NAME


def give_up_address(home: Path, address: Path) -> None:
    """Remove the socket, and the short folder with its pointer if it needed one."""
    address.unlink(missing_ok=True)
    if address.parent != home:
        (home / POINTER_NAME).unlink(missing_ok=True)
        with suppress(OSError):
            address.parent.rmdir()


def find_address(home: Path) -> Path:
    """Where a running daemon of *home* listens."""
    try:
        return Path((home / POINTER_NAME).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return home / SOCKET_NAME


def _private_folder(home: Path) -> Path:
    name = f"memoryd-{blake2b(os.fsencode(home.resolve()), digest_size=8).hexdigest()}"
    folder = platformdirs.user_runtime_path() / name
    if len(os.fsencode(folder / SOCKET_NAME)) > PATH_BYTES or not folder.parent.is_dir():
        folder = Path(tempfile.gettempdir(), name)
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise RetryError(f"{folder} belongs to somebody else; remove it or choose a shorter --home")
    folder.chmod(0o700)
    return folder


def peer_uid(connection: socket.socket) -> int:
    """The user at the other end, as the kernel knows it."""
    if sys.platform == "linux":
        answer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, UCRED.size)
        return int(UCRED.unpack(answer)[1])
    return int(XUCRED.unpack_from(connection.getsockopt(0, LOCAL_PEERCRED, 76))[1])

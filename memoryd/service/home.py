"""The folder that holds everything memoryd owns: its names, and who may look inside (nobody else).

Whatever is created in it is private from its first moment: the folder is 0700, files are 0600, and the
process that opens it works under umask 077.
"""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from memoryd.errors import UsageError

LOCK_NAME = "memoryd.lock"
SOCKET_NAME = "memoryd.sock"
POINTER_NAME = (
    "memoryd.sock.path"  # where the socket really is, when the home's own path is too long
)
BALLAST_NAME = "memoryd.ballast"
CANARY_FOLDER = "canary"

PRIVATE_UMASK = 0o077
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def prepare_home(home: Path) -> tuple[str, ...]:
    """Create *home* if need be, and close it to everybody but its owner.

    Sets the umask of the process, so that every file made from now on is private.

    Returns:
        One line for each thing that stood open and was closed.

    Raises:
        UsageError: it is not a folder, belongs to another user, or cannot be made.
    """
    os.umask(PRIVATE_UMASK)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = home.stat()
    except OSError as error:
        raise UsageError(f"cannot use {home} as memoryd's folder: {error.strerror}") from error
    if found.st_uid != os.geteuid():
        raise UsageError(
            f"{home} belongs to another user (uid {found.st_uid}); choose another --home"
        )
    return tuple(
        f"{path} was open to others ({mode:03o}); closed"
        for path in owned_paths(home)
        if (mode := _tighten(path))
    )


def check_possible(home: Path) -> None:
    """Refuse a folder that is not there and could not be made, without making it.

    Only the file system knows: /proc, a read-only disk and another user's folder refuse in ways of their own, so a folder
    is made beside where it would stand, and removed.

    Raises:
        UsageError: the message names the folder and the reason.
    """
    above = home
    try:
        while not above.exists():
            above = above.parent
        if above != home:
            Path(tempfile.mkdtemp(prefix=".memoryd-", dir=above)).rmdir()
    except OSError as error:
        if error.errno != errno.ENOSPC:  # a full disk is no wrong name
            raise UsageError(f"cannot use {home} as memoryd's folder: {error.strerror}") from error


def owned_paths(home: Path) -> Iterator[Path]:
    """Our own files and folders, *home* first; what a user keeps beside them is left alone."""
    yield home
    for entry in os.scandir(home):
        if entry.is_symlink() or not (entry.name == "config.toml" or _is_ours(entry)):
            continue
        yield Path(entry.path)
        for folder, folders, files in os.walk(entry.path):
            inside = (Path(folder, name) for name in (*folders, *files))
            yield from (path for path in inside if not path.is_symlink())


def _is_ours(entry: os.DirEntry[str]) -> bool:
    return entry.name.startswith("memoryd.") or entry.name in {
        "archive",
        "backups",
        CANARY_FOLDER,
        "logs",
    }


def _tighten(path: Path) -> int:
    """Take everybody else's permissions away; returns the mode it had, or 0 if it was private."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & OTHERS:
            path.chmod(mode & ~OTHERS)
    except FileNotFoundError:  # a database's sidecar may vanish under us
        return 0
    return mode if mode & OTHERS else 0

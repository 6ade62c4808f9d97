"""What a home knows of its database outside of it, so that a lost one is never taken for one that was never there.

A small file beside the database says that there is one, and whether the last writer closed it.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Literal

from memoryd.store.connection import DATABASE_NAME

MARKER = "memoryd.opened"
BACKUPS = "backups"

State = Literal["open", "closed"]


def note(database: Path, state: State) -> None:
    """Remember that there is a database, and whether its log may hold what it lacks."""
    with suppress(OSError):  # a full disk: what it said before is still nearly true
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(database.with_name(MARKER), flags, 0o600)
        try:
            os.write(descriptor, f"{state}\n".encode())
        finally:
            os.close(descriptor)


def why_lost(database: Path) -> str:
    """Says so if there was a database once and now there is none, or an empty file; else nothing."""
    size = _size(database)
    if size:
        return ""
    backups = database.parent / BACKUPS
    if not database.with_name(MARKER).exists() and not any(backups.glob(f"{Path(DATABASE_NAME).stem}-*.db")):  # fmt: skip
        return ""
    what = "is gone" if size is None else "is empty"
    return f"{database} {what}, although there was a database: `memoryd doctor --fix` brings back what it can"


def log_is_lost(database: Path) -> bool:
    """Was the write-ahead log of a database deleted that nobody had closed? Ask before opening it."""
    with suppress(OSError):
        left_open = database.with_name(MARKER).read_text(encoding="ascii").strip() == "open"
        return left_open and bool(_size(database)) and _size(Path(f"{database}-wal")) is None
    return False


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None

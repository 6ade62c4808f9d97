"""Backups: verified copies in the home folder, three generations; and the way back."""

import errno
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memoryd.errors import RetryError, UsageError
from memoryd.service.home import prepare_home
from memoryd.service.lock import WriterLock
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.connection import APPLICATION_ID, DATABASE_NAME, create_private
from memoryd.store.copies import fold_log, make_durable, verify_copy
from memoryd.store.traces import BACKUPS, note

BACKUPS_FOLDER = BACKUPS
GENERATIONS = 3
DAMAGED = ".damaged-"  # in the name of what a repair put aside
ASIDE = ".before-restore-"  # in the name of what a restore put aside
# A place that says this says it tomorrow, too.
_NEVER = {errno.ENOENT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.EINVAL}
_MAGIC = b"SQLite format 3\0"
_HEADER = 100  # bytes; the application's id is in 68 to 71 (sqlite.org/fileformat2.html)
SIDECARS = ("", "-wal", "-shm", "-journal")


def backup(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Copy the database to `path`, or as a new generation among the backups; the copy is verified."""
    given = arguments.get("path")
    target = Path(given) if given else _next_generation(writer.store.path.parent)
    if given and target.exists():
        raise UsageError(f"{target} exists already")
    if given and not target.parent.is_dir():
        raise UsageError(f"cannot write {target}: {target.parent} is not a folder")
    try:
        writer.store.copy(target)
    except RetryError as error:
        cause = error.__cause__
        if given and isinstance(cause, OSError) and cause.errno in _NEVER:
            raise UsageError(f"cannot write {target}: {cause.strerror}") from error
        raise
    if not given:
        _drop_old(target.parent)
    return {"path": str(target), "bytes": target.stat().st_size}


def _next_generation(home: Path) -> Path:
    folder = home / BACKUPS_FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"memoryd-{utc_now():%Y%m%d-%H%M%S-%f}.db"


def generations(home: Path) -> list[Path]:
    """The backups of a home, the newest first."""
    return sorted((home / BACKUPS_FOLDER).glob("memoryd-*.db"), reverse=True)


def _drop_old(folder: Path) -> None:
    for old in generations(folder.parent)[GENERATIONS:]:
        old.unlink(missing_ok=True)


def renew(writer: Writer) -> int:
    """Put one new backup in place of all there are, because something was forgotten for good; returns how many went.

    What restoring or repairing had set aside goes too.
    """
    home = writer.store.path.parent
    old = generations(home)
    if old:
        backup(writer, {}, lambda told: None)
    aside = [path for mark in (ASIDE, DAMAGED) for path in home.glob(f"{DATABASE_NAME}{mark}*")]
    for path in (*old, *aside):
        path.unlink(missing_ok=True)
    return len(old)


def _check_kind(source: Path) -> None:
    """Refuse what was never a database: the wrong file was named, nothing is damaged."""
    if not source.is_file():
        raise UsageError(f"{source} is not a file")
    try:
        with source.open("rb") as file:
            head = file.read(_HEADER)
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror}") from error
    if not head.startswith(_MAGIC):
        raise UsageError(f"{source} is not a backup of memoryd, nor any database of SQLite")
    if int.from_bytes(head[68:72], "big") != APPLICATION_ID:
        raise UsageError(f"{source} is not a backup of memoryd, but another program's database")


def restore(home: Path, source: Path) -> dict[str, Any]:
    """Put a backup in place of the database; what was there is kept aside, never deleted.

    Raises:
        UsageError: it is no backup. HeldError: the daemon or a command has the database open. StoreError: the backup is
            damaged.
    """
    _check_kind(source)
    verify_copy(source)
    prepare_home(home)
    aside = f"{ASIDE}{utc_now():%Y%m%d-%H%M%S-%f}"
    database = home / DATABASE_NAME
    with WriterLock(home):
        fresh = home / f".{DATABASE_NAME}.restored"
        fresh.unlink(missing_ok=True)
        create_private(fresh)
        with source.open("rb") as original, fresh.open("r+b") as copy:
            while chunk := original.read(1024 * 1024):
                copy.write(chunk)
        make_durable(fresh)
        fold_log(database)
        for suffix in SIDECARS[1:]:
            with suppress(FileNotFoundError):
                Path(f"{database}{suffix}").rename(f"{database}{aside}{suffix}")
        # A second name, not another one: at no moment is there no database, which a start would take for the first.
        with suppress(FileNotFoundError):
            Path(f"{database}{aside}").hardlink_to(database)
        fresh.replace(database)
        make_durable(home)
        note(database, "closed")
    return {"restored": str(source), "kept_aside": f"{database}{aside}"}

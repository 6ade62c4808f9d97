"""Verified copies of the database, made while it is in use."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memoryd.errors import RetryError, StoreError
from memoryd.store.connection import (
    Connection,
    DatabaseError,
    check_identity,
    connect,
    create_private,
    tell_progress,
)
from memoryd.store.schema import SCHEMA_VERSION, schema_version

COPY_PAGES = 2000  # in one step: 8 MB


def no_progress() -> None:
    """Nobody watches."""


def copy_database(
    connection: Connection, target: Path, progress: Callable[[], object] = no_progress
) -> None:
    """Copy the open database to *target* (0600): complete and checked, or not there at all.

    Args:
        progress: called after each step of some megabytes, and while the copy is checked.

    Raises:
        RetryError: it cannot be written. StoreError: the copy is damaged.
    """
    fresh = target.with_name(f".{target.name}.fresh")
    _remove(fresh)
    try:
        create_private(fresh)
        copy = connect(str(fresh), isolation_level=None)
        try:
            connection.backup(copy, pages=COPY_PAGES, progress=lambda *pages: progress())
            copy.execute("pragma journal_mode=delete")  # one file, no sidecars
        finally:
            copy.close()
        verify_copy(fresh, progress)
        progress()
        make_durable(fresh)
        fresh.replace(target)
        make_durable(target.parent)
    except (OSError, DatabaseError) as error:
        raise RetryError(f"cannot write the backup {target}: {error}") from error
    finally:
        with suppress(
            OSError
        ):  # a disk that fails has been told of; the next copy or night removes it
            _remove(fresh)


def _remove(fresh: Path) -> None:
    """Remove a copy that was not finished, with the journal that SQLite would play back into the next one."""
    for path in (fresh, Path(f"{fresh}-journal"), Path(f"{fresh}-wal"), Path(f"{fresh}-shm")):
        path.unlink(missing_ok=True)


def verify_copy(path: Path, progress: Callable[[], object] = no_progress) -> None:
    """Check a copy: ours, of a schema we know, every page whole.

    Raises:
        StoreError: it is not, and why.
    """
    if not path.is_file():
        raise StoreError(f"{path} is not a file")
    connection = connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    tell_progress(connection, progress)
    try:
        check_identity(connection, path)
        version = schema_version(connection)
        if not 0 < version <= SCHEMA_VERSION:
            raise StoreError(
                f"{path} has schema {version}, this memoryd knows up to {SCHEMA_VERSION}"
            )
        found = [str(row) for (row,) in connection.execute("pragma quick_check(5)")]
        if found != ["ok"]:
            raise StoreError(f"{path} is damaged: {'; '.join(found)}")
    except DatabaseError as error:
        raise StoreError(f"{path} is damaged: {error}") from error
    finally:
        connection.close()


def fold_log(path: Path) -> None:
    """Fold the write-ahead log of a database that nobody has open into its file; a damaged one stays as it is."""
    if not path.exists():
        return
    with suppress(DatabaseError):
        connection = connect(str(path))
        try:
            connection.execute("pragma wal_checkpoint(truncate)").fetchall()
        finally:
            connection.close()


def make_durable(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk itself.

    Raises:
        OSError: the disk failed.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

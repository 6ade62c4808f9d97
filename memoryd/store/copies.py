"""Verified copies of the database, made while it is in use."""

import os
from collections.abc import Callable
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
    fresh.unlink(missing_ok=True)
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
        _make_durable(fresh)
        fresh.replace(target)
    except (OSError, DatabaseError) as error:
        raise RetryError(f"cannot write the backup {target}: {error}") from error
    finally:
        fresh.unlink(missing_ok=True)


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


def _make_durable(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

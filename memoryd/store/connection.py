"""Opening the database: which SQLite is used, with which settings, by a writer or by a reader.

There is one writing connection in the whole system, held behind the writer's lock; everybody else opens
read-only. That rule, not the SQLite version, is what makes the WAL-reset fault (see `wal_verdict`) harmless.
"""

import errno
import os
import re
import sqlite3 as _standard
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from memoryd.errors import DamageError, NothingYetError, RetryError, StoreError

if TYPE_CHECKING:
    import sqlite3
else:  # a wheel with a current SQLite where there is one, else what Python was built with
    try:
        import pysqlite3 as sqlite3
    except ImportError:
        sqlite3 = _standard

APPLICATION_ID = 0x6D656D64  # "memd", in the file's header
DATABASE_NAME = "memoryd.db"
BUSY_TIMEOUT_MS = 10_000
PROGRESS_STEPS = 200_000  # of SQLite's machine between two signs of life: some milliseconds
FULL_MESSAGES = re.compile(r"full|disk I/O error|readonly", re.IGNORECASE)

connect = sqlite3.connect
Connection = sqlite3.Connection
DatabaseError = sqlite3.DatabaseError
OperationalError = sqlite3.OperationalError
Row = tuple[object, ...]


def sqlite_version() -> tuple[int, ...]:
    """The version of the SQLite library really used."""
    return tuple(int(part) for part in sqlite3.sqlite_version.split("."))


def wal_verdict(version: tuple[int, ...]) -> tuple[bool, str]:
    """Is this SQLite free of the WAL-reset fault (fixed in 3.51.3, back-ported to 3.50.7 and 3.44.6)?

    Source: sqlite.org release notes of 3.51.3 (2026-03-13).
    """
    fixed = (
        version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)
    )
    text = ".".join(map(str, version))
    if fixed:
        return True, f"SQLite {text} has the WAL-reset fix"
    return False, (
        f"SQLite {text} can lose a commit when two connections write in WAL mode; "
        "memoryd has one writer only, so this does not arise"
    )


def open_writer(path: Path) -> Connection:
    """Open the one writing connection, creating the file (0600) if it is not there.

    Raises:
        StoreError: not a memoryd database, or damaged. RetryError: the disk is full.
    """
    with explained(path):
        create_private(path)
        return _open(str(path), path, _configure_writer)


def tell_progress(connection: Connection, progress: Callable[[], object]) -> None:
    """Have *progress* called again and again while a statement runs, however long it takes.

    It cannot end the statement: a batch is finished or dies with the process.
    """

    def tell() -> int:
        progress()
        return 0

    connection.set_progress_handler(tell, PROGRESS_STEPS)


def _open(name: str, path: Path, configure: Callable[[Connection], None]) -> Connection:
    with ExitStack() as undo:
        connection = sqlite3.connect(
            name,
            uri=name.startswith("file:"),
            timeout=BUSY_TIMEOUT_MS / 1000,
            isolation_level=None,
            check_same_thread=False,
        )
        undo.enter_context(closing(connection))
        check_identity(connection, path)
        configure(connection)
        undo.pop_all()
    return connection


@contextmanager
def in_our_words() -> Iterator[None]:
    """Trouble of the database, whichever statement meets it, told as ours."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise translate(error) from error


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Trouble with the file, told as ours."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise translate(error, str(path)) from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise (RetryError if full else StoreError)(
            f"cannot use {path}: {error.strerror}"
        ) from error


def create_private(path: Path) -> None:
    """Create an empty file that only its owner can read, unless it exists."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return


def check_identity(connection: Connection, path: Path) -> None:
    """Refuse a database that belongs to another program."""
    found = connection.execute("pragma application_id").fetchone()[0]
    tables = connection.execute("select count(*) from sqlite_master").fetchone()[0]
    if found != APPLICATION_ID and tables:
        raise StoreError(f"{path} is not a memoryd database")


def _configure_writer(connection: Connection) -> None:
    fresh = connection.execute("select count(*) from sqlite_master").fetchone()[0] == 0
    if fresh:  # must precede the first table
        connection.execute("pragma auto_vacuum=incremental")
        connection.execute(f"pragma application_id={APPLICATION_ID}")
    connection.execute("pragma journal_mode=wal")
    # A commit survives power loss; offsets would roll back with their rows, but sources may be gone by then. EXTRA is
    # FULL, and where there is no write-ahead log the removal of the rollback journal is made durable too.
    connection.execute("pragma synchronous=extra")
    if sys.platform == "darwin":
        connection.execute("pragma fullfsync=1")
        connection.execute("pragma checkpoint_fullfsync=1")
    for setting in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "foreign_keys=on",
        "recursive_triggers=on",
        "trusted_schema=off",
        "cell_size_check=on",
        "secure_delete=on",
        "temp_store=memory",  # no plain text spills to disk
        "journal_size_limit=67108864",
        "wal_autocheckpoint=1000",
        "cache_size=-16000",
    ):
        connection.execute(f"pragma {setting}")


def open_reader(path: Path) -> Connection:
    """Open a read-only connection; it can neither write nor checkpoint.

    Raises:
        NothingYetError: there is no database yet.
        StoreError: it is not ours.
    """
    if not path.exists():
        raise NothingYetError(
            f"nothing ingested yet: {path} does not exist; run `memoryd run --once`"
        )
    name = f"file:{quote(str(path))}?mode=ro"
    with explained(path):
        try:
            return _open(name, path, _configure_reader)
        except OperationalError:
            if _roll_back(path):
                return _open(name, path, _configure_reader)
            # In a folder where nothing may be created there is no room for the log's index; if no log is
            # left behind either, the file alone is the whole truth.
            if os.access(path.parent, os.W_OK) or Path(f"{path}-wal").exists():
                raise
            return _open(f"{name}&immutable=1", path, _configure_reader)


def open_empty() -> Connection:
    """A database without a file, for this connection alone."""
    return sqlite3.connect(":memory:", isolation_level=None)


def _roll_back(path: Path) -> bool:
    """Undo what a killed writer had begun where there is no write-ahead log: a read-only connection may not."""
    if not Path(f"{path}-journal").exists() or not os.access(path, os.W_OK):
        return False
    with closing(sqlite3.connect(str(path), timeout=BUSY_TIMEOUT_MS / 1000)) as connection:
        connection.execute("select count(*) from sqlite_master").fetchone()
    return True


def _configure_reader(connection: Connection) -> None:
    for setting in (
        "query_only=on",
        "trusted_schema=off",
        "temp_store=memory",
        "cache_size=-16000",
    ):
        connection.execute(f"pragma {setting}")


def translate(error: Exception, what: str = "the database") -> Exception:
    """Turn SQLite's trouble into ours: a full disk or a busy file is temporary, the rest is damage."""
    text = str(error)
    if "locked" in text or "busy" in text or FULL_MESSAGES.search(text):
        return RetryError(f"{what} cannot be used now: {text}")
    if "unable to open" in text:
        return StoreError(f"{what} cannot be opened: {text}")
    ours = isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError | sqlite3.DataError)
    if ours and text != "constraint failed":  # so says a full-text index that contradicts itself
        return StoreError(f"{what} did not take it: {text}")  # a fault of ours, not of the file
    return DamageError(f"{what} is damaged: {text}; run `memoryd doctor`")

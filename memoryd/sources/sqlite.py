# ruff: noqa: S608 - table and column names are our own constants, and quoted; every value is bound
"""Agents' own SQLite databases, read so that not one byte of them changes. With `session_rows` the only SQL outside store/.

Read-only is not enough: a reader of a WAL database writes a `-shm` beside it, or fails where it may not. So
the file itself says how it is opened (docs/decisions.md, "Foreign databases"):

  WAL in its header, no `-wal`     immutable=1: no lock, no sidecar; checked again before anything is handed out
  a `-wal`, or a rollback journal  mode=ro: SQLite's own locks, held for one short statement at a time
  neither can be opened            a private copy, in a folder of our own

No statement stays open while a batch is handed out, so no writer ever waits for memoryd.
"""

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal

from memoryd.errors import SourceError
from memoryd.model import Reject
from memoryd.sources.files import open_regular
from memoryd.sources.foreign import copy_database, database_facts, has_content, sidecar

Access = Literal["immutable", "shared", "copy"]
Row = dict[str, Any]

MAGIC = b"SQLite format 3\0"
BUSY_SECONDS = 2.0
_TRIES, _PAUSE = 5, 0.05  # for what passes by itself; the pause doubles
_OPCODES, _OPCODE_BUDGET = 1_000_000, 500  # a statement of a hostile schema ends after some 10 s
_OTHER_BYTES = 256 * 1024 * 1024  # largest value touched by anything but `records`
_SMALL_BYTES = 16 * 1024 * 1024
_HEAD = 200  # bytes of a reject that say which row it was
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_TRANSIENT = {*_BUSY, sqlite3.SQLITE_IOERR}


class ChangedError(Exception):
    """The file was written while it was open as immutable: what was read since the last check is void."""


class DamagedError(Exception):
    """A statement cannot be answered: no such column, a damaged page, a value too large, too much work."""


class Database:
    """An open foreign database. Each statement is a transaction of its own, finished when it returns.

    Attributes:
        is_small: so small that its content can be looked through in every pass.
        rejects: rows that could not be read, since they were last taken out.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection, access: Access, largest: int
    ) -> None:
        self.path = path
        self.access = access
        self.rejects: list[Reject] = []
        self._connection = connection
        self._largest = largest
        self._columns: dict[str, frozenset[str]] = {}
        self._identities: dict[str, tuple[str, ...]] = {}
        self._facts = database_facts(path)
        self.is_small = self._facts.size <= _SMALL_BYTES
        self._steps = 0
        connection.set_progress_handler(self._count_steps, _OPCODES)

    def check(self) -> None:
        """Make sure that what was read is what was there.

        Raises:
            ChangedError: somebody wrote to the file that was open as immutable.
        """
        if self.access == "immutable" and database_facts(self.path) != self._facts:
            raise ChangedError

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; none if there is no such table (views do not count)."""
        if table not in self._columns:
            found = self.select(
                "select c.name from sqlite_master m join pragma_table_info(m.name) c "
                "where m.type = 'table' and m.name = ? collate nocase",
                (table,),
            )
            self._columns[table] = frozenset(str(name) for (name,) in found)
        return self._columns[table]

    def records(
        self,
        table: str,
        names: Sequence[str],
        where: Mapping[str, object],
        *,
        after: tuple[str, float] | None = None,
        order: Sequence[str] = (),
        between: tuple[str, str, str] | None = None,
    ) -> Iterator[Row]:
        """The rows of a table one by one, each with *names*; a column that is not there is None.

        Args:
            where: column -> the value it must have.
            after: (column, number): only rows that have at least this there.
            between: (column, from, to): only rows from the first value up to before the second.
            order: columns to sort by; those that are missing do not count.
        """
        known = self.columns(table)
        if not known:
            return
        wanted = [name for name in names if name in known]
        identity = self.identity(table)
        tests, values = _conditions(known, where, after, between)
        sort = _list([*(name for name in order if name in known), *identity])
        listing = f"select {_list(identity)} from {quote(table)} where {tests} order by {sort}"
        one = f"select {_list(wanted) or 'null'} from {quote(table)} where " + " and ".join(
            f"{quote(name)} = ?" for name in identity
        )
        for key in self._list_keys(listing, values, table):
            row = self._fetch(one, key, table)
            if row is not None:
                yield dict.fromkeys(names) | dict(zip(wanted, row, strict=False))

    def values(
        self,
        table: str,
        column: str,
        where: Mapping[str, object],
        below: tuple[str, object] | None = None,
        like: tuple[str, str] | None = None,
    ) -> list[Any]:
        """The different values of a column, in order, in rows like *where*.

        Args:
            below: (column, value): only rows with less than the value there.
            like: (column, pattern): only rows with a text like this there.
        """
        known = self.columns(table)
        if column not in known:
            return []
        tests, values = _conditions(known, where, None, None)
        for operator, condition in (("<", below), ("like", like)):
            if condition is not None:
                tests += f" and {quote(condition[0])} {operator} ?"
                values.append(condition[1])
        found = self.select(
            f"select distinct {quote(column)} from {quote(table)} where {tests} order by 1", values
        )
        return [value for (value,) in found]

    def identity(self, table: str) -> tuple[str, ...]:
        """The columns that tell a row from all others: its number, or the key of a table without numbers."""
        if table not in self._identities:
            try:
                self.select(f"select rowid from {quote(table)} limit 1", ())
                self._identities[table] = ("rowid",)
            except DamagedError:
                found = self.select(
                    "select name from pragma_table_info(?) where pk > 0 order by pk", (table,)
                )
                self._identities[table] = tuple(name for (name,) in found)
        return self._identities[table]

    def _list_keys(self, sql: str, values: Sequence[object], table: str) -> list[tuple[Any, ...]]:
        try:
            return self.select(sql, values)
        except DamagedError as error:
            self._reject(table, "", str(error))
            return []

    def _fetch(self, sql: str, key: tuple[Any, ...], table: str) -> tuple[Any, ...] | None:
        """One row by its identity; one that cannot be read costs only itself."""
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._largest)
        try:
            found = self.select(sql, key)
        except DamagedError as error:
            self._reject(table, " ".join(map(str, key)), str(error))
            return None
        finally:
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _OTHER_BYTES)
        return found[0] if found else None  # it may be gone meanwhile

    def _reject(self, table: str, key: str, reason: str) -> None:
        head = f"{table} {key}".encode("utf-8", "replace")[:_HEAD]
        self.rejects.append(Reject(0, 0, f"unreadable row: {reason}", head))

    def select(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """Run one statement to its end, again if only the moment was bad.

        Raises:
            SourceError: it stays busy. ChangedError: see `check`. DamagedError: it cannot be answered.
        """
        for attempt in range(_TRIES):
            self._steps = 0
            try:
                return self._connection.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                self.check()
                if _code(error) not in _TRANSIENT:
                    raise DamagedError(str(error)) from error
                if attempt == _TRIES - 1:
                    raise SourceError(f"cannot read {self.path}: {error}") from error
                time.sleep(_PAUSE * 2**attempt)
        raise AssertionError("unreachable")  # pragma: no cover

    def _count_steps(self) -> bool:
        self._steps += 1
        return self._steps > _OPCODE_BUDGET


@contextmanager
def open_database(path: Path, largest: int) -> Iterator[Database]:
    """Open a foreign database for reading; see the head of this module.

    Args:
        largest: a row with a longer value (bytes) is rejected.

    Raises:
        SourceError: it cannot be read, or is no SQLite database.
    """
    with ExitStack() as stack:
        try:
            access, connection = _open(path, stack)
        except sqlite3.Error as error:
            raise SourceError(f"cannot read {path}: {error}") from error
        yield Database(path, connection, access, largest)


def _open(path: Path, stack: ExitStack) -> tuple[Access, sqlite3.Connection]:
    with open_regular(path) as file:
        header = file.read(100) or b""
    if not header.startswith(MAGIC):
        raise SourceError(f"cannot read {path}: not a SQLite database")
    writes_wal = header[18] == 2  # noqa: PLR2004 - 1: rollback journal, 2: WAL (file format, section 1.3)
    if writes_wal and not has_content(sidecar(path, "-wal")):
        return "immutable", stack.enter_context(_connect(path, "immutable"))
    try:
        return "shared", stack.enter_context(_connect(path, "shared"))
    except sqlite3.Error as error:
        if _code(error) in _BUSY:
            raise
        return "copy", stack.enter_context(
            _connect(stack.enter_context(copy_database(path)), "copy")
        )


@contextmanager
def _connect(path: Path, access: Access) -> Iterator[sqlite3.Connection]:
    """A connection that has proved to work."""
    option = {"immutable": "immutable=1", "shared": "mode=ro", "copy": "mode=rw"}[access]
    uri = f"{path.absolute().as_uri()}?{option}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _OTHER_BYTES)
        for pragma in ("query_only=1", "trusted_schema=0", "cell_size_check=1", "mmap_size=0"):
            connection.execute(f"pragma {pragma}")
        connection.execute("select count(*) from sqlite_master").fetchone()
        yield connection
    finally:
        connection.close()


def _code(error: sqlite3.Error) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def quote(name: str) -> str:
    """A name of a table or column, as it stands in a statement."""
    return '"' + name.replace('"', '""') + '"'


def _list(names: Sequence[str]) -> str:
    return ", ".join(quote(name) for name in names)


def _conditions(
    known: frozenset[str],
    where: Mapping[str, object],
    after: tuple[str, float] | None,
    between: tuple[str, str, str] | None,
) -> tuple[str, list[object]]:
    """A where clause and its values; a condition on a column that is not there does not count."""
    tests, values = ["1"], []
    for name, value in where.items():
        if name in known:
            tests.append(f"{quote(name)} is ?")
            values.append(value)
    if after is not None and after[0] in {*known, "rowid"}:
        tests.append(f"{quote(after[0])} >= ?")
        values.append(after[1])
    if between is not None:
        tests.append(f"{quote(between[0])} >= ? and {quote(between[0])} < ?")
        values += between[1:]
    return " and ".join(tests), values

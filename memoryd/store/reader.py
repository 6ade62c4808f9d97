"""Reading: a read-only view of the database, for every process that is not the writer."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from memoryd.errors import DamageError, NothingYetError
from memoryd.model import Candidate
from memoryd.store import history
from memoryd.store.connection import (
    DATABASE_NAME,
    Connection,
    DatabaseError,
    explained,
    open_empty,
    open_reader,
    translate,
)
from memoryd.store.query import Query
from memoryd.store.records import Filters, SourceStatus, StoredMessage, StoredSession
from memoryd.store.schema import check_version, migrate, schema_version
from memoryd.store.search import find_candidates, find_newest, load_messages
from memoryd.store.traces import why_lost


class Reader:
    """A read-only connection to the database in a home folder."""

    def __init__(self, home: Path, *, or_empty: bool = False) -> None:
        """Open it.

        Args:
            or_empty: where there is no database yet, read one that holds nothing; none is made.

        Raises:
            StoreError: another version made it. NothingYetError: there is none yet. DamageError: it is lost.
        """
        self.path = home / DATABASE_NAME
        if lost := why_lost(self.path):
            raise DamageError(lost)
        try:
            self.connection: Connection = self._open()
        except NothingYetError:
            if not or_empty:
                raise
            self.connection = open_empty()
            migrate(self.connection)

    def _open(self) -> Connection:
        connection = open_reader(self.path)
        try:
            with explained(self.path):
                check_version(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.connection.close()
        if isinstance(error, DatabaseError):
            raise translate(error) from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything asked inside sees one state of the database, whatever is written or forgotten meanwhile."""
        self.connection.execute("begin")
        try:
            yield
        finally:
            self.connection.execute("rollback")

    def candidates(self, query: Query, filters: Filters, limit: int) -> list[Candidate]:
        """Messages that may answer a query, not yet in order; see `search.find_candidates`."""
        return find_candidates(self.connection, query, filters, limit)

    def newest(self, query: Query, filters: Filters, limit: int) -> list[StoredMessage]:
        """The newest messages with all words of a query."""
        return find_newest(self.connection, query, filters, limit)

    def messages(self, rows: Iterable[int]) -> dict[int, StoredMessage]:
        """Messages by id; ids that do not exist are left out."""
        return load_messages(self.connection, rows)

    def message(self, row: int) -> StoredMessage | None:
        """One message by its id."""
        return load_messages(self.connection, [row]).get(row)

    def neighbours(self, row: int, count: int) -> list[StoredMessage]:
        """The *count* messages before and after one, of the same session, itself included, in order."""
        return history.neighbours(self.connection, row, count)

    def sessions(self, filters: Filters, limit: int) -> list[StoredSession]:
        """Sessions, the last active first."""
        return history.sessions(self.connection, filters, limit)

    def source_names(self) -> list[str]:
        """Every source that was ever read, by name."""
        return history.source_names(self.connection)

    def sources(self) -> list[SourceStatus]:
        """What is known of every source that was ever read."""
        return history.sources(self.connection)

    def counts(self) -> dict[str, int]:
        """Rows by kind: messages, tool messages, sessions."""
        return history.counts(self.connection)

    def offsets(self) -> dict[str, dict[str, tuple[int, int]]]:
        """(size when last read, offset) of every transcript, by source and logical path."""
        return history.offsets(self.connection)

    def schema(self) -> int:
        """The schema version of the database."""
        return schema_version(self.connection)

"""The one writer: a batch, its index rows and its cursor become durable together, or not at all."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self

from memoryd.errors import DamageError, StoreError
from memoryd.model import Cursor, Message
from memoryd.screening import ScreenedText
from memoryd.store import bank, fts
from memoryd.store.batches import Added, ScreenedBatch
from memoryd.store.connection import (
    BUSY_TIMEOUT_MS,
    DATABASE_NAME,
    Connection,
    DatabaseError,
    explained,
    open_writer,
    tell_progress,
    translate,
)
from memoryd.store.copies import copy_database, no_progress
from memoryd.store.forgetting import ALL_INDEXES, group_identity, is_forgotten
from memoryd.store.records import to_milliseconds
from memoryd.store.schema import INDEXES, SCHEMA_VERSION, migrate, schema_version
from memoryd.store.sessions import SessionTable
from memoryd.store.settings import put_setting
from memoryd.store.tokens import TOKENS_VERSION
from memoryd.store.traces import log_is_lost, note, why_lost
from memoryd.store.transcripts import TranscriptTable

LOG_LOST = "log_lost"  # when a write-ahead log was found missing; `doctor --fix` takes note of it


def inode_of(path: Path) -> int | None:
    """The file that a name means just now; None if there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _bytes_of(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def identity_of(source: str, key: str) -> bytes:
    """The identity of a message in the whole database: 16 bytes over its source and key."""
    return blake2b(f"{source}\0{key}".encode(), digest_size=16).digest()


def identities_of(message: Message) -> Iterator[bytes]:
    """What may have been forgotten of a message: itself, or the growing text it is a snapshot of."""
    yield identity_of(message.source, message.key)
    if message.group is not None:
        yield group_identity(message.source, message.session_id, message.role, message.group)


OPEN_FILES = (
    "",
    "-wal",
    "-shm",
)  # beside the database lie its write-ahead log and that log's index


class Store:
    """The writing connection. Use from one thread; hold the writer's lock while it is open."""

    def __init__(
        self,
        home: Path,
        clock: Callable[[], datetime],
        progress: Callable[[], object] = no_progress,
    ) -> None:
        """Open or create the database in *home*, migrating it if it is older.

        Args:
            progress: called again and again while a statement, a copy or a migration runs.

        Raises:
            StoreError: newer schema, or not ours. DamageError: damaged, or lost.
        """
        self.path = home / DATABASE_NAME
        if lost := why_lost(self.path):
            raise DamageError(lost)
        log_lost = log_is_lost(self.path)
        self.connection: Connection = open_writer(self.path)
        self._clock = clock
        self._progress = progress
        tell_progress(self.connection, progress)
        try:
            with explained(self.path):
                self._keep_before_migrating()
                migrate(self.connection)
                self._refresh_indexes()
                if log_lost:
                    put_setting(self.connection, LOG_LOST, clock().isoformat(timespec="seconds"))
        except BaseException:
            self.connection.close()
            raise
        note(self.path, "open" if self._keeps_log() else "closed")
        self._files = self._inodes()
        self._sessions = SessionTable(self.connection)
        self._transcripts = TranscriptTable(self.connection)

    def _keeps_log(self) -> bool:
        """Is there a write-ahead log? Not on a file system without shared memory: SQLite keeps a rollback journal there."""
        return bool(self.connection.execute("pragma journal_mode").fetchone()[0] == "wal")

    def _keep_before_migrating(self) -> None:
        """A database of an older memoryd is copied, verified, before it is changed."""
        found = schema_version(self.connection)
        if 0 < found < SCHEMA_VERSION:
            self.copy(self.path.with_name(f"{self.path.name}.schema-{found}"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if isinstance(error, DatabaseError):
            raise translate(error, str(self.path)) from error

    def close(self) -> None:
        """Leave the statistics and the WAL tidy, and close."""
        try:
            self.connection.execute("pragma analysis_limit=400")
            self.connection.execute("pragma optimize")
            self.checkpoint()
            if self._inodes()[0] == self._files[0] and not _bytes_of(f"{self.path}-wal"):
                note(self.path, "closed")
        except DatabaseError:
            pass  # tidying is a courtesy; the data is committed
        finally:
            self.connection.close()

    def tidy(self, pages: int) -> dict[str, int]:
        """Nightly upkeep in small steps: merge index segments, refresh statistics, give back free pages.

        Args:
            pages: how many pages of an index a step may merge, and how many free pages are given back.
        """
        before = self.path.stat().st_size
        for name in ALL_INDEXES:
            self.connection.execute(
                f"insert into {name}({name}, rank) values ('merge', ?)", (pages,)
            )
        self.connection.execute("pragma analysis_limit=400")
        self.connection.execute("pragma optimize")
        self.connection.execute(f"pragma incremental_vacuum({int(pages)})").fetchall()
        self.checkpoint()
        return {"bytes_before": before, "bytes_after": self.path.stat().st_size}

    def copy(self, target: Path) -> None:
        """A verified copy; see `copies.copy_database`."""
        copy_database(self.connection, target, self._progress)

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the database, as far as readers allow just now, and let go of caches."""
        self.connection.execute(
            "pragma busy_timeout=0"
        )  # a long reader must not make the writer wait
        try:
            self.connection.execute("pragma wal_checkpoint(truncate)").fetchall()
            self.connection.execute("pragma shrink_memory")
        finally:
            self.connection.execute(f"pragma busy_timeout={BUSY_TIMEOUT_MS}")

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Everything inside becomes durable together; any exception undoes all of it.

        Raises:
            RetryError: disk full or busy. StoreError: damaged, or the file was replaced under us.
        """
        self.check_file()
        try:
            self.connection.execute("begin immediate")
            yield self.connection
            self.connection.execute("commit")
        except BaseException as error:
            # SQLite itself rolls back on a full disk: then there is nothing left to undo.
            if self.connection.in_transaction:
                self.connection.execute("rollback")
            self._sessions.forget_cache()
            if isinstance(error, DatabaseError):
                raise translate(error) from error
            raise

    def check_file(self) -> None:
        """Notice that the database, its log or the log's index was deleted or replaced while we have it open.

        Raises:
            StoreError: writing on would write into nothing, or beside a program with another index and other locks.
        """
        for ending, inode in zip(OPEN_FILES, self._files, strict=True):
            if inode_of(Path(f"{self.path}{ending}")) != inode:
                raise StoreError(
                    f"{self.path}{ending} was deleted or replaced while memoryd had it open"
                )

    def _inodes(self) -> tuple[int | None, ...]:
        return tuple(inode_of(Path(f"{self.path}{ending}")) for ending in OPEN_FILES)

    def cursor(self, source: str, path: str) -> Cursor | None:
        """Where reading a transcript stopped; None if it was never read.

        Raises:
            StoreError: damaged.
        """
        with explained(self.path):
            return self._transcripts.cursor(source, path)

    def add(self, source: str, screened: ScreenedBatch) -> Added:
        """Commit one batch: messages, session facts, rejects, ledger and cursor."""
        batch = screened.batch
        now = to_milliseconds(self._clock()) or 0
        with self.transaction():
            source_id = self._sessions.source_id(source)
            transcript = self._transcripts.advance(source_id, batch, now)
            self._transcripts.keep_aside(transcript, batch, screened.heads)
            for session, title in zip(batch.sessions, screened.titles, strict=True):
                self._sessions.learn(source_id, session, title)
            added = self._add_messages(source_id, transcript, screened)
            for key in batch.retracted:
                self._withdraw(identity_of(source, key))
            self._transcripts.count(transcript, added.added)
            self._sessions.flush()
        return added

    def _add_messages(self, source_id: int, transcript: int, screened: ScreenedBatch) -> Added:
        added, updated, seen, ids = 0, 0, 0, []
        forgotten = self._forgotten(screened.batch.messages)
        for message, text in zip(screened.batch.messages, screened.texts, strict=True):
            if message.key in forgotten:
                seen += 1
                continue
            row, outcome = self._add_message(source_id, transcript, message, text)
            if outcome == "added":
                added += 1
                ids.append(row)
            elif outcome == "updated":
                updated += 1
                ids.append(row)
            else:
                seen += 1
        return Added(added, updated, seen, tuple(ids))

    def _forgotten(self, messages: Sequence[Message]) -> frozenset[str]:
        """Keys of messages that were forgotten for good: reading their transcript again does not bring them back."""
        if not self.connection.execute("select exists (select 1 from forgotten)").fetchone()[0]:
            # Asked here, since a condition in the insert itself makes it twice as slow for everybody.
            return frozenset()
        return frozenset(
            one.key
            for one in messages
            if any(is_forgotten(self.connection, identity) for identity in identities_of(one))
        )

    def _add_message(
        self, source_id: int, transcript: int, message: Message, text: ScreenedText
    ) -> tuple[int, str]:
        identity = identity_of(message.source, message.key)
        session = self._sessions.row_id(source_id, message.session_id)
        if message.group is not None:
            grown = self._grow_snapshot(session, message, text)
            if grown is not None:
                return grown
        time = to_milliseconds(message.time)
        start, end = message.span or (None, None)
        inserted = self.connection.execute(
            "insert into message (session_id, identity, native_id, role, time, text, group_key, position, transcript_id, start, end) "
            "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (identity) do nothing",
            (
                session,
                identity,
                message.native_id,
                message.role,
                time,
                text,
                message.group,
                None if message.role == "tool" else self._sessions.spoken(session),
                transcript,
                start,
                end,
            ),
        )
        if inserted.rowcount == 0:
            return self._meet_again(identity, text, session)
        row = int(inserted.lastrowid or 0)
        fts.add_row(self.connection, row, message.role, text)
        self._sessions.count(session, time, spoken=message.role != "tool")
        return row, "added"

    def _grow_snapshot(
        self, session: int, message: Message, text: ScreenedText
    ) -> tuple[int, str] | None:
        """Some gateways write one response several times, each longer: keep the longest, once."""
        rows = self.connection.execute(
            "select id, text from message where session_id = ? and group_key = ? and role = ? and withdrawn = 0",
            (session, message.group, message.role),
        ).fetchall()
        for row, old in rows:
            if old == text or (len(old) > len(text) and old.startswith(text)):
                return row, "seen"
            if old and text.startswith(old):
                self._replace_text(row, message.role, old, text)
                return row, "updated"
        return None

    def _meet_again(self, identity: bytes, text: ScreenedText, session: int) -> tuple[int, str]:
        row, role, old, withdrawn, held = self.connection.execute(
            "select id, role, text, withdrawn, session_id from message where identity = ?",
            (identity,),
        ).fetchone()
        if held != session:
            self._sessions.move_home(row, held, session)
        if withdrawn:
            self.connection.execute(
                "update message set text = ?, withdrawn = 0 where id = ?", (text, row)
            )
            fts.add_row(self.connection, row, role, text)
            self._sessions.recount(row, 1)
            return row, "updated"
        if old == text:
            return row, "seen"
        self._replace_text(row, role, old, text)
        return row, "updated"

    def _replace_text(self, row: int, role: str, old: str, new: ScreenedText) -> None:
        fts.remove_row(self.connection, row, role, old)
        self.connection.execute("update message set text = ? where id = ?", (new, row))
        fts.add_row(self.connection, row, role, new)

    def _withdraw(self, identity: bytes) -> None:
        found = self.connection.execute(
            "select id, role, text from message where identity = ? and withdrawn = 0", (identity,)
        ).fetchone()
        if found is not None:
            fts.remove_row(self.connection, *found)
            self.connection.execute("update message set withdrawn = 1 where id = ?", (found[0],))
            self._sessions.recount(found[0], -1)

    def _refresh_indexes(self) -> None:
        if fts.indexed_version(self.connection) != TOKENS_VERSION:
            self.rebuild_indexes()

    def rebuild_indexes(self) -> int:
        """Make the full-text indexes anew from messages and entries; returns how many messages were indexed."""
        self.connection.execute("begin immediate")
        try:
            count = fts.rebuild(self.connection, INDEXES)
            bank.rebuild_indexes(self.connection)
        except BaseException:
            self.connection.execute("rollback")
            raise
        self.connection.execute("commit")
        return count

"""The base of every source whose transcripts are rows of the agent's own SQLite database.

A source says in which tables its sessions are (`tables`) and makes messages of rows (`rows`, `parse`). What is
hard about foreign databases is here and in `sqlite`: finding what changed in proportion to what changed.

A database of many sessions is one transcript. The cursor keeps a mark for each session: the signature of its
rows and the clock of the newest. In every pass these sessions are compared with their marks: those with new
rows, those whose header changed, those that changed last, and a slice of all others in turn, so that even an
old row changed in place is found, a few passes later. Bytes: `offset` is the size of the file when caught
up; while a first reading goes on everything counts as pending, because rows have no place in the file.
"""

import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from memoryd.errors import SourceError
from memoryd.model import Batch, Cursor, Message
from memoryd.sources.base import Source
from memoryd.sources.context import Context
from memoryd.sources.foreign import DatabaseFacts, database_facts, owning_path, sidecar
from memoryd.sources.jsonl import HEAD, ODD_SHAPE
from memoryd.sources.marks import Marks, digest
from memoryd.sources.places import glob_transcripts
from memoryd.sources.session_rows import Rows, SessionRows
from memoryd.sources.sqlite import MAGIC, ChangedError, Database, Row, open_database

_SLICE = 256  # sessions compared in every pass besides those that are known to have changed
_LARGE_SLICE = 64  # the same in a database that is not small
_RECENT = 16  # sessions that changed last: where rows grow in place
_TRIES = 5  # to read a file that others keep writing while it has no WAL
_ROW_COST = 100  # bytes that a row counts besides its text
LARGEST_ROW = 4  # times `ReadLimits.line_bytes`: a row may hold a whole conversation

_HOT = 4  # of the recent ones: their content is measured even if no clock moved
_SAID = 4096  # messages marked of sessions that are read as a whole

_MARKS, _TOPS, _LAST, _RING, _GOAL = "_marks", "_tops", "_recent", "_ring", "_goal"
_LENGTHS, _SAID_MARKS = "_lengths", "_said"
_Mark = tuple[bytes, bytes, float]  # digest of everything, digest of the old rows, clock


class SqliteSource(Source):
    """An agent that keeps its conversations in a SQLite database.

    Attributes:
        names: the path of a database (with `/`) matches this.
        patterns: where databases are below a default root.
        signs: what stands in the head of such a database and in no other agent's.
        tables: everything that belongs to a session; the last one holds its messages.
        listing: which of them every session has a row in.
        whole: a row holds a whole conversation: of its messages only those that changed are handed out.
    """

    names: ClassVar[re.Pattern[str]]
    patterns: ClassVar[tuple[str, ...]]
    signs: ClassVar[tuple[bytes, ...]]
    tables: ClassVar[tuple[Rows, ...]]
    listing: ClassVar[int] = -1
    whole: ClassVar[bool] = False

    @abstractmethod
    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """The rows of a session, oldest first; with *since* only those whose clock has at least this."""

    @abstractmethod
    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in a row; facts, skips and retractions go to *context*.

        A row of an unexpected shape may raise: it is then rejected, and costs only itself.
        """

    def open_session(
        self, database: Database, session_id: str, context: Context
    ) -> dict[str, Any] | None:
        """What `rows` and `parse` need to know of a session ("id" at least); None: it is left out."""
        return {"id": session_id}

    def transcript(self, path: Path) -> Path | None:
        """The database that *path* belongs to; events of a `-wal` are events of its database."""
        database = owning_path(path)
        return database if database and self.names.search(database.as_posix()) else None

    def companions(self, path: Path) -> Sequence[Path]:
        """The WAL: what was committed last may stand only there."""
        return [sidecar(path, "-wal")]

    def recognises(self, head: bytes) -> bool:
        """Is it a database whose first pages create our tables?"""
        return head.startswith(MAGIC) and all(sign in head for sign in self.signs)

    def discover(self, root: Path) -> Iterator[Path]:
        """See `Source.discover`."""
        return glob_transcripts(self, root, self.patterns)

    def read(self, path: Path, cursor: Cursor | None) -> Iterator[Batch]:
        """Yield what changed in the database since *cursor*; see `Source.read`."""
        for _ in range(_TRIES):
            facts = database_facts(path)
            if not facts.size or (cursor is not None and _is_settled(cursor, facts)):
                return
            try:
                with open_database(path, LARGEST_ROW * self.limits.line_bytes) as database:
                    for batch in _Pass(self, path, facts, database, cursor).batches():
                        cursor = batch.cursor
                        yield batch
            except ChangedError:
                continue
            else:
                return
        raise SourceError(f"cannot read {path}: it changes faster than it can be read")


def _is_settled(cursor: Cursor, facts: DatabaseFacts) -> bool:
    """Has nothing been committed since, and has every session been compared after the last commit?"""
    return cursor.fingerprint == facts.fingerprint and cursor.state.get(_GOAL) is None


class _Pass:
    """One pass over an open database."""

    def __init__(
        self,
        source: SqliteSource,
        path: Path,
        facts: DatabaseFacts,
        database: Database,
        cursor: Cursor | None,
    ) -> None:
        state = dict(cursor.state) if cursor is not None else {}
        self._source = source
        self._facts = facts
        self._database = database
        self._tables = [SessionRows(database, rows) for rows in source.tables]
        self._cursor = cursor
        self._marks: Marks[_Mark] = Marks("4s4sd", state.pop(_MARKS, ""))
        self._tops: dict[str, list[Any]] = state.pop(_TOPS, {})
        self._recent: list[str] = state.pop(_LAST, [])
        self._ring: list[Any] = state.pop(_RING, [0, ""])  # [turn, the last session compared]
        self._goal: list[Any] | None = state.pop(_GOAL, None)  # where the ring is closed
        self._lengths: dict[str, float] = state.pop(_LENGTHS, {})
        self._said: Marks[tuple[bytes]] = Marks("4s", state.pop(_SAID_MARKS, ""), kept=_SAID)
        self._done = self._offset = cursor.offset if cursor is not None else 0
        self._slice = _SLICE if database.is_small else _LARGE_SLICE
        self._context = Context(source.name, path, source.limits, state)
        self._weight = 0

    def batches(self) -> Iterator[Batch]:
        """Everything that changed; the last batch says that the database was read as it is."""
        first = not self._tops
        tops = {str(number): table.top() for number, table in enumerate(self._tables)}
        if self._cursor is None or self._cursor.fingerprint != self._facts.fingerprint:
            self._goal = [self._ring[0] + 1, self._ring[1]]
        if not first:
            yield from self._compare(self._candidates())
        yield from self._turn(whole=first or self._was_rebuilt(tops))
        yield from self._measure()
        self._tops = tops
        self._offset = self._facts.size
        yield self._batch(self._facts.fingerprint)

    def _was_rebuilt(self, tops: Mapping[str, list[Any]]) -> bool:
        """Do the numbers of rows start anew (VACUUM, a restored file)?"""
        return any(top[0] < self._tops.get(table, [0])[0] for table, top in tops.items())

    def _candidates(self) -> list[str]:
        found = dict.fromkeys(self._recent)
        for number, table in enumerate(self._tables):
            top = self._tops.get(str(number), [0, None])
            found.update(dict.fromkeys(table.new_sessions(top)))
        return list(found)

    def _turn(self, *, whole: bool) -> Iterator[Batch]:
        """Compare the next slice of all sessions; the *whole* ring if nothing else says what changed."""
        while self._goal is not None:
            turn, last = self._ring
            ids = self._tables[self._source.listing].sessions(last, self._slice)
            yield from self._compare(ids)
            self._ring = [turn, ids[-1]] if len(ids) == self._slice else [turn + 1, ""]
            if self._ring >= self._goal:
                self._goal = None
            if not whole:
                return

    def _measure(self) -> Iterator[Batch]:
        """Read those of the sessions that changed last whose content is no longer what it was."""
        for session_id, known in list(self._lengths.items()):
            length = self._tables[-1].length(session_id)
            if length != known:
                self._lengths[session_id] = (
                    length  # as it was before reading: what comes later shows
                )
                yield from self._visit(session_id, None)

    def _compare(self, ids: Sequence[str]) -> Iterator[Batch]:
        """Read those of *ids* whose rows are not what they were."""
        for start in range(0, len(ids), _SLICE):
            part = ids[start : start + _SLICE]
            found = [table.signatures(part) for table in self._tables]
            for session_id in part:
                signatures = [one.get(session_id) for one in found]
                mark = self._marks.get(session_id)
                whole = digest(*signatures)
                if mark is None or mark[0] != whole:
                    since = self._since(session_id, signatures, mark)
                    self._lengths[session_id] = self._tables[-1].length(session_id)
                    yield from self._visit(session_id, since)
                    clock = _clock(signatures[-1])
                    self._marks.put(session_id, (whole, self._old(signatures), clock))
                    self._touch(session_id)

    def _touch(self, session_id: str) -> None:
        """Note which sessions changed last, and only of those the lengths."""
        others = [name for name in self._recent if name != session_id]
        self._recent = [session_id, *others][:_RECENT]
        self._lengths = {n: self._lengths[n] for n in self._recent[:_HOT] if n in self._lengths}

    def _old(self, signatures: Sequence[Any]) -> bytes:
        """A digest of what must stay the same for reading to go on behind the clock."""
        rewrites = [
            s for s, rows in zip(signatures, self._source.tables, strict=True) if rows.rewrites
        ]
        return digest(*rewrites, signatures[-1])

    def _since(
        self, session_id: str, signatures: Sequence[Any], mark: _Mark | None
    ) -> float | None:
        """From which clock on the rows of a session are new; None: all must be read again."""
        if mark is None or math.isnan(mark[2]) or signatures[-1] is None:
            return None
        main, clock = self._source.tables[-1], mark[2]
        if main.changes:
            return clock if _clock(signatures[-1]) > clock else None
        before = self._tables[-1].signatures([session_id], upto=clock).get(session_id)
        same = self._old([*signatures[:-1], before]) == mark[1]
        return math.nextafter(clock, math.inf) if same else None  # that row itself is known

    def _visit(self, session_id: str, since: float | None) -> Iterator[Batch]:
        """Read a session; what cannot be understood costs only its row, or what comes behind it."""
        context, source = self._context, self._source
        try:
            session = source.open_session(self._database, session_id, context)
            rows = () if session is None else source.rows(self._database, session, since)
            for row in rows:
                self._take(row, session or {})
                if self._weight >= source.limits.batch_bytes:
                    yield self._batch("")
        except ODD_SHAPE as error:
            self._reject(session_id, error)

    def _take(self, row: Row, session: dict[str, Any]) -> None:
        try:
            for message in self._source.parse(row, session, self._context):
                if not self._source.whole or self._said.change(message.key, message.text):
                    self._context.add(message)
                    self._weight += len(message.text)
        except ODD_SHAPE as error:
            self._reject(row, error)
        self._weight += _ROW_COST

    def _reject(self, what: object, error: Exception) -> None:
        head = repr(what)[:HEAD].encode("utf-8", "replace")
        self._context.reject(0, 0, f"unexpected shape: {type(error).__name__}", head)

    def _batch(self, fingerprint: str) -> Batch:
        self._database.check()
        self._context.rejects += self._database.rejects
        self._database.rejects.clear()
        self._weight = 0
        shrunk = self._offset < self._done
        consumed = self._offset - (0 if shrunk else self._done)
        self._done = self._offset
        return self._context.batch(self._cursor_here(fingerprint), consumed, restarted=shrunk)

    def _cursor_here(self, fingerprint: str) -> Cursor:
        facts = self._facts
        return Cursor(
            path=str(self._context.path),
            device=facts.device,
            inode=facts.inode,
            size=facts.size,
            mtime_ns=facts.mtime_ns,
            offset=self._offset,
            fingerprint=fingerprint,
            state={
                **self._context.saved_state(),
                _MARKS: self._marks.save(),
                _TOPS: self._tops,
                _LAST: self._recent,
                _RING: self._ring,
                _GOAL: self._goal,
                _LENGTHS: self._lengths,
                _SAID_MARKS: self._said.save(),
            },
        )


def _clock(signature: Sequence[Any] | None) -> float:
    """The clock of a signature as a number; NaN if it is none, and then nothing can be read behind it."""
    clock = None if signature is None else signature[1]
    return float(clock) if isinstance(clock, int | float) else math.nan

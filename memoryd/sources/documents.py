"""The base of every source whose transcript is one JSON document, written anew with every message.

A document has no "since": each reading parses the whole and hands out only what differs from the last time,
by a mark for each message. A file that does not parse is half-written until it has stood still for some
readings; then it is rejected, and read again as soon as it changes. Messages that vanish from a document
stay in the history: agents shorten their files for reasons of their own.

Bytes: a document is consumed as a whole, so `offset` is its size, or 0 while it is pending.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

from memoryd.errors import SourceError
from memoryd.model import Batch, Cursor, Message
from memoryd.sources.base import Source
from memoryd.sources.context import Context
from memoryd.sources.decoding import decode_document
from memoryd.sources.files import FileFacts, file_facts, open_regular
from memoryd.sources.jsonl import HEAD, ODD_SHAPE
from memoryd.sources.marks import Marks
from memoryd.sources.places import glob_transcripts

LARGEST = 4  # times `ReadLimits.line_bytes`: a larger document is not read
_SETTLED = 3  # readings without a change until size and times of a file are trusted
_MARKS, _STAMP, _CALM, _BROKEN = "_marks", "_stamp", "_calm", "_broken"
_Mark = tuple[bytes]  # digest of a message


class DocumentSource(Source):
    """An agent that rewrites a JSON document for every conversation.

    Attributes:
        names: a transcript's path (with `/`) matches this.
        patterns: where transcripts are below a default root.
    """

    names: ClassVar[re.Pattern[str]]
    patterns: ClassVar[tuple[str, ...]]

    @abstractmethod
    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """What `parse` needs to know of the conversation; None: it is none of ours.

        A "time" in it is that of the first message, if it has none of its own.
        """

    @abstractmethod
    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The document's messages, oldest first."""

    @abstractmethod
    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in an item; facts, skips and retractions go to *context*.

        An item of an unexpected shape may raise: it is then rejected, and costs only itself.
        """

    def decode(self, data: bytes) -> Any:
        """The document in the bytes of the file.

        Raises:
            ValueError: it is none, or none yet.
        """
        return decode_document(data)

    def transcript(self, path: Path) -> Path | None:
        """The document itself."""
        return path if self.names.search(path.as_posix()) else None

    def discover(self, root: Path) -> Iterator[Path]:
        """See `Source.discover`."""
        return glob_transcripts(self, root, self.patterns)

    def read(self, path: Path, cursor: Cursor | None) -> Iterator[Batch]:
        """Yield what changed in the document since *cursor*; see `Source.read`."""
        stamp = _stamp((path, *self.companions(path)))
        if cursor is not None and _is_settled(cursor, stamp):
            return
        largest = LARGEST * self.limits.line_bytes
        with open_regular(path) as file:
            facts = file_facts(file)
            data = (file.read() if facts.size <= largest else file.read(HEAD)) or b""
        reading = _Reading(self, path, facts, stamp, cursor)
        if cursor is not None and cursor.fingerprint == reading.fingerprint(data):
            yield from reading.stand_still(data)
        elif facts.size > largest:
            yield from reading.reject(data, "document too large")
        else:
            yield from reading.take(data)


def session_name(value: object, context: Context) -> str:
    """The session's id as the agent gives it, or, without one, the name of the file."""
    return value if isinstance(value, str) and value else context.path.stem


def decode_lines(data: bytes) -> list[Any]:
    """What stands on the whole lines of a file of JSON lines that is rewritten, or small, as a document."""
    found: list[Any] = []
    for line in data[: data.rfind(b"\n") + 1].split(b"\n"):
        try:
            found += [decode_document(line)] if line.strip() else []
        except ValueError:
            continue  # a damaged line costs only itself
    return found


def load_companion(path: Path, largest: int) -> Any:
    """The JSON document in a companion file; None if there is none, or none yet."""
    try:
        with open_regular(path) as file:
            data = file.read(largest + 1) or b""
        return decode_document(data) if len(data) <= largest else None
    except (SourceError, ValueError):
        return None


def _stamp(paths: Sequence[Path]) -> str:
    """What the file system says of some files. Only ctime betrays a rewrite that kept size and mtime."""
    stamp = blake2b(digest_size=12)
    for path in paths:
        try:
            found = path.lstat()
        except OSError:
            stamp.update(b"?")
        else:
            stamp.update(
                f"{found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns};".encode()
            )
    return stamp.hexdigest()


def _is_settled(cursor: Cursor, stamp: str) -> bool:
    """Are size and times what they were, for so long that a change within one tick of the clock would show?"""
    return cursor.state.get(_STAMP) == stamp and cursor.state.get(_CALM, 0) >= _SETTLED


@dataclass(slots=True)
class _Clock:
    """Times for messages that have none: the session's beginning for the first, then that of the message before.

    In documents without any times a message is as old as the writing of the file in which it is first seen.
    """

    next: datetime | None
    mtime_ns: int

    def time(self, message: Message) -> datetime:
        """The time of a message."""
        written = datetime.fromtimestamp(self.mtime_ns / 1e9, UTC)
        found = message.time or self.next or written
        self.next = message.time
        return found


@dataclass(slots=True)
class _Reading:
    """One reading of a document."""

    source: DocumentSource
    path: Path
    facts: FileFacts
    stamp: str
    cursor: Cursor | None

    def fingerprint(self, data: bytes) -> str:
        """A hash of everything the transcript consists of; of companions what the file system says."""
        found = blake2b(data, digest_size=16)
        if self.source.companions(self.path) or len(data) < self.facts.size:
            found.update(self.stamp.encode())
        return found.hexdigest()

    def stand_still(self, data: bytes) -> Iterator[Batch]:
        """The same content as last time: count that, and give up on what stays broken."""
        cursor = self.cursor
        if cursor is None:
            return
        calm = cursor.state.get(_CALM, 0) + 1 if cursor.state.get(_STAMP) == self.stamp else 0
        if cursor.state.get(_BROKEN) and calm == _SETTLED:
            yield from self.reject(data, "not JSON", calm=calm)
            return
        state = {**cursor.state, _CALM: calm, _STAMP: self.stamp}
        facts = self.facts
        moved = replace(
            cursor, device=facts.device, inode=facts.inode, mtime_ns=facts.mtime_ns, state=state
        )
        yield Batch(moved)

    def reject(self, data: bytes, reason: str, calm: int = 0) -> Iterator[Batch]:
        """Keep the whole document aside."""
        context = Context(self.source.name, self.path, self.source.limits, {})
        context.reject(0, self.facts.size, reason, data[:HEAD])
        found = self._cursor(data, self.facts.size, self._known_marks(), calm=calm)
        yield context.batch(found, self.facts.size, restarted=self.cursor is not None)

    def take(self, data: bytes) -> Iterator[Batch]:
        """Hand out what is new in a document that changed."""
        try:
            document = self.source.decode(data)
        except ValueError:
            found = self._cursor(data, 0, self._known_marks(), broken=bool(data.strip()))
            yield Batch(found, restarted=self.cursor is not None)
            return
        context = Context(self.source.name, self.path, self.source.limits, {})
        self._parse(document, context)
        yield from self._changes(data, context)

    def _parse(self, document: Any, context: Context) -> None:
        try:
            session = self.source.open_session(document, context)
            items = () if session is None else self.source.items(document, session)
            clock = _Clock((session or {}).get("time"), self.facts.mtime_ns)
            for item in items:
                self._parse_item(item, session or {}, context, clock)
        except ODD_SHAPE as error:
            context.reject(0, 0, f"unexpected shape: {type(error).__name__}", b"")
        else:
            if session is None:
                context.skip("not a conversation")

    def _parse_item(
        self, item: Any, session: dict[str, Any], context: Context, clock: "_Clock"
    ) -> None:
        try:
            for message in self.source.parse(item, session, context):
                context.add(replace(message, time=clock.time(message)))
        except ODD_SHAPE as error:
            head = repr(item)[:HEAD].encode("utf-8", "replace")
            context.reject(0, 0, f"unexpected shape: {type(error).__name__}", head)

    def _changes(self, data: bytes, context: Context) -> Iterator[Batch]:
        marks = self._known_marks()
        context.sessions = [s for s in context.sessions if marks.change(f"\0{s.session_id}", s)]
        context.retracted = {key: None for key in context.retracted if marks.drop(key)}
        messages, context.messages = context.messages, {}
        restarted, weight = self.cursor is not None, 0
        for key, message in messages.items():
            if not marks.change(key, message.session_id, message.role, message.text):
                continue
            context.messages[key] = message
            weight += len(message.text)
            if weight >= self.source.limits.batch_bytes:
                unfinished = replace(self._cursor(data, 0, marks), fingerprint="")
                yield context.batch(unfinished, 0, restarted=restarted)
                restarted, weight = False, 0
        size = self.facts.size
        yield context.batch(self._cursor(data, size, marks), size, restarted=restarted)

    def _known_marks(self) -> Marks[_Mark]:
        return Marks("6s", self.cursor.state.get(_MARKS, "") if self.cursor is not None else "")

    def _cursor(
        self, data: bytes, offset: int, marks: Marks[_Mark], *, broken: bool = False, calm: int = 0
    ) -> Cursor:
        facts = self.facts
        return Cursor(
            path=str(self.path),
            device=facts.device,
            inode=facts.inode,
            size=facts.size,
            mtime_ns=facts.mtime_ns,
            offset=offset,
            fingerprint=self.fingerprint(data),
            state={_MARKS: marks.save(), _STAMP: self.stamp, _CALM: calm, _BROKEN: broken},
        )

"""The base of every source whose transcripts are JSON lines: all that is hard about files, once.

A source with such transcripts writes one method, `parse`. Everything else is here: reading only whole
records, damaged and huge lines, compressed twins, and noticing that a file is not the one it was. Identity
of a message never depends on any of it (see `model.Message.key`), so that reading again is always harmless.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import orjson

from memoryd.errors import SourceError
from memoryd.model import Batch, Cursor, Message
from memoryd.sources.base import Source
from memoryd.sources.context import Context
from memoryd.sources.decoding import decode_whole, salvage
from memoryd.sources.files import Place
from memoryd.sources.lines import LineCutter, Piece
from memoryd.sources.transcripts import OpenTranscript, moved_file, open_transcript, plain_path

Record = dict[str, Any]

HEAD = 4096  # bytes kept of a reject
ODD_SHAPE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
_SMALLEST_BLOCK = 4096
_HEAD_LINES = 50  # the first lines of a file are often bookkeeping


@lru_cache(maxsize=1)  # every source is asked about the same head
def head_records(head: bytes) -> tuple[Record, ...]:
    """The records at the beginning of a file, as far as they can be read; a cut-off last line is not."""
    records: list[Any] = []
    for line in head.split(b"\n")[:_HEAD_LINES]:
        try:
            records.append(orjson.loads(line))
        except orjson.JSONDecodeError:
            records += [part.record for part in salvage(line) if not part.reason]
    return tuple(record for record in records if isinstance(record, dict))


class JsonLinesSource(Source):
    """An agent that appends JSON records to files.

    Attributes:
        names: a transcript's logical path (with `/`, without the ending of a compressed twin) matches this.
        starts: how another record begins behind or inside one that `skipped` refuses: such a line is decoded.
    """

    names: ClassVar[re.Pattern[str]] = re.compile(r"\.jsonl$")
    starts: ClassVar[tuple[bytes, ...]] = ()

    @abstractmethod
    def parse(self, record: Record, context: Context) -> Iterable[Message]:
        """The messages in a record; facts, skips and retractions go to *context*.

        A record of an unexpected shape may raise: it is then rejected, and costs only itself.
        """

    def owns(self, record: Record) -> bool:
        """Is this a record that only this agent writes? Decides which source reads a file given by hand."""
        return False

    def recognises(self, head: bytes) -> bool:
        """Is one of the first records ours? See `Source.recognises`."""
        return any(self.owns(record) for record in head_records(head))

    def skipped(self, head: bytes) -> str | None:
        """Why a line that begins like this is not worth decoding; None: it is. Must be cheap and certain."""
        return None

    def begin(self, context: Context) -> None:
        """Called before each reading, e.g. to note what a companion file says of the session."""

    def finish(self, context: Context) -> Iterable[Message]:
        """What is still to be said when everything there is was read (messages still growing, say)."""
        return ()

    def transcript(self, path: Path) -> Path | None:
        """The transcript that *path* belongs to: itself, or the plain file if it is a compressed twin."""
        plain = plain_path(path)
        return plain if self.names.search(plain.as_posix()) else None

    def logical(self, path: Path) -> str:
        """The plain name, for a compressed twin too."""
        return str(plain_path(path))

    def read(self, path: Path, cursor: Cursor | None) -> Iterator[Batch]:
        """Yield what is new in the transcript since *cursor*; see `Source.read`."""
        try:
            yield from self._read(plain_path(path), cursor)
        except OSError as error:  # from the disk or the network, in the middle of reading
            raise SourceError(f"cannot read {path}: {error.strerror}") from error

    def _read(self, plain: Path, cursor: Cursor | None) -> Iterator[Batch]:
        # A root that a person named may be a link; what lies below a root may not.
        real = plain.resolve() if plain in self.roots else plain
        with open_transcript(real, self.limits.decompressed_bytes) as opened:
            if cursor is None:
                yield from _Reading(self, plain, opened, opened.begin(), None).batches()
            elif not opened.unchanged(cursor):
                place = opened.resume(cursor)
                if place is None:
                    yield from self._read_moved(plain, cursor)
                    yield from _Reading(self, plain, opened, opened.begin(), None).batches(
                        restarted=True
                    )
                else:
                    yield from _Reading(self, plain, opened, place, cursor).batches()

    def _read_moved(self, path: Path, cursor: Cursor) -> Iterator[Batch]:
        """The rest of a file that was renamed away, and whose name another file has now."""
        moved = moved_file(path, cursor)
        if moved is None:
            return
        try:
            with open_transcript(moved, self.limits.decompressed_bytes) as opened:
                place = opened.resume(cursor)
                if place is not None:
                    yield from _Reading(self, path, opened, place, cursor).batches()
        except SourceError:  # gone again: what was left in it is lost with it
            return


class _Reading:
    """One pass over an open transcript."""

    def __init__(
        self,
        source: JsonLinesSource,
        path: Path,
        opened: OpenTranscript,
        place: Place,
        cursor: Cursor | None,
    ) -> None:
        self._source = source
        self._opened = opened
        self._cursor = cursor
        self._place = place
        self._context = Context(
            source.name, path, source.limits, cursor.state if cursor is not None else {}
        )
        limits = source.limits
        block = max(_SMALLEST_BLOCK, min(1 << 20, limits.batch_bytes))
        self._cutter = LineCutter(opened.stream, place, limits.line_bytes, block)
        self._context.changed = opened.changed
        source.begin(self._context)
        self._quick = type(source).skipped is not JsonLinesSource.skipped

    def batches(self, *, restarted: bool = False) -> Iterator[Batch]:
        """Everything there is, in steps of about `ReadLimits.batch_bytes`."""
        done = self._place.offset
        for piece in self._cutter.pieces():
            if not self._take(piece):
                break
            self._place = piece.after
            if self._place.offset - done >= self._source.limits.batch_bytes:
                yield self._batch(done, restarted=restarted)
                done, restarted = self._place.offset, False
        self._conclude()
        at_end = self._cursor_here(finished=True)
        if restarted or at_end != self._cursor or not self._context.is_empty():
            consumed = self._place.offset - done
            yield self._context.batch(at_end, consumed, restarted=restarted)

    def _batch(self, done: int, *, restarted: bool) -> Batch:
        self._cursor = self._cursor_here(finished=False)
        return self._context.batch(self._cursor, self._place.offset - done, restarted=restarted)

    def _cursor_here(self, *, finished: bool) -> Cursor:
        size = self._opened.size(self._cutter.seen)
        state, path = self._context.saved_state(), str(self._context.path)
        return self._opened.cursor(path, self._place, size, state, finished=finished)

    def _conclude(self) -> None:
        for message in self._source.finish(self._context):
            self._context.add(message)
        if self._opened.stopped:
            seen = self._cutter.seen
            self._context.reject(seen, seen, self._opened.stopped, b"")

    def _take(self, piece: Piece) -> bool:
        """Make messages of a piece; False if it is a tail that is not finished yet."""
        if piece.kind == "lines":
            self._take_lines(piece)
        elif piece.kind == "long":
            self._take_long(piece.data, piece.start, piece.after.offset)
        else:
            records = decode_whole(piece.data)
            if records is None:
                return False
            if self._quick and self._skip(piece.data):
                records = []
            for record in records:
                self._parse(record, piece.start, piece.start + len(piece.data.rstrip()))
        return True

    def _take_lines(self, piece: Piece) -> None:
        start, limit = piece.start, self._source.limits.line_bytes
        for line in piece.data.split(b"\n"):
            end = start + len(line) + 1
            if not line or (self._quick and self._skip(line)):
                pass
            elif len(line) > limit:
                self._take_long(line, start, end)
            else:
                self._take_line(line, start)
            start = end

    def _skip(self, line: bytes) -> bool:
        """Leave out a line by its beginning alone, unless it holds another record or a piece of one."""
        reason = self._source.skipped(line)
        if not reason or any(line.find(start, 1) > 0 for start in (b'}{"', *self._source.starts)):
            return False
        self._context.skip(reason)
        return True

    def _take_line(self, line: bytes, start: int) -> None:
        """Parse a line; its span ends where the record does, as that of a tail which has no newline yet."""
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            self._salvage(line, start)
        else:
            end = start + len(line.rstrip())
            if isinstance(record, dict):
                self._parse(record, start, end)
            else:  # glued to a record it would be the same: bytes that are no record
                self._context.reject(start, end, "not an object", line[:HEAD])

    def _take_long(self, line: bytes, start: int, end: int) -> None:
        if not self._skip(line):
            kept = line if len(line) <= 3 * HEAD else line[:HEAD] + b" ... " + line[-HEAD:]
            self._context.reject(start, end, "line too long", kept)

    def _salvage(self, line: bytes, start: int) -> None:
        for part in salvage(line):
            if part.reason:
                head = line[part.start : min(part.end, part.start + HEAD)]
                self._context.reject(start + part.start, start + part.end, part.reason, head)
            else:
                self._parse(part.record, start + part.start, start + part.end)

    def _parse(self, record: Any, start: int, end: int) -> None:
        context = self._context
        context.span = (start, end)
        try:
            for message in self._source.parse(record, context):
                context.add(message)
        except ODD_SHAPE as error:
            context.reject(start, end, f"unexpected shape: {type(error).__name__}", b"")

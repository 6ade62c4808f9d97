"""Packing transcripts: a screened, zstd-compressed copy of raw records, written whole or not at all.

Every line of JSON stays one, so that the readers of today and tomorrow can read the copy as they read the transcript.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

import zstandard

from memoryd.errors import SourceError
from memoryd.screening.records import ScreenedRecord, screen_record
from memoryd.sources.base import ReadLimits
from memoryd.sources.files import ByteStream, Place, open_regular
from memoryd.sources.jsonl import head_records
from memoryd.sources.lines import LineCutter
from memoryd.sources.registry import HEAD_BYTES
from memoryd.sources.transcripts import open_transcript

LEVEL = 9  # of zstd; Claude Code's transcripts: 3 gives 8.9:1, 9 gives 10.2:1, 12 gives 10.3:1 in three times the time
LARGEST_TEXT = 64 * 1024 * 1024  # bytes of one document, which is screened in memory
SUFFIX = ".zst"
SQLITE = b"SQLite format 3\0"
BLOCK = 1 << 20


class UnpackableError(Exception):
    """A transcript of a kind that is not packed; the message names the kind."""


@dataclass(slots=True)
class Packed:
    """What packing gave.

    Attributes:
        raw, packed: bytes before and after.
        dropped: lines too long to be screened, left out.
        wrapped: lines that could not stay records of their own.
    """

    raw: int = 0
    packed: int = 0
    secrets: int = 0
    dropped: int = 0
    wrapped: int = 0


class FreshCopy:
    """A copy that is being written beside its place; `publish` puts it there, leaving without that drops it."""

    def __init__(self, target: Path, mtime_ns: int) -> None:
        self._target = target
        self._mtime_ns = mtime_ns
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = target.with_name(f".{target.name}.fresh")
        self.path.unlink(missing_ok=True)
        self._file = os.fdopen(
            os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb"
        )
        compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        self._packer = compressor.stream_writer(self._file, closefd=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):  # a full disk was told of by the write; closing only repeats it
            self._file.close()
        self.path.unlink(missing_ok=True)

    def write(self, data: bytes) -> None:
        """Add some bytes."""
        self._packer.write(data)

    def finish(self) -> None:
        """Make durable what was written."""
        self._packer.flush(zstandard.FLUSH_FRAME)
        self._file.flush()
        os.fsync(self._file.fileno())
        os.utime(self._file.fileno(), ns=(self._mtime_ns, self._mtime_ns))

    def publish(self) -> int:
        """Put the copy into its place; returns its size in bytes."""
        self.path.replace(self._target)
        return self._target.stat().st_size


def pack(path: Path, target: Path, limits: ReadLimits, mtime_ns: int) -> Packed:
    """Write a screened copy of the file with the logical name *path* to *target*, dated *mtime_ns*.

    An older copy there is replaced if the new one holds all of it, else it is kept beside it (`older_name`).

    Raises:
        UnpackableError: it is a database, or one document too large to be screened.
        SourceError: it cannot be read. OSError: the copy cannot be written.
    """
    packed = Packed()
    with open_transcript(path, limits.decompressed_bytes) as opened:
        opened.begin()
        head = opened.stream.read(HEAD_BYTES)
        opened.begin()
        if head.startswith(SQLITE):
            raise UnpackableError("database")
        by_line = bool(head_records(head))
        records = _lines if by_line else _document
        with FreshCopy(target, mtime_ns) as copy:
            for record in records(opened.stream, limits, packed):
                packed.secrets += record.secrets
                packed.wrapped += record.wrapped
                copy.write(record.data)
            copy.finish()
            _keep_older(target, copy.path, by_line=by_line)
            packed.packed = copy.publish()
    return packed


def _document(stream: ByteStream, limits: ReadLimits, packed: Packed) -> Iterator[ScreenedRecord]:
    data = text_of(stream)
    packed.raw = len(data)
    yield screen_record(data)


def _lines(stream: ByteStream, limits: ReadLimits, packed: Packed) -> Iterator[ScreenedRecord]:
    for piece in LineCutter(stream, Place(), limits.line_bytes).pieces():
        packed.raw = piece.after.offset
        if piece.kind == "long":
            packed.dropped += 1
            continue
        for line in split_lines(piece.data):
            if len(line) > limits.line_bytes:
                packed.dropped += 1
                continue
            record = line.removesuffix(b"\n")
            screened = screen_record(record)
            yield replace(screened, data=screened.data + line[len(record) :])


def split_lines(data: bytes) -> Iterator[bytes]:
    """Lines with their ends; only a newline ends one."""
    start = 0
    while end := data.find(b"\n", start) + 1:
        yield data[start:end]
        start = end
    if start < len(data):
        yield data[start:]


def lines_of(stream: ByteStream) -> Iterator[bytes]:
    """The lines of a stream with their ends."""
    rest = b""
    while data := stream.read(BLOCK):
        lines = list(split_lines(rest + data))
        rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
        yield from lines
    if rest:
        yield rest


def text_of(stream: ByteStream) -> bytes:
    """All bytes of a document.

    Raises:
        UnpackableError: it is too large.
    """
    blocks, size = [], 0
    while data := stream.read(BLOCK):
        blocks.append(data)
        size += len(data)
        if size > LARGEST_TEXT:
            raise UnpackableError("document too large")
    return b"".join(blocks)


def _keep_older(target: Path, fresh: Path, *, by_line: bool) -> None:
    """Put an older copy aside that holds what the fresh one does not: the agent has rewritten its transcript."""
    if not target.exists():
        return
    with reading(target) as older, reading(fresh) as newer:
        held = _begins_with(newer, older) if by_line else _length(newer) >= _length(older)
    if not held:
        target.rename(target.with_name(older_name(target)))


def older_name(copy: Path) -> str:
    """What a copy is called when another takes its place: the time of its transcript stands in the name."""
    return f"{copy.name.removesuffix(SUFFIX)}.~{copy.stat().st_mtime_ns}{SUFFIX}"


@contextmanager
def reading(copy: Path) -> Iterator[ByteStream]:
    """The unpacked bytes of a copy.

    Raises:
        SourceError: it cannot be read.
    """
    with open_regular(copy) as file:
        unpacker = zstandard.ZstdDecompressor()
        try:
            yield unpacker.stream_reader(file, closefd=False)
        except zstandard.ZstdError as error:
            raise SourceError(f"{copy} is damaged: {error}") from error


def rewrite(copy: Path, keep: Callable[[bytes], bool]) -> int:
    """Write a copy anew with those of its lines that are to be kept, under its old date; returns how many went.

    Raises:
        SourceError: the copy is damaged; it is as it was.
    """
    gone = 0
    with FreshCopy(copy, copy.stat().st_mtime_ns) as fresh, reading(copy) as stream:
        for line in lines_of(stream):
            if keep(line):
                fresh.write(line)
            else:
                gone += 1
        if gone:
            fresh.finish()
            fresh.publish()
    return gone


def unpack(copy: Path, target: Path) -> None:
    """Write the bytes of a copy to *target*, with the date of its transcript."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with reading(copy) as stream, target.open("xb") as file:
        while data := stream.read(BLOCK):
            file.write(data)
    dated = copy.stat().st_mtime_ns
    os.utime(target, ns=(dated, dated))


def _begins_with(stream: ByteStream, other: ByteStream) -> bool:
    mine, theirs = b"", b""
    while theirs := theirs or other.read(BLOCK):
        if not (mine := mine or stream.read(BLOCK)):
            return False
        count = min(len(mine), len(theirs))
        if mine[:count] != theirs[:count]:
            return False
        mine, theirs = mine[count:], theirs[count:]
    return True


def _length(stream: ByteStream) -> int:
    return sum(len(data) for data in iter(lambda: stream.read(BLOCK), b""))

"""Opening transcripts safely and recognising them again: the same bytes, plain or compressed.

A `ByteStream` hands out the *uncompressed* bytes of a transcript from an offset; whoever reads it need not
know how the file is stored. Files are opened read-only, never through a link, and only regular ones:
a FIFO or device planted in a transcript folder must not block or feed us.
"""

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from typing import Protocol

import zstandard

from memoryd.errors import SourceError

TAIL = 4096  # bytes before an offset that are compared before reading goes on from it
_WINDOW = 2**27  # bytes; the largest zstd window we grant memory for
_OUTPUT = 128 * 1024  # bytes; what is lost at most before a damaged place
_RATIO = 200  # real rollouts compress up to 14:1; more than this is an attack
_RATIO_FREE = 64 * 1024 * 1024  # bytes of output below which the ratio does not matter
_READ_ONLY = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the file system says of an open file."""

    device: int
    inode: int
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a stream: everything before *offset* is known.

    Attributes:
        checksum: CRC-32 of all bytes before the offset.
        before: the last bytes before the offset, up to `TAIL`.
    """

    offset: int = 0
    checksum: int = 0
    before: bytes = b""

    def after(self, data: bytes) -> "Place":
        """The place behind *data*."""
        before = data[-TAIL:] if len(data) >= TAIL else (self.before + data)[-TAIL:]
        return Place(self.offset + len(data), zlib.crc32(data, self.checksum), before)

    @property
    def fingerprint(self) -> str:
        """What a cursor keeps of the bytes before it."""
        return f"{self.checksum:08x}:{blake2b(self.before, digest_size=8).hexdigest()}"


class ByteStream(Protocol):
    """Uncompressed bytes, in order."""

    def read(self, count: int, /) -> bytes:
        """Up to *count* bytes; empty at the end."""


@contextmanager
def open_regular(path: Path) -> Iterator[FileIO]:
    """Open a regular file for reading.

    Raises:
        SourceError: it is gone, not permitted, a link, or not a regular file.
    """
    try:
        descriptor = os.open(path, _READ_ONLY)
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SourceError(f"cannot read {path}: not a regular file")
    with FileIO(descriptor, "rb") as file:
        yield file


def read_companion(path: Path, limit: int = 1 << 20) -> bytes:
    """The first bytes of a small file beside a transcript; empty if it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(limit)
    except (SourceError, OSError):
        return b""


def file_facts(file: FileIO) -> FileFacts:
    """The facts of an open file, as they are now."""
    found = os.fstat(file.fileno())
    return FileFacts(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def pass_over(stream: ByteStream, count: int) -> Place:
    """The place *count* bytes into a stream that stands at its beginning, or its end if that comes first."""
    place = Place()
    while place.offset < count and (data := stream.read(min(count - place.offset, 1 << 20))):
        place = place.after(data)
    return place


class ZstdStream:
    """The bytes inside a zstd file of one or more frames; a frame cut off ends the stream quietly.

    Attributes:
        stopped: why reading ended before the end of the file ("" if it did not).
    """

    def __init__(self, file: FileIO, limit: int) -> None:
        self._file = file
        self._limit = limit
        self._output = 0
        self._reader = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
            file, read_across_frames=True, closefd=False
        )
        self.stopped = ""

    def read(self, count: int) -> bytes:
        """Up to *count* bytes; empty at the end, or where it is not safe to go on."""
        if self.stopped:
            return b""
        try:
            data = self._reader.read(min(count, _OUTPUT))
        except zstandard.ZstdError:
            self.stopped = "damaged compression"
            return b""
        self._output += len(data)
        allowed = max(_RATIO_FREE, _RATIO * self._file.tell())
        if self._output > min(allowed, self._limit):
            self.stopped = "too large for its compressed size"
        return data

"""An open transcript, found under its logical name, and the place in it where reading goes on.

The plain file is preferred; where only its compressed twin exists, that is read, under the same name and
with offsets in uncompressed bytes, so that compressing a file moves no cursor.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path

from memoryd.errors import SourceError
from memoryd.model import Cursor
from memoryd.sources.files import (
    TAIL,
    ByteStream,
    Place,
    ZstdStream,
    file_facts,
    open_regular,
    pass_over,
)

SUFFIXES = (".zst", ".zstd")
_STORED = "_stored"  # in the cursor's state: the size of the compressed file


def plain_path(path: Path) -> Path:
    """The logical name of a transcript: without the ending of a compressed twin."""
    return path.with_suffix("") if path.suffix in SUFFIXES else path


def check_name(path: Path) -> None:
    """Refuse a transcript that could be read but not remembered: the store keeps names as text.

    Raises:
        SourceError: the name is not valid UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise SourceError(f"cannot read {str(path)!a}: its name is not valid UTF-8") from error


def stat_transcript(path: Path) -> os.stat_result | None:
    """What the file system says of a transcript, by its logical name; None if neither it nor a twin is there."""
    for suffix in ("", *SUFFIXES):
        with suppress(OSError):
            return os.stat(f"{path}{suffix}")  # noqa: PTH116 - tens of thousands
    return None


class OpenTranscript:
    """A transcript's bytes, whichever way they are stored.

    Attributes:
        stream: the uncompressed bytes, standing at the place that `resume` or `begin` gave last.
    """

    def __init__(self, file: FileIO, *, compressed: bool, limit: int) -> None:
        self._file = file
        self._compressed = compressed
        self._limit = limit
        self.stream: ByteStream = file

    def begin(self) -> Place:
        """Go to the beginning."""
        self._file.seek(0)
        self.stream = ZstdStream(self._file, self._limit) if self._compressed else self._file
        return Place()

    def resume(self, cursor: Cursor) -> Place | None:
        """Go to where *cursor* stopped; None if the bytes before it are no longer what they were."""
        place = self._reread(cursor) if self._is_doubtful(cursor) else self._glance(cursor)
        if place.offset == cursor.offset and (
            not cursor.offset or place.fingerprint == cursor.fingerprint
        ):
            return place
        return None

    def unchanged(self, cursor: Cursor) -> bool:
        """Is this the compressed file that was read to its end? Plain files always cost one glance."""
        facts = file_facts(self._file)
        return self._compressed and (
            (cursor.device, cursor.inode, cursor.mtime_ns, cursor.state.get(_STORED))
            == (facts.device, facts.inode, facts.mtime_ns, facts.size)
        )

    def cursor(
        self, path: str, place: Place, size: int, state: dict[str, object], *, finished: bool
    ) -> Cursor:
        """The cursor at *place* of a transcript of *size* uncompressed bytes; *finished*: all was read."""
        facts = file_facts(self._file)
        state = {name: value for name, value in state.items() if name != _STORED}
        if self._compressed and finished:
            state[_STORED] = facts.size
        return Cursor(
            path=path,
            device=facts.device,
            inode=facts.inode,
            size=size,
            mtime_ns=facts.mtime_ns,
            offset=place.offset,
            fingerprint=place.fingerprint,
            state=state,
        )

    def size(self, seen: int) -> int:
        """Uncompressed bytes there are at least, when *seen* of them were read so far."""
        return seen if self._compressed else max(seen, file_facts(self._file).size)

    @property
    def changed(self) -> datetime:
        """When the file was last changed."""
        return datetime.fromtimestamp(file_facts(self._file).mtime_ns / 1e9, UTC)

    @property
    def stopped(self) -> str:
        """Why decompressing ended early, "" if it did not."""
        return self.stream.stopped if isinstance(self.stream, ZstdStream) else ""

    def _is_doubtful(self, cursor: Cursor) -> bool:
        """May bytes far before the offset have changed? Growth in place needs only a glance."""
        facts = file_facts(self._file)
        moved = (facts.device, facts.inode) != (cursor.device, cursor.inode)
        touched = facts.size <= cursor.size and facts.mtime_ns != cursor.mtime_ns
        return self._compressed or moved or touched

    def _reread(self, cursor: Cursor) -> Place:
        self.begin()
        return pass_over(self.stream, cursor.offset)

    def _glance(self, cursor: Cursor) -> Place:
        """The place at the cursor's offset, its checksum taken on trust from the cursor."""
        start = max(0, cursor.offset - TAIL)
        before = os.pread(self._file.fileno(), cursor.offset - start, start)
        self.begin()
        self._file.seek(cursor.offset)
        checksum = int(cursor.fingerprint.partition(":")[0] or "0", 16)
        return Place(start + len(before), checksum, before)


@contextmanager
def open_transcript(path: Path, limit: int) -> Iterator[OpenTranscript]:
    """Open the transcript with the logical name *path*, at most *limit* bytes of it decompressed.

    Raises:
        SourceError: neither it nor a compressed twin can be read.
    """
    name, compressed = path, False
    if not os.path.lexists(path):
        twins = [path.with_name(path.name + suffix) for suffix in SUFFIXES]
        name, compressed = next(
            ((twin, True) for twin in twins if os.path.lexists(twin)), (path, False)
        )
    with open_regular(name) as file:
        yield OpenTranscript(file, compressed=compressed, limit=limit)


def moved_file(path: Path, cursor: Cursor) -> Path | None:
    """Where in its folder the file of *cursor* went, when *path* is another file now (rotation)."""
    try:
        with os.scandir(path.parent) as entries:
            for entry in entries:
                if entry.inode() == cursor.inode and entry.name != path.name:
                    return (
                        path.parent / entry.name if entry.is_file(follow_symlinks=False) else None
                    )
    except OSError as error:
        raise SourceError(f"cannot read {path.parent}: {error.strerror}") from error
    return None

"""A stream of bytes cut into pieces that end at a line's end, with bounded memory."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Literal

from memoryd.sources.files import ByteStream, Place

HEAD = 4096  # bytes kept of each end of a line that is too long
_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of a transcript from *start* to the place *after*.

    Attributes:
        kind: "lines": whole lines; "long": one line over the limit, only its ends are in *data*;
            "tail": what follows the last newline.
    """

    kind: Literal["lines", "long", "tail"]
    data: bytes
    start: int
    after: Place


@dataclass(slots=True)
class LineCutter:
    """Cuts a stream into pieces, beginning at *place*.

    Attributes:
        line_bytes: a longer line is not held in memory.
        block_bytes: how much is read at a time.
        seen: how far the stream was read, pending bytes included.
    """

    stream: ByteStream
    place: Place
    line_bytes: int
    block_bytes: int = _BLOCK
    seen: int = field(default=0, init=False)

    def pieces(self) -> Iterator[Piece]:
        """Pieces in order; an unfinished line over the limit gives none (it stays pending)."""
        self.seen = self.place.offset
        held, data = b"", self._read()
        while data:
            cut = data.rfind(b"\n") + 1
            if cut:
                yield self._advance("lines", held + data[:cut])
                held, data = data[cut:], self._read()
            elif len(held) + len(data) <= self.line_bytes:
                held, data = held + data, self._read()
            else:
                data = yield from self._pass_long(held + data)
                held, data = b"", data or self._read()
        if held:
            yield self._advance("tail", held)

    def _read(self) -> bytes:
        data = self.stream.read(self.block_bytes)
        self.seen += len(data)
        return data

    def _advance(self, kind: Literal["lines", "tail"], data: bytes) -> Piece:
        start, self.place = self.place.offset, self.place.after(data)
        return Piece(kind, data, start, self.place)

    def _pass_long(self, held: bytes) -> Generator[Piece, None, bytes]:
        """Pass over the rest of a line that is too long; returns what was read behind its end."""
        start, head, place = self.place.offset, held[:HEAD], self.place.after(held)
        while data := self._read():
            cut = data.find(b"\n") + 1
            place = place.after(data[:cut] if cut else data)
            if cut:
                self.place = place
                yield Piece("long", head + b" ... " + place.before[-HEAD:], start, place)
                return data[cut:]
        return b""

"""What was last seen of each of many things, in few bytes: it travels in every cursor.

Identities are hashes, so a mark says "the same as last time" or "not the same", and nothing else. A collision
(of 48 bits of identity and 32 of content) would leave out one change; losing a mark costs one reading again.
"""

import struct
from base64 import b85decode, b85encode
from collections.abc import Iterator
from hashlib import blake2b
from typing import Generic, TypeVar

KEPT = 50_000

_IDENTITY = 6  # bytes
_Value = TypeVar("_Value", bound=tuple[object, ...])


def digest(*parts: object, size: int = 4) -> bytes:
    """A short hash of values, as bytes."""
    text = "\x1f".join(map(repr, parts))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


class Marks(Generic[_Value]):
    """A bounded map from names to fixed-size values, saved as one short text."""

    def __init__(self, form: str, saved: object = "", kept: int = KEPT) -> None:
        """Take up what was saved; anything else than a text of ours is no mark at all.

        Args:
            form: of a value, as in `struct`, e.g. "4sd".
            kept: how many marks; the least recently changed are forgotten first.
        """
        self._kept = kept
        self._form = struct.Struct(f">{form}")
        self._marks: dict[bytes, bytes] = dict(self._read(saved))

    def _read(self, saved: object) -> Iterator[tuple[bytes, bytes]]:
        try:
            data = b85decode(saved) if isinstance(saved, str) else b""
        except ValueError:
            data = b""
        width = _IDENTITY + self._form.size
        for start in range(0, len(data) - width + 1, width):
            yield data[start : start + _IDENTITY], data[start + _IDENTITY : start + width]

    def get(self, name: str) -> _Value | None:
        """The value of a name."""
        found = self._marks.get(digest(name, size=_IDENTITY))
        return None if found is None else self._form.unpack(found)  # type: ignore[return-value]  # by its form

    def put(self, name: str, value: _Value) -> None:
        """Set the value of a name."""
        identity = digest(name, size=_IDENTITY)
        self._marks.pop(identity, None)
        self._marks[identity] = self._form.pack(*value)
        if len(self._marks) > self._kept:
            del self._marks[next(iter(self._marks))]

    def change(self, name: str, *what: object) -> bool:
        """Is *what* another than the mark of *name* says (a digest alone)? It is marked."""
        mark = (digest(*what, size=self._form.size),)
        if self.get(name) == mark:
            return False
        self.put(name, mark)  # type: ignore[arg-type]  # a digest, by its form
        return True

    def drop(self, name: str) -> bool:
        """Forget a name; was it known?"""
        return self._marks.pop(digest(name, size=_IDENTITY), None) is not None

    def save(self) -> str:
        """All marks as one text, for a cursor's state."""
        return b85encode(b"".join(key + value for key, value in self._marks.items())).decode()

"""Reading rows out of a damaged database file, page by page, without SQLite, which stops at the first bad page.

What is whole is found whatever is broken around it: leaves of a table are recognised by the pointer map that an
auto-vacuum database keeps (leaf -> parent -> root), else by walking down from the root. SQLite keeps no checksum of a
page, so a flipped bit inside a text passes; whatever does not decode as a row is left out.
Source: sqlite.org/fileformat2.html (November 2026).
"""

import struct
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Self

from memoryd.store.wal import committed_frames

MAGIC = b"SQLite format 3\0"
PAGE_BYTES = 4096  # ours, where the header does not say
SCHEMA_ROOT = 1
LEAF_TABLE, LEAF_INDEX, INTERIOR_TABLE, INTERIOR_INDEX = 0x0D, 0x0A, 0x05, 0x02
KINDS = (LEAF_TABLE, LEAF_INDEX, INTERIOR_TABLE, INTERIOR_INDEX)
MAP_ROOT, MAP_INNER = 1, 5  # kinds of entries of the pointer map
DEEPEST = 40  # levels of a tree; more is a circle
INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)

Row = tuple[int | None, list[Any]]  # row id (None in a table without), values as they are stored


class Pages:
    """The pages of a database file as its last commit left them, its write-ahead log included."""

    def __init__(self, path: Path) -> None:
        """Open for reading; the file is never changed.

        Raises:
            OSError: it cannot be read.
        """
        self._data: mmap | bytes = b""
        if path.exists() and path.stat().st_size:
            with path.open("rb") as file:
                self._data = mmap(file.fileno(), 0, access=ACCESS_READ)
        size = int.from_bytes(self._data[16:18], "big")
        known = self._data[:16] == MAGIC and size in {1 << bits for bits in range(9, 16)}
        self.size = size if known else PAGE_BYTES
        self._log = committed_frames(Path(f"{path}-wal"), self.size)
        self.count = max(len(self._data) // self.size, *self._log, 1)
        self._in_map = (
            self.size // 5 + 1
        )  # pages that one page of the map tells of, itself included

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if isinstance(self._data, mmap):
            self._data.close()

    def page(self, number: int) -> bytes:
        """A page by its number, from 1; empty if it is not there."""
        found = self._log.get(number)
        return self._data[(number - 1) * self.size : number * self.size] if found is None else found

    def kind(self, number: int) -> int:
        """The kind of a page of a tree; 0 if it is none, or damaged."""
        page, start = self.page(number), _start(number)
        return page[start] if len(page) == self.size and page[start] in KINDS else 0

    def _mapped(self, number: int) -> tuple[int, int]:
        """What the pointer map says of a page: (kind, parent)."""
        first = (number - 2) // self._in_map * self._in_map + 2
        if number < SCHEMA_ROOT + 1 or number == first:
            return 0, 0
        entry = self.page(first)[5 * (number - first - 1) :][:5]
        return (entry[0], int.from_bytes(entry[1:], "big")) if len(entry) == 5 else (0, 0)  # noqa: PLR2004

    def root_of(self, number: int) -> int:
        """The root of the tree that a page belongs to, by the pointer map; 0 if it cannot be told."""
        for _ in range(DEEPEST):
            kind, parent = self._mapped(number)
            if kind == MAP_ROOT:
                return number
            if kind != MAP_INNER or not SCHEMA_ROOT <= parent <= self.count:
                return 0
            if parent == SCHEMA_ROOT:
                return SCHEMA_ROOT
            number = parent
        return 0

    def below(self, root: int) -> Iterator[int]:
        """The pages of a tree that can be reached from its root, and those that are named there and are not in the file."""
        waiting, seen = [root], {0}
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            yield number
            waiting += self._children(number)

    def _children(self, number: int) -> list[int]:
        if self.kind(number) not in (INTERIOR_TABLE, INTERIOR_INDEX):
            return []
        page, start = self.page(number), _start(number)
        cells = (page[offset : offset + 4] for offset in self._cells(number))
        return [int.from_bytes(one, "big") for one in (*cells, page[start + 8 : start + 12])]

    def _cells(self, number: int) -> list[int]:
        page, start = self.page(number), _start(number)
        first = start + (12 if page[start] in (INTERIOR_TABLE, INTERIOR_INDEX) else 8)
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        pointers = page[first : first + 2 * count]
        found = struct.unpack(f">{len(pointers) // 2}H", pointers[: len(pointers) // 2 * 2])
        return [offset for offset in found if first < offset < self.size]

    def rows(self, number: int) -> Iterator[Row | None]:
        """The rows on a page; None for each that cannot be read."""
        kind = self.kind(number)
        if kind in (0, INTERIOR_TABLE):
            return
        page = self.page(number)
        for offset in self._cells(number):
            try:
                yield self._row(page, offset + (4 if kind == INTERIOR_INDEX else 0), kind)
            except (ValueError, IndexError, struct.error, OverflowError):
                yield None

    def _row(self, page: bytes, offset: int, kind: int) -> Row:
        length, offset = _varint(page, offset)
        row: int | None = None
        if kind == LEAF_TABLE:
            row, offset = _varint(page, offset)
        return row, _values(self._payload(page, offset, length, kind))

    def _payload(self, page: bytes, offset: int, length: int, kind: int) -> bytes:
        """The bytes of a record, of which the end may lie on a chain of other pages."""
        if length > self.count * self.size:
            raise ValueError("longer than the file")
        least = (self.size - 12) * 32 // 255 - 23
        most = self.size - 35 if kind == LEAF_TABLE else (self.size - 12) * 64 // 255 - 23
        local = length
        if length > most:
            local = least + (length - least) % (self.size - 4)
            local = local if local <= most else least
        held = bytearray(page[offset : offset + local])
        chain = int.from_bytes(page[offset + local : offset + local + 4], "big")
        while len(held) < length:
            further = self.page(chain) if SCHEMA_ROOT < chain <= self.count else b""
            if not further:
                raise ValueError("the chain is broken")
            held += further[4 : 4 + length - len(held)]
            chain = int.from_bytes(further[:4], "big")
        return bytes(held)


def _start(number: int) -> int:
    """Where a page's own header begins: the first page has the file's before it."""
    return 100 if number == SCHEMA_ROOT else 0


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where the next thing begins."""
    value = 0
    for index in range(8):
        byte = data[offset + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004 - the highest bit says: more
            return value, offset + index + 1
    value = value << 8 | data[offset + 8]
    return value - (1 << 64) if value >> 63 else value, offset + 9


def _values(record: bytes) -> list[Any]:
    """The columns of a record.

    Raises:
        ValueError: it is none, or a text is no UTF-8.
    """
    end, offset = _varint(record, 0)
    kinds = []
    while offset < end:
        kind, offset = _varint(record, offset)
        kinds.append(kind)
    if offset != end:
        raise ValueError("the head of the record does not end where it says")
    values = []
    for kind in kinds:
        value, offset = _value(record, offset, kind)
        values.append(value)
    if offset != len(record):
        raise ValueError("the record does not end where it says")
    return values


def _value(record: bytes, offset: int, kind: int) -> tuple[Any, int]:
    if kind == 0:
        return None, offset
    if kind < len(INTEGER_BYTES):
        end = offset + INTEGER_BYTES[kind]
        return int.from_bytes(record[offset:end], "big", signed=True), end
    if kind == 7:  # noqa: PLR2004 - the format's number for a float
        return struct.unpack(">d", record[offset : offset + 8])[0], offset + 8
    if kind in (8, 9):
        return kind - 8, offset
    if kind < 12:  # noqa: PLR2004 - reserved
        raise ValueError("no such kind of value")
    end = offset + (kind - 12) // 2
    data = record[offset:end]
    if len(data) != end - offset:
        raise ValueError("the value goes beyond the record")
    return (data.decode() if kind % 2 else data), end

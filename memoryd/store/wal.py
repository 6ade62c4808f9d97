"""The committed pages of a write-ahead log, read without SQLite. Source: sqlite.org/fileformat2.html#the_write_ahead_log."""

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

HEADER, FRAME_HEADER = 32, 24
LITTLE, BIG = 0x377F0682, 0x377F0683  # in which order the checksums are computed


def committed_frames(path: Path, page_bytes: int) -> dict[int, bytes]:
    """Page number -> content, of everything that was committed to the log; empty if there is none of that page size.

    Frames count up to the last commit before the first one whose checksum is wrong, as SQLite itself does it.
    """
    found: dict[int, bytes] = {}
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return found
    with file:
        header = file.read(HEADER)
        if len(header) < HEADER:
            return found
        magic, _, size, _ = struct.unpack(">4I", header[:16])
        if magic not in (LITTLE, BIG) or size != page_bytes:
            return found
        waiting: dict[int, bytes] = {}
        order = "<" if magic == LITTLE else ">"
        salt, sums = header[16:24], _checksum(header[:24], (0, 0), order)
        if struct.pack(">2I", *sums) != header[24:32]:
            return found
        for frame in _frames(file.read, FRAME_HEADER + size):
            sums = _checksum(frame[:8], sums, order)
            sums = _checksum(frame[FRAME_HEADER:], sums, order)
            if frame[8:16] != salt or struct.pack(">2I", *sums) != frame[16:24]:
                break
            number, ends = struct.unpack(">2I", frame[:8])
            waiting[number] = frame[FRAME_HEADER:]
            if ends:  # the last frame of a commit
                found |= waiting
                waiting = {}
    return found


def _frames(read: Callable[[int], bytes], length: int) -> Iterator[bytes]:
    while len(frame := read(length)) == length:
        yield frame


def _checksum(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    one, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two

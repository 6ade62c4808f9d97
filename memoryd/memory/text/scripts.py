"""Which script a character belongs to; enough to tell words apart, not a full Unicode table."""

from functools import lru_cache
from typing import Literal

Script = Literal["han", "kana", "hangul", "latin", "digit", "space", "sign"]

_MIDDLE_DOT = 0x30FB  # a sign among the kana
_RANGES: tuple[tuple[int, int, Script], ...] = (
    (0x3400, 0x4DBF, "han"),
    (0x4E00, 0x9FFF, "han"),
    (0x3005, 0x3007, "han"),
    (0xF900, 0xFAFF, "han"),
    (0x20000, 0x323AF, "han"),
    (0x3040, 0x30FF, "kana"),
    (0x31F0, 0x31FF, "kana"),
    (0x1100, 0x11FF, "hangul"),
    (0x3130, 0x318F, "hangul"),
    (0xAC00, 0xD7AF, "hangul"),
)


@lru_cache(maxsize=8192)
def script(char: str) -> Script:
    """Name the script of one character; letters outside the table count as latin."""
    if char.isdigit():
        return "digit"
    if char.isspace():
        return "space"
    code = ord(char)
    for low, high, name in _RANGES:
        if low <= code <= high and code != _MIDDLE_DOT:
            return name
    return "latin" if char.isalpha() else "sign"

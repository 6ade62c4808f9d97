"""One value that two texts write so differently that only both together tell what it is: at 10 = 10:00, 2h30 = 2.5 h."""

import re

from memoryd.memory.consolidation.unit import Reading, Unit

_AT = re.compile(  # a bare number is a time of day only behind one of these
    r"(?:\b(?:at|from|to|till|until|before|after|by|um|von|bis|ab|à|dès|las|a|hasta)|\d\s?[-–])\s*$",
    re.IGNORECASE,
)
_HOUR = 3600
_NEAR = 24  # characters before a number in which a preposition stands
_HOURS = 24


def pair_notations(
    a: Reading, b: Reading, only_a: list[int], only_b: list[int], pairs: list[tuple[int, int]]
) -> None:
    """Move leftover quantities that are one value in another notation to *pairs*."""
    for i in tuple(only_a):
        for j in tuple(only_b):
            u, v = a.units[i], b.units[j]
            if _is_one_value(u, v, a) or _is_one_value(v, u, b):
                pairs.append((i, j))
                only_a.remove(i)
                only_b.remove(j)
                break


def _is_one_value(u: Unit, v: Unit, reading: Reading) -> bool:
    """Is v the time of day, or the duration, that u writes as a bare number or as 2h30?"""
    if u.kind != "quantity" or v.kind != "quantity":
        return False
    if not (u.key.startswith("time:") or v.key.startswith("time:")):
        return False
    if clock := re.fullmatch(r"time:(\d\d):(\d\d)", v.key):
        hour, minute = int(clock[1]), int(clock[2])
        said = _AT.search(reading.text[max(0, u.start - _NEAR) : u.start]) is not None
        return said and u.key.startswith("number:") and _is_clock(u.surface, hour, minute)
    if length := re.fullmatch(r"time:(\d\d):(\d\d)", u.key):
        seconds = int(length[1]) * _HOUR + int(length[2]) * 60
        return "h" in u.surface and v.key == f"seconds:{seconds}"
    return False


def _is_clock(text: str, hour: int, minute: int) -> bool:
    """9, 0930 and 18.05 may be times of day; nothing else may."""
    if minute == 0 and text.isdigit() and len(text) < 3 and int(text) == hour < _HOURS:  # noqa: PLR2004 - an hour
        return True
    match = re.fullmatch(r"(\d{1,2})\.?(\d\d)", text)
    return match is not None and int(match[1]) == hour and int(match[2]) == minute

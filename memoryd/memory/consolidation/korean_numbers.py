"""Korean numerals in words with what they count: 두 명, 열다섯 개, 세 시간, 두 시 반, 삼십 분.

A numeral of one syllable is one only before a counter or a unit (한, 이 and 일 are other words, too).
"""

import re

from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.lexicon import Lexicon
from memoryd.memory.consolidation.quantities import read_quantity, with_unit
from memoryd.memory.text import parse_han_numeral

_SINO = str.maketrans("일이삼사오육칠팔구십백천만", "一二三四五六七八九十百千万")
_SINO_RUN = re.compile("[일이삼사오육칠팔구]?[십백천만][일이삼사오육칠팔구십백천만]*")
_CLOCK = re.compile("시(?!간)(?: ?(반))?")
_PART = re.compile("오[전후] ")
_LONGEST_UNIT = 3
_TEN = 10


def counted_at(text: str, at: int, base: int, table: Lexicon) -> tuple[Item, int] | None:
    """Read the numeral and counter that begin a word at *at*; return the quantity and the place behind it."""
    part = _PART.match(text, at)
    begin = part.end() if part else at
    found = _native(text, begin, table) or _sino(text, begin)
    if found is None or (at and text[at - 1] != " "):
        return None
    value, end = found
    after = end + (text[end : end + 1] == " ")
    if clock := _CLOCK.match(text, after):
        key = read_quantity(f"{text[at:begin]}{value}시{' 30분' if clock[1] else ''}")
        return _item(key, text, at, clock.end(), base), clock.end()
    if part:
        return None
    for length in range(_LONGEST_UNIT, 0, -1):
        sense = table.phrases.get(text[after : after + length])
        if sense and sense.role == "unit" and len(text[after : after + length]) == length:
            stop = after + length
            return _item(with_unit(f"number:{value}", sense.key), text, at, stop, base), stop
    if text[after : after + 1] in table.measures:
        stop = after + (text[after] in table.classifiers)
        return _item(f"number:{value}", text, at, stop, base), stop
    return None


def _item(key: str, text: str, at: int, stop: int, base: int) -> Item:
    return Item("quantity", key, text[at:stop], base + at, base + stop)


def _native(text: str, at: int, table: Lexicon) -> tuple[int, int] | None:
    """Read 열다섯: a ten and a one, or either."""
    total, end = 0, at
    for tens in (True, False):
        for length in (2, 1):
            sense = table.phrases.get(text[end : end + length])
            if sense and sense.role == "number" and (int(sense.key) >= _TEN) == tens:
                total, end = total + int(sense.key), end + length
                break
    return (total, end) if end > at else None


def _sino(text: str, at: int) -> tuple[int, int] | None:
    match = _SINO_RUN.match(text, at)
    value = parse_han_numeral(match.group().translate(_SINO)) if match else None
    return (value, match.end()) if match and value else None

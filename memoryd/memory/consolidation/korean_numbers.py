"""Korean numerals in words with what they count: 두 명, 열다섯 개, 세 시간, 두 시 반, 삼십 분, 반 시간, 세 번째."""

import re

from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.lexicon import Lexicon
from memoryd.memory.consolidation.quantities import read_quantity, with_unit
from memoryd.memory.text import parse_korean_numeral

_PART = re.compile("오[전후] ")
_CLOCK = re.compile("시(?!간)(?: ?(반)(?= |에|부|까|$))?")
_JOINED = "한두세네"  # 두시간: numerals that are written together with what they count
_THIS = "이"  # 이 일: this work, not two days
_LONGEST_UNIT = 3
_COUNTED = frozenset(" 은는이가을를의에로와과도만씩마.,") | {""}  # what may follow a counter


def counted_at(  # noqa: PLR0911 - one answer for each case
    text: str, at: int, base: int, table: Lexicon
) -> tuple[Item, int] | None:
    """Read the numeral and counter that begin a word at *at*; return the quantity and the place behind it."""
    part = _PART.match(text, at)
    found = _numeral(text, part.end() if part else at)
    if found is None or (at and text[at - 1] != " "):
        return None
    value, after = found
    if (clock := _CLOCK.match(text, after)) and isinstance(value, int):
        hour = f"{part.group() if part else ''}{value}시{' 30분' if clock[1] else ''}"
        return _item(read_quantity(hour), text, at, clock.end(), base)
    if part:
        return None
    if text.startswith("번째", after):
        return _item(f"ordinal:{value}", text, at, after + 2, base)
    for stop in range(after + _LONGEST_UNIT, after, -1):
        sense = table.phrases.get(text[after:stop])
        if sense and sense.role == "unit" and stop <= len(text):
            return _item(with_unit(f"number:{value}", sense.key), text, at, stop, base)
    counter = text[after : after + 1]
    if counter not in table.measures or text[after + 1 : after + 2] not in _COUNTED:
        return None
    return _item(f"number:{value}", text, at, after + 1, base)


def _numeral(text: str, at: int) -> tuple[float, int] | None:
    """Give the value of the word at *at* and the place of what it counts."""
    end = text.find(" ", at)
    word = text[at:end] if end > at else ""
    value = 0.5 if word == "반" else parse_korean_numeral(word)
    if value is not None and word != _THIS:
        return value, end + 1
    joined = parse_korean_numeral(text[at]) if text[at : at + 1] in _JOINED else None
    return None if joined is None else (joined, at + 1)


def _item(key: str, text: str, at: int, stop: int, base: int) -> tuple[Item, int]:
    return Item("quantity", key, text[at:stop], base + at, base + stop), stop

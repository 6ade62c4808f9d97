"""Halves of unspaced scripts: 一个半小时 and 一小时半 are an hour and a half, 1時間半 and 1시간 반 too.

Runs over the items before `shares`, which reads those of spaced scripts.
"""

import re
from dataclasses import replace
from decimal import Decimal

from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.quantities import plain, with_unit
from memoryd.memory.text import HAN_NUMERAL, parse_han_numeral, parse_korean_numeral

_AMOUNT = re.compile(r"([a-z]+):(\d+(?:\.\d+)?)")
_OPENINGS = ("半", "반", "一个", "一個")  # of what may be joined; few texts have one
_DIGITS = re.compile(r"\d+(?![\d.])")
_COUNTED = re.compile(rf"(\d+|{HAN_NUMERAL.pattern})\s?[个個]?")


def join_halves(found: list[Item]) -> list[Item]:
    """Join a count and the half behind it, left to right."""
    if not any(item.surface.startswith(_OPENINGS) for item in found):
        return found
    out: list[Item] = []
    for item in found:
        before = out[-1] if out else None
        joined = before and (
            _half_behind(before, item) or _half_between(before, item) or _one_unit(before, item)
        )
        if joined:
            out[-1] = joined
        else:
            out.append(item)
    return out


def _half_behind(amount: Item, half: Item) -> Item | None:
    """一小时半, 1時間 半, 한 시간 반: half a unit more."""
    gap = half.start - amount.end
    if half.surface not in ("半", "반") or not 0 <= gap <= 1 or amount.role != "quantity":
        return None
    match, count = _AMOUNT.fullmatch(amount.key), _count(amount.surface)
    if match is None or not count or amount.surface.isdigit():
        return None
    value = Decimal(match[2]) * (2 * count + 1) / (2 * count)
    return replace(amount, key=f"{match[1]}:{plain(value)}", end=half.end)


def _half_between(count: Item, half: Item) -> Item | None:
    """一个 半小时: so many units and half a one."""
    if half.role != "quantity" or not half.surface.startswith("半") or count.end != half.start:
        return None
    match, counted = _AMOUNT.fullmatch(half.key), _COUNTED.fullmatch(count.surface)
    if match is None or counted is None:
        return None
    value = Decimal(match[2]) * (2 * _count(counted[1]) + 1)
    return replace(half, key=f"{match[1]}:{plain(value)}", start=count.start)


def _one_unit(one: Item, unit: Item) -> Item | None:
    """一个 小时: the count is a word that elsewhere says nothing."""
    if (
        one.surface not in ("一个", "一個")
        or not unit.key.startswith("unit:")
        or one.end != unit.start
    ):
        return None
    key = with_unit("number:1", unit.key.removeprefix("unit:"))
    return replace(unit, role="quantity", key=key, start=one.start)


def _count(text: str) -> int:
    """The whole number that opens *text*, or 0."""
    if digits := _DIGITS.match(text):
        return int(digits[0])
    if han := HAN_NUMERAL.match(text):
        return parse_han_numeral(han[0]) or 0
    word = text.split(maxsplit=1)[0] if text.split() else ""
    return parse_korean_numeral(word) or parse_korean_numeral(text[:1]) or 0

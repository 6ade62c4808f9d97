"""Amounts in several words: three quarters of a million, two and a half hours, minus five, EUR 250, halb zehn.

Runs over the items before `joining`, which reads dates and times of day.
"""

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.quantities import plain, share_key, with_unit

_NUMBER = "number:"
_WHOLE = re.compile(rf"{_NUMBER}(\d+)")
_AMOUNT = re.compile(r"\d+(\.\d+)?")
_CURRENCIES = frozenset({"EUR", "USD", "GBP", "JPY", "CNY", "CHF"})
_PARTS = {"half": 2, "quarter": 4, "ordinal:3": 3, "ordinal:4": 4, "ordinal:5": 5, "ordinal:10": 10}
_HALVES = frozenset({"half", "demie", "demi", "media", "medio"})
_HALF_A = frozenset({
    "half", "halbe", "halbes", "halben", "halber", "halbem", "demi", "demie", "media", "medio",
})  # fmt: skip
_EVERY = {"a year": "yr", "a month": "mo", "a week": "wk", "a day": "d", "an hour": "h"}
_GERMAN = {"ein": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6}
_ONE = frozenset({"a", "an", "one", "un", "une", "una", "ein", "eine", "einer", "einem", "einen"})
_FRENCH_CLOCK = frozenset({"à", "vers", "dès", "avant", "après", "jusqu'à", "avant de"})
_MINUS = frozenset({"minus", "moins", "menos"})
_MARKS = frozenset({"pct:50", *(f"unit:{currency}" for currency in _CURRENCIES)})
_FULL_HOUR = re.compile(r"\d\d:00")
_WORDS = _MINUS | _HALVES | _HALF_A
_HOUR = 3600
_NOON = 12
_DAY = 24


def join_shares(found: list[Item]) -> list[Item]:
    """Join the items of an amount into one quantity, left to right."""
    if not any(map(_is_part, found)):
        return found
    out: list[Item] = []
    i = 0
    while i < len(found):
        item, used = _at(found, i, out)
        out.append(item)
        i += used
    return out


def _is_part(item: Item) -> bool:
    """May the item be what an amount in several words cannot do without? Few texts have one."""
    if item.key in _PARTS or item.key in _MARKS:
        return True
    if item.key.startswith("seconds:") and "h" in item.surface:
        return True  # à 14 h
    word = item.surface.casefold()
    return word in _WORDS or word.endswith("halb") or item.key.removesuffix("s") in _PARTS


def _at(found: list[Item], i: int, out: list[Item]) -> tuple[Item, int]:
    item = found[i]
    for reader in (_signed, _one_and_half, _half_unit, _priced, _share, _and_half, _half_to):
        if joined := reader(found, i):
            return joined
    if item.key.startswith("seconds:") and out and out[-1].surface.casefold() in _FRENCH_CLOCK:
        return _french_time(item), 1
    return item, 1


def _french_time(item: Item) -> Item:
    """à 14 h: a time of day; en 14 h would be a duration."""
    seconds = Decimal(item.key.removeprefix("seconds:"))
    hour, rest = divmod(seconds, _HOUR)
    if "h" not in item.surface or rest or not 0 <= hour <= _DAY:
        return item
    return replace(item, key=f"time:{int(hour):02}:00")


def _signed(found: list[Item], i: int) -> tuple[Item, int] | None:
    """Minus five degrees."""
    if found[i].surface.casefold() not in _MINUS or i + 1 >= len(found):
        return None
    unit, _, value = found[i + 1].key.partition(":")
    if found[i + 1].role != "quantity" or not _AMOUNT.fullmatch(value):
        return None
    return _over(found, i, i + 1, f"{unit}:-{value}"), 2


def _priced(found: list[Item], i: int) -> tuple[Item, int] | None:
    """EUR 250,000."""
    currency = found[i].key.removeprefix("unit:")
    if currency not in _CURRENCIES or i + 1 >= len(found):
        return None
    after = found[i + 1]
    if after.role != "quantity" or not after.key.startswith(_NUMBER):
        return None
    return _over(found, i, i + 1, with_unit(after.key, currency)), 2


def _share(found: list[Item], i: int) -> tuple[Item, int] | None:
    """Three quarters of, a third of, a quarter of a million euros, half a million."""
    count, k = _count(found, i)
    part = _PARTS.get(found[k].key) if k < len(found) else None
    if part is None and k < len(found):
        part = _PARTS.get(found[k].key.removesuffix("s"))
    if not part or (k == i and found[i].key != "half"):
        return None
    share = Fraction(count, part)
    at = k + 1
    if at < len(found) and found[at].key == "of" and found[at].role == "marker":
        at += 1
    elif found[k].key != "half" and k + 1 < len(found):
        return None
    if at < len(found) and found[at].surface.casefold() in _ONE and at + 1 < len(found):
        at += 1
    amount = found[at] if at < len(found) else None
    if amount is not None and amount.key.startswith("unit:") and at > k + 1:
        number = f"{_NUMBER}{_decimal(share)}"
        return _over(found, i, at, with_unit(number, amount.key.removeprefix("unit:"))), at - i + 1
    if amount is not None and amount.role == "quantity":
        unit, _, value = amount.key.partition(":")
        if value.isdigit() and int(value) >= 1000:  # noqa: PLR2004 - a round number: a million
            total = share * int(value)
            return _over(found, i, at, f"{unit}:{_decimal(total)}"), at - i + 1
    if found[k].key == "half" or found[at - 1].key != "of":
        return None
    return _over(found, i, k, share_key(share)), k - i + 1


def _count(found: list[Item], i: int) -> tuple[int, int]:
    """How many parts there are, and where the part's name stands."""
    match = _WHOLE.fullmatch(found[i].key)
    if match and found[i].role == "quantity":
        return int(match[1]), i + 1
    return (1, i + 1) if found[i].surface.casefold() in _ONE else (1, i)


def _decimal(value: Fraction) -> str:
    return plain(Decimal(value.numerator) / Decimal(value.denominator))


def _and_half(found: list[Item], i: int) -> tuple[Item, int] | None:
    """Two and a half hours, an hour and a half, neuf heures et demie, las nueve y media."""
    one = found[i].surface.casefold() in _ONE and found[i].role != "quantity"
    k = i + 1 if one else i
    if k + 2 >= len(found) + (not one):
        return None
    unit = found[k].key.removeprefix("unit:") if found[k].key.startswith("unit:") else ""
    if one and not unit:
        return None
    at = _half_at(found, k + 1)
    if at < 0:
        return None
    if one:
        return _over(found, i, at, with_unit(f"{_NUMBER}1.5", unit)), at - i + 1
    return _add_half(found, i, at)


def _half_at(found: list[Item], k: int) -> int:
    """Where "and a half" ends that begins at *k*, or -1."""
    if k >= len(found) or found[k].role != "join":
        return -1
    k += 1
    while k < len(found) and found[k].surface.casefold() in _ONE:
        k += 1
    half = k < len(found) and (
        found[k].key == "half" or found[k].surface.casefold() in _HALVES or found[k].key == "pct:50"
    )
    return k if half else -1


def _add_half(found: list[Item], i: int, at: int) -> tuple[Item, int] | None:  # noqa: PLR0911 - one answer for each case
    if found[i].role != "quantity":
        return None
    kind, _, value = found[i].key.partition(":")
    if kind == "time" and _FULL_HOUR.fullmatch(value):
        return _over(found, i, at, f"time:{value[:2]}:30"), at - i + 1
    if kind == "number" and value.isdigit():
        if i and found[i - 1].surface.casefold() == "las":
            return _over(found, i, at, f"time:{int(value):02}:30"), at - i + 1
        after = found[at + 1] if at + 1 < len(found) else None
        if after is not None and after.key.startswith("unit:"):
            key = with_unit(f"{_NUMBER}{value}.5", after.key.removeprefix("unit:"))
            return _over(found, i, at + 1, key), at - i + 2
        return _over(found, i, at, f"{_NUMBER}{value}.5"), at - i + 1
    if kind == "seconds" and Decimal(value) % _HOUR == 0:
        hours = int(Decimal(value) / _HOUR)
        if i and found[i - 1].surface.casefold() in _FRENCH_CLOCK:
            return _over(found, i, at, f"time:{hours:02}:30"), at - i + 1
        return _over(found, i, at, f"seconds:{hours * _HOUR + _HOUR // 2}"), at - i + 1
    return None


def _one_and_half(found: list[Item], i: int) -> tuple[Item, int] | None:
    """German anderthalb Stunden, zweieinhalb Tage."""
    word = found[i].surface.casefold()
    whole = 1 if word == "anderthalb" else _GERMAN.get(word.removesuffix("einhalb"), 0)
    unit = _unit(found, i + 1)
    if not whole or not unit or not word.endswith("halb"):
        return None
    return _over(found, i, i + 1, with_unit(f"{_NUMBER}{whole}.5", unit)), 2


def _half_unit(found: list[Item], i: int) -> tuple[Item, int] | None:
    """Half a year, a year and a half, eine halbe Stunde, une demi-heure, media hora."""
    if unit := _EVERY.get(found[i].surface.casefold()):
        at = _half_at(found, i + 1)
        return (
            (_over(found, i, at, with_unit(f"{_NUMBER}1.5", unit)), at - i + 1) if at > 0 else None
        )
    one = found[i].surface.casefold() in _ONE
    k = i + 1 if one else i
    if k + 1 >= len(found) or found[k].surface.casefold() not in _HALF_A:
        return None
    at = k + 2 if found[k + 1].surface == "-" else k + 1
    unit = (
        _unit(found, at) or _EVERY.get(found[at].surface.casefold(), "") if at < len(found) else ""
    )
    if not unit:
        return None
    return _over(found, i, at, with_unit(f"{_NUMBER}0.5", unit)), at - i + 1


def _unit(found: list[Item], at: int) -> str:
    """The unit that stands there, or nothing."""
    key = found[at].key if at < len(found) else ""
    return key.removeprefix("unit:") if key.startswith("unit:") else ""


def _half_to(found: list[Item], i: int) -> tuple[Item, int] | None:
    """German halb zehn: half past nine."""
    if found[i].surface.casefold() != "halb" or i + 1 >= len(found):
        return None
    match = _WHOLE.fullmatch(found[i + 1].key)
    if not match or not 0 < int(match[1]) <= _NOON:
        return None
    return _over(found, i, i + 1, f"time:{int(match[1]) - 1:02}:30"), 2


def _over(found: list[Item], first: int, last: int, key: str) -> Item:
    return Item("quantity", key, "", found[first].start, found[last].end)

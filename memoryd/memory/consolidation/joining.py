"""Items that only together are one quantity: 4 March 2025, half an hour, three in the afternoon, Saturday and Sunday."""

import re
from dataclasses import replace

from memoryd.memory.consolidation.halves import join_halves
from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.quantities import month_day, with_unit
from memoryd.memory.consolidation.shares import join_shares

_DAYS = 31
_YEAR = re.compile(r"number:(?:19|20)\d\d")
_SECONDS = re.compile(r"seconds:(\d+(?:\.\d+)?)")
_CLOCK = re.compile(r"time:(\d\d):(\d\d)")
_HOUR = re.compile(r"number:(\d{1,2})")
_SAID = re.compile(r"\d{1,2}(?!\d|:)|[一二两三四五六七八九十]")
_NOON = 12
_SMALL_HOURS = 4
_LATE = frozenset({"afternoon", "evening"})
_PARTS_OF_DAY = frozenset({"morning", "afternoon", "evening", "night"})
_ROUNDS = {
    "seconds:3600": "every:hour", "seconds:86400": "every:day", "seconds:604800": "every:week",
    "seconds:1209600": "every:fortnight",
}  # fmt: skip
_EACH = frozenset(
    {"every", "each", "每", "每隔", "alle", "jede", "toutes les", "tous les", "cada", "毎"}
)
_EACH_BEHIND = frozenset({"ごと", "ごとに", "毎", "毎に", "おきに", "おき", "마다"})
_NIGHTLY = frozenset({"every:night", "every:morning"})
_RANGED = frozenset(
    {"degC", "CNY", "JPY", "USD", "EUR", "km", "m", "cm", "kg", "g", "jin", "px", "pct", "floor"}
)
_PER = {"unit:h": "hour", "unit:d": "day", "unit:wk": "week", "unit:mo": "month", "unit:yr": "year"}
_SHARES = {"half": "pct:50", "once": "x:1", "twice": "x:2"}
_BETWEEN = frozenset({"drop", "marker"})


def join(found: list[Item]) -> list[Item]:
    """Join what belongs together, left to right."""
    found = join_shares(join_halves(found))
    out: list[Item] = []
    i = 0
    while i < len(found):
        if found[i].role == "month" or _is_may(found, i):
            i = _date_at(found, i, out)
        elif found[i].key == "weekday:7" and (back := _saturday(out)):
            first = out[-back]
            del out[-back:]
            out.append(replace(first, role="concept", key="weekend", end=found[i].end))
            i += 1
        else:
            i = _joined_at(found, i, out) or _plain_at(found, i, out)
    return out


def _round_at(found: list[Item], i: int, out: list[Item]) -> int:
    """Every 5 minutes, 每 5 分钟, 5分ごとに: how often, which is not how long."""
    if i + 1 >= len(found):
        return 0
    first, second = found[i], found[i + 1]
    if "quantity" not in (first.role, second.role):
        return 0
    for amount, word in ((second, first), (first, second)):
        words = _EACH if word is first else _EACH_BEHIND
        timed = amount.role == "quantity" and amount.key.startswith(("seconds:", "months:"))
        if timed and word.surface.casefold() in words and amount.key not in _ROUNDS:
            out.append(Item("quantity", f"every:{amount.key}", "", first.start, second.end))
            return i + 2
    return 0


def _joined_at(found: list[Item], i: int, out: list[Item]) -> int:
    item = found[i]
    if item.key == "all" and i + 1 < len(found) and (key := _round_of(item, found[i + 1])):
        out.append(Item("quantity", key, "", item.start, found[i + 1].end))
        return i + 2
    if used := _round_at(found, i, out) or _rate_at(found, i, out):
        return used
    if item.key in _ROUNDS and _has_times(found, i):
        out.append(replace(item, key=_ROUNDS[item.key]))
        return i + 1
    if item.role == "quantity":
        return _sum_at(found, i, out) or _time_at(found, i, out)
    if item.key == "half" or item.surface.casefold() in ("an", "quarter"):
        return _half_at(found, i, out) or _time_at(found, i, out)
    return 0


def _round_of(every: Item, span: Item) -> str:
    """Every 20 minutes is no 20 minutes."""
    if every.surface.casefold() != "all" and span.key.startswith(("seconds:", "months:")):
        return _ROUNDS.get(span.key, f"every:{span.key}")
    return _ROUNDS.get(span.key, "")


def _rate_at(found: list[Item], i: int, out: list[Item]) -> int:
    """350 元/小时, 每晚 11 点, 18-22 度."""
    item, after = found[i], found[i + 1] if i + 1 < len(found) else None
    if after is None:
        return 0
    if item.key == "/" and out and out[-1].role == "quantity" and after.key in _PER:
        key = f"every:{_PER[after.key]}"
        out.append(Item("quantity", key, after.surface, item.start, after.end))
        return i + 2
    if item.key in _NIGHTLY and after.key.startswith("time:"):
        hour, minute = map(int, after.key.split(":")[1:])
        late = item.key == "every:night" and _NOON > hour > _SMALL_HOURS
        out.append(replace(item, key="every:day"))
        out.append(replace(after, key=f"time:{hour + _NOON * late:02}:{minute:02}"))
        return i + 2
    if item.key.startswith("number:") and _is_range(found, i):
        unit = found[i + 2].key.partition(":")[0]
        out.append(replace(item, key=f"{unit}:{item.key.partition(':')[2]}"))
        return i + 1
    return 0


def _is_range(found: list[Item], i: int) -> bool:
    """18-22 度: the unit holds for the beginning too."""
    if i + 2 >= len(found):
        return False
    unit = found[i + 2].key.partition(":")[0]
    return (
        found[i + 1].key in ("-", "toward", "~", "–")
        and found[i + 2].role == "quantity"
        and unit in _RANGED
    )


def _has_times(found: list[Item], i: int) -> bool:
    """一天吃三次: a round, if the number of times stands behind it."""
    return found[i].surface[:1] == "一" and any(
        item.key.startswith("x:") for item in found[i + 1 : i + 4]
    )


def _plain_at(found: list[Item], i: int, out: list[Item]) -> int:
    item = found[i]
    if item.key == "for" and item.surface.casefold() == "about" and _counts(found, i + 1):
        item = replace(item, role="quantify", key="about")
    if item.role == "compare" and item.key in ("less", "more") and _names(found, i + 1):
        item = replace(item, role="marker", key="in")  # under deploy/base
    if item.role == "quantify" and item.key in _SHARES:
        item = replace(item, role="quantity", key=_SHARES[item.key])
    elif item.key == "ordinal:1":
        item = replace(item, role="quantify", key="first")
    out.append(_late_range(found, i, out) if item.key.startswith("time:") else item)
    return i + 1


def _names(found: list[Item], i: int) -> bool:
    """Does a path or identifier stand here?"""
    return i < len(found) and found[i].role == "code"


def _counts(found: list[Item], i: int) -> bool:
    if i + 1 < len(found) and found[i].surface.casefold() in ("a", "an", "half"):
        return found[i + 1].key.startswith("unit:")  # about an hour
    return i < len(found) and found[i].role == "quantity"


def _sum_at(found: list[Item], i: int, out: list[Item]) -> int:
    """1 hour 30 minutes: one duration."""
    ahead = i + 2 if i + 1 < len(found) and found[i + 1].role == "join" else i + 1
    if ahead >= len(found):
        return 0
    less = _seconds(found[ahead])
    more = _seconds(found[i]) if less else 0
    if not less or less >= more:
        return 0
    key = f"seconds:{more + less:g}"
    out.append(Item("quantity", key, "", found[i].start, found[ahead].end))
    return ahead + 1


def _seconds(item: Item) -> float:
    match = _SECONDS.fullmatch(item.key)
    return float(match[1]) if match else 0.0


def _half_at(found: list[Item], i: int, out: list[Item]) -> int:
    """Half an hour, an hour."""
    ahead = i + 1
    while (
        ahead < len(found)
        and ahead <= i + 2
        and found[ahead].surface.casefold() in ("a", "an", "de")
    ):
        ahead += 1
    amount = "0.5" if found[i].key == "half" else "1" if found[i].surface.casefold() == "an" else ""
    if not amount or ahead >= len(found) or not found[ahead].key.startswith("unit:"):
        return 0
    key = with_unit(f"number:{amount}", found[ahead].key.removeprefix("unit:"))
    out.append(Item("quantity", key, "", found[i].start, found[ahead].end))
    return ahead + 1


def _late_range(found: list[Item], i: int, out: list[Item]) -> Item:
    """晚上 8 点到 10 点: the part of day holds for the end too."""
    item = found[i]
    if len(out) < 2 or out[-1].role != "marker" or out[-1].key != "toward":  # noqa: PLR2004
        return item
    first, last = (_CLOCK.fullmatch(x.key) for x in (out[-2], item))
    said = _SAID.match(item.surface)
    if not first or not last or not said or out[-2].surface[:1].isdecimal():
        return item
    hour = int(last[1]) + _NOON
    if int(first[1]) < _NOON or not int(first[1]) < hour <= 2 * _NOON:
        return item
    return replace(item, key=f"time:{hour % 24:02}:{last[2]}")


def _time_at(found: list[Item], i: int, out: list[Item]) -> int:
    """Three in the afternoon, 3 de la tarde, half past eight, quarter to nine."""
    hour, minute, ahead = _clock(found, i)
    if ahead < 0:
        return 0
    stop = ahead
    while stop < len(found) and stop <= ahead + 2 and found[stop].role in _BETWEEN:
        stop += 1
    part = found[stop].key if stop < len(found) and found[stop].key in _PARTS_OF_DAY else ""
    if part and found[stop].surface[:1] > "\u3000":
        part = ""  # 10時から朝会: that is no time of the morning
    if not part and found[i].role == "quantity":
        return 0
    if part in _LATE and hour < _NOON:
        hour += _NOON
    last = stop if part else ahead - 1
    out.append(Item("quantity", f"time:{hour:02}:{minute:02}", "", found[i].start, found[last].end))
    return last + 1


def _clock(found: list[Item], i: int) -> tuple[int, int, int]:
    """Read an hour at *i*; return hour, minute and the item after it, or -1 if there is none."""
    if match := _CLOCK.fullmatch(found[i].key):
        return int(match[1]), int(match[2]), i + 1
    if hour := _hour(found[i]):
        return hour, 0, i + 1
    word = found[i].surface.casefold()
    if word not in ("half", "quarter") or i + 2 >= len(found) or not _hour(found[i + 2]):
        return 0, 0, -1
    relation = found[i + 1].surface.casefold()
    minutes = 30 if word == "half" else 15
    if relation == "past":
        return _hour(found[i + 2]), minutes, i + 3
    return (_hour(found[i + 2]) - 1, 60 - minutes, i + 3) if relation == "to" else (0, 0, -1)


def _hour(item: Item) -> int:
    match = _HOUR.fullmatch(item.key)
    return int(match[1]) if match and 0 < int(match[1]) <= _NOON else 0


def _saturday(out: list[Item]) -> int:
    """How far back Saturday stands, if Sunday makes a weekend of it."""
    for back in (1, 2):
        if len(out) >= back and out[-back].key == "weekday:6":
            return back if back == 1 or out[-1].role in ("join", "sign") else 0
    return 0


def _is_may(found: list[Item], i: int) -> bool:
    if found[i].surface != "May" or found[i].role not in ("modal", "name"):
        return False
    beside = [found[k] for k in (i - 1, i + 1) if 0 <= k < len(found)]
    if any(_day(item) for item in beside) or (i > 0 and found[i - 1].role == "marker"):
        return True
    return i + 1 < len(found) and _YEAR.fullmatch(found[i + 1].key) is not None


def _day(item: Item) -> int:
    kind, _, value = item.key.partition(":")
    return (
        int(value)
        if kind in ("number", "ordinal") and value.isdigit() and 0 < int(value) <= _DAYS
        else 0
    )


def _date_at(found: list[Item], i: int, out: list[Item]) -> int:
    month = int(found[i].key) if found[i].role == "month" else 5
    first, last, day, year = found[i], found[i], 0, None
    before = len(out) - 1
    while before >= 0 and (out[before].key in (".", "of") or out[before].surface in ("de", "the")):
        before -= 1
    if before >= 0 and _day(out[before]):
        day, first = _day(out[before]), out[before]
        del out[before:]
    elif i + 1 < len(found) and _day(found[i + 1]):
        i += 1
        day, last = _day(found[i]), found[i]
    k = (
        i + 2
        if i + 1 < len(found) and (found[i + 1].key == "," or found[i + 1].surface == "de")
        else i + 1
    )
    if k < len(found) and _YEAR.fullmatch(found[k].key):
        year, last, i = int(found[k].key[7:]), found[k], k
    key = month_day(month, day, year) if day else f"month:{year or ''}-{month:02}"
    out.append(Item("quantity", key, "", first.start, last.end))
    return i + 1

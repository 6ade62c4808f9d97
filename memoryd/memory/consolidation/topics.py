"""What a sentence is about may stand inside of its condition or outside.

In Chinese before the words for when, in English where the other clause points back to it.
"""

from memoryd.memory.consolidation.lexicon import lexicon
from memoryd.memory.consolidation.unit import POINTERS, Reading

_NOUNS = frozenset({"concept", "code", "quality"})
_FLOATING = frozenset({"", "before", "after", "when", "if"})


def is_topic(reading: Reading, n: int) -> bool:
    """Is it a thing, without preposition, and no verb stands before it (手机号入库前要脱敏)?

    Who acts is no mere topic: 小王失败时通知 does not say whom to tell.
    """
    if reading.language != "zh" or reading.units[n].scope not in _FLOATING:
        return False
    deeds, people = lexicon("zh").deeds, tuple(lexicon("zh").people)
    said = reading.units[: n + 1]
    return all(
        unit.kind in _NOUNS
        and not unit.role
        and unit.surface not in deeds
        and unit.sign >= 0
        and not unit.surface.endswith(people)
        for unit in said
        if unit.key != "first"
    )


def _is_pointed_at(a: Reading, b: Reading, i: int, j: int) -> bool:
    """It restarts when the service crashes: the first thing of both texts, which the other clause calls "it"."""
    if any(POINTERS.isdisjoint(reading.dropped) for reading in (a, b)):
        return False
    return all(
        next(k for k, unit in enumerate(reading.units) if unit.kind != "condition") == n
        and reading.units[n].kind in ("concept", "word", "name")
        and not reading.units[n].role
        for reading, n in ((a, i), (b, j))
    )


def may_float(a: Reading, b: Reading, i: int, j: int) -> bool:
    """Is the unit the topic of one of the texts, and of the same clause as a unit that shares its condition?"""
    return is_topic(a, i) or is_topic(b, j)


def may_stand_outside(a: Reading, b: Reading, i: int, j: int) -> bool:
    """May the unit stand inside of the condition in one text, outside in the other?"""
    return may_float(a, b, i, j) or _is_pointed_at(a, b, i, j)

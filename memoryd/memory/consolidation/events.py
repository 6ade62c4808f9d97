"""What happened once and may happen again, each time for itself: payments, purchases, calls, visits; see languages/events.toml."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from memoryd.memory.consolidation.lexicon import UNSPACED, Language
from memoryd.memory.consolidation.site import Site, units_of, value_kind
from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import Reading, Unit

_NAME = "events"
_DAYS = frozenset({"date", "day", "month"})
_DATED = _DAYS | {"weekday", "time"}
_COUNTED = frozenset({"amount", "number"})  # a term of 7 days, or 80 %, is a rule
_PAST = frozenset({"past", "participle"})
_PERSONS = frozenset({"user", "customer", "client"})
_COLON = re.compile(r"(?<!\d)[:：]")


def are_events(old: Reading, new: Reading, site: Site) -> bool:
    """Ben called on Monday, Ben called on Tuesday; paid Max 50, paid Max 80: was it done twice?"""
    kinds = {value_kind(unit) for unit in units_of(old, new, site)}
    told = ((old, site.old), (new, site.new))
    if kinds <= _DATED and all(_is_past(reading, numbers) for reading, numbers in told):
        return True
    return all(_happened_once(reading, numbers) for reading, numbers in told)


def _is_past(reading: Reading, numbers: Sequence[int]) -> bool:
    return reading.clauses[reading.units[numbers[0]].clause].tense in _PAST


def _happened_once(reading: Reading, site: Sequence[int]) -> bool:
    text, language = reading.text, reading.language
    if any(clause.modals for clause in reading.clauses) or any(
        unit.key.startswith("every:") or _is_bound(unit) for unit in reading.units
    ):
        return False
    if _find("standing", text, language):
        return False
    units = [reading.units[i] for i in site]
    kinds = {value_kind(unit) for unit in units}
    if kinds <= _DAYS and _is_meeting(reading):
        return True
    counted = kinds <= _COUNTED and not any(unit.key.startswith("percent") for unit in units)
    if counted and _find("amounts", text, language):
        return True
    return bool(_find("anywhere", text, language)) or _opens_with_deed(reading)


def _is_meeting(reading: Reading) -> bool:
    """Lunch with Kim on May 3: does it only name what takes place, and no verb (leaves) or colon say more of it?"""
    found = _find("meetings", reading.text, reading.language)
    if not found or _COLON.search(reading.text):
        return False
    start, end = found
    return all(
        unit.kind != "action" or (unit.start < end and start < unit.end) for unit in reading.units
    )


def _is_bound(unit: Unit) -> bool:
    """At most 50; but Max paid 50."""
    return unit.kind == "compare" and not unit.surface[:1].isupper()


def _opens_with_deed(reading: Reading) -> bool:
    """Is the deed the first that is told, or told of somebody?"""
    found = _find("opening", reading.text, reading.language)
    if not found:
        return False
    before = [unit for unit in reading.units if unit.end <= found[0]]
    return all(
        unit.kind in ("quantity", "name", "compare") or unit.key in _PERSONS for unit in before
    )


@lru_cache(maxsize=16384)
def _find(kind: str, text: str, language: Language) -> tuple[int, int] | None:
    pattern = _pattern(kind, language)
    found = pattern.search(text.casefold()) if pattern else None
    return found.span() if found else None


@cache
def _pattern(kind: str, language: Language) -> re.Pattern[str] | None:
    """Compile the words of a kind; what stands behind an article says which one is meant (the paid plan)."""
    words = table(_NAME)[kind].get(language)
    if not words:
        return None
    found = "|".join(words)
    if language in UNSPACED:
        return re.compile(found)
    behind = r"(?<!\bthe )(?<!\ba )" if kind == "opening" else ""
    return re.compile(rf"(?<!\w){behind}(?:{found})(?!\w)")

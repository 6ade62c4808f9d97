"""What holds side by side though it looks like another value: see languages/several.toml."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from memoryd.memory.consolidation.lexicon import UNSPACED, Language
from memoryd.memory.consolidation.site import value_kind
from memoryd.memory.consolidation.tables import any_of, table, words_of
from memoryd.memory.consolidation.unit import Reading, Unit

_NAME = "several"
_NOUNS = ("concept", "word", "name")
_BEING = frozenset({"is", "are", "am", "be", "been"})


def may_be_several(reading: Reading, site: Sequence[int]) -> bool:
    """May what the text says be so at several places or times, of several relatives, on several systems?"""
    said = _says("several", reading) and not _says("single", reading)
    said = said or _says("relatives", reading) or _says("happening", reading)
    one = said or _is_platform(reading, site) or _is_deed_of_a_day(reading, site)
    return one or _is_version_beside_others(reading, site)


def was_done(reading: Reading, site: Sequence[int]) -> bool:
    """I slept 6 hours, the build took 9 minutes: what was done with another amount was done another time."""
    if all(reading.units[i].kind != "quantity" for i in site):
        return False
    clause = reading.clauses[reading.units[site[0]].clause]
    if clause.tense == "past" or (
        clause.tense == "participle" and _BEING.isdisjoint(reading.dropped)
    ):
        return True
    return _past(reading.language).search(reading.text.casefold()) is not None


def is_one_of(reading: Reading, words: Iterable[str]) -> bool:
    """Lea is a manager: one of several, where "the manager" is the only one."""
    articles = table(_NAME)["articles"].get(reading.language, ())
    said = f" {reading.text.casefold()} "
    return any(f" {article} {word} " in said for article in articles for word in words)


def are_poles(units: Iterable[Unit]) -> bool:
    """Upload, download: two things side by side, and not two states of one."""
    keys = set(table(_NAME)["poles"]["keys"])
    return all(unit.key in keys or unit.surface.casefold() in keys for unit in units)


def is_told_of(reading: Reading, site: Sequence[int]) -> bool:
    """Build 812 failed, Node 18 已弃用: does a noun with its number come first, and then what is told of it?"""
    unit = reading.units[site[0]]
    if len(site) != 1 or not unit.key.startswith("number:"):
        return False
    mine = [i for i, one in enumerate(reading.units) if one.clause == unit.clause]
    place = mine.index(site[0])
    if place not in (1, 2) or any(
        reading.units[i].kind not in _NOUNS or reading.units[i].role for i in mine[: place - 1]
    ):
        return False
    noun = reading.units[mine[place - 1]]
    if reading.text[noun.end : unit.start].strip(" #"):
        return False
    rest = reading.text[unit.end :].lstrip(" )").casefold()
    if _telling(reading.language).match(rest):
        return True
    tense = reading.clauses[unit.clause].tense
    return reading.language == "en" and tense == "participle" and bool(mine[place + 1 :])


def says_both_ended(old: Reading, new: Reading) -> bool:
    """Node 18 is deprecated, Node 20 is deprecated: what is said of both is no sign that one replaced the other."""
    return _says("ended", old) and _says("ended", new)


def is_gained(old: Reading, new: Reading, units: Iterable[Unit]) -> bool:
    """We support SAML, we now support OIDC: what is new is mostly more, unless it is a number or the other is said to be over."""
    if any(unit.kind == "quantity" for unit in units):
        return False
    return _says("gained", old) and _says("gained", new) and not _says("instead", new)


def is_wish_and_fact(old: Reading, new: Reading) -> bool:
    """I want to move to Berlin, I moved to Berlin: does only one of them say what somebody wants?"""
    return _says("wishes", old) != _says("wishes", new)


def works_otherwise(old: Reading, new: Reading) -> bool:
    """I work in marketing, I now work at Bosch: a department is no employer."""
    before, after = _work(old.text.casefold()), _work(new.text.casefold())
    if "said" not in before & after:
        return False
    before, after = before - {"said"}, after - {"said"}
    if "department" in before ^ after:
        return True
    return bool(before and after) and before.isdisjoint(after)


def is_counted_off(reading: Reading, site: Sequence[int]) -> bool:
    """第 40 行, 40行目, 40번째 줄: does the number say which one is spoken of?"""
    unit = reading.units[site[0]]
    counters = tuple(table(_NAME)["counters"].get(reading.language, ()))
    if len(site) != 1 or not counters or not unit.key.startswith(("number:", "ordinal:")):
        return False
    return reading.text[unit.end :].lstrip().startswith(counters)


def is_of_many(reading: Reading, site: Sequence[int]) -> bool:
    """The bug is in line 40: there may be another in line 52; 用 Redis 做缓存, and for more."""
    after = reading.text[reading.units[site[-1]].end :].lstrip()
    if after.startswith(tuple(table(_NAME)["lines"].get(reading.language, ())) or "\0"):
        return True
    used = _used_for(reading.language).search(reading.text)
    return used is not None and reading.units[site[0]].start >= used.end()


def _is_platform(reading: Reading, site: Sequence[int]) -> bool:
    names = table(_NAME)["platforms"]["names"]
    return all(reading.units[i].surface.casefold() in names for i in site)


def _is_deed_of_a_day(reading: Reading, site: Sequence[int]) -> bool:
    """Water the plants on Monday: a deed of another day or hour; what something is has one at a time."""
    unit, again = reading.units[site[0]], table(_NAME)["again"]
    if value_kind(unit) not in again["kinds"] and not _is_hour(reading, site):
        return False
    said = [u for u in reading.units if u.clause == unit.clause and u is not unit]
    verbs = {u.key for u in said if u.kind == "action"}
    if verbs:
        return value_kind(unit) == "weekday" or verbs.isdisjoint(again["once"])
    being = _being(reading.language).search(reading.text.casefold()) is not None
    on_days = value_kind(unit) == "weekday"
    if any(u.kind in ("word", "char") for u in said):
        return on_days or not being  # yoga is on Tuesday, and on Thursday too
    light = reading.clauses[unit.clause].verbs or on_days
    return bool(light) and not being


def _is_hour(reading: Reading, site: Sequence[int]) -> bool:
    """Take one pill at 8."""
    unit, words = reading.units[site[0]], table(_NAME)["again"]["at"].get(reading.language, ())
    before = reading.text[: unit.start].casefold().rstrip()
    return unit.key.startswith("number:") and any(before.endswith(f" {word}") for word in words)


def _is_version_beside_others(reading: Reading, site: Sequence[int]) -> bool:
    """CI runs on Python 3.11: it may run on 3.12 as well."""
    return reading.units[site[0]].key.startswith("number:") and _says("running", reading)


def _says(kind: str, reading: Reading) -> bool:
    return _is_said(kind, reading.text, reading.language)


@lru_cache(maxsize=16384)
def _is_said(kind: str, text: str, language: Language) -> bool:
    return _words(kind, language).search(text.casefold()) is not None


@cache
def _words(kind: str, language: Language) -> re.Pattern[str]:
    return words_of(table(_NAME)[kind].get(language, ()), language)


@cache
def _being(language: Language) -> re.Pattern[str]:
    words = words_of(table(_NAME)["again"]["being"][language], language)
    return re.compile(f"{words.pattern}|[:：]")


@cache
def _past(language: Language) -> re.Pattern[str]:
    return re.compile(table(_NAME)["past"].get(language, "(?!)"))


@cache
def _used_for(language: Language) -> re.Pattern[str]:
    return re.compile(table(_NAME)["used_for"].get(language, "(?!)"))


@cache
def _telling(language: Language) -> re.Pattern[str]:
    words = any_of(table(_NAME)["telling"][language])
    return re.compile(words if language in UNSPACED else rf"(?:{words})(?!\w)")


@lru_cache(maxsize=16384)
def _work(text: str) -> frozenset[str]:
    ways = table(_NAME)["work"].items()
    return frozenset(name for name, words in ways if _pattern(words).search(text))


_pattern = cache(re.compile)

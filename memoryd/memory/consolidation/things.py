"""Which thing a note speaks of, where it also says the value: port (worker-1): 80, use version 2 for the api.

A replacement needs another value of the same thing. What stands where the thing is named is no value, whatever else the note says:
before the copula or the colon, behind "for" beside an attribute that has its value, as a number of one of many that then does
something, or as what is acted upon before it is said how. See languages/things.toml.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise, product

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED, Language, lexicon
from memoryd.memory.consolidation.numbering import is_label, is_of_a_number, numbered_nouns
from memoryd.memory.consolidation.site import WORDS_OF_DEGREE, value_kind
from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import Reading, Unit

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？;；\n]")
_COLON = r"[:：](?!\S*/)(?=\D|\d)|(?<=\s)=(?=\s)"
_VERSION = re.compile(r"[vV]\d+")
_NOUNS = ("concept", "word", "name", "char")
_POINTS = ("weekday", "time", "date", "day", "month")
_PLACES = ("of", "for", "in")
_OWNERS = ("of", "for")
_VALUES = ("quantity", "code", "name")
_SUBJECTS = ("", "topic", "subj", "of", "for", "in")
_TREATED = ("", "obj", "of", "for")
_PARTICLES = 2  # characters of a Korean particle behind a noun


def are_two_things(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """Is another thing spoken of in the newer text, whether it has another value or the same?"""
    if _is_crossed(old, new, alignment):
        return True
    left = [i for i in alignment.only_a if _names_thing(old, i)]
    right = left and [j for j in alignment.only_b if _names_thing(new, j)]
    if not left or not right:
        return False
    pairs = set(alignment.pairs)
    return any(
        (_are_alike(old.units[i], new.units[j]) or _is_same_place(pairs, i, j))
        and not _are_one(old.units[i], new.units[j])
        for i in left
        for j in right
    )


def _is_crossed(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """The deadline of the Monday meeting is Friday, that of the Thursday meeting is Monday.

    Not: the demo is on Friday, the Friday demo is now on Monday.
    """
    both = (alignment.pairs, tuple(product(alignment.only_a, alignment.only_b)))
    return all(
        any(
            old.units[i].kind == "quantity" and _is_before(old, i) * _is_before(new, j) < 0
            for i, j in pairs
        )
        for pairs in both
    )


def _is_before(reading: Reading, i: int) -> int:
    """1: before what divides the thing from what is said of it, -1: behind it, 0: nothing divides the sentence."""
    divides = _head(reading.text, reading.language, reading.units[i].start)[1]
    return 0 if divides < 0 else 1 if reading.units[i].end <= divides else -1


def _are_alike(one: Unit, other: Unit) -> bool:
    """Two numbers, two codes, two names, two owners; of two other words one may only be another word for the same."""
    if one.role and one.role == other.role and one.role in _PLACES:
        return True
    return one.kind == other.kind and one.kind in _VALUES


def _are_one(one: Unit, other: Unit) -> bool:
    """重试, 重试上限: is one read as a part of the other?"""
    return one.surface in other.surface or other.surface in one.surface


def _is_same_place(pairs: set[tuple[int, int]], i: int, j: int) -> bool:
    return i == j == 0 or (i - 1, j - 1) in pairs or (i + 1, j + 1) in pairs


def _names_thing(reading: Reading, i: int) -> bool:
    """Does the unit stand where the thing is named?"""
    unit = reading.units[i]
    if unit.kind in WORDS_OF_DEGREE or is_of_a_number(reading, i):
        return False  # port 80, Node 20: a value wherever it stands
    if _is_in_head(reading, i) or _is_subject_of_more(reading, i):
        return True
    if i in _stated(reading) or (unit.kind == "quantity" and not _is_one_of_many(reading, i)):
        return False
    return (
        _is_label_that_opens(reading, i)
        or _is_beside_value(reading, i)
        or _is_owner_of_attribute(reading, i)
        or _is_treated(reading, i)
    )


def _is_one_of_many(reading: Reading, i: int) -> bool:
    """Job 7, API v1, the Monday meeting (but not: on Monday the team meets): which one?"""
    unit, after = reading.units[i], reading.units[i + 1 :][:1]
    if value_kind(unit) in _POINTS:
        return any(n.kind in _NOUNS and n.start <= unit.end + 1 for n in after)
    version = _VERSION.fullmatch(unit.surface) is not None
    return is_label(reading, (i,)) or (version and i > 1)


def _is_in_head(reading: Reading, i: int) -> bool:
    """The retry limit in X is 3, port (X): 80: before what divides a thing from what is said of it, and not all that stands there?"""
    unit = reading.units[i]
    start, divides = _head(reading.text, reading.language, unit.start)
    counted = unit.kind == "quantity" and not _tells_which(reading, i)
    if divides < unit.end or counted:
        return False  # from March on the limit is 3, two reviews are needed
    return reading.text[divides] in ":：" or not _is_all(reading, i, start, divides)


def _tells_which(reading: Reading, i: int) -> bool:
    """The night backup 7, la réunion du lundi, 3号机房: does it, before a copula or a colon, stand behind a noun or before a counter of things?"""
    unit = reading.units[i]
    if value_kind(unit) in _POINTS and unit.role in ("", *_OWNERS) and i:
        return reading.units[i - 1].kind in _NOUNS
    if value_kind(unit) == "ordinal" or _is_one_of_many(reading, i):
        return True
    counters = tuple(table("things")["counters"].get(reading.language, ()))
    if value_kind(unit) != "number" or reading.text[unit.end :].startswith(counters or "\0"):
        return value_kind(unit) == "number"
    before = reading.units[i - 1 : i]
    return any(
        one.kind in (*_NOUNS, "action") and not reading.text[one.end : unit.start].strip(" #")
        for one in before
    )


def _is_all(reading: Reading, i: int, start: int, end: int) -> bool:
    """Does nothing but the unit, or the characters of the name it is part of, stand between two places?"""
    inside = [n for n, one in enumerate(reading.units) if start <= one.start < end]
    if reading.units[i].kind == "char":
        return all(reading.units[n].kind == "char" for n in inside)
    return all(n == i or reading.units[n].kind == "quantify" for n in inside)


def _is_subject_of_more(reading: Reading, i: int) -> bool:
    """Job 7 listens on port 80: does it stand before the verb, beside the noun that it tells one of?"""
    unit = reading.units[i]
    if unit.role not in _SUBJECTS or value_kind(unit) in ("amount", "time", "seconds", "bytes"):
        return False
    if not unit.role and lexicon(reading.language).markers_after:
        return False  # the predicate stands before its verb too
    clause = reading.clauses[unit.clause]
    if unit.end > clause.divides:
        return False
    if unit.role == "subj" or _is_all(reading, i, clause.start, clause.divides):
        return False  # 山本さんがAPIを担当する: who does it
    return unit.kind != "quantity" or _is_one_of_many(reading, i)


def _is_label_that_opens(reading: Reading, i: int) -> bool:
    """Build 7 keeps at most 3 files: is more said of what the text opens with, and no verb stands before it?"""
    unit = reading.units[i]
    if unit.role or reading.language == "ko" or not is_label(reading, (i,)):
        return False  # a Korean noun has its particle before the number
    mine = [n for n, one in enumerate(reading.units) if one.clause == unit.clause]
    before = [n for n in mine if n < i - 1]
    return i < mine[-1] and all(reading.units[n].kind in _NOUNS for n in before)


def _is_beside_value(reading: Reading, i: int) -> bool:
    """Use version 2 for X, set the port to 80 in X: is the value of an attribute said elsewhere?"""
    last = lexicon(reading.language).markers_after  # に and 에 stand behind a value too
    return _role(reading, i) in (_OWNERS if last else _PLACES) and bool(_stated(reading))


def _role(reading: Reading, i: int) -> str:
    """For build 7: the verb, a noun there, took the preposition."""
    unit = reading.units[i]
    named = not unit.role and i > 0 and is_label(reading, (i,))
    return reading.units[i - 1].role if named else unit.role


def _stated(reading: Reading) -> list[int]:
    """Numbers of the units that are the value of the noun before them (port 80, owner Ines, port to 80)."""
    return [
        n + 1
        for n, (noun, value) in enumerate(pairwise(reading.units))
        if noun.clause == value.clause
        and value.role not in _OWNERS
        and _is_attribute(noun, reading.language)
        and _follows(reading, noun, value)
    ]


def _follows(reading: Reading, noun: Unit, value: Unit) -> bool:
    """Port 80, port to 80, 担当者が山本: is the value told of the noun, with no more than a particle between them?"""
    if value.role == "toward" or (value.kind in _VALUES and not value.role):
        return True
    gap = reading.text[noun.end : value.start].strip().casefold()
    if reading.language in UNSPACED:
        return len(gap) <= 1
    sense = lexicon(reading.language).phrases.get(gap)
    return not gap or (sense is not None and sense.key == "toward")


def _is_owner_of_attribute(reading: Reading, i: int) -> bool:
    """Set the limit for X to 3, Ines is the owner of X: does its phrase follow the attribute, and is something else said?"""
    if reading.language in UNSPACED:
        rest = reading.text[reading.units[i].end :].casefold()
        return reading.units[i].role == "of" and any(
            noun in rest for noun in _nouns()[reading.language]
        )
    first = i
    while first and _role(reading, first) in _OWNERS and reading.units[first - 1].role in _OWNERS:
        first -= 1
    before = reading.units[first - 1] if first else None
    if before is None:
        return False
    said = before.surface.casefold().split()[:-1]  # is the owner of
    if before.kind == "action" and not _nouns_of(reading.language).isdisjoint(said):
        return True
    others = len(reading.units) - (i + 1 - first)
    owned = reading.units[first].role in _OWNERS
    return owned and others > 1 and _is_attribute(before, reading.language)


def _is_attribute(unit: Unit, language: Language) -> bool:
    surface, nouns = unit.surface.casefold(), _nouns()[language]
    if language == "ko":
        return any(surface.startswith(n) and len(surface) - len(n) <= _PARTICLES for n in nouns)
    return surface.endswith(nouns) if language in UNSPACED else surface.split()[-1] in nouns


def _is_treated(reading: Reading, i: int) -> bool:
    """Restart X after 10 minutes, run X with 4 threads: is it said of X how, when or where to it is done?"""
    unit = reading.units[i]
    if unit.role not in _TREATED or _is_before(reading, i) < 0:
        return False
    verbs = [one for one in reading.units[:i] if one.kind == "action"]
    if not verbs or verbs[-1].key in table("things")["using"]["keys"]:
        return False
    if any(one.role == "toward" for one in reading.units[i + 1 :]):
        return True
    others = [n for n, one in enumerate(reading.units) if one.kind == "quantity" and n != i]
    return any(_is_how(reading, n) for n in others)


def _is_how(reading: Reading, i: int) -> bool:
    """After 10 minutes, with 4 threads."""
    unit = reading.units[i]
    if unit.role or unit.scope:
        return True
    return any(one.kind in WORDS_OF_DEGREE for one in reading.units[max(i - 1, 0) : i + 2])


def is_said_whose(reading: Reading, site: Sequence[int]) -> bool:
    """X has the owner Ines, X wird von Ines betreut: is who owns the thing at *site* said elsewhere?"""
    if any(n not in site for n in _stated(reading)):
        return True
    after = [unit.role for unit in reading.units[site[-1] + 1 :]]
    return bool(after) and reading.language == "de" and "of" in after[:-1] and after[-1] == ""


def is_in_charge_of(reading: Reading, site: Sequence[int]) -> bool:
    """Ines maintains X: who has one thing in charge may have another too."""
    unit, keys = reading.units[site[0]], table("things")["charging"]["keys"]
    if unit.role not in _TREATED:
        return False
    divides = _head(reading.text, reading.language, unit.start)[1]
    around = reading.units[: site[0]] if unit.role != "obj" else reading.units[site[-1] + 1 :]
    verbs = [one for one in around if one.kind == "action" and one.clause == unit.clause]
    return any(
        one.key in keys
        and not _is_attribute(one, reading.language)
        and not one.end <= divides < unit.start  # who is responsible for it is Ines
        for one in verbs
    )


@lru_cache(maxsize=16384)
def _head(text: str, language: Language, at: int) -> tuple[int, int]:
    """Where the sentence begins in which *at* stands, and where it is divided (-1: nowhere)."""
    start, end = 0, len(text)
    for match in _SENTENCE_END.finditer(text):
        if match.start() >= at:
            end = match.start()
            break
        start = match.end()
    found = _divider(language).search(text, start, end)
    return start, found.start() if found and text[found.end() : end].strip() else -1


@cache
def _divider(language: Language) -> re.Pattern[str]:
    return re.compile(f"{_COLON}|{table('things')['divides'][language]}", re.IGNORECASE)


@cache
def _nouns_of(language: Language) -> frozenset[str]:
    return frozenset(_nouns()[language])


@cache
def _nouns() -> dict[str, tuple[str, ...]]:
    """By language: the nouns that have one value."""
    valued = numbered_nouns()
    return {
        language: (*valued[language], *nouns)
        for language, nouns in table("things")["nouns"].items()
    }

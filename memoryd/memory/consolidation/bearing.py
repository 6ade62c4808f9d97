"""Does a newer note bear on an older one at all? Most notes of a bank share a word; few speak of the same.

A word of change (now, instead, 改成) says that something was replaced, not what: so the rest of both texts must still
be the same, but for the one value, and that must stand in the same place.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.attributes import is_single, mentions_any
from memoryd.memory.consolidation.lexicon import UNSPACED, Language, lexicon
from memoryd.memory.consolidation.narrowing import is_narrowed, leaves_some, told_in
from memoryd.memory.consolidation.properties import is_change
from memoryd.memory.consolidation.site import (
    WORDS_OF_DEGREE,
    Site,
    is_degree,
    is_run,
    units_of,
    value_kind,
)
from memoryd.memory.consolidation.tables import table, words_of
from memoryd.memory.consolidation.unit import Reading, Unit

_NAME = "bearing"
_MIN_SHARED = 0.5  # of the older entry's units; below it two notes merely share a topic
_PLAIN = frozenset({"word", "quality"})
_NO_THINGS = WORDS_OF_DEGREE | {"action", "quality"}
_PLACES = frozenset({"in", "toward", "at"})
_MOVING = frozenset({"move", "relocate", "go", "live"})
_EXCHANGING = frozenset({"change", "replace", "switch", "migrate", "rename", "update", "rewrite"})
_LONGEST = 3  # units of a value
_MORE = 1  # beside a value in the newer text alone: the rest of a name
_DURATIONS = frozenset({"seconds", "months"})
_CURRENCY = 3  # letters of its code (ISO 4217)


def bears_on(
    old: Reading, new: Reading, alignment: Alignment, site: Site, *, changed: bool
) -> bool:
    """May what stands in a *site* of the newer text be a newer value of what stands there in the older one?

    Args:
        changed: the newer text says that something changed.
    """
    if not _is_about_the_same(old, alignment, changed=changed):
        return False
    if not site.old or not site.new:
        return not changed or _is_mostly_shared(old, new, alignment, site)
    if not _are_of_one_dimension(old, new, site) or _shares_values_only(old, alignment):
        return False
    if _is_plain(old, new, site) and not _are_like_words(
        old, new, alignment, site, changed=changed
    ):
        return False
    return not changed or (
        not leaves_some(old, alignment, site)
        and not is_narrowed(old, new, alignment, site)
        and _is_framed_alike(old, new, alignment, site)
        and _is_denied_alike(old, new, alignment)
    )


def _are_like_words(
    old: Reading, new: Reading, alignment: Alignment, site: Site, *, changed: bool
) -> bool:
    """May one of two values that are mere words stand for the other? Two objects of one deed are two things."""
    if not _are_told_alike(old, new, alignment, site):
        return False
    if changed and (
        _acts(old, site.old) != _acts(new, site.new)  # makes the cake, is now in sales
        or _wants(old) != _wants(new)  # 喜欢画画, 现在上小学
        or not _may_follow(old, new, alignment, site)
    ):
        return False
    if not all(old.units[i].kind in _NO_THINGS for i, _ in alignment.pairs):
        return changed or not _are_two_qualities(old, new, site)
    single = not changed and is_single(old, site.old) and is_single(new, site.new)
    if single and _stands_before(alignment, site):
        return True
    return _are_alike(old, new, site, changed=changed)


def _shares_values_only(old: Reading, alignment: Alignment) -> bool:
    """Water the plants on Monday, the job is now on Monday: the same value of two things."""
    return all(old.units[i].kind == "quantity" for i, _ in alignment.pairs)


def _wants(reading: Reading) -> bool:
    return any("want" in clause.modals for clause in reading.clauses)


def _acts(reading: Reading, numbers: Sequence[int]) -> bool:
    being = lexicon(reading.language).existing | {"live"}
    units = [reading.units[i] for i in numbers if reading.units[i].kind == "action"]
    return any(unit.key not in being and not is_change(reading, unit) for unit in units)


def _may_follow(old: Reading, new: Reading, alignment: Alignment, site: Site) -> bool:
    """My sister is a nurse, moved to Hamburg, now uses a Mac: is it told with a like verb, and not merely of her?"""
    if _holds_two_places(new, site) or _differ_in_subject(old, new, alignment, site):
        return False
    ours, theirs = _verbs(old, site.old), _verbs(new, site.new)
    spaced = old.language not in UNSPACED
    if ours and not ours & theirs and (theirs or spaced):
        return False
    places = set(_roles(old, new, site)) <= _PLACES or (_lives(old) and _has_moved(new))
    return not is_mere_name(old, alignment) or bool(ours & theirs) or places


def _differ_in_subject(old: Reading, new: Reading, alignment: Alignment, site: Site) -> bool:
    """The gateway now uses Kafka, the billing now uses Kafka; but an owner may change, and what is the default."""
    told = told_in(new, site)
    opens = all(site.old[-1] < i and told[-1] < j for i, j in alignment.pairs)
    if not opens or old.units[site.old[0]].role or new.units[told[0]].role:
        return False
    owner = lexicon(old.language).attributes.get("owner", frozenset())
    owned = mentions_any(old, owner) and mentions_any(new, owner)
    return not owned and not (is_single(old, site.old) and is_single(new, site.new))


def _are_told_alike(old: Reading, new: Reading, alignment: Alignment, site: Site) -> bool:
    """Does the same preposition stand before both values, or was one exchanged for the other (switched to, 换成)?"""
    first, second = _roles(old, new, site)
    if first == second or {first, second} <= _PLACES:
        return True
    if is_mere_name(old, alignment) and {first, second} & {"from", "as"}:
        return False
    if old.language in UNSPACED:
        return _lives(old) or not (first in _PLACES or _has_moved(new))
    done = {verb for clause in new.clauses for verb in clause.verbs}
    done |= {unit.key for unit in new.units if unit.kind == "action"}
    return bool(done & _EXCHANGING) or not {first, second} & _PLACES


def _lives(reading: Reading) -> bool:
    """住在北京: does a verb take the place of a preposition?"""
    return any(unit.key == "live" for unit in reading.units)


def _has_moved(new: Reading) -> bool:
    moved = tuple(table(_NAME)["moved"].get(new.language, ()))
    return any(word.startswith(moved) for word in new.dropped)


def _holds_two_places(new: Reading, site: Site) -> bool:
    """Emails about invoices go to Ben, the logo in the footer is white: does the differing run stand on both sides of the verb?"""
    told = [new.units[j] for j in site.new if new.units[j].kind != "action"]
    divides = {new.clauses[unit.clause].divides for unit in told}
    roles = {unit.role for unit in told}
    if len(told) > 1 and len(roles) > 1 and "" not in roles:
        return True
    return any(min(u.start for u in told) < at < max(u.start for u in told) for at in divides)


def _verbs(reading: Reading, numbers: Sequence[int]) -> set[str]:
    """The light verbs of the clauses of a value, but those that only say that it changed."""
    found = {verb for i in numbers for verb in reading.clauses[reading.units[i].clause].verbs}
    return found - _EXCHANGING - _MOVING


def _roles(old: Reading, new: Reading, site: Site) -> tuple[str, str]:
    """The prepositions before two values."""
    return _role(old, site.old), _role(new, site.new)


def _role(reading: Reading, numbers: Sequence[int]) -> str:
    nouns = [reading.units[i] for i in numbers if reading.units[i].kind != "action"]
    return nouns[-1].role if nouns else ""


def is_mere_name(old: Reading, alignment: Alignment) -> bool:
    """Is who or what bears a name all that both texts speak of?"""
    shared = [old.units[i] for i, _ in alignment.pairs]
    if all(unit.kind == "char" for unit in shared):
        return True
    return len(shared) == 1 and shared[0].kind in ("name", "code")


def _are_two_qualities(old: Reading, new: Reading, site: Site) -> bool:
    """The café is cheap, the café is quiet: both may be so, unless one is the opposite of the other."""
    units = units_of(old, new, site)
    if len(site.old) != 1 or len(site.new) != 1 or any(u.kind != "quality" for u in units):
        return False
    pair = units[0].key, units[1].key
    return pair not in lexicon(new.language).opposites


def _stands_before(alignment: Alignment, site: Site) -> bool:
    """The default is tabs; not: keep the tables small."""
    return all(i < site.old[0] and j < site.new[0] for i, j in alignment.pairs)


def _is_about_the_same(old: Reading, alignment: Alignment, *, changed: bool) -> bool:
    """Do two texts share enough of what the older one says?"""
    if not any(old.units[i].kind not in WORDS_OF_DEGREE for i, _ in alignment.pairs):
        return False
    return len(alignment.pairs) >= _MIN_SHARED * len(old.units) - (1 if changed else 0)


def _is_plain(old: Reading, new: Reading, site: Site) -> bool:
    kinds = {value_kind(unit) for unit in units_of(old, new, site)}
    return kinds <= _PLAIN or kinds == {"code"}


def _are_alike(old: Reading, new: Reading, site: Site, *, changed: bool) -> bool:
    """Ask Anna, ask Ben: do both values end in a word of one kind, behind the same preposition? Two objects are two things."""
    ends = old.units[site.old[-1]], new.units[site.new[-1]]
    if value_kind(ends[0]) != value_kind(ends[1]):
        return False
    roles = old.units[site.old[0]].role, new.units[site.new[0]].role
    if roles[0] != roles[1]:
        return changed  # kept with Loki, now in Mimir
    spaced = old.language not in UNSPACED
    return bool(roles[0]) or not (spaced and all(unit.kind in ("concept", "code") for unit in ends))


def _are_of_one_dimension(old: Reading, new: Reading, site: Site) -> bool:
    """For six months, for 1,250 euros: a time is not replaced by a price."""
    first, second = _dimensions(old, site.old), _dimensions(new, site.new)
    return not first or not second or bool(first & second)


def _dimensions(reading: Reading, numbers: Sequence[int]) -> set[str]:
    """What the amounts of a value measure; none if one of them is a bare number, which may measure anything."""
    found = {_dimension(reading.units[i]) for i in numbers if _is_amount(reading.units[i])}
    return set() if "number" in found else found


def _is_amount(unit: Unit) -> bool:
    return unit.kind == "quantity" and value_kind(unit) in ("amount", "seconds", "bytes", "number")


def _dimension(unit: Unit) -> str:
    prefix = unit.key.partition(":")[0]
    if prefix in _DURATIONS:
        return "duration"
    return "money" if len(prefix) == _CURRENCY and prefix.isupper() else prefix


@lru_cache(maxsize=16384)
def is_announced(text: str, language: Language) -> bool:
    """Does a text say what somebody is about to do or sees just now (languages/bearing.toml)? No state of things."""
    return _openings(language).match(text.casefold().lstrip("\"'`•-* ")) is not None


@cache
def _openings(language: Language) -> re.Pattern[str]:
    return words_of(table(_NAME)["openings"][language], language)


def _stretch(reading: Reading, numbers: Sequence[int], shared: AbstractSet[int]) -> range:
    """Give the units of a value with those around it that the other text does not have: now, 现在, the rest of a name."""
    first, last = numbers[0], numbers[-1]
    while first - 1 not in shared and _is_beside(reading, first - 1, first):
        first -= 1
    while last + 1 not in shared and _is_beside(reading, last, last + 1):
        last += 1
    return range(first, last + 1)


def _is_beside(reading: Reading, left: int, right: int) -> bool:
    units = reading.units
    return left >= 0 and right < len(units) and units[left].clause == units[right].clause


def _is_framed_alike(old: Reading, new: Reading, alignment: Alignment, site: Site) -> bool:
    """Is one stretch of both texts another, most of what is said around it the same, and on the same side of it?"""
    pairs = [(i, j) for i, j in alignment.pairs if old.units[i].kind not in WORDS_OF_DEGREE]
    told = told_in(new, site)
    value = _stretch(new, told, {j for _, j in pairs})
    said = [j for j in value if j in told or not is_change(new, new.units[j])]
    longest = min(_LONGEST, len(pairs) + 1)
    if not is_run(site.old) or max(len(site.old), len(said)) > longest:
        return False
    if len(said) > len(told) + _MORE or any(j in value for _, j in pairs):
        return False
    clauses = {new.units[j].clause for j in (*told, *(j for _, j in pairs))}
    around = max(_count(old, site.old, None), _count(new, value, clauses))
    beside = any((i < site.old[0]) == (j < value[0]) for i, j in pairs)
    if _is_plain(old, new, site):
        return beside and 2 * len(pairs) > around
    return 2 * len(pairs) > around or (beside and len(pairs) > 1 and 2 * len(pairs) == around)


def _is_mostly_shared(old: Reading, new: Reading, alignment: Alignment, site: Site) -> bool:
    """Only one text has words that the other has not: is the rest of both the same? What the newer leaves out tells nothing."""
    if not site.new:
        left = [old.units[i] for i in site.old]
        when = all(unit.kind == "quantity" and unit.listed < 0 for unit in left)  # not of a list
        return is_degree(old, new, site) or (when and not _is_denied_alike(old, new, alignment))
    return 2 * len(alignment.pairs) > max(_count(old, site.old, None), _count(new, site.new, None))


def _count(reading: Reading, numbers: Sequence[int], clauses: set[int] | None) -> int:
    """Count the units around a value, in some clauses or in all of them."""
    return sum(
        i not in numbers
        and unit.kind not in WORDS_OF_DEGREE
        and (clauses is None or unit.clause in clauses)
        for i, unit in enumerate(reading.units)
    )


def _is_denied_alike(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """We don't support IE, we now support Linux: what is shared is denied of one thing and said of another."""
    return all(old.units[i].sign == new.units[j].sign for i, j in alignment.pairs)

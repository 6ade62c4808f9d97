"""Which part of a note names the thing spoken of: another thing there is another fact, not another value."""

import re
from collections.abc import Sequence
from itertools import pairwise

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.several import is_told_of
from memoryd.memory.consolidation.site import Site
from memoryd.memory.consolidation.unit import Reading, Unit

_EVERYBODY = frozenset({"we", "you"})
_NAMING = ("concept", "name", "word", "char", "code", "quality")
_PARTICIPLE = re.compile(r"\w*ge\w{2,}(?:t|en)", re.IGNORECASE)  # German: ausgerollt, geschrieben


def is_subject(reading: Reading, site: Sequence[int]) -> bool:
    """Does the differing place stand before the verb, where the thing spoken of is named?"""
    first = reading.units[site[0]]
    if first.role in ("topic", "subj") or is_told_of(reading, site):
        return True
    if first.role == "of" and _is_before_verb(reading, site):  # the deploy of X runs on Friday
        return True
    divides = reading.clauses[first.clause].divides
    if lexicon(reading.language).markers_after and site[0] > 0:
        return False  # the predicate, 도윤이다, stands before its copula
    if reading.language == "zh" and first.role in ("with", "as") and site[0] > 0:
        return False  # 列表按升序排列
    if divides >= 0:
        return first.start < divides or _is_inverted(reading, first)
    begins = first.start == reading.units[0].start or _is_second_character(reading, site)
    return begins or _is_numbered(reading, site)


def _is_second_character(reading: Reading, site: Sequence[int]) -> bool:
    """小李吃素: a name that opens the text, of which the first character is shared with another name."""
    one = reading.units[0]
    return site[0] == 1 and one.kind == "char" and one.end == reading.units[1].start


def _is_numbered(reading: Reading, site: Sequence[int]) -> bool:
    """琴号 GQ-07 借给了少年宫, dialect 2 targets: a label and what it names stand first, and more is said of it."""
    first = reading.units[site[0]]
    mine = [unit for unit in reading.units if unit.clause == first.clause]
    at = mine.index(first)
    number = first.key.startswith("number:") and reading.language not in UNSPACED
    if not (first.kind == "code" or number) or not 0 < at < len(mine) - 1:
        return False
    if number:  # not: retry 3 times
        return mine[at - 1].kind != "action" and first.start - mine[at - 1].end <= 1
    gaps = (reading.text[u.end : v.start] for u, v in pairwise(mine[: at + 1]))
    return not any(gap.strip() for gap in gaps)


def _is_before_verb(reading: Reading, site: Sequence[int]) -> bool:
    after = reading.units[site[-1] + 1 :]
    clause = reading.units[site[-1]].clause
    verbs = any(unit.kind == "action" and unit.clause == clause for unit in after)
    return verbs and reading.language not in UNSPACED


def _is_inverted(reading: Reading, unit: Unit) -> bool:
    """German names the thing spoken of right behind the verb when a participle or a time was put before it."""
    if reading.language != "de":
        return False
    divides = reading.clauses[unit.clause].divides
    inside = [one for one in reading.units if one.clause == unit.clause]
    before = [one for one in inside if one.start < divides]
    after = [one for one in inside if one.start > divides]
    fronted = before and all(
        one.kind in ("action", "quantity") or _PARTICIPLE.fullmatch(one.surface) for one in before
    )
    return bool(fronted and after) and after[0] is unit


def has_another_subject(old: Reading, new: Reading, alignment: Alignment, site: Site) -> bool:
    """The server port is 8080, the printer port is now 9100: is more than the value another, and stands before it?"""
    left = _named_before(old, alignment.only_a, min(site.old, default=0))
    right = _named_before(new, alignment.only_b, min(site.new, default=0))
    mine, yours = (one.persons - _EVERYBODY for one in (old, new))
    if (left and yours - mine) or (right and mine - yours):
        return True
    pairs = set(alignment.pairs)
    return any((i + 1, j + 1) in pairs or (i - 1, j - 1) in pairs for i in left for j in right)


def _named_before(reading: Reading, numbers: Sequence[int], end: int) -> list[int]:
    """Of the units that differ, those before the value, or before the verb if more differs behind it."""
    named = [i for i in numbers if i < end and (i == 0 or reading.units[i].kind in _NAMING)]
    subject = [
        i
        for i in numbers
        if reading.units[i].start < reading.clauses[reading.units[i].clause].divides
    ]
    return subject if subject and len(subject) < len(numbers) else named

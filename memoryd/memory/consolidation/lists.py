"""Members of lists: what stands beside what without an order of its own."""

import re
from collections.abc import Sequence
from dataclasses import replace

from memoryd.memory.consolidation.lexicon import UNSPACED, Language
from memoryd.memory.consolidation.unit import ClauseFacts, Unit

_RECORD = re.compile(r"([^:：.;!?。；]+)[:：](?![\d/])\s*([^.;!?。；]+)")
_BETWEEN = re.compile(r"\s*(?:[,/&+、，]|\b(?:and|und|et|y)\b|[和与及])\s*")
_MEMBER = 2  # units in a list's member between commas
_FEW = 2  # members behind the first comma: A, B may be anything, A, B, C is a list
_NOUNS = frozenset({"name", "concept", "word"})


def number_lists(
    units: Sequence[Unit], clauses: Sequence[ClauseFacts], language: Language
) -> list[Unit]:
    """Number the lists: what "and" joins, and the short clauses between commas before it; or those alone."""
    found = list(units)
    if language not in UNSPACED and all(not unit.joined for unit in found):
        return _listed_by_commas(found, clauses)
    number = -1
    for i, unit in enumerate(found):
        if not unit.joined or i == 0:
            continue
        if found[i - 1].listed < 0:
            number += 1
            _begin_list(found, clauses, i, number)
        for k in range(i, _run_end(found, i)):
            found[k] = replace(found[k], listed=found[i - 1].listed)
    return found


def _listed_by_commas(units: list[Unit], clauses: Sequence[ClauseFacts]) -> list[Unit]:
    """Languages: English, French, Thai. Three nouns or more at the end, each behind a comma, are a list."""
    first = len(units)
    while first > 1 and _is_noun_alone(units, clauses, first - 1):
        first -= 1
    if len(units) - first < _FEW or units[first - 1].kind not in _NOUNS:
        return units
    head = units[first - 1]
    if head.sign <= 0 or any(unit.sign != head.sign for unit in units[first:]):
        return units
    for k in range(first - 1, len(units)):
        units[k] = replace(units[k], clause=head.clause, role=head.role, listed=0)
    return units


def _is_noun_alone(units: list[Unit], clauses: Sequence[ClauseFacts], k: int) -> bool:
    unit, facts = units[k], clauses[units[k].clause]
    neighbours = (units[k - 1].clause, units[k + 1].clause if k + 1 < len(units) else -1)
    plain = unit.kind in _NOUNS and not unit.role and not facts.verbs and not facts.cues
    return plain and facts.divides < 0 and facts.inside < 0 and unit.clause not in neighbours


def is_respective(text: str) -> bool:
    """Owner, deputy: Ines, Kofi: as many names as labels, so that their order tells who is which."""
    record = _RECORD.match(text.casefold())
    if record is None:
        return False
    labels, values = (_BETWEEN.split(part.strip()) for part in record.groups())
    return len(labels) == len(values) > 1


def _run_end(units: list[Unit], i: int) -> int:
    """Single characters side by side are one member."""
    end = i + 1
    while end < len(units) and units[end].kind == "char" and units[end].start == units[end - 1].end:
        end += 1
    return end


def _begin_list(units: list[Unit], clauses: Sequence[ClauseFacts], i: int, number: int) -> None:
    """Mark the member before "and", and those before it that stand between commas."""
    clause = units[i].clause
    head = [k for k in range(i) if units[k].clause == clause]
    first = i - 1
    while first > 0 and units[first].kind == "char" and units[first - 1].end == units[first].start:
        first -= 1
    if head and head[0] == first and len(head) <= _MEMBER:
        while first > 0 and _is_member(units, clauses, first - 1, clause):
            first -= 1
            units[first] = replace(units[first], clause=clause)
        first = _adopt(units, first, clause)
    for k in range(first, i):
        units[k] = replace(units[k], listed=number)


def _is_member(units: list[Unit], clauses: Sequence[ClauseFacts], k: int, clause: int) -> bool:
    """Is unit *k* a clause of its own, two words at most, right before?"""
    mine = [u for u in units if u.clause == units[k].clause]
    facts = clauses[units[k].clause]
    return units[k].clause < clause and len(mine) <= _MEMBER and facts.divides < 0


def _adopt(units: list[Unit], first: int, clause: int) -> int:
    """A, B and C: the clause that ends with the first member takes the others in."""
    if first == 0 or units[first - 1].sign != units[first].sign:
        return first
    head = units[first - 1].clause
    for k in range(first, len(units)):
        if units[k].clause == clause:
            units[k] = replace(units[k], clause=head)
    return first - 1

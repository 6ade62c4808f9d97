"""The two sides of one copula: main is our default branch, our default branch is main."""

from dataclasses import replace
from itertools import pairwise

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.movement import opening_clause
from memoryd.memory.consolidation.unit import Reading, Unit


def is_identity(a: Reading, b: Reading, alignment: Alignment) -> bool:
    """main is our default branch = our default branch is main: the two sides of one copula changed places."""
    verbs = "listed" if a.language == "zh" else "action"  # 打包脚本: turned only around a copula
    if any(u.kind == verbs or u.listed >= 0 for u in (*opening_clause(a), *opening_clause(b))):
        return False
    here, there = a.units[0].clause, b.units[0].clause  # what is set off is a detail
    said = [(a.units[i].clause == here, b.units[j].clause == there) for i, j in alignment.pairs]
    if any(first != second for first, second in said) or a.quantifiers or b.quantifiers:
        return False
    pairs = tuple(pair for pair, (inside, _) in zip(alignment.pairs, said, strict=True) if inside)
    if any(a.units[i].role != b.units[j].role for i, j in pairs):
        return False
    owned = bool(a.persons or b.persons)  # the user's mother tongue is one
    return is_turned(a, b, replace(alignment, pairs=pairs)) and (owned or _names_any(a))


def is_turned(a: Reading, b: Reading, alignment: Alignment) -> bool:
    """Did all that stands before the copula change places with what stands behind it?"""
    here, there = a.clauses[a.units[0].clause].divides, b.clauses[b.units[0].clause].divides
    verbs = [u for u in a.units if u.start == here] + [v for v in b.units if v.start == there]
    if min(here, there) < 0 or verbs:
        return False
    return all((a.units[i].start < here) != (b.units[j].start < there) for i, j in alignment.pairs)


def _names_any(reading: Reading) -> bool:
    """Is there a name, or a character that makes one with the next (老冯)?"""
    prefixes = lexicon(reading.language).name_prefixes
    called = any(
        u.kind == v.kind == "char" and u.surface in prefixes and u.end == v.start
        for u, v in pairwise(reading.units)
    )
    foreign = reading.language in UNSPACED  # 默认分支是 main
    return called or any(is_named(u) or (foreign and u.surface.isascii()) for u in reading.units)


def is_named(unit: Unit) -> bool:
    """Is it a name, code or a word that no table knows?"""
    return unit.kind in ("name", "code") or (unit.kind == "word" and unit.surface.isascii())

"""And, or, from, to: what may be chosen of several is not all of them."""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.unit import Reading


def choice_problem(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Polish and Dutch is not Polish or Dutch, unless it is denied; 5 to 8 is not 5 and 8."""
    for i, j in alignment.pairs:
        u, v = a.units[i], b.units[j]
        ranged = u.kind == "quantity" and u.joined != v.joined and "toward" in (u.role, v.role)
        if ranged and all(x.role != "between" for x in (*a.units, *b.units)):
            return "a range is not its two ends"
    if _is_open(a) != _is_open(b):
        return "one of them, not all"
    if any(clause.denials for clause in (*a.clauses, *b.clauses)):
        return None
    for i, j in alignment.pairs:
        u, v = a.units[i], b.units[j]
        here, there = a.clauses[u.clause].cues, b.clauses[v.clause].cues
        if u.joined and v.joined and ("or" in here) != ("or" in there):
            return "one of them, not all"
    return None


def _is_open(reading: Reading) -> bool:
    """Does the text leave a choice by "or", and join nothing?"""
    joins = lexicon(reading.language).phrases
    words = {joins[w].key for w in reading.dropped if w in joins and joins[w].role == "join"}
    spaced = reading.language not in UNSPACED
    return spaced and "or" in words and not any(clause.denials for clause in reading.clauses)

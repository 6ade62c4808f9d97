"""After X comes Y = before Y comes X: two texts that name the same order from its two ends.

Only where every unit stands on the opposite side of the opposite word may both orders be the same.
"""

from dataclasses import replace

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import lexicon
from memoryd.memory.consolidation.topics import may_float
from memoryd.memory.consolidation.unit import Reading

_ENDS = {"after": frozenset({"after", "first"}), "before": frozenset({"before", "first"})}


def halves(a: Reading, b: Reading, alignment: Alignment) -> tuple[Alignment, Alignment] | None:
    """Split the pairs into what comes first and what comes then, if one text says after and the other before."""
    light = lexicon(a.language).light
    said_a = {a.units[i].key for i in alignment.only_a} - light
    if said_a.isdisjoint(_ENDS):
        return None  # as most
    said_b = {b.units[j].key for j in alignment.only_b} - light
    for first, then in (("after", "before"), ("before", "after")):
        turned = any(unit.key == then for unit in b.units)  # even if nothing asks for it
        if first in said_a <= _ENDS[first] and turned and said_b <= _ENDS[then]:
            return _split(a, b, alignment, first, then)
    return None


def _split(
    a: Reading, b: Reading, alignment: Alignment, first: str, then: str
) -> tuple[Alignment, Alignment] | None:
    firm = [(i, j) for i, j in alignment.pairs if not may_float(a, b, i, j)]
    free = len(alignment.pairs) - len(firm)
    under = tuple((i, j) for i, j in firm if a.units[i].scope == first)
    over = tuple((i, j) for i, j in firm if a.units[i].scope == "")
    opposed = all(b.units[j].scope == "" for _, j in under) and all(
        b.units[j].scope == then for _, j in over
    )
    if not under or not over or not opposed or len(under) + len(over) + free < len(alignment.pairs):
        return None
    return replace(alignment, pairs=under), replace(alignment, pairs=over)

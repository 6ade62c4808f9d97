"""Of which noun a word right before it is said: the red key, the red door."""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED
from memoryd.memory.consolidation.unit import Reading

_MODIFIERS = frozenset({"quality", "word", "char", "quantity", "quantify"})
_NOUNS = frozenset({"concept", "name", "word", "char", "code", "action"})


def modifier_problem(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Name a word that stands right before another noun in each text, where both have both nouns; or None."""
    partner = dict(alignment.pairs)
    paired = set(partner.values())
    for i, j in alignment.pairs:
        head = partner.get(i + 1, -1)
        if head < 0 or head == j + 1 or j + 1 not in paired:
            continue
        if _modifies_next(a, i) and _modifies_next(b, j):
            return f"{a.units[i].surface!r} is said of another"
    return None


def _modifies_next(reading: Reading, i: int) -> bool:
    """Does a unit stand before a noun with nothing between them, and behind other words than a noun?"""
    if i + 1 >= len(reading.units) or reading.units[i].kind not in _MODIFIERS:
        return False
    unit, noun = reading.units[i], reading.units[i + 1]
    if noun.kind not in _NOUNS or noun.clause != unit.clause:
        return False
    gap = reading.text[unit.end : noun.start]
    return not gap if reading.language in UNSPACED else gap == " "

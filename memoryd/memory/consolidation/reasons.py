"""Because A, B is not because B, A: what is the reason in one text must not be what follows from it in the other."""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import lexicon
from memoryd.memory.consolidation.unit import Reading


def reason_clash(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Name two units that changed places between the reason and what follows from it.

    One alone may be pointed at by a pronoun: the pump runs at night because it is loud.
    """
    ours, theirs = _reasons(a), _reasons(b)
    if any(here and "though" in other.cues() for here, other in ((ours, b), (theirs, a))):
        return "because is not in spite of"
    if not ours or not theirs:
        return None
    sides = [(i, a.home(i) in ours, b.home(j) in theirs) for i, j in alignment.pairs]
    came = [i for i, before, now in sides if now and not before]
    left = [i for i, before, now in sides if before and not now]
    if not came or not left:
        return None
    words = [a.units[found[0]].surface for found in (left, came)]
    return f"{words[0]!r} is the reason in one of them, {words[1]!r} in the other"


def _reasons(reading: Reading) -> frozenset[int]:
    """Give the numbers of the clauses that open with a word for because and say more than one thing."""
    words = tuple(lexicon(reading.language).causing)
    if not words:
        return frozenset()
    return frozenset(
        n
        for n, clause in enumerate(reading.clauses)
        if reading.text[clause.start : clause.end].casefold().startswith(words)
    )

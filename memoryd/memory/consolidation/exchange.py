"""Did two units exchange their partners: the left motor stalls and the right one runs, or the other way round?

The same words stand in both texts, so only what stands together with what tells them apart.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import permutations

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.movement import shared_topic
from memoryd.memory.consolidation.unit import POINTERS, Reading
from memoryd.memory.consolidation.voice import when

_GIVEN = frozenset({"toward", "from"})  # roles of whom or what something goes to, or comes from


def exchanged(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Name two units that changed clauses crosswise while a third one stayed with its own.

    Clauses may move as wholes, and be split or joined; but if u left a clause for the place of v, and v came for u,
    something that stayed in either clause has another partner now.
    """
    if any(len({unit.clause for unit in reading.units}) < 2 for reading in (a, b)):  # noqa: PLR2004
        return None
    ours, theirs = Counter(u.key for u in a.units), Counter(u.key for u in b.units)
    pairs = [
        (i, j)
        for i, j in alignment.pairs[shared_topic(alignment) :]  # what opens both governs all
        if ours[a.units[i].key] == theirs[b.units[j].key] == 1
    ]
    # what a pronoun stands for is said in only one of the clauses
    pointed = all(not POINTERS.isdisjoint(r.dropped) for r in (a, b))
    places = [(a.home(i), b.home(j)) for i, j in pairs]
    for n, (x, y) in enumerate(places):
        for m in range(n + 1, len(places)):
            x2, y2 = places[m]
            if x == x2 or y == y2:
                continue
            stayed = [k for k, place in enumerate(places) if place in ((x, y2), (x2, y))]
            deeds = any(
                _is_deed(a, pairs[k][0]) and not _is_shared(a, b, *pairs[k]) for k in stayed
            )
            stayed = [k for k in stayed if not _is_shared(a, b, *pairs[k])]
            if len(stayed) > pointed or deeds:
                return f"{a.units[pairs[n][0]].surface!r} and {a.units[pairs[m][0]].surface!r} exchanged their clauses"
    return None


def _is_deed(reading: Reading, i: int) -> bool:
    """May the unit be a verb? With an article it is none."""
    unit = reading.units[i]
    return unit.kind == "action" and not reading.text[: unit.start].endswith(("the ", "a ", "an "))


def _is_shared(a: Reading, b: Reading, i: int, j: int) -> bool:
    """Offers are sent as PDF, invoices as XML: the only verb of a text is understood in its other clauses."""
    return all(
        reading.units[n].kind == "action" and sum(u.kind == "action" for u in reading.units) == 1
        for reading, n in ((a, i), (b, j))
    )


def parts_exchanged(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Jonas shows it to Petra, Petra shows it to Jonas: who stands behind "to" in one text leads the other."""
    found = {
        (a.units[i].role, b.units[j].role)
        for i, j in alignment.pairs
        if a.units[i].kind in ("name", "word", "concept") and not when(a.units[i])
    }
    swapped = any((role, "") in found and ("", role) in found for role in _GIVEN)
    return "two exchanged their parts" if swapped else None


def are_crossed(pairs: Iterable[tuple[int, int]]) -> bool:
    """Does one unit stand before another in the first text, and behind it in the second?"""
    return any(i < k and j > m for (i, j), (k, m) in permutations(pairs, 2))

"""Nouns that only say what kind of value follows: deployment days: Tuesday; retention period: 30 days."""

from functools import cache

from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import Reading

_NEAR = 3  # units between the noun and its value: date de sortie : 3 mai
_BETWEEN = frozenset({"only", "at_most", "at_least"})


def names_kind_of_value(reading: Reading, i: int) -> bool:
    """Does the unit say no more than what the value behind it is anyway?"""
    unit = reading.units[i]
    if unit.sign <= 0 or len(reading.units) <= 2:  # noqa: PLR2004 - the noun and its value: nothing else is said
        return False
    values = _values_of().get(unit.surface.casefold(), ())
    if not values:
        return False
    behind = [u for u in reading.units[i + 1 : i + 1 + _NEAR] if u.key not in _BETWEEN]
    first = next((u for u in behind if u.kind == "quantity" or u.key.startswith(values)), None)
    return first is not None and first.key.startswith(values)


@cache
def _values_of() -> dict[str, tuple[str, ...]]:
    """By noun: how the keys of its values begin."""
    found: dict[str, tuple[str, ...]] = {}
    for kind in table("value_labels").values():
        for word in kind["words"]:
            found[word] = (*found.get(word, ()), *kind["values"])
    return found

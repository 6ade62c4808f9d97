"""What stands in the differing place: a value of a closed kind, an amount, one of a list, or words that may be synonyms."""

from memoryd.memory.consolidation.site import Site, units_of, value_kind
from memoryd.memory.consolidation.unit import Reading, Unit

_CLOSED = ("quantity", "code", "compare", "quantify", "condition")


def is_vague(old: Reading, new: Reading, site: Site) -> bool:
    """Might the two be synonyms that the tables do not know?"""
    units = units_of(old, new, site)
    kinds = {unit.kind for unit in units}
    mixed = "char" in kinds and len(kinds) > 1
    return (
        mixed
        or not all(_is_told_apart(unit) for unit in units)
        or _share_characters(old, new, site)
    )


def _is_told_apart(unit: Unit) -> bool:
    """Do the tables know the word, or is it a name or value, so that another word is another thing?"""
    if unit.kind == "word":  # German nouns have capitals and may be names
        return unit.start > 0 and unit.surface[:1].isupper()
    return unit.kind != "action" or unit.surface.isupper()


def _share_characters(old: Reading, new: Reading, site: Site) -> bool:
    left = {c for i in site.old if old.units[i].kind == "char" for c in old.units[i].surface}
    return any(left & set(new.units[j].surface) for j in site.new)


def is_closed(unit: Unit) -> bool:
    return unit.kind in _CLOSED or value_kind(unit) in ("unit", "language")


def is_counted(old: Reading, site: Site) -> bool:
    """6 steps, 14 days: how many there are is one value, whatever the verb."""
    if len(site.old) != 1 or old.units[site.old[0]].kind != "quantity":
        return False
    unit, after = old.units[site.old[0]], site.old[0] + 1
    if value_kind(unit) in ("amount", "seconds", "bytes"):
        return True
    follows = (
        after < len(old.units)
        and old.units[after].clause == unit.clause
        and not old.units[after].role
    )
    return value_kind(unit) == "number" and (follows or old.language == "zh")


def is_in_list(old: Reading, site: Site) -> bool:
    """One member of a list was replaced: the list as a whole has a new value."""
    unit = old.units[site.old[0]]
    if unit.listed >= 0:
        return True
    sizes = [sum(u.clause == n for u in old.units) for n in range(len(old.clauses))]
    return sizes[unit.clause] == 1 and sum(size == 1 for size in sizes) > 1

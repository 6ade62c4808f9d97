"""In which condition a word stands: if, when, before, without; and where two ways to say so are one."""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.deeds import has_cancelled
from memoryd.memory.consolidation.lexicon import UNSPACED
from memoryd.memory.consolidation.topics import may_stand_outside
from memoryd.memory.consolidation.unit import Reading, Unit


def scope_problem(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Name a word that stands in a condition, an exception or a time in one text, and not in the same of the other; or None."""
    for i, j in alignment.pairs:
        u, v = a.units[i], b.units[j]
        if u.scope != v.scope and not (
            _is_worded_otherwise(u, v, a, b)
            or _is_when(u, v, a, b)
            or may_stand_outside(a, b, i, j)
            or _is_needed_before(a, b, i, j)
            or _is_first_needed(a, b, i, j)
        ):
            return u.surface
    return None


def _is_needed_before(a: Reading, b: Reading, i: int, j: int) -> bool:
    """Without X no Y = X must be before Y."""
    for silent, n, said, m in ((a, i, b, j), (b, j, a, i)):
        needs = silent.clauses[silent.units[n].clause]
        if silent.units[n].scope == "" and said.units[m].scope == "before" and needs.conditional:
            return n not in needs.needed and "must" in said.clauses[said.units[m].clause].modals
    return False


def _is_first_needed(a: Reading, b: Reading, i: int, j: int) -> bool:
    """No X leaves without Y = Y is done before X leaves."""
    for silent, n, said, m in ((a, i, b, j), (b, j, a, i)):
        if not has_cancelled(silent) or all(unit.scope != "before" for unit in said.units):
            continue
        if all(unit.scope != "without" for unit in silent.units):
            continue
        if (silent.units[n].scope, said.units[m].scope) in (("without", ""), ("", "before")):
            return True
    return False


def _is_when(u: Unit, v: Unit, a: Reading, b: Reading) -> bool:
    """If it fails = when it fails; when may also be left out, if it is so for all that stands in it."""
    scopes = {u.scope, v.scope}
    if scopes == {"if", "when"}:
        return True
    silent = a if not u.scope else b
    at = u if silent is a else v
    if scopes == {"if", ""} and a.language not in UNSPACED:
        return "when" in silent.clauses[at.clause].cues
    return scopes == {"", "when"} and all(unit.scope not in ("if", "when") for unit in silent.units)


def _is_worded_otherwise(u: Unit, v: Unit, a: Reading, b: Reading) -> bool:
    """No X without Y = X needs Y: only one of the two texts says "without"."""
    if {u.scope, v.scope} != {"", "without"}:
        return False
    return any(all(unit.scope != "without" for unit in reading.units) for reading in (a, b))

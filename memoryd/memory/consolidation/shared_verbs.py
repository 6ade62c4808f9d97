"""A verb that two clauses share: offers are sent as PDF, invoices as XML; and a verb of the second that is another."""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED
from memoryd.memory.consolidation.unit import Reading


def shared_verb_problem(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Say that a clause has a verb of its own in one text and shares another in the other, or None."""
    ours, theirs = {i for i, _ in alignment.pairs}, {j for _, j in alignment.pairs}
    back = [(j, i) for i, j in alignment.pairs]
    for said, shared, paired, pairs in ((b, a, theirs, back), (a, b, ours, alignment.pairs)):
        partners = ours if shared is a else theirs
        for n, unit in enumerate(said.units):
            if unit.kind != "action" or n in paired or unit.clause == 0:
                continue
            clauses = {
                shared.units[k].clause for m, k in pairs if said.units[m].clause == unit.clause
            }
            if any(_has_another(shared, clause, unit.key, partners) for clause in clauses):
                return f"another verb: {unit.surface}"
    return None


def _has_another(reading: Reading, clause: int, key: str, paired: set[int]) -> bool:
    """Is the verb of the clause, or the one that it shares with the clause before it, another?"""
    if clause == 0:
        return False
    verbs = _verbs(reading, clause)
    if verbs:
        return key not in verbs.values() and not verbs.keys() <= paired
    before = _verbs(reading, clause - 1)
    return _shares_a_verb(reading, clause) and bool(before) and key not in before.values()


def _verbs(reading: Reading, clause: int) -> dict[int, str]:
    """The keys of a clause's verbs, by their numbers."""
    units = enumerate(reading.units)
    return {n: unit.key for n, unit in units if unit.kind == "action" and unit.clause == clause}


def _shares_a_verb(reading: Reading, clause: int) -> bool:
    """Invoices as XML: is it a noun and what stands with it, behind a comma?"""
    units = [unit for unit in reading.units if unit.clause == clause]
    facts, before = reading.clauses[clause], reading.clauses[clause - 1]
    comma = reading.text[before.end : facts.start].strip() == ","
    return (
        comma
        and reading.language not in UNSPACED
        and not facts.verbs
        and len(units) > 1
        and not units[0].role
        and bool(units[-1].role)
    )

"""Active and passive: the same deed told from its doer or from its object."""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.unit import TIMES, Reading, Unit

STRONG = frozenset({"by", "from", "toward", "for", "in", "with", "obj", "subj", "of", "between"})
_WHEN = ("time:", "date:", "day:", "weekday:", "month:", "every:")


def when(unit: Unit) -> str:
    """What kind of time a unit is; "" for none."""
    if unit.key in TIMES:
        return "part of day"
    return unit.key.partition(":")[0] if unit.key.startswith(_WHEN) else ""


def is_passive(a: Reading, b: Reading, alignment: Alignment) -> bool:
    """Is one sentence the passive of the other, its agent (by X) being the other's subject?"""
    if bool(a.agents) == bool(b.agents):
        return False
    if a.agents:
        return _agents_lead(
            b, {j for i, j in alignment.pairs if i in a.agents and not when(b.units[j])}
        )
    return _agents_lead(
        a, {i for i, j in alignment.pairs if j in b.agents and not when(a.units[i])}
    )


def _agents_lead(active: Reading, agents: set[int]) -> bool:
    """Do the agents open their clause in the active sentence, times aside?"""
    if not agents or any(active.units[i].role in STRONG - {"subj"} for i in agents):
        return False
    clause = active.units[min(agents)].clause
    mine = [i for i, unit in enumerate(active.units) if unit.clause == clause and not when(unit)]
    return set(mine[: len(agents)]) == agents

"""Active and passive: the same deed told from its doer or from its object."""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED
from memoryd.memory.consolidation.unit import TIMES, Reading, Unit

STRONG = frozenset(
    {"by", "from", "toward", "for", "in", "with", "obj", "subj", "of", "between", "at"}
)
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


def voice_clash(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Karin approves Lars, Karin is approved by Lars: who does it in one text has it done to him in the other."""
    if bool(a.agents) == bool(b.agents) or UNSPACED & {a.language, b.language}:
        return None
    passive, active = (a, b) if a.agents else (b, a)
    order = alignment.pairs if a.agents else tuple((j, i) for i, j in alignment.pairs)
    for i, j in order:
        if i not in passive.agents or active.units[j].role or when(active.units[j]):
            continue
        before = [k for k, m in order if k < i and _opens_clause(active, m, j)]
        between = [
            k
            for k, m in order
            if k < i and m < j and k not in before and not _is_agent_noun(active.units[m])
        ]
        if before and between:
            return f"{active.units[j].surface!r} does it in only one of them"
    return None


def _opens_clause(active: Reading, m: int, j: int) -> bool:
    """Does unit *m* lead the clause of unit *j*, without a preposition?"""
    clause = active.units[j].clause
    first = next(k for k, unit in enumerate(active.units) if unit.clause == clause)
    return m == first < j and not active.units[m].role


def _is_agent_noun(unit: Unit) -> bool:
    return unit.surface.endswith(("er", "ers", "or", "ors")) and not unit.key.endswith(("er", "or"))

"""Consolidation: which entries say the same, which replace another, and the shortest text that keeps every fact.

Entry point: `plan_consolidation`. May import: model, memory.text. Pure: the same entries give the same plan in
any order; the shell commits it. Proposers (shingles, shared words, vectors) only nominate pairs; the guards of
`comparison` decide, and a veto of theirs is final.
"""

from memoryd.memory.consolidation.effects import merge_changes, supersede_changes
from memoryd.memory.consolidation.plan import (
    Clause,
    Conflict,
    ConsolidationPlan,
    ConsolidationPolicy,
    Held,
    Merge,
    Supersede,
    Veto,
)
from memoryd.memory.consolidation.planning import plan_consolidation

__all__ = [
    "Clause",
    "Conflict",
    "ConsolidationPlan",
    "ConsolidationPolicy",
    "Held",
    "Merge",
    "Supersede",
    "Veto",
    "merge_changes",
    "plan_consolidation",
    "supersede_changes",
]

"""Entries of one namespace -> the plan of one consolidation run. Pure; the order of the input does not matter."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memoryd.memory.consolidation.apart import KeptApart
from memoryd.memory.consolidation.cap import Draft, within_cap
from memoryd.memory.consolidation.findings import Findings, Vetoes
from memoryd.memory.consolidation.plan import (
    Conflict,
    ConsolidationPlan,
    ConsolidationPolicy,
    Supersede,
)
from memoryd.memory.consolidation.settling import Settling
from memoryd.model import Apart, Entry


def plan_consolidation(
    entries: Sequence[Entry],
    vectors: Mapping[str, Any] | None,
    policy: ConsolidationPolicy,
    now: datetime,
    apart: Sequence[Apart] = (),
) -> ConsolidationPlan:
    """Plan one run over the entries of one namespace.

    Args:
        entries: of one namespace, in any order. Only active ones change; the others serve as lineage.
        vectors: id -> float16 or float32 (d,), unit length; they only propose pairs. None: without.
        policy: what one run may do.
        now: entries that begin to hold later replace nothing yet.
        apart: what a person wants kept apart.

    Returns:
        The plan: the same for the same input, whatever its order. Planning again on its result finds nothing
        but what was held back.
    """
    by_id = {entry.id: entry for entry in entries}
    kept = KeptApart(apart, by_id)
    drafts: list[Draft] = []
    supersedes: list[Supersede] = []
    conflicts: list[Conflict] = []
    vetoes = Vetoes()
    compared = 0
    for group in _comparable_groups(entries):
        settling = Settling(Findings(group, vectors, policy, vetoes), by_id, now, kept)
        settling.settle()
        drafts += settling.drafts.values()
        supersedes += settling.supersedes()
        conflicts += settling.conflicts()
        compared += settling.found.compared
    active = sum(entry.state == "active" for entry in entries)
    merges, supersedes, held = within_cap(drafts, supersedes, active, policy)
    return ConsolidationPlan(
        merges=tuple(sorted(merges, key=lambda m: m.into)),
        # the oldest first: what replaced one entry may itself be replaced by the next
        supersedes=tuple(sorted(supersedes, key=lambda s: (s.since, s.old, s.new))),
        conflicts=tuple(sorted(conflicts, key=lambda c: (c.a, c.b))),
        vetoes=vetoes.reported(),
        held_back=tuple(held),
        counts={
            "active": active,
            "compared": compared,
            "merged": sum(len(merge.from_ids) for merge in merges),
            "superseded": len(supersedes),
            "conflicts": len(conflicts),
            "vetoed": vetoes.count,
            "held_back": len(held),
            "saved_chars": sum(merge.saved_chars for merge in merges),
        },
    )


def _comparable_groups(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Group active entries that may be compared at all: same scope, and working ones of one session.

    The other kinds are guessed from the words ("Do not …", "Never …"), so that the same fact may be of two of them.
    """
    groups: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.state == "active":
            working = entry.kind == "working"
            session = (entry.session_id or "") if working else ""
            groups[(entry.namespace, entry.scope, str(working), session)].append(entry)
    return [sorted(groups[key], key=lambda e: e.id) for key in sorted(groups)]

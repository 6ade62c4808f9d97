"""How much one run may change: the surest changes first, the rest is held back."""

from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.memory.consolidation.plan import ConsolidationPolicy, Held, Merge, Supersede


@dataclass(frozen=True, slots=True)
class Draft:
    """A merge and how much it is to be preferred when not all can be done."""

    merge: Merge
    score: float


def within_cap(
    drafts: Sequence[Draft],
    supersedes: Sequence[Supersede],
    active: int,
    policy: ConsolidationPolicy,
) -> tuple[list[Merge], list[Supersede], list[Held]]:
    """Take the surest changes first until the run's limit is reached; hold the rest back."""
    left = policy.most_changes(active)
    held: list[Held] = []
    merges: list[Merge] = []
    waiting: set[str] = set()
    reason = f"over the limit of {left} changes in one run"
    for draft in sorted(drafts, key=lambda d: (-d.score, d.merge.into)):
        merge = draft.merge
        if len(merge.from_ids) > left:
            held.append(Held(merge, reason))
            waiting |= {merge.into, *merge.from_ids}
        else:
            left -= len(merge.from_ids)
            merges.append(merge)
    kept: list[Supersede] = []
    for supersede in sorted(supersedes, key=lambda s: (s.since, s.old)):
        if left < 1 or {supersede.old, supersede.new} & waiting:
            held.append(Held(supersede, reason))
        else:
            left -= 1
            kept.append(supersede)
    return merges, kept, held

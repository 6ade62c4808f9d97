"""Forgetting by rule. Pure: entries, their accesses, a policy and `now` in; a plan with a reason for everything out.

Nothing leaves at once: an entry goes to the archive first, can be restored from there, and is removed for good only after a
month in it and a year without use.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from memoryd.counting import counted
from memoryd.memory.noted import noted_time
from memoryd.model import Entry

How = Literal["expired", "demoted", "evicted"]
DAY = timedelta(days=1)
ARCHIVED_AT = "archived_at"  # in the metadata of what retention has put into the archive
ARCHIVED_BECAUSE = "archived_because"


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """The rules. All spans in days.

    Attributes:
        episodic_ttl_days: what happened is demoted so long after its last use or confirmation.
        unread_days: an entry never read and never confirmed is demoted after so long.
        promised_days: what has answered or was confirmed within so long stays, whatever the quota; only terms of its own end it.
        quota: active entries of a namespace; above it the least activated go first.
        grace_days: new entries are immune.
        archive_days, unused_days: in the archive so long, and unused so long, before removal for good.
        max_percent, min_changes: what one run may take out of a namespace, whichever is more.
        decay: the exponent d of base-level activation.
    """

    episodic_ttl_days: float = 90.0
    unread_days: float = 60.0
    promised_days: float = 90.0
    quota: int = 1000
    grace_days: float = 7.0
    archive_days: float = 30.0
    unused_days: float = 365.0
    max_percent: float = 2.0
    min_changes: int = 20
    decay: float = 0.5


@dataclass(frozen=True, slots=True)
class Use:
    """One access of an entry.

    Attributes:
        answered: it was given as the answer, or loaded by an agent; else it only stood among the hits of a search.
    """

    at: datetime
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Retire:
    """An entry goes to the archive, and why."""

    entry: Entry
    how: How
    reason: str


@dataclass(frozen=True, slots=True)
class Purge:
    """An entry is removed for good, and why."""

    entry: Entry
    reason: str


@dataclass(frozen=True, slots=True)
class RetentionPlan:
    """What one run would do in one namespace.

    Attributes:
        blocked: why the run stops and asks; then *retire* and *purge* say what it would do, and nothing is done.
        kept_because: how many entries stay, by reason.
        over_quota: active entries above the quota that no rule may touch.
    """

    retire: tuple[Retire, ...] = ()
    purge: tuple[Purge, ...] = ()
    kept_because: Mapping[str, int] = field(default_factory=dict)
    blocked: str = ""
    over_quota: int = 0


def plan_retention(
    entries: Sequence[Entry],
    uses: Mapping[str, Sequence[Use]],
    policy: RetentionPolicy,
    now: datetime,
    *,
    held: Collection[str] = (),
    clock_jumped: bool = False,
    confirmed: bool = False,
) -> RetentionPlan:
    """Decide what is forgotten in one namespace.

    Args:
        entries: of one namespace, every state, in any order.
        uses: by entry id; own reads, dry runs and canaries are none.
        held: ids of entries that stand in a memory file, which an agent loads every time.
        clock_jumped: the clock moved by more than a day since the last run: nothing is forgotten until confirmed.
        confirmed: a person has said to go on.
    """
    kept: Counter[str] = Counter()
    active = [entry for entry in sorted(entries, key=lambda e: e.id) if entry.state == "active"]
    movable = [entry for entry in active if not _immune(entry, held, policy, now, kept)]
    aged = [retire for entry in movable if (retire := _age(entry, policy, now)) is not None]
    cap = max(policy.min_changes, int(len(active) * policy.max_percent / 100))
    gone = {retire.entry.id for retire in aged}
    shared = inherited_uses(entries, uses)
    remaining = [
        entry
        for entry in movable
        if entry.id not in gone and not _in_use(entry, shared[entry.id], policy, now)
    ]
    excess = len(active) - len(aged) - policy.quota
    evicted = list(_evict(remaining, shared, policy, now, min(excess, max(0, cap - len(aged)))))
    purge = tuple(_purge(entries, policy, now))
    kept["in use or not due"] += len(movable) - len(aged) - len(evicted)
    return RetentionPlan(
        retire=(*aged, *evicted),
        purge=purge,
        kept_because={reason: count for reason, count in sorted(kept.items()) if count},
        blocked=""
        if confirmed
        else _blocked(len(aged) + len(purge), cap, clock_jumped=clock_jumped),
        over_quota=max(0, excess - len(evicted)),
    )


def _blocked(due: int, cap: int, *, clock_jumped: bool) -> str:
    if clock_jumped and due:
        return "the clock jumped by more than a day"
    if due > cap:
        return f"{counted(due, 'entry')} are due at once, one run takes {cap}"
    return ""


def last_used(entry: Entry) -> datetime:
    """When an entry was last used, confirmed or changed: every term counts from here, never from creation alone.

    What was said long ago and learned today is new to memory today.
    """
    times = (recorded_at(entry), entry.created_at, entry.updated_at, entry.last_accessed_at)
    return max(filter(None, times))


def inherited_uses(
    entries: Sequence[Entry], uses: Mapping[str, Sequence[Use]]
) -> dict[str, tuple[Use, ...]]:
    """The uses of each entry together with those of what it was merged from and of the values it has replaced."""
    parents = {entry.id: set(entry.merged_from) for entry in entries}
    for entry in entries:
        if entry.superseded_by in parents:
            parents[entry.superseded_by].add(entry.id)
    found: dict[str, tuple[Use, ...]] = {}
    for entry in entries:
        line, waiting = {entry.id}, [entry.id]
        while waiting:
            new = parents.get(waiting.pop(), set()) - line
            line |= new
            waiting += new
        found[entry.id] = tuple(use for one in sorted(line) for use in uses.get(one, ()))
    return found


def _in_use(entry: Entry, uses: Sequence[Use], policy: RetentionPolicy, now: datetime) -> bool:
    """Has an entry answered, or was it confirmed after it was made, so recently that no quota may take it?

    To stand among the hits is not enough: every search shows some that nobody asked for. A use that is not in the log (of an
    imported entry) counts in full.
    """
    times = [use.at for use in uses if use.answered]
    last = entry.last_accessed_at
    if last is not None and all(use.at < last for use in uses):
        times.append(last)
    confirmed = noted_time(entry, "confirmed_at")
    return any(
        now - time < policy.promised_days * DAY for time in (*times, *filter(None, [confirmed]))
    )


def recorded_at(entry: Entry) -> datetime:
    """When memory learned of an entry: for what was said earlier that is noted, else it is its creation."""
    return noted_time(entry, "recorded_at") or entry.created_at


def _immune(
    entry: Entry,
    held: Collection[str],
    policy: RetentionPolicy,
    now: datetime,
    kept: Counter[str],
) -> bool:
    reason = ""
    if entry.pinned:
        reason = "pinned"
    elif entry.id in held:
        reason = "stands in a memory file"
    elif entry.kind != "working" and now - recorded_at(entry) < policy.grace_days * DAY:
        reason = "new"
    elif last_used(entry) > now:
        reason = "dated in the future"
    kept[reason] += bool(reason)
    return bool(reason)


def _age(entry: Entry, policy: RetentionPolicy, now: datetime) -> Retire | None:
    idle = (now - last_used(entry)) / DAY
    if entry.ttl_days is not None:
        if idle >= entry.ttl_days:
            return Retire(
                entry,
                "expired",
                f"unused for {counted(round(idle), 'day')}, its term is {entry.ttl_days:g}",
            )
        return None
    if entry.kind == "episodic" and idle >= policy.episodic_ttl_days:
        return Retire(entry, "expired", f"what happened, unused for {counted(round(idle), 'day')}")
    confirmed = "confirmed_at" in entry.metadata
    if entry.access_count == 0 and idle >= (
        policy.promised_days if confirmed else policy.unread_days
    ):
        return Retire(
            entry, "demoted", f"never read, and not confirmed for {counted(round(idle), 'day')}"
        )
    return None


def activation(entry: Entry, uses: Sequence[Use], policy: RetentionPolicy, now: datetime) -> float:
    """Base-level activation ln(sum of t^-d), t in days since each use; making and confirming it are uses too.

    Source: Anderson & Schooler, Psychological Science 1991 (ACT-R).
    """
    times = {entry.created_at, entry.updated_at, *(use.at for use in uses)}
    if entry.last_accessed_at is not None:
        times.add(entry.last_accessed_at)
    shortest = 1.0 / 24  # within an hour all is equal
    return math.log(sum(max((now - time) / DAY, shortest) ** -policy.decay for time in times))


def _evict(
    candidates: Sequence[Entry],
    uses: Mapping[str, Sequence[Use]],
    policy: RetentionPolicy,
    now: datetime,
    count: int,
) -> Iterator[Retire]:
    """The least activated entries above the quota."""
    if count <= 0:
        return
    activations = {
        entry.id: activation(entry, uses.get(entry.id, ()), policy, now) for entry in candidates
    }
    for entry in sorted(candidates, key=lambda e: (activations[e.id], e.id))[:count]:
        yield Retire(
            entry,
            "evicted",
            f"over the quota of {policy.quota}, activation {activations[entry.id]:.2f}",
        )


def _purge(entries: Sequence[Entry], policy: RetentionPolicy, now: datetime) -> Iterator[Purge]:
    """What has been in the archive long enough, holds nothing that was used within a year, and cites nothing."""
    cited = {entry_id for entry in entries for entry_id in entry.merged_from}
    for entry in sorted(entries, key=lambda e: e.id):
        archived = archived_at(entry)
        if (
            entry.state not in ("archived", "removed")
            or archived is None
            or entry.pinned
            or entry.id in cited
        ):
            continue
        stayed, idle = (now - archived) / DAY, (now - last_used(entry)) / DAY
        if stayed >= policy.archive_days and idle >= policy.unused_days:
            yield Purge(
                entry, f"{counted(round(stayed), 'day')} in the archive, unused for {idle:.0f}"
            )


def archived_at(entry: Entry) -> datetime | None:
    """When an entry went to the archive; None: it never did, or nobody noted it."""
    return noted_time(entry, ARCHIVED_AT)

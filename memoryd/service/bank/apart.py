"""What a person said no to is not done again: the decisions that undoing a run means, or that both sides of a conflict hold.

Undoing says "no" to all of a run that hangs together. A value that was replaced twice (A by B, B by C) must not be replaced
by the last one in the next night, so everything that merges and replacements of the run connect is kept apart.
"""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any

from memoryd.counting import counted
from memoryd.errors import UsageError
from memoryd.model import Entry
from memoryd.store.apart import (
    Decision,
    add_decision,
    drop_decisions,
    find_apart,
    heirs,
    lift_decision,
    list_decisions,
)
from memoryd.store.bank import Event, get_entry
from memoryd.store.connection import Connection
from memoryd.store.entry_rows import stamp
from memoryd.store.reader import Reader
from memoryd.store.runs import run_events

APART_PREFIX = "apart-"


def keep_apart(
    connection: Connection, run: str, undone: Collection[str], now: datetime
) -> list[str]:
    """Note what a run had brought together of what was just undone; returns what a person names to lift it.

    The caller owns the transaction, so that an undone run and its decisions are one.
    """
    events = run_events(connection, run)
    places = {event.entry_id: namespace for namespace, event in events}
    groups = [
        ids for ids in connected(_pairs(connection, events)) if not set(undone).isdisjoint(ids)
    ]
    drop_decisions(connection, run, {one for ids in groups for one in ids})
    noted = (add_decision(connection, places[ids[0]], run, ids, now) for ids in groups)
    return [f"{APART_PREFIX}{number}" for number in noted if number is not None]


def brought_together(connection: Connection, run: str, entries: Collection[str]) -> set[str]:
    """Give everything that a run brought together with some of its entries, in any number of steps.

    Raises:
        UsageError: the run did nothing with one of them.
    """
    events = run_events(connection, run)
    groups = [*connected(_pairs(connection, events)), *([event.entry_id] for _, event in events)]
    missing = set(entries).difference(*groups)
    if missing:
        raise UsageError(
            f"{run} did nothing with {min(missing)}; `memoryd runs {run}` lists what it did"
        )
    return {one for ids in groups if not set(entries).isdisjoint(ids) for one in ids}


def connected(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """What pairs connect, over any number of steps, group by group."""
    group_of: dict[str, list[str]] = {}
    for one, other in pairs:
        ours, theirs = group_of.get(one, [one]), group_of.get(other, [other])
        if ours is theirs:
            continue
        if len(ours) < len(theirs):
            ours, theirs = theirs, ours
        ours += theirs
        group_of |= dict.fromkeys((*theirs, one, other), ours)
    return list({id(group): group for group in group_of.values()}.values())


def _pairs(
    connection: Connection, events: Iterable[tuple[str, Event]]
) -> Iterator[tuple[str, str]]:
    """Yield who lived on in whom, and who was replaced by whom. Of a merge, the entry that stays is written first."""
    holder: dict[str, str] = {}
    for namespace, event in events:
        before, after = event.before, event.after
        if before is None or after is None:
            continue
        if after.state == "active":
            holder |= dict.fromkeys(after.merged_from, event.entry_id)
        elif after.state == "merged":
            # One that had taken it in before, and said all of it already, was not written.
            known = (
                [holder[after.id]] if after.id in holder else heirs(connection, namespace, after.id)
            )
            yield from ((after.id, one) for one in known)
        elif after.state == "superseded" and after.superseded_by:
            yield after.id, after.superseded_by


def kept_apart(reader: Reader) -> list[dict[str, Any]]:
    """The decisions that hold, the oldest first; one about a text that was changed does not."""
    connection = reader.connection
    decisions = {one.number: one for one in list_decisions(connection)}
    found = []
    for namespace in sorted({one.namespace for one in decisions.values()}):
        for apart in (one for one in find_apart(connection, namespace) if len(one.sides) > 1):
            speakers = (_speaker(connection, namespace, ids) for ids in apart.sides)
            sides = sorted(speakers, key=lambda one: (one.created_at, one.id))
            decision = decisions[apart.number]
            told = {
                "id": name_of(decision),
                "run": None if decision.both_hold else decision.run,
                "conflict": decision.run if decision.both_hold else None,
                "reason": "you said that both hold" if decision.both_hold else "you undid it",
                "at": stamp(decision.at),
                "namespace": namespace,
                "entries": [one.id for one in sides],
                "words": " ⟷ ".join(one.content for one in sides),
            }
            found.append((apart.number, told))
    return [told for _, told in sorted(found, key=lambda one: one[0])]


def _speaker(connection: Connection, namespace: str, ids: Iterable[str]) -> Entry:
    """One of the entries that say the same text, an active one if there is one."""
    saying = [get_entry(connection, namespace, one) for one in ids]
    return min(filter(None, saying), key=lambda one: (one.state != "active", one.id))


def name_of(decision: Decision) -> str:
    """What a person names to lift a decision."""
    return f"{APART_PREFIX}{decision.number}"


def lift(connection: Connection, name: str) -> str:
    """Lift one decision (by its name), or all about an undone run or a conflict (by its id); returns what that means, if any."""
    chosen = [one for one in list_decisions(connection) if name in (name_of(one), one.run)]
    for decision in chosen:
        lift_decision(connection, decision)
    if not chosen:
        return ""
    if chosen[0].both_hold:
        return f"{chosen[0].run} is open again; `memoryd review` lists it"
    groups = counted(len(chosen), "group")
    return f"{groups} of entries may be merged or replaced again by the next run"

"""Runs and events: what a run changed, and taking it back exactly."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memoryd.model import Entry
from memoryd.screening import screen
from memoryd.store.bank import Bank, Because, Event, load_entry
from memoryd.store.connection import Connection
from memoryd.store.entry_rows import from_microseconds, to_microseconds


@dataclass(frozen=True, slots=True)
class Run:
    """One run of consolidation, retention or the night. *state*: done, failed, undone or partly undone."""

    id: str
    kind: str
    namespace: str | None
    started: datetime
    finished: datetime | None
    state: str
    report: Mapping[str, Any]


def save_run(connection: Connection, run: Run) -> None:
    """Add or replace the record of a run."""
    connection.execute(
        "insert into run (id, kind, namespace, started, finished, state, report) values (?, ?, ?, ?, ?, ?, ?) "
        "on conflict (id) do update set finished = excluded.finished, state = excluded.state, report = excluded.report",
        (
            run.id,
            run.kind,
            run.namespace,
            to_microseconds(run.started),
            to_microseconds(run.finished),
            run.state,
            json.dumps(run.report, ensure_ascii=False),
        ),
    )


def list_runs(connection: Connection, limit: int = 50) -> list[Run]:
    """The latest runs, the newest first."""
    rows = connection.execute(f"{_SELECT} order by started desc, id desc limit ?", (limit,))
    return [_run(row) for row in rows]


def get_run(connection: Connection, run_id: str) -> Run | None:
    """One run by its id."""
    found = connection.execute(f"{_SELECT} where id = ?", (run_id,)).fetchone()
    return None if found is None else _run(found)


_SELECT = "select id, kind, namespace, started, finished, state, report from run"


def _run(row: tuple[Any, ...]) -> Run:
    run_id, kind, namespace, started, finished, state, report = row
    start = from_microseconds(started)
    if start is None:
        raise TypeError("a run without a start")
    return Run(
        run_id, kind, namespace, start, from_microseconds(finished), state, json.loads(report)
    )


@dataclass(frozen=True, slots=True)
class OpenConflict:
    """Two entries that cannot both hold, not decided yet."""

    id: int
    namespace: str
    a: str
    b: str
    reason: str


def list_conflicts(connection: Connection) -> list[OpenConflict]:
    """Conflicts that nobody has decided, of entries that are both still active, the oldest first."""
    rows = connection.execute(
        "select id, namespace, a, b, reason from conflict where decided is null and not exists "
        "(select 1 from (select a as side union select b) left join entry on entry.id = side "
        "where entry.state is not 'active') order by id"
    )
    return [OpenConflict(*row) for row in rows]


def entry_events(connection: Connection, namespace: str, entry_id: str) -> list[Event]:
    """Every change of one entry, the first first."""
    sql = f"{_EVENT} where namespace = ? and entry_id = ? order by id"
    return [_event(row) for row in connection.execute(sql, (namespace, entry_id))]


def run_events(connection: Connection, run_id: str) -> list[tuple[str, Event]]:
    """Every change of a run with its namespace, the first first."""
    sql = f"{_EVENT} where run = ? order by id"
    return [(row[1], _event(row)) for row in connection.execute(sql, (run_id,))]


def additions_between(connection: Connection, start: datetime, end: datetime) -> list[Event]:
    """Entries that came into being in a span of time, the first first."""
    sql = f"{_EVENT} where at between ? and ? and before is null and after is not null order by id"
    return [
        _event(row)
        for row in connection.execute(sql, (to_microseconds(start), to_microseconds(end)))
    ]


def runs_of_kind(connection: Connection, kind: str, limit: int) -> list[Run]:
    """The latest runs of one kind, the newest first."""
    sql = f"{_SELECT} where kind = ? order by started desc, id desc limit ?"
    return [_run(row) for row in connection.execute(sql, (kind, limit))]


_EVENT = "select id, namespace, entry_id, at, who, why, run, before, after from event"


def _event(row: tuple[Any, ...]) -> Event:
    event_id, _, entry_id, at, who, why, run, before, after = row
    moment = from_microseconds(at)
    if moment is None:
        raise TypeError("an event without a time")
    return Event(
        event_id, entry_id, Because(who, why, moment, run), load_entry(before), load_entry(after)
    )


@dataclass(frozen=True, slots=True)
class Undone:
    """What undoing did: ids put back, those left alone with the reason, and whether nothing of the run is left."""

    restored: tuple[str, ...]
    left: Mapping[str, str]
    whole: bool


def undo_run(
    connection: Connection, run_id: str, at: datetime, only: Collection[str] | None = None
) -> Undone:
    """Put every entry back as it was before a run, unless it was changed since or put back before.

    Accesses counted since the run are kept. The caller owns the transaction.

    Args:
        only: of these entries; None: of all, and the conflicts that the run noted go, too.
    """
    bank = Bank(connection)
    before, after, places = _span_of(connection, run_id)
    because = Because("user", f"undo {run_id}", at, f"undo-{run_id}")
    undone = {event.entry_id for _, event in run_events(connection, f"undo-{run_id}")}
    waiting = [entry_id for entry_id in before if entry_id not in undone]
    restored, left = [], {}
    for entry_id in waiting if only is None else (one for one in waiting if one in only):
        target, made, namespace = before[entry_id], after[entry_id], places[entry_id]
        current = bank.get(namespace, entry_id)
        if not same_but_use(current, made):
            left[entry_id] = "changed after the run"
        elif target is None:
            bank.take_out(namespace, entry_id, because)
            restored.append(entry_id)
        else:
            bank.put(with_use(target, made, current), screen(target.content).text, because)
            restored.append(entry_id)
    whole = len(restored) == len(waiting)
    if whole or only is None:
        bank.drop_conflicts(run_id)
    return Undone(tuple(restored), left, whole)


def _span_of(
    connection: Connection, run_id: str
) -> tuple[dict[str, Entry | None], dict[str, Entry | None], dict[str, str]]:
    """State of every touched entry before the first and after the last change of a run."""
    before: dict[str, Entry | None] = {}
    after: dict[str, Entry | None] = {}
    places: dict[str, str] = {}
    for namespace, event in run_events(connection, run_id):
        before.setdefault(event.entry_id, event.before)
        after[event.entry_id] = event.after
        places[event.entry_id] = namespace
    return before, after, places


def same_but_use(current: Entry | None, made: Entry | None) -> bool:
    """Are two states of an entry the same, apart from how often it was used?"""
    if current is None or made is None:
        return current is made
    return replace(current, access_count=0, last_accessed_at=None) == replace(
        made, access_count=0, last_accessed_at=None
    )


def with_use(target: Entry, made: Entry | None, current: Entry | None) -> Entry:
    """The entry as it was, plus what it was used since."""
    if made is None or current is None or current.access_count == made.access_count:
        return target
    more = current.access_count - made.access_count
    return replace(
        target,
        access_count=max(0, target.access_count + more),
        last_accessed_at=current.last_accessed_at,
    )

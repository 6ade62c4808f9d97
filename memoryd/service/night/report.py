"""A night as a person wants to read it: what was learned, joined, replaced and forgotten, and why; what waits; how it goes."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import MemorydError, UsageError
from memoryd.model import Entry, Provenance
from memoryd.service.bank.review import waiting
from memoryd.service.files.overview import describe_files
from memoryd.service.night.ledger import NIGHT
from memoryd.store.reader import Reader
from memoryd.store.runs import Run, additions_between, get_run, run_events, runs_of_kind

NIGHTS = 30  # in the figures


@dataclass(frozen=True, slots=True)
class Learned:
    """An entry that is new, and why it was let in."""

    entry: Entry
    why: str


@dataclass(frozen=True, slots=True)
class Joined:
    """Entries before, and the one after that says all of it."""

    before: tuple[Entry, ...]
    after: Entry
    why: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """An older value and the newer one."""

    old: Entry
    new: Entry
    attribute: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """An entry that left: how (expired, archived, evicted or purged), and why."""

    how: str
    id: str
    words: str
    why: str


@dataclass(frozen=True, slots=True)
class Figure:
    """One number over the last nights, the oldest first; None where a night does not tell it."""

    title: str
    unit: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class NightReport:
    """Everything on the page of a night.

    Attributes:
        phases: name, seconds, and what is to be said of it; the error or "".
        blocked: why forgetting waits for a person, by namespace.
        over_quota: entries above the quota of a namespace that are all in use.
        proposed: what memory files could be changed to: path, kind, why.
        days: local dates of the nights in *figures*, the oldest first; *failed*: those that did not go well.
        files: what the known memory files use of their limits, as of now.
    """

    run: Run
    phases: tuple[tuple[str, float, str, str], ...]
    learned: tuple[Learned, ...]
    joined: tuple[Joined, ...]
    replaced: tuple[Replaced, ...]
    forgotten: tuple[Forgotten, ...]
    blocked: Mapping[str, str]
    over_quota: Mapping[str, int]
    proposed: tuple[Mapping[str, str], ...]
    waiting: tuple[Mapping[str, Any], ...]
    days: tuple[str, ...]
    failed: frozenset[str]
    figures: tuple[Figure, ...]
    files: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)


def read_night(home: Path, config: Config, run_id: str | None) -> NightReport:
    """Gather everything about a night; None: the last one.

    Raises:
        UsageError: there is no such night.
    """
    with Reader(home, or_empty=True) as reader:
        connection = reader.connection
        nights = runs_of_kind(connection, NIGHT, NIGHTS)
        run = next(iter(nights), None) if run_id is None else get_run(connection, run_id)
        if run is None or run.kind != NIGHT:
            asked = "there was no night yet" if run_id is None else f"{run_id} is no night"
            raise UsageError(f"{asked}; `memoryd runs` lists all runs, `memoryd nightly` makes one")
        phases: Mapping[str, Any] = run.report.get("phases", {})
        joined, replaced = _changes(reader, phases.get("consolidate", {}))
        pruned = phases.get("retention", {})
        return NightReport(
            run,
            tuple(
                (
                    name,
                    one.get("seconds", 0.0),
                    one.get("skipped") or one.get("reason", ""),
                    one.get("error", ""),
                )
                for name, one in phases.items()
            ),
            _learned(reader, run),
            joined,
            replaced,
            tuple(_forgotten(pruned)),
            pruned.get("blocked", {}),
            pruned.get("over_quota", {}),
            tuple(
                one | {"path": _short(one["path"])}
                for one in phases.get("files", {}).get("proposals", ())
            ),
            tuple(waiting(reader)),
            tuple(one.report.get("local_date", "") for one in reversed(nights)),
            frozenset(one.report.get("local_date", "") for one in nights if one.state != "done"),
            make_figures([one.report.get("phases", {}) for one in reversed(nights)]),
            _files(home, config),
        )


def _learned(reader: Reader, run: Run) -> tuple[Learned, ...]:
    end: datetime = run.finished or run.started
    events = additions_between(reader.connection, run.started, end)
    return tuple(
        Learned(one.after, one.because.why)
        for one in events
        if one.after is not None and one.because.who == "gate"
    )


def _changes(
    reader: Reader, report: Mapping[str, Any]
) -> tuple[tuple[Joined, ...], tuple[Replaced, ...]]:
    """The states before and after come from the events, so that they are what really happened."""
    before: dict[str, Entry] = {}
    after: dict[str, Entry] = {}
    for _, event in run_events(reader.connection, str(report.get("run"))):
        if event.before is not None:
            before.setdefault(event.entry_id, event.before)
        if event.after is not None:
            after[event.entry_id] = event.after
    joined = tuple(
        Joined(
            tuple(
                before[one]
                for one in dict.fromkeys([*merge["from"], merge["into"]])
                if one in before
            ),
            after[merge["into"]],
            merge["reason"],
        )
        for merge in report.get("merges", ())
        if merge["into"] in after
    )
    replaced = tuple(
        Replaced(before[one["old"]], after[one["new"]], one["attribute"])
        for one in report.get("supersedes", ())
        if one["old"] in before and one["new"] in after
    )
    return joined, replaced


def _forgotten(pruned: Mapping[str, Any]) -> list[Forgotten]:
    return [
        Forgotten(how, one["id"], one["content"], one["reason"])
        for how in _FORGOTTEN
        for one in pruned.get(how, ())
        if not one.get("waits")
    ]


def _files(home: Path, config: Config) -> tuple[Mapping[str, Any], ...]:
    try:
        known = describe_files(home, config, (), None)["files"]
    except (
        MemorydError
    ):  # the page is about the night; `memoryd files list` tells what is wrong with them
        return ()
    return tuple(one | {"path": _short(one["path"])} for one in known)


def _short(path: str) -> str:
    """A path as people say it: from their own folder."""
    own = str(Path.home())
    return path.replace(own, "~", 1) if path.startswith(f"{own}{os.sep}") else path


_FORGOTTEN = ("expired", "archived", "evicted", "purged")
# Title, unit, phase, and what it is in the report of that phase.
_FIGURES = (
    ("messages read", "", "ingest", "messages_added"),
    ("learned", "", "extract", "added"),
    ("joined", "", "consolidate", "merges"),
    ("replaced", "", "consolidate", "supersedes"),
    ("database", "MB", "backup", "bytes"),
    ("archive", "MB", "archive", "archive_bytes"),
)


def make_figures(nights: Sequence[Mapping[str, Any]]) -> tuple[Figure, ...]:
    """Figures over nights, from their phases."""
    seconds = tuple(sum(one.get("seconds", 0.0) for one in night.values()) for night in nights)
    gone = tuple(
        sum(_number(night.get("retention", {}).get(how)) or 0 for how in _FORGOTTEN)
        for night in nights
    )
    read = [
        Figure(
            title, unit, tuple(_scaled(night.get(phase, {}).get(name), unit) for night in nights)
        )
        for title, unit, phase, name in _FIGURES
    ]
    return (Figure("time", "s", seconds), *read, Figure("forgotten", "", gone))


def _scaled(value: object, unit: str) -> float | None:
    number = _number(value)
    return number / 1e6 if number is not None and unit == "MB" else number


def _number(value: object) -> float | None:
    if isinstance(value, list):
        return float(len(value))
    return float(value) if isinstance(value, int | float) else None


def place_of(source: Provenance) -> str:
    """Where a sentence comes from, in words: the session and the bytes in its transcript."""
    if source.path is None:
        return source.session_id or ""
    span = "" if source.byte_start is None else f" bytes {source.byte_start}–{source.byte_end}"
    return f"{source.path}{span}"

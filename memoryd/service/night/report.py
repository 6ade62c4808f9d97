"""A night as a person wants to read it: what was learned, joined, replaced and forgotten, and why; what waits; how it goes."""

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
class Figure:
    """One number over the last nights, the oldest first; None where a night does not tell it."""

    title: str
    unit: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class NightReport:
    """Everything on the page of a night.

    Attributes:
        phases: name, seconds, and the error or "".
        forgotten: (how, words, reason) of each entry that left.
        blocked: why forgetting waits for a person, by namespace.
        days: local dates of the nights in *figures*, the oldest first.
        files: what the known memory files use of their limits, as of now.
    """

    run: Run
    phases: tuple[tuple[str, float, str], ...]
    learned: tuple[Learned, ...]
    joined: tuple[Joined, ...]
    replaced: tuple[Replaced, ...]
    forgotten: tuple[tuple[str, str, str], ...]
    blocked: Mapping[str, str]
    waiting: tuple[Mapping[str, Any], ...]
    days: tuple[str, ...]
    figures: tuple[Figure, ...]
    files: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)


def read_night(home: Path, config: Config, run_id: str | None) -> NightReport:
    """Gather everything about a night; None: the last one.

    Raises:
        UsageError: there is no such night.
    """
    with Reader(home) as reader:
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
                (name, one.get("seconds", 0.0), one.get("error", ""))
                for name, one in phases.items()
            ),
            _learned(reader, run),
            joined,
            replaced,
            tuple(_forgotten(pruned)),
            pruned.get("blocked", {}),
            tuple(waiting(reader)),
            tuple(one.report.get("local_date", "") for one in reversed(nights)),
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
            tuple(before[one] for one in merge["from"] if one in before),
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


def _forgotten(pruned: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (how, one["content"], one["reason"])
        for how in ("expired", "archived", "evicted", "purged")
        for one in pruned.get(how, ())
        if not one.get("waits")
    ]


def _files(home: Path, config: Config) -> tuple[Mapping[str, Any], ...]:
    try:
        return tuple(describe_files(home, config, (), None)["files"])
    except (
        MemorydError
    ):  # the page is about the night; `memoryd files list` tells what is wrong with them
        return ()


# Title, unit, phase, and what it is in the report of that phase.
_FIGURES = (
    ("messages read", "", "ingest", "messages_added"),
    ("learned", "", "extract", "added"),
    ("joined", "", "consolidate", "merges"),
    ("replaced", "", "consolidate", "supersedes"),
    ("database", "MB", "backup", "bytes"),
    ("archive", "MB", "archive", "archive_bytes"),
)
_FORGOTTEN = ("expired", "archived", "evicted", "purged")


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

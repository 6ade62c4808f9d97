"""Runs as people and programs read them: one line each, or one of them whole."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.counting import counted
from memoryd.errors import UsageError
from memoryd.store.bank import Event, get_entry, namespace_of
from memoryd.store.entry_rows import stamp
from memoryd.store.reader import Reader
from memoryd.store.runs import Run, get_run, list_runs, run_events

QUIET = ("vetoes", "cut_entries")  # what a run left as it was
TAKEN_BACK = ("merges", "supersedes", "expired", "archived", "evicted")  # by `memoryd undo`
_NOUNS = {"merges": "merge", "conflicts": "conflict"}
_PARTICIPLES = {"supersedes": "superseded", "held_back": "held back"}


def describe_runs(reader: Reader, limit: int) -> list[dict[str, Any]]:
    """Runs in a line each, the newest first."""
    return [_line(run) for run in list_runs(reader.connection, limit)]


def describe_run(reader: Reader, run_id: str) -> dict[str, Any]:
    """One run whole: its report, and every entry it touched before and after.

    Raises:
        UsageError: there is no such run.
    """
    run = get_run(reader.connection, run_id)
    if run is None:
        raise UsageError(f"there is no run {run_id}; `memoryd runs` lists them")
    undone = {event.entry_id for _, event in run_events(reader.connection, f"undo-{run_id}")}
    touched = [
        {
            "entry": event.entry_id,
            "namespace": namespace,
            "why": event.because.why,
            "undone": event.entry_id in undone,
            "merged_from": _joined(event),
            "superseded_by": event.after.superseded_by if event.after else None,
            "before": None
            if event.before is None
            else {"state": event.before.state, "content": event.before.content},
            "after": None
            if event.after is None
            else {"state": event.after.state, "content": event.after.content},
        }
        for namespace, event in run_events(reader.connection, run_id)
    ]
    return {**_line(run), "report": dict(run.report), "changes": touched}


def words_of(reader: Reader, ids: Iterable[str]) -> dict[str, str]:
    """What entries say, each on one line; "" for those that are not there."""
    found: dict[str, str] = dict.fromkeys(ids, "")
    for one in found:
        place = namespace_of(reader.connection, one)
        entry = None if place is None else get_entry(reader.connection, place, one)
        found[one] = " ".join(entry.content.split()) if entry else ""
    return found


def _joined(event: Event) -> list[str]:
    """The entries that went into this one by this change."""
    had = event.before.merged_from if event.before else ()
    return [one for one in event.after.merged_from if one not in had] if event.after else []


def _line(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "kind": run.kind,
        "namespace": run.namespace,
        "started": stamp(run.started),
        "finished": stamp(run.finished),
        "state": run.state,
        "summary": summarise(run.report),
    }


def summarise(report: Mapping[str, Any]) -> str:
    """What a run did, in a few words."""
    parts = _summary(report)
    if all(part.endswith(_PARTICIPLES["held_back"]) for part in parts):
        parts.insert(0, "nothing changed")
    return ", ".join(parts)


def changed_entries(report: Mapping[str, Any]) -> bool:
    """Is there anything that undoing a run of consolidation or retention would take back?"""
    return any(_done(report.get(name, ())) for name in TAKEN_BACK)


def _done(changes: Sequence[Any]) -> list[Any]:
    """Without those that wait for a person."""
    return [one for one in changes if not (isinstance(one, Mapping) and one.get("waits"))]


def _summary(report: Mapping[str, Any]) -> list[str]:
    """How many of what a run did; of a night, all its phases did together."""
    phases = report.get("phases")
    if phases is None:
        rewritten = [f"{Path(report['path']).name} rewritten"] if "path" in report else []
        return rewritten + [
            counted(len(done), _NOUNS[name])
            if name in _NOUNS
            else f"{len(done)} {_PARTICIPLES.get(name, name)}"
            for name, value in report.items()
            if isinstance(value, list) and name not in QUIET and (done := _done(value))
        ]
    learned = phases.get("extract", {}).get("added", 0)
    parts = [f"{learned} learned"] if learned else []
    for name in ("consolidate", "retention"):
        parts += _summary(phases.get(name, {}))
    failed = [name for name, told in phases.items() if told.get("error")]
    return [*parts, *([f"{', '.join(failed)} failed"] if failed else [])]

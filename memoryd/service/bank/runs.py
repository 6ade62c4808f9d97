"""Runs as people and programs read them: one line each, or one of them whole."""

from collections.abc import Mapping
from typing import Any

from memoryd.errors import UsageError
from memoryd.store.entry_rows import stamp
from memoryd.store.reader import Reader
from memoryd.store.runs import Run, get_run, list_runs, run_events

QUIET = ("vetoes", "cut_entries")  # what a run left as it was


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
    touched = [
        {
            "entry": event.entry_id,
            "namespace": namespace,
            "why": event.because.why,
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


def _line(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "kind": run.kind,
        "namespace": run.namespace,
        "started": stamp(run.started),
        "finished": stamp(run.finished),
        "state": run.state,
        "summary": ", ".join(_summary(run.report)) or "nothing to do",
    }


def _summary(report: Mapping[str, Any]) -> list[str]:
    """How many of what a run did; of a night, all its phases did together."""
    phases = report.get("phases")
    if phases is None:
        return [
            f"{len(value)} {name}"
            for name, value in report.items()
            if isinstance(value, list) and value and name not in QUIET
        ]
    learned = phases.get("extract", {}).get("added", 0)
    parts = [f"{learned} learned"] if learned else []
    for name in ("consolidate", "retention"):
        parts += _summary(phases.get(name, {}))
    failed = [name for name, told in phases.items() if told.get("error")]
    return [*parts, *([f"{', '.join(failed)} failed"] if failed else [])]

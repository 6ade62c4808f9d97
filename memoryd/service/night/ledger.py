"""The night as the ledger tells it: for `status`, for the scheduler, and what is degraded when it failed."""

from typing import Any

from memoryd.store.jobs import JobRun, last_run, last_success
from memoryd.store.reader import Reader

NIGHT = "nightly"  # the job whose success is the night's


def describe_jobs(reader: Reader) -> list[dict[str, Any]]:
    """The night as `status` shows it; *next* is the scheduler's to know."""
    success, last = last_success(reader.connection, NIGHT), last_run(reader.connection, NIGHT)
    if last is None:
        return []
    finished = success.finished if success else None
    return [
        {
            "name": NIGHT,
            "last_success": None if finished is None else finished.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "next": None,
            "last_error": _error(last),
        }
    ]


def night_trouble(reader: Reader) -> str:
    """Why the last night was none; empty if all is well or it runs just now."""
    last = last_run(reader.connection, NIGHT)
    error = None if last is None else _error(last)
    return f"the night of {last.local_date} failed: {error}" if last and error else ""


def _error(run: JobRun) -> str | None:
    return run.detail or None if run.state == "failed" else None

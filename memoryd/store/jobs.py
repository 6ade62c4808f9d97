"""The ledger of nightly jobs: one row a job and local date. It, not a scheduler's memory, says what was done."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from memoryd.store.connection import Connection
from memoryd.store.records import from_milliseconds, to_milliseconds


@dataclass(frozen=True, slots=True)
class JobRun:
    """One job on one local date. *state*: running, done or failed."""

    name: str
    local_date: date
    started: datetime
    finished: datetime | None
    state: str
    detail: str


def begin_job(connection: Connection, name: str, day: date, now: datetime) -> None:
    """Note that a job has begun; beginning again after a crash is the same row."""
    connection.execute(
        "insert into job (name, local_date, started, state, detail) values (?, ?, ?, 'running', '') "
        "on conflict (name, local_date) do update set started = excluded.started, state = 'running', detail = ''",
        (name, day.isoformat(), to_milliseconds(now)),
    )


def end_job(connection: Connection, name: str, day: date, now: datetime, error: str) -> None:
    """Note how a job ended; an empty *error* means well."""
    connection.execute(
        "update job set finished = ?, state = ?, detail = ? where name = ? and local_date = ?",
        (to_milliseconds(now), "failed" if error else "done", error, name, day.isoformat()),
    )


def done_on(connection: Connection, name: str, day: date) -> bool:
    """Has a job succeeded for a local date?"""
    found = connection.execute(
        "select 1 from job where name = ? and local_date = ? and state = 'done'",
        (name, day.isoformat()),
    ).fetchone()
    return found is not None


def last_success(connection: Connection, name: str, until: datetime | None = None) -> JobRun | None:
    """The latest success of a job; none that ended after *until* (when the clock was wrong)."""
    ceiling = to_milliseconds(until) if until else (1 << 62)
    return _first(
        connection,
        f"{_SELECT} where name = ? and state = 'done' and finished <= ? order by finished desc limit 1",
        name,
        ceiling,
    )


def last_run(connection: Connection, name: str) -> JobRun | None:
    """The latest run of a job, however it went."""
    return _first(connection, f"{_SELECT} where name = ? order by started desc limit 1", name)


def job_names(connection: Connection) -> list[str]:
    """Every job that ever ran."""
    return [name for (name,) in connection.execute("select distinct name from job order by name")]


_SELECT = "select name, local_date, started, finished, state, detail from job"


def _first(connection: Connection, sql: str, *values: object) -> JobRun | None:
    found = connection.execute(sql, values).fetchone()
    return None if found is None else _run(found)


def _run(row: tuple[Any, ...]) -> JobRun:
    name, day, started, finished, state, detail = row
    begun = from_milliseconds(started)
    if begun is None:
        raise TypeError("a job without a start")
    return JobRun(name, date.fromisoformat(day), begun, from_milliseconds(finished), state, detail)


def describe(run: JobRun | None) -> Mapping[str, Any] | None:
    """A run for status and reports."""
    if run is None:
        return None
    return {"local_date": run.local_date.isoformat(), "state": run.state, "detail": run.detail}

"""The night: one phase after another, each with its row in the ledger; the failure of one neither stops nor hides the rest."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

from memoryd.config import Config
from memoryd.errors import EmbeddingError, StoreError
from memoryd.service.bank.changes import PLAN_PREFIX
from memoryd.service.bank.consolidation import consolidate
from memoryd.service.bank.embedding import Embeddings
from memoryd.service.bank.pruning import prune
from memoryd.service.clock import has_jumped
from memoryd.service.commands import carry_out
from memoryd.service.files.keeping import Leave, sync_files
from memoryd.service.files.links import held_by_files
from memoryd.service.history.archive import archive_transcripts, refused_by
from memoryd.service.history.scrubbing import clear_leftovers
from memoryd.service.night.desktop import tell_desktop
from memoryd.service.night.ledger import NIGHT
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.integrity import find_damage
from memoryd.store.jobs import begin_job, done_on, end_job, last_run
from memoryd.store.reader import Reader
from memoryd.store.runs import Run, save_run

LOW_PRIORITY = 10
DONE = "done for this date already"  # of a phase that a scheduled night leaves out
PHASE_SECONDS = 3600.0  # a first night with gigabytes to read and to pack takes minutes
CLEAN_STEPS = 400  # pages given back to the file system in one go


@dataclass(slots=True)
class Night:
    """What the phases of one night share."""

    home: Path
    config: Config
    day: date
    run: str
    dry_run: bool

    def ask(self, command: str, arguments: Mapping[str, Any]) -> Any:
        """Have a writing command done."""
        return carry_out(self.home, self.config, command, arguments)


Phase = Callable[[Night], Mapping[str, Any]]


def run_night(
    home: Path, config: Config, *, dry_run: bool = False, scheduled: bool = False
) -> dict[str, Any]:
    """Run every phase now.

    Args:
        dry_run: only what can be planned without a change.
        scheduled: phases that succeeded for this local date are left out, so a killed night goes on where it was;
            but what comes behind a phase that failed before and succeeds now is run anew: it has not seen its work.

    Returns:
        The report: for every phase what it did, or why it failed.
    """
    with suppress(OSError):  # a second night of the same process must not sink deeper
        os.nice(max(0, LOW_PRIORITY - os.getpriority(os.PRIO_PROCESS, 0)))
    now = utc_now()
    local = now.astimezone()
    night = Night(
        home,
        config,
        local.date(),
        f"n-{local:%Y%m%d}-{uuid4().hex[:8]}",
        dry_run,
    )
    if not dry_run and not has_jumped(home):
        night.ask("clock.trust", {})
    known_bad = scheduled and _has_failed(night)
    phases: dict[str, Any] = {}
    anew = False
    for name, phase in PHASES.items():
        if dry_run and name not in PLANNED:
            continue
        told = _run_phase(night, name, phase, scheduled=scheduled and not anew)
        anew = anew or not (told.get("skipped") == DONE or "error" in told)
        phases[name] = told
    failed = [name for name, one in phases.items() if one.get("error")]
    report = {
        "run": None if dry_run else night.run,
        "local_date": night.day.isoformat(),
        "phases": phases,
        "failed": failed,
    }
    if not dry_run:
        close_night(home, config, night.run, night.day, now, report)
    if scheduled and not known_bad and (trouble := describe_trouble(report)):
        tell_desktop("memoryd", trouble)
    return report


def close_night(
    home: Path,
    config: Config,
    run: str,
    day: date,
    started: datetime,
    report: Mapping[str, Any],
) -> None:
    """Have the report of a night kept, and its end noted. It goes through a file: it can be larger than a request may be."""
    path = home / f"{PLAN_PREFIX}{run}.json"
    path.write_text(json.dumps(report, ensure_ascii=False), encoding="utf-8")
    night = {"run": run, "day": day.isoformat(), "started": started.isoformat(), "path": str(path)}
    try:
        carry_out(home, config, "night.end", night)
    finally:
        path.unlink(missing_ok=True)


def describe_trouble(report: Mapping[str, Any]) -> str:
    """What a person should hear of a night: that it failed, or that it waits for an answer; else nothing."""
    if report["failed"]:
        return f"The night failed: {', '.join(report['failed'])}. `memoryd runs {report['run']}` tells why."
    pruned = report["phases"].get("retention", {})
    if pruned.get("blocked") or pruned.get("history", {}).get("blocked"):
        return "Much is due to be forgotten at once, and waits for you: `memoryd prune --dry-run`."
    return ""


def _has_failed(night: Night) -> bool:
    """Was this date tried before, in vain?"""
    try:
        with Reader(night.home) as reader:
            last = last_run(reader.connection, NIGHT)
    except StoreError:  # not there yet
        return False
    return last is not None and (last.local_date, last.state) == (night.day, "failed")


def _run_phase(night: Night, name: str, phase: Phase, *, scheduled: bool) -> dict[str, Any]:
    job, started = f"{NIGHT}.{name}", time.perf_counter()
    if scheduled and _is_done(night, job):
        return {"skipped": DONE}
    day = {"name": job, "day": night.day.isoformat()}
    if not night.dry_run:
        night.ask("job.begin", day)
    told: dict[str, Any] = {}
    error = ""
    try:
        with limited_time(PHASE_SECONDS):
            told = dict(phase(night))
    except Exception as problem:  # noqa: BLE001 - whatever goes wrong in a phase, the rest of the night is worth having
        error = f"{type(problem).__name__}: {problem}"
    if not night.dry_run:
        night.ask("job.end", {**day, "error": error})
    return (
        told
        | {"seconds": round(time.perf_counter() - started, 3)}
        | ({"error": error} if error else {})
    )


class PhaseLimitError(Exception):
    """A phase took too long. Not an error of ours that somebody on the way could take for a file's."""


@contextmanager
def limited_time(seconds: float) -> Iterator[None]:
    """End what runs inside after so many seconds. Only the main thread of a process can do that.

    Raises:
        PhaseLimitError: the time is over.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise PhaseLimitError(f"took more than {seconds:g} s")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _is_done(night: Night, job: str) -> bool:
    try:
        with Reader(night.home) as reader:
            return done_on(reader.connection, job, night.day)
    except StoreError:
        return False


def _ingest(night: Night) -> Mapping[str, Any]:
    told: dict[str, Any] = night.ask("ingest", {})
    return told


def _extract(night: Night) -> Mapping[str, Any]:
    told: dict[str, Any] = night.ask("memory.extract_history", {})
    return told


def _embed(night: Night) -> Mapping[str, Any]:
    embeddings = Embeddings(night.home, night.config)
    if embeddings.selection.engine == "none":
        return {"embedded": 0, "reason": embeddings.selection.reason}
    try:
        return {"embedded": embeddings.backfill(night.ask)}
    except EmbeddingError as error:
        return {"embedded": 0, "reason": str(error)}  # memory works by words meanwhile
    finally:
        embeddings.close()


def _consolidate(night: Night) -> Mapping[str, Any]:
    told = consolidate(night.home, night.config, None, dry_run=night.dry_run)
    # Thousands of pairs are kept apart, night after night the same; the run of the consolidation itself tells which.
    return told if night.dry_run else told | {"vetoes": len(told["vetoes"])}


def _files(night: Night) -> Mapping[str, Any]:
    # A wrong "newer value" must not change a file while its user sleeps: updates are only proposed.
    return sync_files(night.home, night.config, Leave(compact=True, dry_run=night.dry_run))


def _retention(night: Night) -> Mapping[str, Any]:
    held = held_by_files(night.home)
    return prune(night.home, night.config, dry_run=night.dry_run, held=held)


def _upkeep(night: Night) -> Mapping[str, Any]:
    told: dict[str, Any] = night.ask("upkeep", {})
    return told


def _integrity(night: Night) -> Mapping[str, Any]:
    told: dict[str, Any] = night.ask("integrity", {})
    if told["damage"]:
        raise ValueError("; ".join(told["damage"]))
    return told


def _archive(night: Night) -> Mapping[str, Any]:
    return archive_transcripts(night.home, night.config, refused_by(night.home), utc_now())


def _backup(night: Night) -> Mapping[str, Any]:
    told: dict[str, Any] = night.ask("backup", {})
    return told


PHASES: dict[str, Phase] = {
    "ingest": _ingest,
    "extract": _extract,
    "embed": _embed,
    "consolidate": _consolidate,
    "files": _files,
    "retention": _retention,
    "upkeep": _upkeep,
    "integrity": _integrity,
    "archive": _archive,
    "backup": _backup,
}
PLANNED = ("consolidate", "files", "retention")  # what a dry run can tell


def begin(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Note in the ledger that a job (`name`) has begun for a local date (`day`)."""
    with writer.store.transaction() as connection:
        begin_job(connection, arguments["name"], date.fromisoformat(arguments["day"]), utc_now())
    return {}


def end(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Note in the ledger how a job ended; an empty `error` means well."""
    with writer.store.transaction() as connection:
        end_job(
            connection,
            arguments["name"],
            date.fromisoformat(arguments["day"]),
            utc_now(),
            arguments["error"],
        )
    return {}


def end_night(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Keep the report of a night (in the file `path`) as a run, and note its success or failure for its local date."""
    started, day = (
        datetime.fromisoformat(arguments["started"]),
        date.fromisoformat(arguments["day"]),
    )
    report = json.loads(Path(arguments["path"]).read_text(encoding="utf-8"))
    failed = ", ".join(report["failed"])
    with writer.store.transaction() as connection:
        begin_job(connection, NIGHT, day, started)
        end_job(connection, NIGHT, day, utc_now(), f"failed: {failed}" if failed else "")
        run = Run(
            arguments["run"],
            NIGHT,
            None,
            started,
            utc_now(),
            "failed" if failed else "done",
            report,
        )
        save_run(connection, run)
    return {}


def upkeep(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Merge index segments in steps, refresh statistics, give free pages back, empty the write-ahead log.

    What a process that was killed left half-made is removed once it is a day old.
    """
    clear_leftovers(writer.store.path.parent, utc_now() - timedelta(days=1))
    return writer.store.tidy(CLEAN_STEPS)


def integrity(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Check the database; index damage is repaired at once from the rows, which are whole."""
    damage = find_damage(writer.store.connection)
    repaired = 0
    if damage and all(one.repair == "indexes" for one in damage):
        repaired = writer.store.rebuild_indexes()
        damage = find_damage(writer.store.connection)
    return {"damage": [f"{one.name}: {one.detail}" for one in damage], "reindexed": repaired}

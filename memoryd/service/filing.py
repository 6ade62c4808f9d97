"""Memory files, writing: approve, compact, add, undo. Proposals first; nothing is written that was not approved."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from memoryd.config import Config
from memoryd.errors import UsageError
from memoryd.memory.consolidation import ConsolidationPolicy, plan_consolidation
from memoryd.memory_files.additions import Addition, plan_addition
from memoryd.memory_files.approvals import judge_write
from memoryd.memory_files.compaction import (
    CompactionPlan,
    Merge,
    Supersede,
    list_entries,
    plan_compaction,
)
from memoryd.memory_files.discovery import Place
from memoryd.memory_files.editing import make_diff, make_merge
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.profiles import Profile
from memoryd.memory_files.writer import Written, write_file
from memoryd.model import Entry, Provenance
from memoryd.service.commands import carry_out
from memoryd.service.files import APPROVED, approved_names, known_groups, ledger_of, read_approvals
from memoryd.service.remembering import make_draft, remember
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.bank import Bank, Because
from memoryd.store.connection import Connection
from memoryd.store.runs import Run, get_run, save_run
from memoryd.store.settings import put_setting


def approve(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Approve a file or profile (`name`) for rewriting, or with `withdraw` take that back."""
    name = str(arguments["name"])
    with writer.store.transaction() as connection:
        kept = [one for one in read_approvals(connection) if one != name]
        approved = kept if arguments.get("withdraw") else [*kept, name]
        put_setting(connection, APPROVED, json.dumps(approved))
    return {"approved": approved}


# What becomes of an entry in the bank when it leaves a file: the facts of merged ones are still in the file.
STATES = {
    "least valuable": "active",
    "superseded": "superseded",
    "merged": "archived",
    "duplicate": "archived",
}


@dataclass(frozen=True, slots=True)
class Opened:
    """One memory file, whose it is, and why it may not be written ("" when it may)."""

    place: Place
    file: MemoryFile
    refusal: str


def open_file(home: Path, config: Config, path: Path, profile: str | None) -> Opened:
    """Read a file to change it.

    Raises:
        UsageError: it is not there, or cannot be read.
    """
    place, files = known_groups([path], profile)[0]
    file = files[0]
    records, readable = ledger_of(place, files)
    refusal = judge_write(
        file,
        place.profile,
        approved_names(home, config),
        record=records.get(file.path),
        ledger_readable=readable,
    )
    return Opened(place, file, refusal)


def compact(
    home: Path,
    config: Config,
    path: Path,
    *,
    profile: str | None,
    target_percent: float,
    dry_run: bool,
) -> dict[str, Any]:
    """Rewrite a file within its limit: what says the same is merged, what is still too much moves to the bank.

    Without approval, or with *dry_run*, nothing is written: the diff is the answer.
    """
    opened = open_file(home, config, path, profile)
    plan = plan_file(opened.file, opened.place.profile, target_percent)
    told = _plan_json(plan) | {"refused": opened.refusal, "run": None, "written": False}
    if dry_run or opened.refusal or not plan.changes:
        return told
    run = f"f-{utc_now():%Y%m%d}-{uuid4().hex[:8]}"
    moved = [
        {"content": one.content, "text": one.text, "state": STATES[one.reason]}
        for one in plan.moved
    ]
    carry_out(home, config, "files.keep", {"run": run, "path": str(path), "moved": moved})
    written = _write(
        opened,
        plan.after,
        make_merge(opened.file.data, plan.edits, opened.place.profile, path.name),
    )
    carry_out(home, config, "files.note", _note(run, "compact", written))
    return told | {"run": run, "written": True}


def plan_file(file: MemoryFile, profile: Profile, target_percent: float) -> CompactionPlan:
    """Plan a compaction: merges and supersedes come from consolidation over the file's own entries."""
    pieces = list_entries(file, profile)
    start = utc_now() - timedelta(days=len(pieces) + 1)
    entries = [
        _as_entry(index, piece.content, piece.heading, start) for index, piece in enumerate(pieces)
    ]
    policy = ConsolidationPolicy(max_change_percent=100.0)
    found = plan_consolidation(entries, None, policy, utc_now())
    merges = [
        Merge(tuple(sorted({int(one.into), *map(int, one.from_ids)})), one.content)
        for one in found.merges
    ]
    supersedes = [Supersede(int(one.old), int(one.new), one.attribute) for one in found.supersedes]
    return plan_compaction(
        file, profile, merges=merges, supersedes=supersedes, target_percent=target_percent
    )


def _as_entry(index: int, content: str, heading: str, start: datetime) -> Entry:
    """An entry of a file for comparison: what stands further down is newer, under another heading another fact."""
    said = start + timedelta(days=index)
    return Entry(f"{index:06}", content, said, said, scope=heading or "global")


def _plan_json(plan: CompactionPlan) -> dict[str, Any]:
    return {
        "path": str(plan.file.path),
        "profile": plan.profile,
        "unit": plan.unit,
        "used_before": plan.used_before,
        "used_after": plan.used_after,
        "limit": plan.limit,
        "within_budget": plan.within_budget,
        "moved": [
            {"content": one.content, "reason": one.reason, "into": one.into} for one in plan.moved
        ],
        "held_back": list(plan.held_back),
        "diff": plan.diff,
    }


def _write(opened: Opened, after: bytes, merge: Any) -> Written:
    return write_file(
        opened.file.path.absolute(),
        opened.file.data,
        after,
        roots=[opened.place.root],
        merge=merge,
        sidecar_lock=opened.place.profile.sidecar_lock,
    )


def _note(run: str, kind: str, written: Written) -> dict[str, Any]:
    before = None if written.before is None else b64encode(written.before).decode()
    return {
        "run": run,
        "kind": kind,
        "path": str(written.path),
        "before": before,
        "after": b64encode(written.after).decode(),
        "merged": written.merged,
    }


def keep_moved(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Take what leaves a file (`moved`) into the bank before the file is written; nothing is lost in between."""
    now, path = utc_now(), str(arguments["path"])
    ids = []
    with writer.store.transaction() as connection:
        bank = Bank(connection)
        for one in arguments["moved"]:
            source = Provenance(path=path, quote=one["text"])
            fields = {
                "content": one["content"],
                "state": one["state"],
                "metadata": {"moved_from": path},
            }
            draft = make_draft(fields, path, now)
            because = Because("files", f"moved out of {path}", now, arguments["run"])
            done = remember(bank, replace(draft, sources=(source,)), because, lambda entry: None)
            ids.append(None if done.entry is None else done.entry.id)
    return {"entries": ids}


def note_write(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Keep the run of a file that was written, with its bytes before and after, for undo."""
    now = utc_now()
    report = {name: arguments[name] for name in ("path", "before", "after", "merged")}
    with writer.store.transaction() as connection:
        save_run(
            connection, Run(arguments["run"], arguments["kind"], None, now, now, "done", report)
        )
    return {"run": arguments["run"]}


def add_to_file(
    home: Path, config: Config, path: Path, content: str, *, profile: str | None
) -> dict[str, Any]:
    """Add one entry to a memory file, or refuse with the full list of what is in the way."""
    opened = open_file(home, config, path, profile)
    addition = plan_addition(opened.file, opened.place.profile, content)
    refused = addition.refused or opened.refusal
    told = _addition_json(addition) | {"refused": refused, "run": None}
    if refused or addition.after is None:
        return told | {"diff": _diff(opened.file, addition)}
    run = f"f-{utc_now():%Y%m%d}-{uuid4().hex[:8]}"
    written = _write(opened, addition.after, None)
    carry_out(home, config, "files.note", _note(run, "file add", written))
    return told | {"run": run}


def _diff(file: MemoryFile, addition: Addition) -> str:
    return (
        ""
        if addition.after is None
        else make_diff(file.data or b"", addition.after, file.path.name)
    )


def _addition_json(addition: Addition) -> dict[str, Any]:
    return {
        "used": addition.used,
        "limit": addition.limit,
        "unit": addition.unit,
        "crowded": addition.crowded,
        "entries": [{"content": text, "size": size} for text, size in addition.entries],
    }


def undo_file(home: Path, config: Config, run: Run) -> dict[str, Any]:
    """Put a file back as it was before a run, if nobody changed it since; the bank's part is undone with it.

    Raises:
        UsageError: the run wrote no file, or the file was changed since.
    """
    path = Path(str(run.report["path"]))
    before = run.report["before"]
    if before is None:
        raise UsageError(
            f"{path} did not exist before {run.id}: delete it yourself if it is not wanted"
        )
    place, files = known_groups([path], None)[0]
    opened = Opened(place, files[0], "")
    if opened.file.data != b64decode(str(run.report["after"])):
        raise UsageError(f"{path} was changed after {run.id}; it is left alone")
    _write(opened, b64decode(str(before)), None)
    told: dict[str, Any] = carry_out(home, config, "undo", {"run": run.id})
    return told | {"file": str(path)}


def is_file_run(connection: Connection, run_id: str) -> Run | None:
    """The run, if it wrote a memory file."""
    run = get_run(connection, run_id)
    return run if run is not None and "after" in run.report and "path" in run.report else None

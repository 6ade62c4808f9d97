"""Memory files, writing: approve, compact, add, update. Proposals first; nothing is written that was not approved."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import UsageError
from memoryd.memory.admission import default_confidence
from memoryd.memory.consolidation import ConsolidationPolicy, plan_consolidation
from memoryd.memory_files.additions import plan_addition
from memoryd.memory_files.changes import FileEntry
from memoryd.memory_files.compaction import (
    CompactionPlan,
    Merge,
    Moved,
    Supersede,
    list_entries,
    plan_compaction,
)
from memoryd.memory_files.documents import Piece
from memoryd.memory_files.editing import Edit, make_diff, make_merge
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.profiles import PROFILES
from memoryd.memory_files.units import decode
from memoryd.model import Entry
from memoryd.screening import find_instructions, screen
from memoryd.service.files.evidence import BankView, view_bank, worth
from memoryd.service.files.links import ambiguous, bank_words, fingerprint, memories
from memoryd.service.files.places import APPROVED, clean_path, known_groups, read_approvals
from memoryd.service.files.syncing import sync_file
from memoryd.service.files.writing import Opened, hold_files, open_file, recover, write_as_run
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.entry_rows import entry_to_json
from memoryd.store.settings import put_setting


def approve(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Approve a file or profile (`name`) for rewriting, or with `withdraw` take that back."""
    name = str(arguments["name"])
    with writer.store.transaction() as connection:
        before = read_approvals(connection)
        kept = [one for one in before if one != name]
        approved = kept if arguments.get("withdraw") else [*kept, name]
        put_setting(connection, APPROVED, json.dumps(approved))
    return {"approved": approved, "changed": approved != list(before)}


def check_approval(config: Config, name: str, *, withdraw: bool) -> str:
    """The path or profile that an approval names.

    Raises:
        UsageError: it is neither, people's own file, or approved by the configuration and not here.
    """
    path = clean_path(Path(name))
    known = name if name in PROFILES else str(path)
    if withdraw:
        if known in config.files.approve or name in config.files.approve:
            raise UsageError(
                f"{name} is approved in the configuration: take it out of [files] approve"
            )
        return known
    if name in PROFILES:
        return name
    if not path.is_file():
        profiles = ", ".join(PROFILES)
        raise UsageError(f"{name} is neither a file nor a profile; profiles: {profiles}")
    place = known_groups(Path(), [path], None)[0].place
    permission = place.profile.rule(path.name).permission
    if permission in ("never", "propose"):
        raise UsageError(
            f"{place.profile.title} or its user keeps {path.name}: memoryd never writes it"
        )
    return known


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known of a file's entries (by their index in `list_entries`) when a compaction is planned.

    Attributes:
        fixed: entries that must stay as they are: a secret is never copied, an instruction never believed, and words that
            stand under several headings cannot be told apart by an edit.
    """

    pieces: Sequence[Piece]
    values: Mapping[int, float]
    pinned: frozenset[int]
    fixed: frozenset[int]


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
    if dry_run or opened.refusal:
        return compact_opened(home, config, opened, target_percent, dry_run=True)
    with hold_files(home):
        opened = open_file(home, config, path, profile)
        return compact_opened(home, config, opened, target_percent, dry_run=False)


def compact_opened(
    home: Path, config: Config, opened: Opened, target_percent: float, *, dry_run: bool
) -> dict[str, Any]:
    """Compact a file that was read already, with `hold_files` held unless it is a dry run; see `compact`."""
    dry_run = dry_run or bool(opened.refusal)
    synced = {} if dry_run else sync_file(home, config, opened)
    bank = view_bank(home, [opened.file.path])
    outlook = look_ahead(bank, opened)
    if not dry_run:
        outlook = _only_known(bank, opened, outlook)
    plan = plan_file(opened, outlook, target_percent)
    told = _plan_json(plan) | {"refused": opened.refusal, "dry_run": dry_run, "run": None}
    told["synced"] = synced  # taken into the bank first, by a run of its own
    if dry_run or not plan.changes:
        return told | {"written": False}
    name = opened.file.path.name
    merge = make_merge(opened.file.data, plan.edits, opened.profile, name)
    changes = _bank_changes(bank, opened, plan)
    run = write_as_run(home, config, opened, "compact", plan.after, merge, changes)
    return told | {"run": run, "written": True}


def look_ahead(bank: BankView, opened: Opened) -> Outlook:
    """What the bank and the words themselves say about a file's entries."""
    pieces = list_entries(opened.file, opened.profile)
    doubtful = ambiguous(memories(opened.file, opened.profile))
    values: dict[int, float] = {}
    pinned: set[int] = set()
    fixed: set[int] = set()
    for index, piece in enumerate(pieces):
        if (
            piece.content in doubtful
            or screen(piece.text).secrets
            or find_instructions(piece.content)
        ):
            fixed.add(index)
        entry = _find(bank, opened, piece)
        if entry is not None:
            values[index] = worth(entry)
            if entry.pinned:
                pinned.add(index)
    return Outlook(pieces, values, frozenset(pinned | fixed), frozenset(fixed))


def _find(bank: BankView, opened: Opened, piece: Piece) -> Entry | None:
    name = opened.file.path.name
    words = bank_words(piece.heading, piece.content, name, opened.profile.rule(name))
    return bank.find(opened.file.path, _as_file_entry(piece), words)


def _as_file_entry(piece: Piece) -> FileEntry:
    return FileEntry(piece.content, piece.heading, 0, len(piece.text))


def _only_known(bank: BankView, opened: Opened, outlook: Outlook) -> Outlook:
    """Nothing leaves the file that the bank did not take: refused or doubtful entries stay."""
    unknown = {
        index
        for index, piece in enumerate(outlook.pieces)
        if (entry := _find(bank, opened, piece)) is None or entry.state == "review"
    }
    return Outlook(
        outlook.pieces, outlook.values, outlook.pinned | unknown, outlook.fixed | unknown
    )


def plan_file(opened: Opened, outlook: Outlook, target_percent: float) -> CompactionPlan:
    """Plan a compaction: merges and supersedes come from consolidation over the file's own entries."""
    start = utc_now() - timedelta(days=len(outlook.pieces) + 1)
    entries = [
        Entry(f"{index:06}", piece.content, said, said, scope=piece.heading or "global")
        for index, piece in enumerate(outlook.pieces)
        for said in [start + timedelta(days=index)]  # what stands further down is newer
        if index not in outlook.fixed
    ]
    found = plan_consolidation(
        entries, None, ConsolidationPolicy(max_change_percent=100.0), utc_now()
    )
    merges = [
        Merge(tuple(sorted({int(one.into), *map(int, one.from_ids)})), one.content)
        for one in found.merges
    ]
    supersedes = [Supersede(int(one.old), int(one.new), one.attribute) for one in found.supersedes]
    return plan_compaction(
        opened.file,
        opened.profile,
        merges=merges,
        supersedes=[one for one in supersedes if one.old not in outlook.pinned],
        values=outlook.values,
        pinned=outlook.pinned,
        target_percent=target_percent,
    )


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


def _bank_changes(bank: BankView, opened: Opened, plan: CompactionPlan) -> dict[str, Any]:
    """What a compaction changes in the bank, for `file_bank.keep`."""
    name, profile, path = opened.file.path.name, opened.profile, opened.file.path
    standing = {one.content: one for one in memories(opened.file, profile)}

    def id_of(moved: Moved) -> str:
        one = standing[moved.content]
        entry = bank.find(path, one, bank_words(one.heading, one.content, name, profile.rule(name)))
        if entry is None:
            raise UsageError(f"cannot compact {path}: an entry is not in the bank; try again")
        return entry.id

    def place(moved: Moved) -> dict[str, Any]:
        one = standing[moved.content]
        into = fingerprint(one.heading, moved.into) if moved.into else ""
        return {
            "id": id_of(moved),
            "text": moved.text,
            "start": one.start,
            "end": one.end,
            "reason": moved.reason,
            "into": into,
        }

    groups: dict[str, list[Moved]] = {}
    for moved in plan.moved:
        if moved.reason == "merged":
            groups.setdefault(moved.into, []).append(moved)
    return {
        "merged": [
            {
                "fingerprint": fingerprint(standing[members[0].content].heading, into),
                "words": bank_words(
                    standing[members[0].content].heading, into, name, profile.rule(name)
                ),
                "ids": [id_of(one) for one in members],
            }
            for into, members in groups.items()
        ],
        "moved": [place(one) for one in plan.moved if one.reason != "merged"],
        "links": _fingerprints(opened, plan.after),
    }


def add_to_file(
    home: Path, config: Config, path: Path, content: str, *, profile: str | None
) -> dict[str, Any]:
    """Add one entry to a memory file, or refuse with the full list of what is in the way."""
    opened = open_file(home, config, path, profile, missing_ok=True)
    told, _ = _judge_addition(opened, content.strip())
    if told["outcome"] == "rejected":
        return told
    with hold_files(home):
        opened = open_file(home, config, path, profile, missing_ok=True)
        told, after = _judge_addition(opened, content.strip())
        if told["outcome"] == "added":
            return told | _add(home, config, opened, after)
        if (
            told["outcome"] == "duplicate"
        ):  # written by a run that was killed before it could say so?
            recover(home, config, path, opened.place.root)
        return told


def _judge_addition(opened: Opened, content: str) -> tuple[dict[str, Any], bytes]:
    """What adding would do, in the fields that are told, and the file afterwards."""
    addition = plan_addition(opened.file, opened.profile, content)
    before, name = opened.file.data or b"", opened.file.path.name
    same = addition.after == before
    refused = addition.refused or ("" if same else opened.refusal)
    outcome, reason = "added", f"new in {name}"
    if refused or addition.after is None:
        outcome, reason = "rejected", refused
    elif same:
        outcome, reason = "duplicate", f"{name} says it already"
    told = {
        "entry": None,
        "outcome": outcome,
        "reason": reason,
        "with": None,
        "run": None,
        "diff": "" if addition.after is None else make_diff(before, addition.after, name),
        "used": addition.used,
        "limit": addition.limit,
        "unit": addition.unit,
        "crowded": addition.crowded,
        "entries": [{"content": text, "size": size} for text, size in addition.entries],
    }
    return told, addition.after or b""


def _add(home: Path, config: Config, opened: Opened, after: bytes) -> dict[str, Any]:
    """Write an added entry into file and bank; what stood in the file before is not this run's to take back."""
    synced = sync_file(home, config, opened)
    path = opened.file.path
    added = _added_entry(opened, after)
    edits = [Edit((), (added["content"],))]
    merge = make_merge(opened.file.data, edits, opened.profile, path.name)
    changes = {"added": [added], "links": _fingerprints(opened, after)}
    run = write_as_run(home, config, opened, "file add", after, merge, changes)
    entry = view_bank(home, [path]).entry_of(path, added["fingerprint"])
    told = None if entry is None else entry_to_json(entry)
    return {"entry": told, "run": run, "synced": synced}


def _added_entry(opened: Opened, after: bytes) -> dict[str, Any]:
    """The entry that a person added, as the bank takes it."""
    name = opened.file.path.name
    old = {(one.heading, one.content) for one in memories(opened.file, opened.profile)}
    new = memories(MemoryFile(opened.file.path, after), opened.profile)
    [one] = [one for one in new if (one.heading, one.content) not in old]
    return {
        "fingerprint": fingerprint(one.heading, one.content),
        "content": one.content,
        "words": bank_words(one.heading, one.content, name, opened.profile.rule(name)),
        "text": decode(after)[one.start : one.end],
        "start": one.start,
        "end": one.end,
        "origin": "user",
        "confidence": default_confidence("user"),
    }


def _fingerprints(opened: Opened, data: bytes) -> list[str]:
    found = memories(MemoryFile(opened.file.path, data), opened.profile)
    return [fingerprint(one.heading, one.content) for one in found]

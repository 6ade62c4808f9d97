"""Keeping the bank and memory files in step: what a file says goes into the bank, what the bank knows better is proposed.

The file's side is one command of the writer (`file_import`); this is the caller's: reading, judging who wrote what,
and proposals for the file where the bank has a newer value or a person removed an entry.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from memoryd.config import Config
from memoryd.memory.admission import default_confidence
from memoryd.memory_files.budgets import plan_loading
from memoryd.memory_files.changes import FileEntry
from memoryd.memory_files.compaction import list_entries
from memoryd.memory_files.contents import judge_content, read_back
from memoryd.memory_files.editing import Edit, apply_edits, make_diff, make_merge
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.ledger import judge_standing
from memoryd.memory_files.units import encode
from memoryd.model import Origin
from memoryd.service.commands import carry_out
from memoryd.service.files.evidence import BankView
from memoryd.service.files.importing import compare, looks_lost
from memoryd.service.files.links import (
    FileRecord,
    ambiguous,
    bank_words,
    by_fingerprint,
    fingerprint,
    known_record,
    memories,
)
from memoryd.service.files.places import ledger_of
from memoryd.service.files.writing import Opened, recover, write_as_run
from memoryd.service.writer import utc_now

UNTOLD = 0.7  # confidence in an entry that the user or the agent wrote, nobody can say which
_OWN_NOTES = {"claude-code", "codex"}  # agents that keep these files themselves
_PROMOTED = "openclaw-memory-"  # annotations of what the agent promoted itself


def sync_file(
    home: Path, config: Config, opened: Opened, *, confirmed: bool = False, dry_run: bool = False
) -> dict[str, Any]:
    """Bring the bank in step with a file; a run that was killed on the way is finished or taken back first.

    Returns:
        Ids by what became of them: `added`, `known`, `replaced`, `archived`, `waiting`; `refused`: reasons; `vanished`:
        entries of a file that lost so many at once that a person must confirm; `run`: by which that can be undone, if
        anything was done. With *dry_run* only counts of `added`,
        `replaced`, `archived`.
    """
    path = opened.file.path
    recovered = "" if dry_run else recover(home, config, path, opened.place.root)
    record = known_record(home, path)
    entries = memories(opened.file, opened.profile)
    changes = compare(record, [fingerprint(one.heading, one.content) for one in entries])
    if dry_run:
        return {
            "added": len(changes.added),
            "replaced": len(changes.reworded),
            "archived": 0 if looks_lost(changes, record) else len(changes.removed),
            "vanished": len(changes.removed) if looks_lost(changes, record) else 0,
        }
    if opened.file.data is None or not (changes.added or changes.removed or changes.reworded):
        return {"recovered": recovered}
    told: dict[str, Any] = carry_out(
        home,
        config,
        "files.sync",
        {
            "run": f"s-{utc_now():%Y%m%d}-{uuid4().hex[:8]}",
            "path": str(path),
            "scope": opened.scope,
            "confirmed": confirmed,
            "entries": _describe(opened, entries, record),
        },
    )
    return told | {"recovered": recovered}


def _describe(
    opened: Opened, entries: Sequence[FileEntry], record: FileRecord
) -> list[dict[str, Any]]:
    name, rule = opened.file.path.name, opened.profile.rule(opened.file.path.name)
    text = opened.file.text
    agents_own = _is_agents_own(opened, record)
    told = []
    for one, entry in by_fingerprint(entries).items():
        raw = text[entry.start : entry.end]
        origin, confidence = _judge_origin(raw, agents_own=agents_own)
        told.append(
            {
                "fingerprint": one,
                "words": _plain(bank_words(entry.heading, entry.content, name, rule)),
                "text": _plain(raw),
                "start": entry.start,
                "end": entry.end,
                "origin": origin,
                "confidence": confidence,
            }
        )
    return told


def _plain(text: str) -> str:
    """Bytes that are no UTF-8 cannot be sent nor stored."""
    return text.encode("utf-8", "replace").decode()


def _is_agents_own(opened: Opened, record: FileRecord) -> bool:
    """Did the agent write the whole file, as far as can be told? What changes later may be a hand edit."""
    standing = ledger_of(opened.place, [opened.file])[0].get(opened.file.path)
    if standing is not None:
        return judge_standing(opened.file, standing) == "armed"
    return opened.profile.name in _OWN_NOTES and not record.links


def _judge_origin(raw: str, *, agents_own: bool) -> tuple[Origin, float]:
    if agents_own or _PROMOTED in raw:
        return "assistant", default_confidence("assistant")
    return "user", UNTOLD


@dataclass(frozen=True, slots=True)
class Update:
    """What the bank would change in a file. *linked*: (fingerprint, id) of the new entries."""

    after: bytes
    edits: tuple[Edit, ...]
    linked: tuple[tuple[str, str], ...]
    diff: str


def plan_update(bank: BankView, opened: Opened) -> Update | None:
    """Newer values of the bank for a file, and entries that a person removed from it; None if there are none."""
    file, profile, name = opened.file, opened.profile, opened.file.path.name
    managed = {piece.content for piece in list_entries(file, profile)}
    entries = memories(file, profile)
    doubtful = ambiguous(entries)
    links = bank.links.get(str(file.path), {})
    present = set(links.values())
    edits: list[Edit] = []
    linked: list[tuple[str, str]] = []
    for one in entries:
        entry = bank.entries.get(links.get(fingerprint(one.heading, one.content), ""))
        if entry is None or one.content not in managed or one.content in doubtful:
            continue
        newer = bank.newest(entry)
        if entry.state == "removed" or (newer is not None and newer.id in present):
            edits.append(Edit((one.content,)))
        elif newer is not None:
            words = newer.content.removeprefix(
                bank_words(one.heading, "", name, profile.rule(name))
            )
            if not judge_content(words, profile) and read_back(words, profile, name) == words:
                edits.append(Edit((one.content,), (words,)))
                linked.append((fingerprint(one.heading, words), newer.id))
                present.add(newer.id)
    text = apply_edits(file.text, edits, profile, name) if edits else None
    if text is None or _grows_over(opened, encode(text)):
        return None
    return Update(
        encode(text),
        tuple(edits),
        tuple(linked),
        make_diff(file.data or b"", encode(text), name),
    )


def _grows_over(opened: Opened, after: bytes) -> bool:
    """Would the file be above its limit, and longer than it is?"""
    now, then = (
        plan_loading([MemoryFile(opened.file.path, data)], opened.profile)[0]
        for data in (opened.file.data or b"", after)
    )
    return then.is_over and then.raw > now.raw


def write_update(home: Path, config: Config, opened: Opened, update: Update) -> str:
    """Write what the bank knows better into a file; returns the run."""
    name = opened.file.path.name
    after = memories(MemoryFile(opened.file.path, update.after), opened.profile)
    changes = {
        "linked": update.linked,
        "links": [fingerprint(one.heading, one.content) for one in after],
    }
    merge = make_merge(opened.file.data, update.edits, opened.profile, name)
    return write_as_run(home, config, opened, "file update", update.after, merge, changes)

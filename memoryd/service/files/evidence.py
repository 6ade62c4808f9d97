"""What the bank knows about the entries of memory files: newer values, other words for the same, worth, and use."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import log1p
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import MemorydError, StoreError
from memoryd.memory_files.changes import FileEntry
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.folding import first_words, fold
from memoryd.memory_files.problems import Evidence
from memoryd.memory_files.profiles import Profile
from memoryd.memory_files.units import is_utf8
from memoryd.model import Entry
from memoryd.service.commands import carry_out
from memoryd.service.files.links import (
    NAMESPACE,
    bank_words,
    fingerprint,
    memories,
    read_record,
)
from memoryd.store.bank import list_entries
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.entry_rows import content_key
from memoryd.store.reader import Reader

OFTEN = 20  # uses from which on an entry counts as used as much as can be


@dataclass(frozen=True, slots=True)
class BankView:
    """Every entry of the bank by id, and what it takes to find the one that stands for an entry of a file."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    links: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by path
    by_words: Mapping[bytes, Entry] = field(default_factory=dict)
    holders: Mapping[str, str] = field(default_factory=dict)  # merged entry -> what says it now

    def find(self, path: Path, one: FileEntry, words: str) -> Entry | None:
        """The bank's entry for an entry of a file: as linked, else in the same words."""
        linked = self.entry_of(path, fingerprint(one.heading, one.content))
        return linked or self.by_words.get(content_key(words))

    def entry_of(self, path: Path, known_by: str) -> Entry | None:
        """The bank's entry that is linked to an entry of a file, by its fingerprint."""
        return self.entries.get(self.links.get(str(path), {}).get(known_by, ""))

    def holder(self, entry: Entry) -> Entry:
        """The entry that says it now, following merges."""
        seen = set()
        while entry.state == "merged" and entry.id not in seen:
            seen.add(entry.id)
            entry = self.entries.get(self.holders.get(entry.id, ""), entry)
        return entry

    def newest(self, entry: Entry) -> Entry | None:
        """The value that replaced a superseded entry in the end; None if it was not replaced."""
        seen = set()
        while entry.state == "superseded" and entry.superseded_by and entry.id not in seen:
            seen.add(entry.id)
            following = self.entries.get(entry.superseded_by)
            if following is None:
                return None
            entry = self.holder(following)
        return entry if seen and entry.state == "active" else None


def view_bank(home: Path, paths: Iterable[Path]) -> BankView:
    """The bank as it is; empty where there is none yet."""
    if not (home / DATABASE_NAME).exists():
        return BankView()
    try:
        with Reader(home) as reader:
            entries = list_entries(reader.connection, NAMESPACE, states=())
            links = {
                str(path): dict(read_record(reader.connection, str(path)).links)
                for path in paths
                if is_utf8(str(path))  # others are read, but nothing can be known of them
            }
    except StoreError:
        return BankView()
    ranked = sorted(entries, key=lambda one: one.state == "active")  # the active one wins
    return BankView(
        {one.id: one for one in entries},
        links,
        {content_key(one.content): one for one in ranked if one.state in ("active", "superseded")},
        {member: one.id for one in entries for member in one.merged_from},
    )


def gather_evidence(
    bank: BankView, files: Sequence[MemoryFile], profile: Profile
) -> tuple[Evidence, ...]:
    """What the bank holds against entries of one agent's files."""
    evidence: list[Evidence] = []
    said: dict[str, tuple[str, FileEntry]] = {}
    for file in files:
        name = file.path.name
        for one in memories(file, profile):
            entry = bank.find(
                file.path, one, bank_words(one.heading, one.content, name, profile.rule(name))
            )
            if entry is None:
                continue
            newer = bank.newest(entry)
            if newer is not None:
                detail = f"the bank has a newer value since {newer.updated_at:%Y-%m-%d}: {first_words(newer.content)}"
                evidence.append(Evidence(file.path, one.content, detail))
            where, first = said.setdefault(bank.holder(entry).id, (name, one))
            if fold(first.content) != fold(one.content):
                detail = f"says the same as {first_words(first.content)!r} in {where}"
                evidence.append(Evidence(file.path, one.content, detail, "duplicate"))
    return tuple(evidence)


def worth(entry: Entry) -> float:
    """Between 0 and 1: half how sure it is, half how much it was used."""
    used = min(1.0, log1p(entry.access_count) / log1p(OFTEN))
    return 0.5 * entry.confidence + 0.5 * used


def file_values(
    bank: BankView, files: Sequence[MemoryFile], profile: Profile
) -> dict[Path, dict[int, float]]:
    """Worth of entries for a snapshot: how sure they are and not their use, which the snapshot itself adds to."""
    found: dict[Path, dict[int, float]] = defaultdict(dict)
    for file in files:
        name = file.path.name
        known = {(one.heading, one.content): one for one in memories(file, profile)}
        for index, piece in enumerate(profile.parse(name, file.text).entries):
            one = known.get((piece.heading, piece.content))
            words = bank_words(piece.heading, piece.content, name, profile.rule(name))
            entry = None if one is None else bank.find(file.path, one, words)
            if entry is not None:
                found[file.path][index] = 1.0 if entry.pinned else entry.confidence
    return dict(found)


def count_loads(home: Path, config: Config, ids: Sequence[str], session: str) -> None:
    """Count a load as a use of these entries; if another process writes right now, the text matters more."""
    if not ids:
        return
    asked: dict[str, Any] = {"ids": list(ids), "session": session}
    with suppress(MemorydError, OSError):
        carry_out(home, config, "files.loaded", asked)

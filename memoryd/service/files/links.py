"""Which entry of the bank stands for which entry of a memory file; the thread by which both are kept in step.

A file's entries are remembered by a hash of their words, so that nothing of a file is copied here.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from memoryd.errors import StoreError
from memoryd.memory_files.changes import FileEntry, read_entries
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.profiles import FileRule, Profile
from memoryd.store.connection import DATABASE_NAME, Connection
from memoryd.store.reader import Reader
from memoryd.store.settings import get_setting, list_settings, put_setting

PREFIX = "file:"  # of the settings that hold a file's links
NAMESPACE = "local/default"  # facts of memory files are the user's, whichever agent keeps them

Link = tuple[
    str, str
]  # fingerprint of the file's entry, id of the bank's ("": the bank refused it)


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What is known of a file. *pending*: the run that was about to write it, "" for none."""

    links: tuple[Link, ...] = ()
    pending: str = ""


def read_record(connection: Connection, path: str) -> FileRecord:
    """What is known of a file; nothing, if it was never looked at."""
    return _parse(get_setting(connection, PREFIX + path))


def write_record(connection: Connection, path: str, record: FileRecord) -> None:
    """Remember a file's links. The caller owns the transaction."""
    value = {"links": record.links, "pending": record.pending}
    put_setting(connection, PREFIX + path, json.dumps(value))


def linked_elsewhere(connection: Connection, path: str) -> set[str]:
    """Ids of the bank's entries that other files hold too."""
    others = list_settings(connection, PREFIX)
    return {
        entry_id
        for name, text in others.items()
        if name != path
        for _, entry_id in _parse(text).links
    }


def held_by_files(home: Path) -> frozenset[str]:
    """Ids of the bank's entries that stand in a memory file that is still there."""
    try:
        with Reader(home) as reader:
            records = list_settings(reader.connection, PREFIX)
    except StoreError:
        return frozenset()
    there = [text for path, text in records.items() if Path(path).exists()]
    return frozenset(one for text in there for _, one in _parse(text).links if one)


def known_record(home: Path, path: Path) -> FileRecord:
    """What is known of a file, where there may be no database yet."""
    if not (home / DATABASE_NAME).exists():
        return FileRecord()
    try:
        with Reader(home) as reader:
            return read_record(reader.connection, str(path))
    except StoreError:
        return FileRecord()


def _parse(text: str | None) -> FileRecord:
    if text is None:
        return FileRecord()
    value = json.loads(text)
    return FileRecord(tuple((one, other) for one, other in value["links"]), value["pending"])


def fingerprint(heading: str, content: str) -> str:
    """What an entry of a file is known by."""
    text = f"{heading}\0{content}".encode("utf-8", "surrogateescape")
    return sha256(text).hexdigest()[:32]


def memories(file: MemoryFile, profile: Profile) -> tuple[FileEntry, ...]:
    """The entries of a file that are memories; rules for the agent and topic notes are none."""
    rule = profile.rule(file.path.name)
    if file.data is None or rule.purpose not in {"memory", "user"}:
        return ()
    found = read_entries(file, profile)
    if rule.manage == "section":
        section = rule.section.casefold()
        found = tuple(one for one in found if one.heading.casefold() == section)
    return found


def bank_words(heading: str, content: str, name: str, rule: FileRule) -> str:
    """An entry as the bank keeps it: below a telling heading it says of what it speaks."""
    plain = heading.strip().rstrip(":").casefold()
    stem = name.casefold().removesuffix(".md")
    general = {
        "",
        stem,
        name.casefold(),
        "memory",
        "memories",
        "notes",
        "user",
        rule.section.casefold(),
    }
    return content if plain in general else f"{heading.strip().rstrip(':')}: {content}"


def ambiguous(entries: Iterable[FileEntry]) -> set[str]:
    """Contents that stand under more than one heading: an edit by words could touch the wrong one."""
    headings: dict[str, set[str]] = {}
    for one in entries:
        headings.setdefault(one.content, set()).add(one.heading)
    return {content for content, found in headings.items() if len(found) > 1}


def by_fingerprint(entries: Sequence[FileEntry]) -> dict[str, FileEntry]:
    """Entries by what they are known by; of equal ones the first."""
    found: dict[str, FileEntry] = {}
    for one in entries:
        found.setdefault(fingerprint(one.heading, one.content), one)
    return found

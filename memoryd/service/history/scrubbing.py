"""Forgetting in every copy outside the database: the archive, backups, plans, mapped vectors.

What was forgotten must not be copied again either, though the agent's own transcript still holds it: such transcripts are noted
(a hash of their names), and are neither copied nor read anew.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.errors import SourceError
from memoryd.screening.records import holds
from memoryd.service.backups import BACKUPS_FOLDER, renew
from memoryd.service.bank.changes import PLAN_PREFIX
from memoryd.service.bank.embedding import write_vector_file
from memoryd.service.history.archive import Archive, Copy, clear_unpacked
from memoryd.service.history.packing import (
    SQLITE,
    SUFFIX,
    UnpackableError,
    lines_of,
    reading,
    rewrite,
    text_of,
)
from memoryd.service.writer import Writer
from memoryd.sources.base import Source
from memoryd.sources.jsonl import head_records
from memoryd.sources.registry import HEAD_BYTES
from memoryd.sources.transcripts import open_transcript, plain_path
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.forgetting import is_forgotten, refuse_copies
from memoryd.store.store import identity_of


@dataclass(frozen=True, slots=True)
class Gone:
    """What was forgotten.

    Attributes:
        transcripts: (source, logical path) of those that gave the forgotten messages.
        sources: whose copies may hold forgotten messages under another name (a resumed session repeats them).
        whole: sources that were forgotten whole.
        text: what must not stay anywhere; empty: nothing of that kind.
    """

    transcripts: frozenset[tuple[str, str]] = frozenset()
    sources: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    text: str = ""


def scrub_copies(writer: Writer, gone: Gone) -> dict[str, Any]:
    """Take what was forgotten out of every copy; returns what was done to how many, and which transcripts hold it still."""
    home = writer.store.path.parent
    clear_unpacked(home)
    clear_leftovers(home)
    archive = Archive(home)
    known = {source.name: source for source in writer.scanner.ingest.sources}
    told: dict[str, Any] = {"copies_deleted": 0, "lines_deleted": 0, "backups_deleted": 0}
    refused = set(gone.transcripts)
    for copy in archive.copies():
        writer.scanner.ingest.stopped()  # a sign of life: this may take a while
        lines = _take_out(copy, gone.text.casefold()) if gone.text else 0
        told["lines_deleted"] += lines
        if lines:
            refused.add((copy.source, copy.logical))
        if _must_go(writer, archive, copy, known.get(copy.source), gone):
            refused.add((copy.source, copy.logical))
            copy.delete()
            told["copies_deleted"] += 1
    left = {one for one in gone.transcripts if not gone.text and Path(one[1]).exists()}
    if gone.text:
        left.update(_living(known.values(), gone.text.casefold(), writer.scanner.ingest.stopped))
        refused.update(left)
    with writer.store.transaction() as connection:
        refuse_copies(connection, refused)
    write_vector_file(writer.store.connection, home)
    told["backups_deleted"] = renew(writer)
    return told | {"transcripts_left": sorted(path for _, path in left)}


def clear_leftovers(home: Path, before: datetime | None = None) -> None:
    """Delete plans and half-written copies: of processes that are gone, or that will find that they have to begin again.

    Args:
        before: only what was last changed before; what is newer may be in use.
    """
    for path in (
        *home.glob(f"{PLAN_PREFIX}*"),
        *home.glob(f".{DATABASE_NAME}.*"),
        *(home / BACKUPS_FOLDER).glob(".*.fresh*"),
        *Archive(home).folder.rglob(".*.fresh"),
    ):
        with suppress(FileNotFoundError):
            if before is None or path.stat().st_mtime < before.timestamp():
                path.unlink()


def _must_go(
    writer: Writer, archive: Archive, copy: Copy, source: Source | None, gone: Gone
) -> bool:
    """Does a copy hold a forgotten message, under whatever name?"""
    if not copy.path.exists() or copy.source in gone.whole:
        return True
    if (copy.source, copy.logical) in gone.transcripts and not gone.text:
        return True
    if copy.source not in gone.sources:
        return False
    if source is None:  # nobody can say what is in it
        return True
    try:
        with archive.unpacked(copy) as path:
            return any(
                is_forgotten(writer.store.connection, identity_of(one.source, one.key))
                for batch in source.read(path, None)
                for one in batch.messages
            )
    except SourceError:
        return True


def _take_out(copy: Copy, folded: str) -> int:
    """Take the lines that hold a text out of a copy; one that is no list of lines goes whole. Returns how many went."""
    parts = [] if copy.older else sorted(copy.companions.rglob(f"*{SUFFIX}"))
    return sum(_take_out_of(path, folded) for path in (copy.path, *parts))


def _take_out_of(path: Path, folded: str) -> int:
    try:
        if _is_lines(path):
            return rewrite(path, lambda line: not holds(line, folded))
        with reading(path) as stream:
            held = holds(text_of(stream), folded)
    except SourceError:
        held = True  # damaged: nobody can say what is in it
    if held:
        path.unlink(missing_ok=True)
    return int(held)


def _is_lines(path: Path) -> bool:
    with reading(path) as stream:
        return bool(head_records(stream.read(HEAD_BYTES)))


def _living(
    sources: Iterable[Source], folded: str, alive: Callable[[], bool]
) -> Iterator[tuple[str, str]]:
    """Transcripts of the agents themselves that hold a text: what is copied tonight must not bring it back."""
    for source in sources:
        for path in {path for root in source.roots for path in source.discover(root)}:
            alive()
            real = path.resolve() if path in source.roots else path
            parts = (plain_path(real), *source.companions(path))
            if any(_file_holds(part, folded, source) for part in parts):
                yield source.name, source.logical(path)


def _file_holds(path: Path, folded: str, source: Source) -> bool:
    """Does a transcript hold a text? Of what is never copied (databases, huge documents) nobody needs to know."""
    try:
        with open_transcript(path, source.limits.decompressed_bytes) as opened:
            opened.begin()
            head = opened.stream.read(HEAD_BYTES)
            opened.begin()
            if head.startswith(SQLITE):
                return False
            if head_records(head):
                return any(holds(line, folded) for line in lines_of(opened.stream))
            return holds(text_of(opened.stream), folded)
    except (SourceError, UnpackableError, OSError):
        return False

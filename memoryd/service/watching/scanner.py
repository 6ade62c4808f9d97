"""Has every transcript read that changed since the last look: the truth behind the watcher's hints.

It remembers one number for each file, in memory; what was really read is known by the cursors in the
store, so forgetting costs a look and never a message. Reading goes step by step, one batch at a time, and
two readings may take turns; but a transcript is only ever read by one of them.
"""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from memoryd.service.ingest import Ingest, IngestReport
from memoryd.service.watching.poller import signature_of
from memoryd.sources.base import Source
from memoryd.sources.transcripts import stat_transcript

SIDECAR = "-wal"  # a foreign database changes there first
LOOKS_PER_STEP = 500  # unchanged files, about 5 ms

Key = int  # stands for a source and a path; a number, because there may be tens of thousands


class Scanner:
    """Finds and reads what is new. Lives in the one writing thread, with the reader it is given."""

    def __init__(self, ingest: Ingest) -> None:
        self.ingest = ingest
        self.look_seconds = (
            0.0  # of processor, of the last look at everything that found nothing new
        )
        self._known: dict[Key, int] = {}
        self._reading: set[Key] = set()
        self._again: set[Key] = set()

    def scan(self, report: IngestReport) -> Iterator[None]:
        """Look at every transcript of every root; the first time in the order of their age."""
        found: set[Key] = set()
        spent, mark = 0.0, time.thread_time()
        for number, (source, path) in enumerate(self._transcripts()):
            found.add(_key(source, path))
            yield from self._visit(source, path, report)
            if number % LOOKS_PER_STEP == 0:
                spent += time.thread_time() - mark
                yield
                mark = time.thread_time()
        spent += time.thread_time() - mark
        self.look_seconds = 0.0 if report.files else spent
        for key in self._known.keys() - found:
            del self._known[key]

    def follow(self, source: Source, path: Path, report: IngestReport) -> Iterator[None]:
        """Look at one transcript, or at every one below a folder."""
        for found in source.discover(path) if path.is_dir() else (path,):
            yield from self._visit(source, found, report)

    def read(
        self, paths: Iterable[Path], source: Source | None, report: IngestReport
    ) -> Iterator[None]:
        """Read what a person named, whether it changed or not.

        Raises:
            UsageError: a path does not exist, or a file belongs to no known agent.
        """
        for owner, path in self.ingest.resolve(paths, source):
            self._known.pop(_key(owner, path), None)
            yield from self._visit(owner, path, report)

    def alone(self, source: Source, path: Path, steps: Iterator[None]) -> Iterator[None]:
        """Let *steps* read a transcript, and nobody else meanwhile; it is looked at anew afterwards.

        Only for the least urgent tasks: whoever reads it just now is more urgent, and comes to its end first.
        """
        key = _key(source, path)
        while key in self._reading:
            yield
        self._reading.add(key)
        try:
            yield from steps
        finally:
            self._reading.discard(key)
            self._known.pop(key, None)

    def _transcripts(self) -> Iterator[tuple[Source, Path]]:
        if not self._known:
            yield from self.ingest.known_transcripts()
            return
        for source in self.ingest.sources:
            for root in source.roots:
                for path in source.discover(root):
                    yield source, path

    def _visit(self, source: Source, path: Path, report: IngestReport) -> Iterator[None]:
        key = _key(source, path)
        if key in self._reading:  # by somebody who paused: reading on is theirs
            self._again.add(key)
            return
        self._reading.add(key)
        try:
            while self._changed(key, path):
                self._again.discard(key)
                yield from self._read(key, source, path, report)
                if key not in self._again:
                    break
        finally:
            self._reading.discard(key)

    def _changed(self, key: Key, path: Path) -> bool:
        signature = _signature(path)
        return signature is not None and self._known.get(key) != signature

    def _read(self, key: Key, source: Source, path: Path, report: IngestReport) -> Iterator[None]:
        signature = _signature(path)  # before reading: what is appended meanwhile must differ
        errors = len(report.errors)
        yield from self.ingest.steps(source, path, report)
        if signature is not None and len(report.errors) == errors and not self.ingest.stopped():
            self._known[key] = signature


def _key(source: Source, path: Path) -> Key:
    return hash((source.name, str(path)))


def _signature(path: Path) -> int | None:
    """A number that changes with the file, its compressed twin or its sidecar; None if it is not there."""
    found = stat_transcript(path)
    if found is None:
        return None
    signature = signature_of(found)
    try:
        return signature ^ signature_of(os.stat(f"{path}{SIDECAR}"))  # noqa: PTH116 - 20,000 times
    except OSError:
        return signature

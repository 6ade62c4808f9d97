"""`reindex`: everything is read again, from the archive and the sources, with the readers of today.

No row is lost and none comes twice: a message is met again under its identity, or, where a reader now gives another one, by the
record it comes from. Rows that no reader yields any more stay. What entries cite keeps its id.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memoryd.errors import SourceError
from memoryd.model import Batch, Message
from memoryd.service.history.archive import Archive, changed_ns, clear_unpacked
from memoryd.service.ingest import IngestReport
from memoryd.service.writer import Tell, Writer
from memoryd.sources.base import Source
from memoryd.sources.registry import find_source, reader_of
from memoryd.store.forgetting import refuses_copy
from memoryd.store.history import offsets
from memoryd.store.records import to_milliseconds
from memoryd.store.rereading import Origin, known_messages, rename_messages, unknown_identities
from memoryd.store.store import Store, identity_of


def reindex(
    writer: Writer, arguments: Mapping[str, Any], tell: Tell
) -> Generator[None, None, dict[str, Any]]:
    """Read everything again (of `source`, if named); tells `{"path", "renamed"}`."""
    ingest = writer.scanner.ingest
    chosen = arguments.get("source")
    sources = [find_source(chosen, ingest.sources)] if chosen else list(ingest.sources)
    started = time.perf_counter()
    clear_unpacked(writer.store.path.parent)
    report, counts = IngestReport(), {"from_archive": 0, "renamed": 0, "left_alone": 0}
    for source in sources:
        yield from _Rereading(writer, source, report, counts, tell).everything()
    report.seconds = time.perf_counter() - started
    return report.to_json() | counts


class _Rereading:
    """One source, read again."""

    def __init__(
        self,
        writer: Writer,
        source: Source,
        report: IngestReport,
        counts: dict[str, int],
        tell: Tell,
    ) -> None:
        self._writer = writer
        self._source = source
        self._report = report
        self._counts = counts
        self._tell = tell

    @property
    def _store(self) -> Store:
        return self._writer.store

    def everything(self) -> Iterator[None]:
        """First the copies whose transcripts are gone or have changed since, then the transcripts."""
        source = self._source
        live = {
            source.logical(path): path for root in source.roots for path in source.discover(root)
        }
        live |= {str(path): path for path in self._named_once()}
        yield from self._copies(live)
        for path in live.values():
            owner = reader_of(path, source, self._writer.scanner.ingest.sources)
            yield from self._transcript(owner, path, owner.logical(path))

    def _named_once(self) -> Iterator[Path]:
        """Transcripts that a person named: they lie under no root."""
        sources = self._writer.scanner.ingest.sources
        roots = [root for source in sources for root in source.roots]
        for logical in offsets(self._store.connection).get(self._source.name, ()):
            path = Path(logical)
            if path.is_file() and not any(path.is_relative_to(root) for root in roots):
                yield path

    def _copies(self, live: Mapping[str, Path]) -> Iterator[None]:
        archive = Archive(self._store.path.parent)
        for copy in archive.copies(self._source.name):
            path = live.get(copy.logical)
            dated = copy.path.stat().st_mtime_ns
            if path is not None and not copy.older and changed_ns(self._source, path) == dated:
                continue  # the transcript itself says all of it
            try:
                with archive.unpacked(copy) as unpacked:
                    self._counts["from_archive"] += 1
                    yield from self._transcript(self._source, unpacked, copy.logical)
            except SourceError as error:
                self._report.errors.append(str(error))

    def _transcript(self, source: Source, path: Path, logical: str) -> Iterator[None]:
        ingest = self._writer.scanner.ingest
        if ingest.stopped():
            return
        if refuses_copy(self._store.connection, source.name, logical):
            self._counts["left_alone"] += 1
            return
        steps = self._read(source, path, logical)
        yield from self._writer.scanner.alone(source, Path(logical), steps)

    def _read(self, source: Source, path: Path, logical: str) -> Iterator[None]:
        """Find out what today's reader calls the rows there are, and then read as for the first time."""
        try:
            renamed = self._rename(source, path, logical)
        except SourceError as error:
            self._report.errors.append(str(error))
            return
        self._counts["renamed"] += renamed
        self._tell({"path": logical, "renamed": renamed})
        self._report.files += 1
        batches = _anew(source, path, logical)
        yield from self._writer.scanner.ingest.take(source, path, batches, self._report)

    def _rename(self, source: Source, path: Path, logical: str) -> int:
        """Give rows the identity that today's reader gives their records; returns how many had another.

        Raises:
            SourceError: the transcript cannot be read.
        """
        connection = self._store.connection
        known = known_messages(connection, source.name, logical)
        if not known:
            return 0
        read = {
            identity_of(one.source, one.key): _origin(one)
            for batch in source.read(path, None)
            for one in batch.messages
        }
        orphans = {one: origin for one, origin in known.items() if one not in read}
        strangers = [one for one in read if one not in known] if orphans else []
        news = {one: read[one] for one in unknown_identities(connection, strangers)}
        names = match_origins(orphans, news)
        if names:
            with self._store.transaction():
                rename_messages(connection, names.items())
        return len(names)


def match_origins(
    orphans: Mapping[bytes, Origin], news: Mapping[bytes, Origin]
) -> dict[bytes, bytes]:
    """Which row that nobody yields any more is which new message: by the bytes of the record, else by the moment.

    In a screened copy records may lie elsewhere than in the transcript; times are the same. What is not unique is no match.
    """
    names: dict[bytes, bytes] = {}
    for place in (_by_bytes, _by_moment):
        mine = _unique(orphans, place, names.keys())
        others = _unique(news, place, names.values())
        names |= {mine[key]: others[key] for key in mine.keys() & others.keys()}
    return names


def _by_bytes(origin: Origin) -> Hashable:
    return (
        None if origin.start is None else (origin.session, origin.role, origin.time, origin.start)
    )


def _by_moment(origin: Origin) -> Hashable:
    return None if origin.time is None else (origin.session, origin.role, origin.time)


def _unique(
    origins: Mapping[bytes, Origin], place: Callable[[Origin], Hashable], taken: Iterable[bytes]
) -> dict[Hashable, bytes]:
    found: dict[Hashable, list[bytes]] = defaultdict(list)
    left_out = set(taken)
    for identity, origin in origins.items():
        key = place(origin)
        if key is not None and identity not in left_out:
            found[key].append(identity)
    return {key: ones[0] for key, ones in found.items() if len(ones) == 1}


def _origin(message: Message) -> Origin:
    start = message.span[0] if message.span else None
    return Origin(message.session_id, message.role, to_milliseconds(message.time), start)


def _anew(source: Source, path: Path, logical: str) -> Iterator[Batch]:
    """What a transcript says from its beginning, under its own name wherever its bytes lie just now."""
    restarted = True
    for batch in source.read(path, None):
        yield replace(batch, cursor=replace(batch.cursor, path=logical), restarted=restarted)
        restarted = False

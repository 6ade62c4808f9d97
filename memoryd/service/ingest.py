"""The data path: transcript -> source -> screening -> store, one durable batch after another."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from memoryd.errors import MemorydError, SourceError, UsageError
from memoryd.model import Batch
from memoryd.screening import Screened, screen
from memoryd.sources.base import Source
from memoryd.sources.registry import detect, reader_of
from memoryd.sources.transcripts import check_name, stat_transcript
from memoryd.store.batches import ScreenedBatch
from memoryd.store.store import Store

MOST_ERRORS = 20  # of one report that are logged one by one

log = structlog.get_logger()

Progress = Callable[[Path, int], None]  # the transcript, and bytes just consumed of it


def _no_progress(path: Path, consumed: int) -> None:
    """Nobody watches."""


def _never() -> bool:
    return False


@dataclass(slots=True)
class IngestReport:
    """What one ingest did; *seen* counts messages read, whether new or known."""

    files: int = 0
    added: int = 0
    updated: int = 0
    seen: int = 0
    quarantined: int = 0
    consumed: int = 0
    secrets: int = 0
    seconds: float = 0.0
    errors: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        """The fields of the command-line contract, and ours."""
        return {
            "files": self.files,
            "messages_added": self.added,
            "messages_updated": self.updated,
            "messages_seen": self.seen,
            "quarantined": self.quarantined,
            "secrets_replaced": self.secrets,
            "bytes": self.consumed,
            "seconds": round(self.seconds, 3),
            "errors": self.errors,
        }


def log_report(report: IngestReport) -> None:
    """One line for what was ingested and one for each transcript that could not be read."""
    if report.added or report.updated or report.quarantined:
        log.info(
            "ingested",
            files=report.files,
            added=report.added,
            updated=report.updated,
            quarantined=report.quarantined,
            bytes=report.consumed,
        )
    for error in report.errors[:MOST_ERRORS]:
        log.warning("transcript_unreadable", error=error)


class Ingest:
    """Reads transcripts into the store. Lives in the one writing thread."""

    def __init__(
        self,
        store: Store,
        sources: Iterable[Source],
        progress: Progress = _no_progress,
        stopped: Callable[[], bool] = _never,
    ) -> None:
        """Prepare.

        Args:
            stopped: asked between batches; when true, reading ends with what is committed.
        """
        self.store = store
        self.sources = tuple(sources)
        self.progress = progress
        self.stopped = stopped

    def everything(self) -> IngestReport:
        """Read every root of every source."""
        return self.transcripts(self.known_transcripts())

    def known_transcripts(self) -> Iterator[tuple[Source, Path]]:
        """Every transcript under the roots, the longest untouched first, so that row ids follow time."""
        for source in self.sources:
            for root in source.roots:
                for path in sorted(source.discover(root), key=_age):
                    yield source, path

    def paths(self, paths: Iterable[Path], source: Source | None = None) -> IngestReport:
        """Read files and folders named by a person; without *source* each file's content says whose it is.

        Raises:
            UsageError: a path does not exist, or a named file belongs to no known agent.
        """
        return self.transcripts(self.resolve(paths, source))

    def resolve(
        self, paths: Iterable[Path], source: Source | None
    ) -> Iterator[tuple[Source, Path]]:
        """Whose transcripts the files and folders named by a person are.

        Raises:
            UsageError: a path does not exist, or a named file belongs to no known agent.
        """
        for path in paths:
            yield from self._resolve_one(path, source)

    def _resolve_one(self, path: Path, source: Source | None) -> Iterator[tuple[Source, Path]]:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
        if path.is_file():
            owner = source or detect(path, self.sources)
            if owner is None:
                names = ", ".join(known.name for known in self.sources)
                raise UsageError(
                    f"{path}: not a transcript of a known agent; name one with --source ({names})"
                )
            yield owner, owner.transcript(path) or path
        elif source is not None:
            for found in sorted(source.discover(path), key=_age):
                yield source, found
        else:
            yield from self._detect_all(path)

    def _detect_all(self, folder: Path) -> Iterator[tuple[Source, Path]]:
        seen: set[tuple[str, Path]] = set()
        files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        for path in sorted(files, key=_age):
            owner = detect(path, self.sources)
            if owner is None:
                continue
            transcript = owner.transcript(path) or path
            if (owner.name, transcript) not in seen:
                seen.add((owner.name, transcript))
                yield owner, transcript

    def transcripts(self, transcripts: Iterable[tuple[Source, Path]]) -> IngestReport:
        """Read transcripts one by one; a bad one costs only itself and is named in the report."""
        report = IngestReport()
        started = time.perf_counter()
        for source, path in transcripts:
            if self.stopped():
                break
            self.transcript(source, path, report)
        report.seconds = time.perf_counter() - started
        return report

    def transcript(self, source: Source, path: Path, report: IngestReport) -> None:
        """Read what is new in one transcript, adding to *report*."""
        for _ in self.steps(source, path, report):
            pass

    def steps(self, source: Source, path: Path, report: IngestReport) -> Iterator[None]:
        """Read what is new in one transcript, pausing after each committed batch.

        The same transcript must not be read by anybody else before this has ended.
        """
        report.files += 1
        try:
            check_name(path)
        except SourceError as error:
            report.errors.append(str(error))
            return
        cursor = self.store.cursor(source.name, source.logical(path))
        if (
            cursor is None
        ):  # met for the first time: does it lie where another agent's transcripts do?
            source = reader_of(path, source, self.sources)
            cursor = self.store.cursor(source.name, source.logical(path))
        yield from self.take(source, path, source.read(path, cursor), report)

    def take(
        self, source: Source, path: Path, batches: Iterable[Batch], report: IngestReport
    ) -> Iterator[None]:
        """Commit batches of one transcript, pausing after each; one that cannot be read is named in the report."""
        try:
            for batch in _guarded(path, batches):
                self._commit(source, batch, report)
                self.progress(path, batch.consumed)
                yield
                if self.stopped():
                    return
        except SourceError as error:
            report.errors.append(str(error))

    def _commit(self, source: Source, batch: Batch, report: IngestReport) -> None:
        screened, secrets = screen_batch(batch)
        added = self.store.add(source.name, screened)
        report.added += added.added
        report.updated += added.updated
        report.seen += added.added + added.updated + added.seen
        report.quarantined += len(batch.rejects)
        report.consumed += batch.consumed
        report.secrets += secrets


def _guarded(path: Path, batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield batches; a fault of the reader itself costs only this transcript, too.

    Raises:
        SourceError: the reader failed.
    """
    try:
        yield from batches
    except MemorydError:
        raise
    except Exception as error:
        log.exception("reader_failed", path=str(path))
        raise SourceError(
            f"{path}: its reader failed ({type(error).__name__}: {error}); please report it"
        ) from error


def screen_batch(batch: Batch) -> tuple[ScreenedBatch, int]:
    """Screen every text of a batch; returns it with the count of secrets that were replaced."""
    texts = [screen(message.text) for message in batch.messages]
    titles = [None if s.title is None else screen(s.title) for s in batch.sessions]
    heads = [screen(reject.head.decode("utf-8", "replace")) for reject in batch.rejects]
    found: list[Screened] = [*texts, *(title for title in titles if title is not None), *heads]
    return (
        ScreenedBatch(
            batch,
            tuple(one.text for one in texts),
            tuple(None if one is None else one.text for one in titles),
            tuple(one.text for one in heads),
        ),
        sum(sum(one.secrets.values()) for one in found),
    )


def _age(path: Path) -> tuple[int, str]:
    found = stat_transcript(path)
    # One that vanished meanwhile comes first: reading it will say so.
    return 0 if found is None else found.st_mtime_ns, str(path)

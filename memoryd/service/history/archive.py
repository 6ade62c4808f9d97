"""The archive of raw records: agents delete their transcripts, and a fault of a reader must not be permanent.

A copy lies under `archive/<source>/` at the path of its transcript, with the time of the transcript as its own: what did not
change is known by that alone, and readers find in the path what they look for in it. What a transcript cannot be read without
lies in a folder beside the copy. A copy that another took the place of has the old time in its name.
"""

import errno
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import quote, unquote

from memoryd.config import Config
from memoryd.errors import SourceError
from memoryd.service.history.packing import SUFFIX, Packed, UnpackableError, pack, unpack
from memoryd.sources.base import Source
from memoryd.sources.registry import build_sources, reader_of
from memoryd.sources.transcripts import check_name, plain_path, stat_transcript
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.forgetting import refuses_copy
from memoryd.store.reader import Reader

ARCHIVE_FOLDER = "archive"
COMPANIONS = ".~with"  # the folder of what belongs to a transcript
UNPACKED = "memoryd.unpacked-"
QUIET = timedelta(days=1)
EXPECTED_RATIO = 10  # raw bytes to packed, to guess whether there is room
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_OLDER = re.compile(r"\.~\d+$")
_MOST_ERRORS = 20

Refused = Callable[[str, str], bool]  # source and logical path: does it hold something forgotten?


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy in the archive. *logical*: the path of its transcript; *older*: a newer copy took its place."""

    path: Path
    source: str
    logical: str
    older: bool

    @property
    def companions(self) -> Path:
        """The folder of what belongs to the transcript; it need not exist."""
        return self.path.with_name(f"{Path(self.logical).name}{COMPANIONS}")

    def size(self) -> int:
        """Bytes of the copy and of what belongs to it."""
        parts = () if self.older else self.companions.rglob(f"*{SUFFIX}")
        return sum(path.stat().st_size for path in (self.path, *parts))

    def delete(self) -> None:
        """Delete the copy, and what belongs to it."""
        self.path.unlink(missing_ok=True)
        if not self.older:
            shutil.rmtree(self.companions, ignore_errors=True)


@dataclass(slots=True)
class ArchiveReport:
    """What one night did. *skipped*: transcripts not copied, by reason; *removed*: copies that were over the limit."""

    archived: int = 0
    unchanged: int = 0
    removed: int = 0
    raw: int = 0
    packed: int = 0
    secrets: int = 0
    dropped: int = 0
    wrapped: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def add(self, packed: Packed) -> None:
        """Count a file that was packed."""
        self.raw += packed.raw
        self.packed += packed.packed
        self.secrets += packed.secrets
        self.dropped += packed.dropped
        self.wrapped += packed.wrapped

    def to_json(self, total: int) -> dict[str, Any]:
        """The report of the phase; *total*: bytes of the whole archive."""
        return {
            "archived": self.archived,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "bytes": self.raw,
            "packed_bytes": self.packed,
            "secrets_replaced": self.secrets,
            "lines_dropped": self.dropped,
            "lines_wrapped": self.wrapped,
            "skipped": dict(self.skipped),
            "errors": self.errors[:_MOST_ERRORS],
            "archive_bytes": total,
        }


class Archive:
    """The copies in a home folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / ARCHIVE_FOLDER

    def place(self, source: str, logical: str) -> Path:
        """Where the copy of a transcript lies."""
        return self._inside(self._folder_of(source), logical)

    def _folder_of(self, source: str) -> Path:
        return self.folder / quote(source, safe="").replace(".", "%2E")

    def _inside(self, folder: Path, path: str) -> Path:
        absolute = Path(os.path.normpath(f"/{path}"))
        return folder.joinpath(*absolute.parts[1:]).with_name(f"{absolute.name}{SUFFIX}")

    def copies(self, source: str | None = None) -> Iterator[Copy]:
        """Every copy (of a source), a transcript's older ones before its last."""
        if not self.folder.is_dir():
            return
        for folder in sorted(self.folder.iterdir()):
            name = unquote(folder.name)
            if folder.is_dir() and source in (None, name):
                yield from self._copies_in(folder, name)

    def _copies_in(self, top: Path, source: str) -> Iterator[Copy]:
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(one for one in folders if not one.endswith(COMPANIONS))
            found = []
            for name in names:
                if not name.endswith(SUFFIX):
                    continue
                plain = name.removesuffix(SUFFIX)
                original = _OLDER.sub("", plain)
                logical = "/" + Path(folder, original).relative_to(top).as_posix()
                found.append(Copy(Path(folder, name), source, logical, older=plain != original))
            yield from sorted(found, key=lambda one: (one.logical, not one.older, one.path.name))

    def bytes(self) -> int:
        """How much room everything in the archive takes."""
        return sum(
            os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - tens of thousands
            for folder, _, names in os.walk(self.folder)
            for name in names
        )

    @contextmanager
    def unpacked(self, copy: Copy) -> Iterator[Path]:
        """The transcript of a copy as a file at its own path below a private folder, gone afterwards.

        Raises:
            SourceError: the copy is damaged.
        """
        top = Path(mkdtemp(prefix=UNPACKED, dir=self.home))
        try:
            target = top.joinpath(*Path(copy.logical).parts[1:])
            unpack(copy.path, target)
            for part in sorted(copy.companions.rglob(f"*{SUFFIX}")):
                beside = part.relative_to(copy.companions)
                unpack(part, top / beside.with_name(beside.name.removesuffix(SUFFIX)))
            yield target
        finally:
            shutil.rmtree(top, ignore_errors=True)

    def keep(self, source: Source, path: Path, mtime_ns: int, report: ArchiveReport) -> Copy:
        """Copy a transcript and what belongs to it.

        Raises:
            UnpackableError, SourceError, OSError: it was not copied.
        """
        logical = source.logical(path)
        target = self.place(source.name, logical)
        real = path.resolve() if path in source.roots else path
        report.add(pack(plain_path(real), target, source.limits, mtime_ns))
        copy = Copy(target, source.name, logical, older=False)
        for companion in source.companions(path):
            with suppress(SourceError):  # one that is not there says nothing
                inside = self._inside(copy.companions, str(companion))
                report.add(pack(companion, inside, source.limits, mtime_ns))
        report.archived += 1
        return copy


def clear_unpacked(home: Path) -> None:
    """Delete what a killed process had unpacked; the caller holds the writer's lock."""
    for folder in home.glob(f"{UNPACKED}*"):
        shutil.rmtree(folder, ignore_errors=True)


def refused_by(home: Path) -> Refused:
    """Asks the database, as it is at each question, whether a transcript holds something forgotten."""

    def refused(source: str, path: str) -> bool:
        if not (home / DATABASE_NAME).exists():
            return False
        with Reader(home) as reader:
            return refuses_copy(reader.connection, source, path)

    return refused


def archive_transcripts(
    home: Path, config: Config, refused: Refused, now: datetime
) -> dict[str, Any]:
    """Copy every transcript that has been quiet for a day and is not in the archive as it is; the newest first.

    Args:
        refused: is asked about every transcript before it is copied and, because forgetting may happen meanwhile, after it.

    Raises:
        OSError: no copy can be written.
    """
    archive, report = Archive(home), ArchiveReport()
    sources = build_sources(config)
    limit, keep_days = config.archive.max_bytes, config.history.keep_days
    oldest = now - timedelta(days=keep_days) if keep_days else None
    total = archive.bytes()
    for mtime_ns, source, path in _found(sources) if limit else ():
        if now - _moment(mtime_ns) < QUIET:
            report.skipped["not quiet for a day"] += 1
            continue
        if oldest is not None and _moment(mtime_ns) < oldest:
            report.skipped["older than history is kept"] += 1
            continue
        before = report.packed
        _visit(archive, source, sources, path, mtime_ns, refused, report, room=limit - total)
        total += report.packed - before
    report.removed = _shrink(archive, limit, oldest)
    return report.to_json(archive.bytes())


def _visit(
    archive: Archive,
    source: Source,
    sources: Sequence[Source],
    path: Path,
    mtime_ns: int,
    refused: Refused,
    report: ArchiveReport,
    *,
    room: int,
) -> None:
    """Copy one transcript unless there is a reason not to."""
    try:
        check_name(path)
        if _is_kept(archive, source, path, mtime_ns):
            report.unchanged += 1
            return
        source = reader_of(path, source, sources)
        if _is_kept(archive, source, path, mtime_ns):
            report.unchanged += 1
        elif refused(source.name, source.logical(path)):
            report.skipped["something in it was forgotten"] += 1
        elif _size(path) // EXPECTED_RATIO > room:
            report.skipped["no room in the archive"] += 1
        else:
            copy = archive.keep(source, path, mtime_ns, report)
            if refused(source.name, copy.logical):
                copy.delete()
    except UnpackableError as kind:
        report.skipped[str(kind)] += 1
    except SourceError as error:
        report.errors.append(str(error))
    except OSError as error:
        if error.errno in NO_SPACE:
            raise
        report.errors.append(f"{path}: {error.strerror}")


def _is_kept(archive: Archive, source: Source, path: Path, mtime_ns: int) -> bool:
    try:
        return archive.place(source.name, source.logical(path)).stat().st_mtime_ns == mtime_ns
    except OSError:
        return False


def _found(sources: Sequence[Source]) -> list[tuple[int, Source, Path]]:
    """Every transcript with the time of its last change, the newest first."""
    found = []
    for source in sources:
        for path in {path for root in source.roots for path in source.discover(root)}:
            changed = changed_ns(source, path)
            if changed is not None:
                found.append((changed, source, path))
    return sorted(found, key=lambda one: (-one[0], str(one[2])))


def changed_ns(source: Source, path: Path) -> int | None:
    """When a transcript, or what belongs to it, last changed; None: it is gone."""
    facts = [stat_transcript(one) for one in (path, *source.companions(path))]
    return None if facts[0] is None else max(one.st_mtime_ns for one in facts if one is not None)


def _size(path: Path) -> int:
    found = stat_transcript(path)
    return 0 if found is None else found.st_size


def _moment(mtime_ns: int) -> datetime:
    return datetime.fromtimestamp(mtime_ns / 1e9, UTC)


def _shrink(archive: Archive, limit: int, oldest: datetime | None) -> int:
    """Delete the copies of the oldest transcripts until the archive is within its limits; returns how many."""
    removed, total = 0, archive.bytes()
    dated = sorted((copy.path.stat().st_mtime_ns, copy.path, copy) for copy in archive.copies())
    for mtime_ns, _, copy in dated:
        if total <= limit and (oldest is None or _moment(mtime_ns) >= oldest):
            break
        total -= copy.size()
        copy.delete()
        removed += 1
    return removed

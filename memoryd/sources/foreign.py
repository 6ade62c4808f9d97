"""The files of an agent's SQLite database, as the file system shows them: facts, sidecars, a private copy."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from memoryd.errors import SourceError
from memoryd.sources.files import open_regular

_COPY_BYTES = 2 * 1024 * 1024 * 1024  # a larger database is not copied
_COPY_TRIES = 5


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """What the file system says of a database and its WAL, and a fingerprint of its last transaction."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    fingerprint: str


def database_facts(path: Path) -> DatabaseFacts:
    """The facts of a database file as it is now.

    The fingerprint moves with every commit: the header counts transactions outside the WAL, the index of
    the WAL (`-shm`) those in it, where size and time may stand still within one tick of the clock.

    Raises:
        SourceError: gone, not permitted, or not a regular file.
    """
    with open_regular(path) as file:
        found = os.fstat(file.fileno())
        digest = blake2b(file.read(100) or b"", digest_size=12)
    wal = sidecar(path, "-wal")
    with suppress(OSError):
        log = wal.stat()
        digest.update(f"{log.st_ino} {log.st_size} {log.st_mtime_ns}".encode())
    for name, length in ((wal, 32), (sidecar(path, "-shm"), 48)):
        with suppress(OSError, SourceError), open_regular(name) as file:
            digest.update(file.read(length) or b"")
    digest.update(f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns}".encode())
    return DatabaseFacts(
        found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, digest.hexdigest()
    )


def owning_path(path: Path) -> Path | None:
    """The database that an event at *path* is about; None for what only readers and locks touch."""
    if path.name.endswith(("-shm", "-journal")):
        return None
    return path.with_name(path.name.removesuffix("-wal"))


@contextmanager
def copy_database(path: Path) -> Iterator[Path]:
    """A private copy of a database with what its last transactions left beside it, made while nobody wrote.

    Raises:
        SourceError: too large, unreadable, or never quiet.
    """
    folder = Path(tempfile.mkdtemp(prefix="memoryd-"))  # 0700
    try:
        for _ in range(_COPY_TRIES):
            before = database_facts(path)
            if before.size > _COPY_BYTES:
                raise SourceError(
                    f"cannot read {path}: its folder is closed, and it is too large to copy"
                )
            for ending in ("", "-wal", "-journal"):
                _copy(sidecar(path, ending), folder / f"copy{ending}")
            if database_facts(path) == before:
                break
        else:
            raise SourceError(f"cannot read {path}: it changes faster than it can be copied")
        yield folder / "copy"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    if source.name.endswith(("-wal", "-journal")) and not source.exists():
        return
    with open_regular(source) as file, target.open("xb") as copy:
        shutil.copyfileobj(file, copy, 1 << 20)


def sidecar(path: Path, ending: str) -> Path:
    """The file beside a database whose name has this ending."""
    return path.with_name(path.name + ending)


def has_content(path: Path) -> bool:
    """Is there a file with something in it?"""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False

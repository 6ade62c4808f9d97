"""How memoryd is: what `status` and `sources` tell, with or without a running daemon."""

from collections import ChainMap
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import NothingYetError, StoreError
from memoryd.service.bank.embedding import Embeddings
from memoryd.service.home import check_possible
from memoryd.service.night.ledger import describe_jobs, night_trouble
from memoryd.sources.base import Source
from memoryd.sources.registry import build_sources
from memoryd.sources.transcripts import stat_transcript
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.reader import Reader
from memoryd.store.records import SourceStatus
from memoryd.store.settings import get_setting
from memoryd.store.store import LOG_LOST

Offsets = Mapping[str, tuple[int, int]]  # logical path -> (size when last read, offset)


def describe_status(
    home: Path, config: Config, daemon: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The status document of the contract.

    Args:
        daemon: what the running daemon says of itself (pid, watch states, degraded reasons, jobs); None if none runs.

    Raises:
        UsageError: *home* is no folder and cannot become one.
    """
    check_possible(home)
    daemon = daemon or {}
    sources = build_sources(config)
    degraded = list(daemon.get("degraded", ()))
    database, described, trouble = _describe_database(home, sources, daemon.get("watch", {}))
    jobs, failed = _describe_night(home)
    degraded += [one for one in (trouble, failed) if one]
    return {
        "running": bool(daemon),
        "pid": daemon.get("pid"),
        "version": version("memoryd"),
        "database": database,
        "sources": described,
        "jobs": daemon.get("jobs", jobs),
        "embedding": _describe_embedding(home, config)
        | {"trouble": daemon.get("embedding_trouble")},
        "degraded": degraded,
        **{
            key: daemon[key]
            for key in ("resources", "writer", "rescans", "config_error")
            if key in daemon
        },
    }


def _describe_embedding(home: Path, config: Config) -> dict[str, Any]:
    embeddings = Embeddings(home, config)
    if not (home / DATABASE_NAME).exists():
        return embeddings.describe(None)
    try:
        with Reader(home) as reader:
            return embeddings.describe(reader)
    except StoreError:  # told where the database is described
        return embeddings.describe(None)


def _describe_night(home: Path) -> tuple[list[dict[str, Any]], str]:
    """The jobs, and what is wrong with the last night."""
    if not (home / DATABASE_NAME).exists():
        return [], ""
    try:
        with Reader(home) as reader:
            return describe_jobs(reader), night_trouble(reader)
    except StoreError:  # told where the database is described
        return [], ""


def _describe_database(
    home: Path, sources: Sequence[Source], watch: Mapping[str, str]
) -> tuple[dict[str, Any], list[dict[str, Any]], str | None]:
    path = home / DATABASE_NAME
    database: dict[str, Any] = {
        "path": str(path),
        "bytes": _size(path),
        "wal_bytes": _size(Path(f"{path}-wal")),
        "messages": 0,
        "tool_messages": 0,
        "sessions": 0,
        "entries": 0,
        "schema": None,
    }
    described: list[dict[str, Any]] = []
    try:
        with Reader(home) as reader:
            trouble = describe_lost_log(get_setting(reader.connection, LOG_LOST))
            database |= reader.counts() | {"schema": reader.schema()}
            known = {status.name: status for status in reader.sources()}
            read = reader.offsets()
            for source in sources:
                offsets = offsets_for(source.name, read)
                described += _describe_roots(source, known.get(source.name), offsets, watch)
    except StoreError as error:
        nothing_yet = isinstance(error, NothingYetError)
        if nothing_yet or not path.exists():
            for source in sources:
                described += _describe_roots(source, None, {}, watch)
        return database, described, None if nothing_yet else str(error)
    return database, described, trouble or None


def describe_lost_log(lost_at: str | None) -> str:
    """What a lost write-ahead log means, for people; nothing if none was lost."""
    if lost_at is None:
        return ""
    return (
        f"the write-ahead log was deleted (noticed {lost_at}): messages are read again, but the last changes of memory "
        "before may be missing; `memoryd doctor --fix` takes note of it"
    )


def _describe_roots(
    source: Source,
    status: SourceStatus | None,
    offsets: Offsets,
    watch: Mapping[str, str],
) -> list[dict[str, Any]]:
    """A row for each root that is there or was read; what is counted for the source as a whole stands in the first."""
    shown = [root for root in source.roots if status or root.exists()]
    return [
        _describe_root(source, root, status if root == shown[0] else None, offsets, watch)
        for root in shown
    ]


def _describe_root(
    source: Source,
    root: Path,
    status: SourceStatus | None,
    offsets: Offsets,
    watch: Mapping[str, str],
) -> dict[str, Any]:
    files, lag = 0, 0
    for path in source.discover(root) if root.exists() else ():
        files += 1
        lag += pending_bytes(source, path, offsets)
    return {
        "name": source.name,
        "root": str(root),
        "files": files,
        "lag_bytes": lag,
        "last_ingest": _stamp(status.last_ingest) if status else None,
        "quarantined": sum(status.rejected.values()) if status else 0,
        "skipped": dict(status.skipped) if status else {},
        "rejected": dict(status.rejected) if status else {},
        "watch": watch.get(str(root), "missing" if not root.exists() else "polling"),
    }


def offsets_for(source: str, read: Mapping[str, dict[str, tuple[int, int]]]) -> Offsets:
    """How far the transcripts of a source were read: by itself, else by the source whose files lie among its own."""
    return ChainMap(read.get(source, {}), *read.values())


def pending_bytes(source: Source, path: Path, offsets: Offsets) -> int:
    """Bytes of a transcript that were not read yet; *offsets* are those of its source (`offsets_for`)."""
    size, offset = offsets.get(source.logical(path), (None, 0))
    plain = size is None or source.logical(path) == str(path)
    return max(0, (_size(path) if plain else size or 0) - offset)


def describe_sources(home: Path, config: Config) -> list[dict[str, Any]]:
    """Every known agent: found or not, its roots, what was read of it, what was skipped and why.

    Raises:
        UsageError: *home* is no folder and cannot become one.
    """
    check_possible(home)
    known: dict[str, SourceStatus] = {}
    if (home / DATABASE_NAME).exists():
        with Reader(home, or_empty=True) as reader:
            known = {status.name: status for status in reader.sources()}
    described = []
    for source in build_sources(config):
        status = known.pop(source.name, None)
        roots = [str(root) for root in source.roots]
        found = any(root.exists() for root in source.roots)
        described.append(_describe_source(source.name, source.title, roots, found, status))
    described += [_describe_source(name, name, [], False, status) for name, status in known.items()]
    return sorted(described, key=lambda one: (not one["found"], -one["messages"], one["name"]))


def _describe_source(
    name: str, title: str, roots: Sequence[str], found: bool, status: SourceStatus | None
) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "found": found,
        "roots": roots,
        "transcripts": status.transcripts if status else 0,
        "sessions": status.sessions if status else 0,
        "messages": status.messages if status else 0,
        "last_activity": _stamp(status.last_message) if status else None,
        "last_ingest": _stamp(status.last_ingest) if status else None,
        "bytes": {
            "ingested": status.ingested,
            "quarantined": status.quarantined,
            "pending": status.pending,
        }
        if status
        else {"ingested": 0, "quarantined": 0, "pending": 0},
        "skipped": dict(status.skipped) if status else {},
        "rejected": dict(status.rejected) if status else {},
    }


def _stamp(time: Any) -> str | None:
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _size(path: Path) -> int:
    found = stat_transcript(path)
    return 0 if found is None else found.st_size

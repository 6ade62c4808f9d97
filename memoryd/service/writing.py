"""Writes from a command: through the daemon if it runs, else under the writer's lock of our own."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import UsageError
from memoryd.service.home import prepare_home
from memoryd.service.ingest import Ingest, Progress
from memoryd.service.lock import WriterLock
from memoryd.sources.base import Source
from memoryd.sources.registry import build_sources, find_source
from memoryd.store.store import Store


def utc_now() -> datetime:
    """The clock of the shell; rooms below take times as arguments."""
    return datetime.now(UTC)


@contextmanager
def open_store(home: Path) -> Iterator[Store]:
    """The writing store of a home, under the writer's lock.

    Raises:
        HeldError: another process writes. StoreError: the database cannot be used.
    """
    prepare_home(home)
    with WriterLock(home), Store(home, utc_now) as store:
        yield store


def ingest(
    home: Path,
    config: Config,
    paths: Sequence[Path],
    source: str | None,
    progress: Progress,
    ask_daemon: Callable[[str, dict[str, Any]], dict[str, Any] | None] | None = None,
) -> dict[str, Any]:
    """Read *paths* (or every root) into the store; the answer has the fields of the contract.

    Raises:
        UsageError: unknown source or path. HeldError: another command writes right now.
    """
    sources = build_sources(config)
    chosen = find_source(source, sources) if source else None
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
    with open_store(home) as store:
        reader = Ingest(store, sources if chosen is None else [chosen], progress)
        report = reader.paths(paths, chosen) if paths else reader.everything()
    return report.to_json()


def all_sources(config: Config) -> list[Source]:
    """Every source that the configuration enables."""
    return build_sources(config)

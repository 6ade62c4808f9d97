"""What a writing command works with: the store, the configuration, the reader of transcripts."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.service.ingest import Ingest
from memoryd.service.watching.scanner import Scanner
from memoryd.sources.registry import build_sources
from memoryd.store.store import Store

Tell = Callable[[Any], None]


def utc_now() -> datetime:
    """The clock of the shell; rooms below take times as arguments."""
    return datetime.now(UTC)


class Writer:
    """Everything a writing command works with. Lives in one thread, behind the writer's lock."""

    def __init__(self, store: Store, config: Config, stopped: Callable[[], bool]) -> None:
        self.store = store
        self._stopped = stopped
        self.configure(config)

    def configure(self, config: Config) -> None:
        """Work by another configuration from now on."""
        self.config = config
        self.scanner = Scanner(Ingest(self.store, build_sources(config), stopped=self._stopped))


@contextmanager
def open_writer(
    home: Path, config: Config, stopped: Callable[[], bool] = lambda: False
) -> Iterator[Writer]:
    """Open the store for writing; the caller holds the lock.

    Args:
        stopped: asked between batches and while the database works: being asked is a sign of life.

    Raises:
        StoreError: the database cannot be used. ConfigError: a source cannot be made.
    """
    with Store(home, utc_now, progress=stopped) as store:
        yield Writer(store, config, stopped)


Command = Callable[[Writer, Mapping[str, Any], Tell], Any]

"""A small source over real files, and waiting for what happens in other threads."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from memoryd.config import Config
from memoryd.model import Batch, Cursor
from memoryd.sources.base import Source
from memoryd.sources.registry import build_sources
from tests.service.file_helpers import Desk


class NotesSource(Source):
    """Every `*.jsonl` file is a transcript; a `.zst` twin and a `-wal` belong to their main file."""

    name = "notes"
    title = "Notes"

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        return ()

    def transcript(self, path: Path) -> Path | None:
        plain = path.name.removesuffix(".zst").removesuffix("-wal")
        return path.with_name(plain) if plain.endswith((".jsonl", ".db")) else None

    def recognises(self, head: bytes) -> bool:
        return False

    def read(self, path: Path, cursor: Cursor | None) -> Iterator[Batch]:
        return iter(())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def notes() -> Callable[..., Source]:
    """Makes a source of notes over the given roots."""

    def make(*roots: Path) -> Source:
        return NotesSource(roots)

    return make


@pytest.fixture
def eventually() -> Callable[..., bool]:
    """Waits for a claim to become true; False if it did not in time."""

    def wait(claim: Callable[[], object], seconds: float = 5.0) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if claim():
                return True
            time.sleep(0.01)
        return bool(claim())

    return wait


@pytest.fixture
def every_source() -> Callable[[], list[Source]]:
    """Makes the sources of the default configuration."""
    return lambda: build_sources(Config())


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A user with Hermes whose files may be rewritten."""
    return Desk(tmp_path, monkeypatch)

"""Transcripts of Claude Code in a folder of their own, a home, and what both hold."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import zstandard

from memoryd.config import (
    ArchiveConfig,
    Config,
    EmbeddingConfig,
    HistoryConfig,
    IngestConfig,
    SourceConfig,
    SourcesConfig,
)
from memoryd.service.commands import carry_out
from memoryd.service.history.archive import Archive, Copy, archive_transcripts, refused_by
from memoryd.service.home import prepare_home
from memoryd.store.reader import Reader
from tests.agents import claude_session

WRITTEN = datetime(2026, 11, 1, 12, tzinfo=UTC)
SESSION = "5e551011-aaaa-4bbb-8ccc-00000000000"


class Life:
    """A user with transcripts, and memoryd beside him."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.home = folder / "home"
        prepare_home(self.home)
        self.root = folder / "projects"
        self.options = options
        self.limits = HistoryConfig()
        self.embedding = EmbeddingConfig(engine="none")  # a model takes seconds to load

    def config(self, *, tool_output_chars: int = 2000, max_bytes: int = 10_000_000) -> Config:
        return Config(
            sources=SourcesConfig(
                discover=False,
                by_name={"claude-code": SourceConfig(roots=(str(self.root),))} | self.options,
            ),
            ingest=IngestConfig(tool_output_chars=tool_output_chars),
            archive=ArchiveConfig(max_bytes=max_bytes),
            history=self.limits,
            embedding=self.embedding,
        )

    def write(self, number: int, turns: Sequence[tuple[str, ...]], *, day: float = 0) -> Path:
        """Write a session, last changed so many days after WRITTEN."""
        session = f"{SESSION}{number}"
        path = self.root / "-work-shop" / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(claude_session(session, turns))
        return date(path, day)

    def ask(self, command: str, *, config: Config | None = None, **arguments: Any) -> Any:
        return carry_out(self.home, config or self.config(), command, arguments)

    def archive(self, *, day: float = 9, **options: Any) -> dict[str, Any]:
        """Archive as the night of that day would."""
        now = WRITTEN + timedelta(days=day)
        return archive_transcripts(self.home, self.config(**options), refused_by(self.home), now)

    def copies(self) -> list[Copy]:
        return list(Archive(self.home).copies())

    def rows(self, *columns: str) -> list[tuple[Any, ...]]:
        with Reader(self.home) as reader:
            sql = f"select {', '.join(columns)} from message order by id"
            return reader.connection.execute(sql).fetchall()


def date(path: Path, day: float) -> Path:
    """Let a file be last changed so many days after WRITTEN."""
    time = int((WRITTEN + timedelta(days=day)).timestamp() * 1e9)
    os.utime(path, ns=(time, time))
    return path


def unpacked(copy: Copy) -> bytes:
    """The bytes of a copy."""
    with copy.path.open("rb") as file:
        return zstandard.ZstdDecompressor().stream_reader(file).read()


def records(data: bytes) -> list[dict[str, Any]]:
    """Every line of a copy, which must be JSON."""
    return [json.loads(line) for line in data.splitlines()]

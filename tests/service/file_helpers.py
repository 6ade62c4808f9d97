"""A user with agents and memory files, and short ways to do what the commands do."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memoryd.config import Config, FilesConfig, SourceConfig, SourcesConfig
from memoryd.memory_files.sections import join_sections, parse_sections
from memoryd.model import Entry
from memoryd.service.bank.consolidation import consolidate
from memoryd.service.bank.view import listed
from memoryd.service.commands import carry_out
from memoryd.service.files import filing
from memoryd.service.files import overview as files
from memoryd.service.files.keeping import Leave, sync_files
from memoryd.service.files.writing import file_run, undo_write
from memoryd.store.reader import Reader

AGENTS = (
    "HERMES_HOME",
    "OPENCLAW_STATE_DIR",
    "OPENCLAW_CONFIG_PATH",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
)


class Desk:
    """A user's folder with Hermes in it, and memoryd's home."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.user = folder / "user"
        self.home = folder / "home"
        self.memories = self.user / ".hermes" / "memories"
        self.memories.mkdir(parents=True, mode=0o700)
        self.home.mkdir(mode=0o700, exist_ok=True)
        for path in (self.user, self.user / ".hermes"):
            path.chmod(0o700)
        monkeypatch.setenv("HOME", str(self.user))
        for name in AGENTS:
            monkeypatch.delenv(name, raising=False)
        roots = SourceConfig(roots=(str(self.user / "chats"),))
        sources = SourcesConfig(discover=False, by_name={"claude-code": roots})
        self.unapproved = Config(sources=sources)
        self.config = Config(sources=sources, files=FilesConfig(approve=("hermes", "openclaw")))

    @property
    def memory(self) -> Path:
        """Hermes' MEMORY.md."""
        return self.memories / "MEMORY.md"

    def approving(self, *names: str) -> Config:
        """The configuration that approves these."""
        return replace(self.config, files=FilesConfig(approve=names))

    def write(self, *entries: str, path: Path | None = None) -> Path:
        """Write entries as Hermes does."""
        path = path or self.memory
        path.write_text(join_sections(entries), encoding="utf-8")
        return path

    def contents(self, path: Path | None = None) -> list[str]:
        """The entries of a Hermes file."""
        text = (path or self.memory).read_text(encoding="utf-8")
        return [piece.content for piece in parse_sections(text).entries]

    def file(self, name: str, text: str) -> Path:
        """A file below the user's folder."""
        path = self.user / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(text, encoding="utf-8")
        return path

    def compact(self, path: Path | None = None, **options: Any) -> dict[str, Any]:
        given = {"profile": None, "target_percent": 70.0, "dry_run": False, **options}
        config = given.pop("config", self.config)
        return filing.compact(self.home, config, path or self.memory, **given)

    def add(self, text: str, path: Path | None = None) -> dict[str, Any]:
        return filing.add_to_file(self.home, self.config, path or self.memory, text, profile=None)

    def sync(self, *paths: Path, write: bool = False, **options: Any) -> dict[str, Any]:
        config = options.pop("config", self.config)
        leave = Leave(update=write, compact=write, **options)
        return sync_files(self.home, config, leave, paths)

    def check(self, *paths: Path, profile: str | None = None) -> dict[str, Any]:
        return files.check(self.home, paths, profile)

    def snapshot(self, *paths: Path, session: str = "s", **options: Any) -> str:
        given = {"context_tokens": None, "used_tokens": 0, "session": session, **options}
        return files.snapshot(self.home, self.config, paths, None, **given)

    def ask(self, command: str, **arguments: Any) -> Any:
        return carry_out(self.home, self.config, command, arguments)

    def ask_consolidate(self) -> dict[str, Any]:
        return consolidate(self.home, self.config, None, dry_run=False)

    def undo(self, run_id: str) -> dict[str, Any]:
        """As `memoryd undo` does."""
        with Reader(self.home) as reader:
            wrote = file_run(reader.connection, run_id)
        if wrote is None:
            done: dict[str, Any] = self.ask("undo", run=run_id)
            return done
        return undo_write(self.home, self.config, wrote)

    def bank(self, *states: str) -> dict[str, Entry]:
        """Entries of the bank by their words; without *states* the active ones."""
        with Reader(self.home) as reader:
            found = listed(reader, None, None, states or ("active",))
        return {one.content: one for one in found}

    def states(self) -> dict[str, str]:
        """The state of every entry by its words."""
        with Reader(self.home) as reader:
            return {one.content: one.state for one in listed(reader, None, None, ())}

    def words(self, path: Path) -> str:
        """Everything that memoryd keeps in its folder, as bytes that were decoded loosely."""
        return "".join(
            one.read_bytes().decode("utf-8", "replace")
            for one in sorted(path.rglob("*"))
            if one.is_file() and os.access(one, os.R_OK)
        )

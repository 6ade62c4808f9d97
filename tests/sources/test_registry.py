"""Which sources a configuration gives, and whose a file is."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import zstandard

from memoryd.config import Config, parse_config
from memoryd.errors import ConfigError, UsageError
from memoryd.sources import registry
from memoryd.sources.registry import (
    build_sources,
    detect,
    find_source,
    reader_of,
    source_classes,
)
from tests.sources.contract import line
from tests.sources.test_claude_code import user
from tests.sources.test_codex import item, meta


def config(**sources: Any) -> Config:
    return parse_config({"sources": sources}, "config.toml")


def names(configuration: Config) -> list[str]:
    return [source.name for source in build_sources(configuration)]


def test_every_built_in_source_is_there_by_default_and_named_once() -> None:
    found = names(Config())

    assert len(registry.BUILT_IN) == len(found) == len(set(found))
    assert {"claude-code", "codex"} <= set(found)


def test_without_discovery_only_what_is_named() -> None:
    assert ["codex"] == names(config(discover=False, codex={}))


def test_a_disabled_source_is_left_out() -> None:
    assert "codex" not in names(config(codex={"enabled": False}))


def test_configured_roots_replace_the_default_ones() -> None:
    sources = build_sources(config(codex={"roots": ["~/elsewhere"]}))

    assert (Path.home() / "elsewhere",) == find_source("codex", sources).roots


def test_limits_come_from_the_configuration() -> None:
    configuration = parse_config({"ingest": {"tool_output_chars": 7, "max_line_bytes": 9}}, "c")
    limits = build_sources(configuration)[0].limits

    assert (7, 9) == (limits.tool_output_chars, limits.line_bytes)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"cladue-code": {}}, "no such source; known: .*claude-code"),
        ({"codex": {"type": "jsonl", "roots": ["/x"]}}, "is a built-in source"),
        ({"mine": {"type": "notes"}}, "roots: expected at least one"),
        (
            {"mine": {"type": "notes", "roots": ["~nobody-at-all/x"]}},
            "sources.mine: roots: Could not",
        ),
        ({"codex": {"roots": ["~nobody-at-all/x"]}}, "sources.codex: roots: Could not determine"),
    ],
)
def test_a_wrong_name_or_table_is_a_configuration_error(table: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        build_sources(config(**table))


def test_an_unknown_source_asked_for_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"known: .*codex"):
        find_source("nobody", build_sources(Config()))


def test_content_decides_whose_a_file_is(tmp_path: Path) -> None:
    sources = build_sources(Config())
    claude, codex = tmp_path / "rollout-x.jsonl", tmp_path / "some.jsonl"
    claude.write_bytes(line({"type": "mode", "mode": "x", "sessionId": "s"}) + line(user(1, "hi")))
    codex.write_bytes(line(meta()) + line(item(1, "user", "hi")))

    assert "claude-code" == _name(detect(claude, sources))
    assert "codex" == _name(detect(codex, sources))


def test_a_compressed_file_is_detected_by_what_is_in_it(tmp_path: Path) -> None:
    twin = tmp_path / "some.jsonl.zst"
    twin.write_bytes(zstandard.compress(line(meta()) + line(item(1, "user", "hi"))))

    assert "codex" == _name(detect(twin, build_sources(Config())))


def test_where_content_tells_nothing_name_and_place_do(tmp_path: Path) -> None:
    sources = build_sources(config(**{"claude-code": {"roots": [str(tmp_path)]}}))
    below = tmp_path / "p" / "x.jsonl"
    below.parent.mkdir()
    below.write_bytes(b'{"unknown":1}\n')

    assert "claude-code" == _name(detect(below, sources))
    assert detect(tmp_path.parent / "x.jsonl", sources) is None


def test_names_that_tell_are_those_of_one_agent() -> None:
    """Half a first line says nothing yet; a fork must not take it for its own."""
    sources = build_sources(Config())
    for name in (
        "rollout-2026-03-11T00-00-00-019ce0d1-2189-7980-bde2-9b5c50289100.jsonl",
        "state.vscdb",
        "threads.db",
        "crush.db",
        ".aider.chat.history.md",
    ):
        telling = [one for one in sources if one.names_tell and one.transcript(Path("/x/y") / name)]

        assert len(telling) <= 1, name


@pytest.mark.parametrize("content", [b"", b"# words\n", b"\x89PNG", b'{"some":"json"}'])
def test_what_is_nobodys_stays_nobodys(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)

    assert detect(path, build_sources(Config())) is None


def test_another_agents_content_goes_to_its_own_reader(tmp_path: Path) -> None:
    sources = build_sources(Config())
    claude, path = find_source("claude-code", sources), tmp_path / "x.jsonl"
    path.write_bytes(line(meta()))
    assert "codex" == reader_of(path, claude, sources).name

    path.write_bytes(line(user(1, "hi")))
    assert claude is reader_of(path, claude, sources)

    path.write_bytes(b"")
    assert claude is reader_of(path, claude, sources)


class _Point:
    """An entry point as `importlib.metadata` gives it."""

    def __init__(self, name: str, value: str) -> None:
        self.name = name
        self._module, self._attribute = value.split(":")

    def load(self) -> Any:
        return getattr(__import__(self._module), self._attribute)


def test_a_package_may_add_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    base = source_classes()["codex"]
    module = ModuleType("other_agent")
    module.Other = type("Other", (base,), {"name": "other", "title": "Other"})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other_agent", module)
    _offer(monkeypatch, [_Point("other", "other_agent:Other")])

    assert "other" in names(Config())


def test_a_package_whose_source_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    _offer(monkeypatch, [_Point("broken", "no_such_module_anywhere:X")])

    with pytest.raises(ConfigError, match="broken"):
        build_sources(Config())


def _offer(monkeypatch: pytest.MonkeyPatch, points: Sequence[_Point]) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: points)


def _name(source: Any) -> str | None:
    return None if source is None else source.name

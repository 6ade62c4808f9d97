"""Exported Claude Code sessions: the same records in one document."""

import json
from pathlib import Path

from memoryd.config import Config
from memoryd.sources.claude_export import ClaudeCodeWithExports
from memoryd.sources.registry import build_sources, detect
from tests.sources.contract import harvest, line
from tests.sources.test_claude_code import assistant, text, user

RECORDS = [user(1, "写一个函数"), assistant(2, text("Done.")), {"type": "summary"}]


def export(tmp_path: Path) -> Path:
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"loglines": RECORDS}, indent=2), encoding="utf-8")
    return path


def test_an_export_given_by_hand_is_recognised_and_read(tmp_path: Path) -> None:
    path = export(tmp_path)
    source = detect(path, build_sources(Config()))

    assert source is not None
    assert "claude-code" == source.name
    assert [("user", "写一个函数"), ("assistant", "Done.")] == harvest(source, path).turns


def test_an_export_meets_its_transcript(tmp_path: Path) -> None:
    transcript = tmp_path / "s.jsonl"
    transcript.write_bytes(b"".join(map(line, RECORDS)))
    source = ClaudeCodeWithExports([tmp_path])

    assert harvest(source, transcript).texts == harvest(source, export(tmp_path)).texts


def test_exports_are_not_looked_for(tmp_path: Path) -> None:
    export(tmp_path)

    assert [] == list(ClaudeCodeWithExports([tmp_path]).discover(tmp_path))

"""Why something was left out is said in words, also where the record names no kind of its own."""

import json
from pathlib import Path

import pytest

from memoryd.config import Config
from memoryd.sources.claude_code import ClaudeCode
from memoryd.sources.jsonl import JsonLinesSource
from memoryd.sources.registry import build_sources
from tests.sources.contract import harvest, line

SOURCES = [one for one in build_sources(Config()) if isinstance(one, JsonLinesSource)]
KINDS: tuple[object, ...] = (None, "", 5, [], {}, {"a": 1}, "surprise")
FIELDS = ("type", "kind", "role", "event", "record_type", "subtype", "payload", "message", "part")


def nameless() -> list[dict[str, object]]:
    """Records whose kind is missing, or no text, at the top or one level down."""
    found: list[dict[str, object]] = [{}]
    for field in FIELDS:
        for kind in KINDS:
            found.append({field: kind})
            for outer in ("user", "assistant", "system", "message", "event_msg", "response_item"):
                content = [{field: kind}, {"type": kind}]
                found += [
                    {"type": outer, "sessionId": "s", field: {"type": kind, "role": kind}},
                    {"type": outer, "role": outer, "message": {"role": outer, "content": content}},
                    {"type": outer, "role": outer, "content": content, "subtype": kind},
                    {"type": outer, "payload": {"type": kind, "role": kind, "content": content}},
                ]
    return found


@pytest.mark.parametrize("source", SOURCES, ids=lambda one: one.name)
def test_a_record_without_a_kind_is_left_out_for_a_reason_in_words(
    source: JsonLinesSource, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"".join(map(line, nameless())))

    for reason in harvest(source, path).skipped:
        assert reason.strip()
        assert "None" not in reason
        assert not set("{}[]") & set(reason)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("words", ["Good morning", "早上好，数据库的端口是多少？", "😀"])
def test_another_encoding_is_named(tmp_path: Path, encoding: str, words: str) -> None:
    path = tmp_path / "session.jsonl"
    record = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": words}}
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for _ in range(3))
    path.write_bytes(text.encode(encoding))
    found = harvest(ClaudeCode([tmp_path]), path)

    assert found.skipped == {}
    # A character whose code holds the byte of a newline (上 is 4E0A) tears a line there.
    assert "not UTF-8 but UTF-16" in {reason for _, _, reason in found.rejects}

"""Generic sources: any JSON lines, told where the fields are, and notes."""

from pathlib import Path
from typing import Any

import pytest

from memoryd.config import parse_config
from memoryd.sources.base import Source
from memoryd.sources.generic import GenericJsonLines
from memoryd.sources.notes import Notes
from memoryd.sources.registry import build_sources, find_source
from tests.sources.contract import Harvest, SourceContract, harvest, line


def jsonl(root: Path, **options: Any) -> GenericJsonLines:
    return GenericJsonLines("mine", [root], **options)


def read(source: Source, path: Path, *records: Any, into: Harvest | None = None) -> Harvest:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(line, records)))
    return harvest(source, path, into)


class TestGenericJsonLines(SourceContract):
    source_class = GenericJsonLines
    file_name = "chats/one.jsonl"
    records = (
        {"id": 1, "role": "human", "content": "hello", "ts": 1767225600},
        {"id": 2, "role": "ai", "content": [{"type": "text", "text": "你好"}], "ts": 1767225601},
        {"id": 3, "role": "banner", "content": "noise"},
        {"role": "user", "content": "yes"},
        {"role": "assistant", "content": "again?"},
        {"role": "user", "content": "yes"},
    )
    turns = (
        ("user", "hello"),
        ("assistant", "你好"),
        ("user", "yes"),
        ("assistant", "again?"),
        ("user", "yes"),
    )
    session_ids = ("one",)
    essential = (3, 5)  # the same words without id and time are told apart by counting

    def make(self, root: Path, limits: Any = None) -> Source:
        return GenericJsonLines("mine", [root], limits)

    def test_its_files_are_found_and_recognised(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, self.data)

        assert [path] == list(self.make(tmp_path).discover(tmp_path))


def test_fields_are_found_under_dotted_names(tmp_path: Path) -> None:
    fields = {
        "role": "who.kind", "text": "body.parts.0.words", "time": "when", "session": "room",
        "id": "key", "project": "place", "title": "subject",
    }  # fmt: skip
    record = {
        "who": {"kind": "USER"}, "body": {"parts": [{"words": "deep"}]}, "when": "2026-01-02T03:04:05+02:00",
        "room": "r1", "key": "k1", "place": "/p", "subject": "Subject", "text": "not this",
    }  # fmt: skip
    found = read(jsonl(tmp_path, fields=fields), tmp_path / "x.jsonl", record)
    (message,) = found.messages.values()

    assert ("deep", "user", "r1", "k1") == (
        message.text,
        message.role,
        message.session_id,
        message.native_id,
    )
    assert str(message.time) == "2026-01-02 03:04:05+02:00"
    assert found.sessions == {"r1": {"project": "/p", "title": "Subject"}}


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("", ["a.jsonl", "b/c.jsonl", "d.jsonl.zst"], ["a.json"]),
        ("*.log", ["a.log"], ["b/a.log", "a.jsonl"]),
        ("**/*.log", ["a.log", "b/c/a.log"], ["a.logs"]),
        ("chats/**/log-?.ndjson", ["chats/log-1.ndjson", "chats/x/log-2.ndjson"], ["log-1.ndjson", "chats/log-12.ndjson"]),
    ],
)  # fmt: skip
def test_a_pattern_says_which_files(
    tmp_path: Path, pattern: str, yes: list[str], no: list[str]
) -> None:
    source = jsonl(tmp_path, pattern=pattern)

    assert all(source.transcript(tmp_path / name) is not None for name in yes)
    assert all(source.transcript(tmp_path / name) is None for name in no)


def test_the_configuration_makes_generic_sources(tmp_path: Path) -> None:
    tables = {
        "mine": {
            "type": "jsonl",
            "roots": [str(tmp_path)],
            "pattern": "*.log",
            "fields": {"text": "t"},
        },
        "zettel": {"type": "notes", "roots": [str(tmp_path)]},
    }
    sources = build_sources(parse_config({"sources": tables}, "c"))
    found = read(find_source("mine", sources), tmp_path / "x.log", {"role": "user", "t": "words"})

    assert [("user", "words")] == found.turns
    assert isinstance(find_source("zettel", sources), Notes)


def test_tool_output_is_clipped(tmp_path: Path) -> None:
    found = read(
        jsonl(tmp_path), tmp_path / "x.jsonl", {"role": "tool", "content": "a" * 5000 + "z"}
    )
    (text,) = found.texts.values()

    assert len(text) <= 2000
    assert text.endswith("z")


NOTE = """# Garden

Intro.

## Roses 玫瑰
Water them.

```
# not a heading
```

## Soil
Clay.
"""


class TestNotes:
    def note(self, root: Path, text: str, into: Harvest | None = None) -> Harvest:
        path = root / "deep" / "garden.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return harvest(Notes("notes", [root]), path, into)

    def test_sections_are_messages_and_the_first_heading_is_the_title(self, tmp_path: Path) -> None:
        found = self.note(tmp_path, NOTE)
        texts = [*found.texts.values()]

        assert ["# Garden\n\nIntro.", "## Soil\nClay."] == [texts[0], texts[2]]
        assert "# not a heading" in texts[1]
        assert found.sessions == {"deep/garden.md": {"title": "Garden"}}
        assert all(m.time is not None for m in found.messages.values())

    def test_nothing_of_a_note_is_lost(self, tmp_path: Path) -> None:
        long = "# T\n\n" + "\n\n".join(f"paragraph {n} " + "x" * 200 for n in range(50))
        found = self.note(tmp_path, long)

        assert 1 < len(found.messages) < 20
        assert all(any(f"paragraph {n} " in t for t in found.texts.values()) for n in range(50))

    def test_an_edited_section_replaces_what_it_was(self, tmp_path: Path) -> None:
        found = self.note(tmp_path, NOTE)
        before = set(found.messages)
        self.note(tmp_path, NOTE.replace("Clay.", "Sand."), found)

        assert 3 == len(found.messages)
        assert 2 == len(before & set(found.messages))
        assert "## Soil\nSand." in found.texts.values()

    def test_two_hundred_rewrites_end_with_the_last(self, tmp_path: Path) -> None:
        found = Harvest()
        for number in range(200):
            self.note(tmp_path, NOTE + f"\n## Day {number % 7}\nword {number:03}\n", found)

        assert found.texts == self.note(tmp_path, (tmp_path / "deep/garden.md").read_text()).texts

    def test_an_unchanged_note_yields_nothing(self, tmp_path: Path) -> None:
        found = self.note(tmp_path, NOTE)
        source = Notes("notes", [tmp_path])

        assert [] == list(source.read(tmp_path / "deep/garden.md", found.cursor))

    def test_a_note_moved_to_another_folder_doubles_nothing(self, tmp_path: Path) -> None:
        found = self.note(tmp_path, NOTE)
        moved = tmp_path / "garden.md"
        (tmp_path / "deep/garden.md").rename(moved)

        assert found.texts == harvest(Notes("notes", [tmp_path]), moved).texts

    @pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf# BOM\r\n\r\nx\r\n", b"caf\xe9 \0 x"])
    def test_odd_bytes_are_read(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "n.txt"
        path.write_bytes(content)
        found = harvest(Notes("notes", [tmp_path]), path)

        assert all("\0" not in text and "\r" not in text for text in found.texts.values())

    def test_spans_point_at_the_sections_bytes(self, tmp_path: Path) -> None:
        found = self.note(tmp_path, NOTE)
        data = NOTE.encode()

        for message in found.messages.values():
            assert message.span is not None
            assert message.text == data[slice(*message.span)].decode().strip()

"""OpenClaw in files: wrappers of channels come off, the gateway's own words are no person's."""

from pathlib import Path

import pytest
import zstandard

from memoryd.config import Config
from memoryd.sources.openclaw_files import OpenClawFiles
from memoryd.sources.openclaw_text import human_text, spoken_text
from memoryd.sources.registry import build_sources, detect
from tests.sources.contract import SourceContract, harvest, line
from tests.sources.test_pi import entry, header

SESSION = "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c00"
WRAPPED = """Conversation info (untrusted metadata):
```json
{"message_id": "7", "sender": "+1"}
```

Sender (untrusted metadata):
```json
{"name": "Me"}
```

[Sun 2026-03-08 22:03 GMT+9] 明天提醒我"""


class TestOpenClawFiles(SourceContract):
    source_class = OpenClawFiles
    file_name = f"agents/main/sessions/{SESSION}.jsonl"
    records = (
        header(id=SESSION),
        entry(1, "user", [{"type": "text", "text": WRAPPED}]),
        entry(2, "assistant", [{"type": "text", "text": "[[reply_to_current]] 好的"}]),
        entry(3, "user", "Read HEARTBEAT.md if it exists. Otherwise reply HEARTBEAT_OK."),
        entry(4, "assistant", "HEARTBEAT_OK"),
        entry(5, "user", "status?"),
        entry(6, "user", "status?"),
        entry(7, "user", "status?"),
        entry(8, "assistant", "All well."),
        entry(9, "user", "status?"),
    )
    turns = (
        ("user", "明天提醒我"),
        ("assistant", "好的"),
        ("user", "status?"),
        ("assistant", "All well."),
        ("user", "status?"),
    )
    session_ids = (SESSION,)
    essential = (0, 5, 6, 8)  # a repeated prompt depends on what stands before it


@pytest.mark.parametrize(
    "name",
    [
        f"{SESSION}.jsonl.reset.2026-05-01T04-00-00.000Z",
        f"{SESSION}.jsonl.deleted.2026-05-01T04-00-00.000Z",
        f"{SESSION}-topic-42.jsonl",
        "cold/0a1b2c.jsonl",
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_renamed_and_archived_files_meet_the_live_one(
    tmp_path: Path, name: str, compressed: bool
) -> None:
    data = TestOpenClawFiles().data
    folder = tmp_path / "agents/main/sessions"
    path = folder / (name + ".zst" if compressed else name)
    path.parent.mkdir(parents=True)
    path.write_bytes(zstandard.compress(data) if compressed else data)
    source = OpenClawFiles([tmp_path])
    (found,) = source.discover(tmp_path)
    live = folder / f"{SESSION}.jsonl"
    live.write_bytes(data)

    assert harvest(source, found).texts == harvest(source, live).texts


def test_checkpoints_and_indexes_are_left_out_everywhere(tmp_path: Path) -> None:
    folder = tmp_path / "agents/main/sessions"
    folder.mkdir(parents=True)
    checkpoint = folder / f"{SESSION}.checkpoint.1111.jsonl"
    checkpoint.write_bytes(line(header()) + line(entry(1, "user", "again")))
    (folder / "sessions.json").write_text("{}")

    assert [] == list(OpenClawFiles([tmp_path]).discover(tmp_path))
    assert detect(checkpoint, build_sources(Config())) is None


@pytest.mark.parametrize(
    ("raw", "human"),
    [
        ("plain", "plain"),
        (WRAPPED, "明天提醒我"),
        ('Conversation info (untrusted metadata):\n\n{\n "sender": "ui"\n}\n[Tue 2026-02-17 21:30 UTC] hi', "hi"),
        ("[iMessage +1555 Mon 2026-02-23 16:05] hello", "hello"),
        ("System: [2026-02-23 16:05] Node connected\n\nhello", "hello"),
        ("hello\n[message_id: 42]", "hello"),
        ("[WhatsApp] is bracketed but no header", "[WhatsApp] is bracketed but no header"),
        ("[cron:abc daily] Summarise", ""),
        ("A new session was started via /new or /reset. Greet the user.", ""),
        ("Pre-compaction memory flush. Store durable memories.", ""),
    ],
)  # fmt: skip
def test_what_a_person_wrote(raw: str, human: str) -> None:
    assert human == human_text(raw)


@pytest.mark.parametrize(
    ("raw", "spoken"),
    [
        ("[[reply_to: 7]] done", "done"),
        ("NO_REPLY", ""),
        ("HEARTBEAT_OK", ""),
        ("NO_REPLY means silence", "NO_REPLY means silence"),
    ],
)
def test_what_an_assistant_said(raw: str, spoken: str) -> None:
    assert spoken == spoken_text(raw)

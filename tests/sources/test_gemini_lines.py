"""Gemini CLI's JSON lines: the last word on an id counts, a rewind withdraws, compression does not."""

from pathlib import Path
from typing import Any

from memoryd.sources.gemini_lines import GeminiLines
from tests.sources.contract import Harvest, SourceContract, harvest, line

SESSION = "7d1c3b5e-0000-4000-8000-000000000001"
FILE = "0b7dfb12/chats/session-2026-04-29T21-39-7d1c3b5e.jsonl"
HEADER = {"sessionId": SESSION, "projectHash": "0b7dfb12", "startTime": "2026-04-29T21:39:22Z", "lastUpdated": "2026-04-29T21:39:22Z", "kind": "main"}  # fmt: skip
CALL = {"id": "ls-1", "name": "run_shell_command", "args": {"command": "ls -F"}, "status": "success", "result": [{"functionResponse": {"id": "ls-1", "name": "run_shell_command", "response": {"output": "a.md"}}}]}  # fmt: skip


def message(identifier: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": identifier, "timestamp": "2026-04-29T21:39:33.155Z", "type": kind, "content": content, **more}  # fmt: skip


def read(tmp_path: Path, *records: Any, into: Harvest | None = None, name: str = FILE) -> Harvest:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(line, (HEADER, *records))))
    return harvest(GeminiLines([tmp_path]), path, into)


class TestGeminiLines(SourceContract):
    source_class = GeminiLines
    file_name = FILE
    records = (
        HEADER,
        message("u0", "user", "<session_context>\nToday is\n</session_context>"),
        message("u1", "user", [{"text": "列出文件"}]),
        {"$set": {"lastUpdated": "2026-04-29T21:39:34Z"}},
        message(
            "g1", "gemini", "", toolCalls=[CALL], model="gemini-3", thoughts=[{"subject": "s"}]
        ),
        message("i1", "info", "Update available"),
        message("g2", "gemini", "One file."),
        message("u2", "user", "/quit"),
        message("u3", "user", "expanded by a command", displayContent="what I typed"),
    )
    turns = (("user", "列出文件"), ("assistant", "One file."), ("user", "what I typed"))
    session_ids = (SESSION,)

    def test_tools_and_skips(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert ["run_shell_command: ls -F", "a.md"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]
        assert found.skipped == {"injected": 2, "$set": 1, "thinking": 1, "info": 1}


def test_the_last_record_with_an_id_wins(tmp_path: Path) -> None:
    first, second = message("g1", "gemini", "Hel"), message("g1", "gemini", "Hello there")

    assert [("assistant", "Hello there")] == read(tmp_path, first, second).turns


def test_a_rewind_withdraws_the_message_and_all_after_it(tmp_path: Path) -> None:
    said = [message(f"u{n}", "user", f"words {n}") for n in range(4)]
    found = read(tmp_path, *said)
    read(tmp_path, *said, {"$rewindTo": "u2"}, message("u9", "user", "instead"), into=found)

    assert ["words 0", "words 1", "instead"] == [text for _, text in found.turns]


def test_a_rewind_takes_tools_with_it_and_an_unknown_id_everything(tmp_path: Path) -> None:
    found = read(tmp_path, message("g1", "gemini", "x", toolCalls=[CALL]), {"$rewindTo": "nowhere"})

    assert {} == found.messages


def test_a_snapshot_of_the_history_adds_and_never_withdraws(tmp_path: Path) -> None:
    old, new = message("u1", "user", "before compression"), message("u2", "user", "after")
    found = read(tmp_path, old, {"$set": {"messages": [new]}})

    assert ["before compression", "after"] == [text for _, text in found.turns]


def test_a_sub_agent_and_the_project_are_told_by_what_lies_around(tmp_path: Path) -> None:
    (tmp_path / "0b7dfb12").mkdir()
    (tmp_path / "0b7dfb12" / ".project_root").write_text("/home/me/work\n")
    path = tmp_path / "0b7dfb12/chats/parent-1/child.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(line({**HEADER, "kind": "subagent"}) + line(message("u1", "user", "go")))

    assert harvest(GeminiLines([tmp_path]), path).sessions[SESSION] == {
        "project": "/home/me/work",
        "parent_id": "parent-1",
    }

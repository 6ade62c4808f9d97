"""Qwen Code: Gemini's parts in Claude Code's envelopes."""

from pathlib import Path
from typing import Any

from memoryd.sources.qwen import QwenCode
from tests.sources.contract import SourceContract, harvest

SESSION = "019f0000000070008000000000000100"


def record(number: int, kind: str, *parts: Any, **more: Any) -> dict[str, Any]:
    role = "model" if kind == "assistant" else "user"
    body = {"message": {"role": role, "parts": list(parts)}} if parts else {}
    return {"uuid": f"u{number}", "parentUuid": None, "sessionId": SESSION, "timestamp": f"2026-08-17T12:30:{number:02}.000Z", "type": kind, "cwd": "/home/me/work", "gitBranch": "dev", **body, **more}  # fmt: skip


class TestQwenCode(SourceContract):
    source_class = QwenCode
    file_name = f"-home-me-work/chats/{SESSION}.jsonl"
    records = (
        record(0, "system", subtype="ui_telemetry", systemPayload={"uiEvent": {}}),
        record(1, "user", {"text": "你好，看看 README"}),
        record(2, "assistant", {"text": "thinking", "thought": True}, {"text": "好的"}, {"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "README"}}}, model="coder"),
        record(3, "tool_result", {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "# Hi"}}}),
        record(4, "user", {"text": "<qwen:user-prompt-submit-context>x</qwen:user-prompt-submit-context>"}, {"text": "go on"}),
        record(5, "user", {"text": "expanded"}, systemPayload={"displayText": "/mine as typed"}),
        record(6, "system", subtype="slash_command", systemPayload={"phase": "invocation", "rawCommand": "/summary"}),
        record(7, "system", subtype="slash_command", systemPayload={"phase": "result", "rawCommand": "/summary"}),
    )  # fmt: skip
    turns = (
        ("user", "你好，看看 README"),
        ("assistant", "好的"),
        ("user", "go on"),
        ("user", "/mine as typed"),
        ("user", "/summary"),
    )
    session_ids = (SESSION,)
    essential = ()

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions == {
            SESSION: {"project": "/home/me/work", "branch": "dev", "model": "coder"}
        }
        assert ["read_file: README", "# Hi"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]

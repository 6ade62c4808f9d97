"""Copilot CLI: events, and sub-agents in the same file."""

from pathlib import Path
from typing import Any

from memoryd.sources.copilot_cli import CopilotCli
from tests.sources.contract import SourceContract, harvest, line

SESSION = "7cf44517-55ca-435c-893a-3fde1973a400"


def event(number: int, kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": f"e{number}", "timestamp": f"2026-07-20T05:13:{number:02}.000Z", "parentId": None}  # fmt: skip


START = event(0, "session.start", sessionId=SESSION, selectedModel="gpt-5-mini", context={"cwd": "/home/me/work", "branch": "main"})  # fmt: skip


class TestCopilotCli(SourceContract):
    source_class = CopilotCli
    file_name = f"session-state/{SESSION}/events.jsonl"
    records = (
        START,
        event(1, "system.message", role="system", content="You are the GitHub Copilot CLI"),
        event(2, "user.message", content="连接池为什么耗尽", transformedContent="<x>…"),
        event(3, "assistant.message", content="Looking.", toolRequests=[{"toolCallId": "c1", "name": "shell", "arguments": '{"command":"ls"}'}]),
        event(4, "tool.execution_start", toolCallId="c1", toolName="shell"),
        event(5, "tool.execution_complete", toolCallId="c1", success=True, result={"content": "a.txt"}),
        event(6, "assistant.message", content="Found it."),
    )  # fmt: skip
    turns = (
        ("user", "连接池为什么耗尽"),
        ("assistant", "Looking."),
        ("assistant", "Found it."),
    )
    session_ids = (SESSION,)

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions == {
            SESSION: {"project": "/home/me/work", "branch": "main", "model": "gpt-5-mini"}
        }
        assert ["shell: ls", "a.txt"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]


def test_a_sub_agent_is_a_session_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "session-state" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    spoken = event(2, "assistant.message", content="from below", parentToolCallId="call-9")
    path.write_bytes(line(START) + line(event(1, "user.message", content="go")) + line(spoken))
    found = harvest(CopilotCli([tmp_path]), path)

    assert [SESSION, "call-9"] == [m.session_id for m in found.messages.values()]
    assert found.sessions["call-9"]["parent_id"] == SESSION

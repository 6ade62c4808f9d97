"""Kimi Code: a prompt told twice is one message; tool ids count from 0 in each turn."""

from pathlib import Path
from typing import Any

from memoryd.sources.kimi import Kimi
from tests.sources.contract import SourceContract, harvest, line

USER = {"kind": "user"}


def told(second: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "time": 1784950600000 + second * 1000, **more}


def step(second: int, kind: str, turn: str, **event: Any) -> dict[str, Any]:
    return told(second, "context.append_loop_event", event={"type": kind, "turnId": turn, **event})


def prompt(second: int, kind: str, words: str, origin: dict[str, str] = USER) -> dict[str, Any]:
    content = [{"type": "text", "text": words}]
    if kind != "context.append_message":
        return told(second, kind, input=content, origin=origin)
    message = {"role": "user", "content": content, "toolCalls": [], "origin": origin}
    return told(second, kind, message=message)


class TestKimi(SourceContract):
    source_class = Kimi
    file_name = "work_1/ses_1/agents/main/wire.jsonl"
    records = (
        {"type": "metadata", "protocol_version": "1.4", "created_at": 1784950600000},
        told(0, "config.update", cwd="/home/me/work", modelAlias="kimi-k2"),
        prompt(1, "turn.prompt", "继续"),
        prompt(1, "context.append_message", "继续"),
        step(2, "content.part", "0", uuid="p0", part={"type": "think", "think": "hm"}),
        step(3, "content.part", "0", uuid="p1", part={"type": "text", "text": "Listing."}),
        step(4, "tool.call", "0", uuid="Bash_0", toolCallId="Bash_0", name="Bash", args={"command": "ls"}),
        step(5, "tool.result", "0", parentUuid="Bash_0", toolCallId="Bash_0", result={"output": "a"}),
        prompt(6, "turn.steer", "stop"),
        prompt(7, "turn.prompt", "继续"),
        prompt(7, "context.append_message", "继续"),
        prompt(7, "context.append_message", "stop"),
        step(8, "tool.call", "1", uuid="Bash_0", toolCallId="Bash_0", name="Bash", args={"command": "pwd"}),
    )  # fmt: skip
    turns = (("user", "继续"), ("assistant", "Listing."), ("user", "stop"), ("user", "继续"))
    session_ids = ("ses_1",)
    essential = (0, 2, 3, 8, 9, 10, 11)  # twins: damage to one does not cost the message
    path_tells = True

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions == {"ses_1": {"project": "/home/me/work", "model": "kimi-k2"}}
        assert ["Bash: ls", "a", "Bash: pwd"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]


def test_a_sub_agent_is_a_session_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "work_1/ses_1/agents/agent-0/wire.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(line(prompt(1, "turn.prompt", "Count files", {"kind": "system_trigger"})))
    found = harvest(Kimi([tmp_path]), path)

    assert [("system", "Count files")] == found.turns
    assert found.sessions == {"ses_1:agent-0": {"parent_id": "ses_1"}}

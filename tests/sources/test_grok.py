"""Grok: chunks of a speaker are one growing message."""

from pathlib import Path
from typing import Any

from memoryd.sources.grok import Grok
from tests.sources.contract import Harvest, SourceContract, harvest, line

SESSION = "aaaa1111-0000-0000-0000-000000000100"
FILE = f"%2Fhome%2Fme%2Fwork/{SESSION}/updates.jsonl"


def update(second: int, kind: str, content: Any = None, **more: Any) -> dict[str, Any]:
    body = {"sessionUpdate": kind, **({} if content is None else {"content": content}), **more}
    return {"timestamp": 1767225600 + second, "method": "_x.ai/session/update", "params": {"sessionId": SESSION, "update": body}}  # fmt: skip


def said(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


class TestGrok(SourceContract):
    source_class = Grok
    file_name = FILE
    records = (
        update(0, "user_message_chunk", said("列出")),
        update(0, "user_message_chunk", said("文件")),
        update(1, "agent_thought_chunk", said("hm")),
        update(2, "agent_message_chunk", "I'll "),
        update(2, "agent_message_chunk", "list them."),
        update(3, "tool_call", toolCallId="c1", title="Shell", rawInput={"command": "ls"}),
        update(4, "tool_call_update", [{"type": "content", "content": said("a.md")}], toolCallId="c1", status="completed"),
        update(5, "agent_message_chunk", "Done."),
        update(6, "turn_completed", prompt_id="p1"),
        update(7, "user_message_chunk", "thanks"),
    )  # fmt: skip
    turns = (
        ("user", "列出文件"),
        ("assistant", "I'll list them."),
        ("assistant", "Done."),
        ("user", "thanks"),
    )
    session_ids = (SESSION,)
    essential = (0, 1, 3, 4, 5)  # parts of one message, and what ends it

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions == {SESSION: {"project": "/home/me/work"}}
        assert ["Shell: ls", "a.md"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]

    def test_a_message_is_told_while_it_grows_under_one_key(self, tmp_path: Path) -> None:
        source, path, found = self.make(tmp_path), self.write(tmp_path, b""), Harvest()
        for record in self.records[3:5]:
            with path.open("ab") as file:
                file.write(line(record))
            harvest(source, path, found)
            assert 1 == len(found.messages)

        assert [("assistant", "I'll list them.")] == found.turns

    def test_a_rewind_that_cuts_the_file_keeps_what_was_before(self, tmp_path: Path) -> None:
        source = self.make(tmp_path)
        found = harvest(source, self.write(tmp_path, self.data))
        kept = b"".join(map(line, self.records[:5])) + line(update(9, "user_message_chunk", "else"))
        harvest(source, self.write(tmp_path, kept), found)

        assert 5 == len(found.turns)
        assert ("user", "else") == found.turns[-1]


def test_the_derived_history_is_read_when_given_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "chat_history.jsonl"
    call = {"id": "c1", "name": "read_file", "arguments": '{"target_file":"/a.py"}'}
    records = (
        {"type": "system", "content": "You are Grok"},
        {
            "type": "user",
            "content": [said("<user_info>")],
            "synthetic_reason": "environment_context",
        },
        {"type": "user", "content": [said("Read it")], "prompt_index": 0},
        {"type": "assistant", "content": "Reading.", "tool_calls": [call]},
        {"type": "tool_result", "tool_call_id": "c1", "content": "print()"},
    )
    path.write_bytes(b"".join(map(line, records)))
    source = Grok([tmp_path])
    found = harvest(source, path)

    assert [] == list(source.discover(tmp_path))
    assert source.recognises(path.read_bytes())
    assert [("user", "Read it"), ("assistant", "Reading.")] == found.turns
    assert ["read_file: /a.py", "print()"] == [
        m.text for m in found.messages.values() if m.role == "tool"
    ]

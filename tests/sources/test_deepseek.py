"""DeepSeek Harness: events; only messages whose source is a user are a person's."""

from pathlib import Path
from typing import Any

import zstandard

from memoryd.sources.deepseek import DeepSeek
from tests.sources.contract import SourceContract, harvest, line

SESSION = "session-eaf5c9ac-0e47-4d2f-b982-8bae30606200"


def event(number: int, kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "seq": number, "time": 1787320263000 + number, "data": data}


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


class TestDeepSeek(SourceContract):
    source_class = DeepSeek
    file_name = f"--home-me-work--/{SESSION}/session.jsonl"
    records = (
        {"type": "session", "version": 0, "id": SESSION, "createdAt": 1787320263000, "cwd": "/home/me/work"},
        event(1, "user/message", content=text("每个分片多少连接"), source={"kind": "user"}),
        event(2, "user/message", content=text("Current runtime context."), source={"kind": "plugin"}),
        event(3, "assistant/chunk", chunk={"type": "text-delta", "text": "let "}),
        event(4, "assistant/message", message={"role": "assistant", "content": [{"type": "reasoning", "text": "x"}, *text("let me check")]}),
        event(5, "tool/call", callId="c1", name="read", arguments='{"file_path":"/notes.txt"}'),
        event(6, "tool/result", message={"source": {"kind": "tool", "callId": "c1"}, "content": [{"type": "tool-result", "toolCallId": "c1", "content": text("pool = 40")}]}),
        event(7, "session/title", title="Pool size"),
        event(8, "request/header", model="deepseek-chat"),
    )  # fmt: skip
    turns = (("user", "每个分片多少连接"), ("assistant", "let me check"))
    session_ids = (SESSION,)

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions[SESSION] == {
            "project": "/home/me/work",
            "title": "Pool size",
            "model": "deepseek-chat",
        }
        assert ["read: /notes.txt", "pool = 40"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]

    def test_frames_appended_one_by_one(self, tmp_path: Path) -> None:
        source, path = self.make(tmp_path), self.write(tmp_path, b"")
        path.unlink()
        twin = path.with_name("session.jsonl.zstd")
        found = None
        for record in self.records:
            with twin.open("ab") as file:
                file.write(zstandard.compress(line(record)))
            found = harvest(source, path, found)

        assert found is not None
        assert list(self.turns) == found.turns
        assert [path] == list(source.discover(tmp_path))

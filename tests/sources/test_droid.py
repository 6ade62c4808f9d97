"""Factory Droid: stored sessions, and the stream it prints."""

from pathlib import Path

from memoryd.sources.droid import Droid
from tests.sources.contract import SourceContract, harvest, line


class TestDroid(SourceContract):
    source_class = Droid
    file_name = "-home-me-work/d1.jsonl"
    records = (
        {"type": "session_start", "id": "d1", "title": "Tests", "cwd": "/home/me/work"},
        {"type": "message", "id": "m1", "timestamp": "2025-12-26T23:50:00.000Z", "message": {"role": "user", "content": [{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "text", "text": "运行测试"}]}},
        {"type": "message", "id": "m2", "timestamp": "2025-12-26T23:50:01.000Z", "message": {"role": "assistant", "content": [{"type": "text", "text": "Running."}, {"type": "tool_use", "id": "t1", "name": "Execute", "input": {"command": "pytest"}}]}},
        {"type": "message", "id": "m3", "timestamp": "2025-12-26T23:50:02.000Z", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}},
    )  # fmt: skip
    turns = (("user", "运行测试"), ("assistant", "Running."))
    session_ids = ("d1",)

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions == {"d1": {"project": "/home/me/work", "title": "Tests"}}
        assert {"d1:t1": "Execute: pytest", "d1:t1:result": "ok"}.items() <= found.texts.items()


def test_the_printed_stream(tmp_path: Path) -> None:
    records = (
        {"type": "message", "session_id": "s1", "timestamp": "2025-12-26T00:00:00Z", "role": "user", "text": "Do it"},
        {"type": "tool_call", "session_id": "s1", "timestamp": "2025-12-26T00:00:01Z", "toolCallId": "c1", "toolName": "Shell", "parameters": {"command": "echo hi"}},
        {"type": "tool_result", "session_id": "s1", "timestamp": "2025-12-26T00:00:02Z", "toolCallId": "c1", "value": {"stdout": "hi\n", "exitCode": 0}},
        {"type": "completion", "session_id": "s1", "timestamp": "2025-12-26T00:00:03Z", "finalText": "Done"},
    )  # fmt: skip
    path = tmp_path / "stream.jsonl"
    path.write_bytes(b"".join(map(line, records)))
    found = harvest(Droid([tmp_path]), path)

    assert [("user", "Do it"), ("assistant", "Done")] == found.turns
    assert ["Shell: echo hi", "hi"] == [m.text for m in found.messages.values() if m.role == "tool"]

"""iFlow: Claude Code's records, with growing snapshots of one response and results wrapped in Gemini's way."""

from typing import Any

from memoryd.sources.claude_code import ClaudeCode
from memoryd.sources.iflow import IFlow
from tests.sources.contract import SourceContract, line
from tests.sources.test_claude_code import assistant, text, user

SESSION = "session-5de701fc-7454-4858-a249-95cac4fd3b00"
A, B = (
    {"type": "tool_use", "id": f"call_{letter * 24}", "name": "read_file", "input": {"absolute_path": f"/{letter}"}}
    for letter in "ab"
)  # fmt: skip


def own(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "sessionId": SESSION}


def result(letter: str) -> dict[str, Any]:
    response = {"functionResponse": {"response": {"output": f"content of {letter}"}}}
    content = {"callId": f"call_{letter * 24}", "responseParts": response}
    return {"type": "tool_result", "tool_use_id": f"call_{letter * 24}", "content": content}


class TestIFlow(SourceContract):
    source_class = IFlow
    file_name = f"-home-me-work/{SESSION}.jsonl"
    records = (
        own(user(1, "启动前检查")),
        own(assistant(2, text("我先看看"), A)),
        own(assistant(3, A, B)),
        own(user(4, [result("a")])),
        own(user(5, [result("b")])),
        own(assistant(6, text("好了"))),
    )
    turns = (("user", "启动前检查"), ("assistant", "我先看看"), ("assistant", "好了"))
    session_ids = (SESSION,)
    essential = (1, 2)  # each tells the first tool call: damage to one does not cost it

    def test_a_repeated_call_is_one(self, tmp_path: Any) -> None:
        path = self.write(tmp_path, self.data)
        batches = list(self.make(tmp_path).read(path, None))
        tools = [m.text for batch in batches for m in batch.messages if m.role == "tool"]

        assert ["read_file: /a", "read_file: /b", "content of a", "content of b"] == tools

    def test_claude_codes_sessions_are_not_its_own(self, tmp_path: Any) -> None:
        assert not IFlow([tmp_path]).recognises(line(user(1, "x")))
        assert ClaudeCode([tmp_path]).recognises(line(user(1, "x")))

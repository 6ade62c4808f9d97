"""Copilot in Visual Studio: spans; of a repeated history the last prompt counts, once a request."""

import json
from pathlib import Path
from typing import Any

from memoryd.sources.visualstudio_copilot import VisualStudioCopilot
from tests.sources.contract import SourceContract, harvest

SESSION = "4a8f63f6-7626-4416-a874-fc7bd2c3f000"


def span(number: int, operation: str, **attributes: str) -> dict[str, Any]:
    named = {"gen_ai.conversation.id": SESSION, "gen_ai.operation.name": operation, **attributes}
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in named.items()]
    body = {"spanId": f"s{number}", "startTimeUnixNano": f"178129360{number}000000000", "attributes": listed}  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": [body]}]}]}


def said(*turns: tuple[str, str]) -> str:
    return json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in turns]
    )


TOOL = {"gen_ai.tool.name": "get_file", "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.arguments": '{"path":"src/App.cs"}', "gen_ai.tool.call.result": "class App"}  # fmt: skip
FIRST = ("user", "解释这个类")


class TestVisualStudioCopilot(SourceContract):
    source_class = VisualStudioCopilot
    file_name = "20260612_VSGitHubCopilot_traces.jsonl"
    records = (
        span(0, "chat", **{"copilot_chat.root_request_id": "r1", "gen_ai.input.messages": said(FIRST), "gen_ai.output.messages": said(("assistant", "I read it.")), "gen_ai.request.model": "gpt"}),
        span(1, "execute_tool", **TOOL),
        span(2, "chat", **{"copilot_chat.root_request_id": "r1", "gen_ai.input.messages": said(FIRST), "gen_ai.output.messages": said(("assistant", "It is an app."))}),
        span(3, "chat", **{"copilot_chat.root_request_id": "r2", "gen_ai.input.messages": said(FIRST, ("assistant", "It is an app."), ("user", "again"))}),
    )  # fmt: skip
    turns = (
        FIRST,
        ("assistant", "I read it."),
        ("assistant", "It is an app."),
        ("user", "again"),
    )
    session_ids = (SESSION,)
    essential = (0, 2)  # both tell the first prompt

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions == {SESSION: {"model": "gpt"}}
        assert ["get_file: src/App.cs", "class App"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]
        assert {2026} == {m.time.year for m in found.messages.values() if m.time}

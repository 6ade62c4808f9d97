"""Antigravity: numbered steps."""

from pathlib import Path
from typing import Any

from memoryd.sources.antigravity import Antigravity
from tests.sources.contract import SourceContract, harvest

SESSION = "b7a1"


def step(number: int, source: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"step_index": number, "source": source, "type": kind, "status": "DONE", "created_at": f"2026-06-26T21:16:{number:02}Z", **more}  # fmt: skip


class TestAntigravity(SourceContract):
    source_class = Antigravity
    file_name = f"brain/{SESSION}/.system_generated/logs/transcript.jsonl"
    records = (
        step(0, "USER_EXPLICIT", "USER_INPUT", content="<USER_REQUEST>\n列出文件\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\nmodel\n</USER_SETTINGS_CHANGE>"),
        step(1, "SYSTEM", "CONVERSATION_HISTORY"),
        step(2, "MODEL", "PLANNER_RESPONSE", thinking="x", tool_calls=[{"name": "list_dir", "args": {"DirectoryPath": '"/tmp/repo"', "toolSummary": '"Listing"'}}]),
        step(3, "MODEL", "LIST_DIRECTORY", content="a.txt"),
        step(4, "MODEL", "PLANNER_RESPONSE", content="One file."),
        step(5, "SYSTEM", "SYSTEM_MESSAGE", content="not from the user"),
        step(6, "USER_EXPLICIT", "USER_INPUT", content="bare words<SYSTEM_MESSAGE>x</SYSTEM_MESSAGE>"),
    )  # fmt: skip
    turns = (("user", "列出文件"), ("assistant", "One file."), ("user", "bare words"))
    session_ids = (SESSION,)
    essential = ()
    path_tells = True

    def test_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert ["list_dir: /tmp/repo", "a.txt"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]

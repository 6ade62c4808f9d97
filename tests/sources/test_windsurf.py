"""Windsurf: steps under their own names."""

from pathlib import Path
from typing import Any

from memoryd.sources.windsurf import Windsurf
from tests.sources.contract import SourceContract, harvest


def step(kind: str, **body: Any) -> dict[str, Any]:
    return {"status": "done", "type": kind, kind: body}


class TestWindsurf(SourceContract):
    source_class = Windsurf
    file_name = "transcripts/t1.jsonl"
    records = (
        step("user_input", user_response="写首歌"),
        step("planner_response", response="Writing."),
        step("view_file", path="/a.md", content="# A"),
        step("run_command", command="git log", cwd="/home/me/work", output="one"),
        {"status": "error", "type": "find"},
        step("user_input", user_response="更好的"),
    )
    turns = (("user", "写首歌"), ("assistant", "Writing."), ("user", "更好的"))
    session_ids = ("t1",)
    essential = ()
    path_tells = True

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions == {"t1": {"project": "/home/me/work"}}
        assert ["view_file: /a.md", "# A", "run_command: git log", "one"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]

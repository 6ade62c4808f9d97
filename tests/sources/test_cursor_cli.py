"""Cursor CLI: no ids, no times; prompts inside tags."""

from pathlib import Path
from typing import Any

import pytest

from memoryd.sources.cursor_cli import CursorCli, human_text
from tests.sources.contract import SourceContract, harvest, line

SESSION = "0c0ffee0-0000-4000-8000-000000000001"


def said(role: str, *texts: str, call: dict[str, Any] | None = None) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if call:
        blocks.append({"type": "tool_use", "name": "Read", "input": call})
    return {"role": role, "message": {"content": blocks}}


class TestCursorCli(SourceContract):
    source_class = CursorCli
    file_name = f"home-me-work/agent-transcripts/{SESSION}/{SESSION}.jsonl"
    records = (
        said("user", "<user_query>\n列出 90 年代的剧\n</user_query>"),
        said("assistant", "Looking.\n\n[REDACTED]", call={"path": "/a.txt"}),
        said("assistant", "[REDACTED]", call={"path": "/b.txt"}),
        {"type": "turn_ended", "status": "ok"},
        said("user", "<user_query>\ncontinue\n</user_query>"),
        said("assistant", "More."),
        said("user", "<user_query>\ncontinue\n</user_query>"),
    )
    turns = (
        ("user", "列出 90 年代的剧"),
        ("assistant", "Looking."),
        ("user", "continue"),
        ("assistant", "More."),
        ("user", "continue"),
    )
    session_ids = (SESSION,)
    essential = (4, 6)  # the same words are told apart by counting
    path_tells = True

    def test_times_are_the_files(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert all(m.time is not None for m in found.messages.values())


def test_a_sub_agents_prompt_is_no_persons(tmp_path: Path) -> None:
    path = tmp_path / "w/agent-transcripts/parent-1/subagents/child-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(line(said("user", "List files")))
    found = harvest(CursorCli([tmp_path]), path)

    assert [("system", "List files")] == found.turns
    assert found.sessions == {"child-1": {"parent_id": "parent-1"}}


@pytest.mark.parametrize(
    ("raw", "human"),
    [
        ("plain", "plain"),
        ("<attached_files>\na\n</attached_files>\n<user_query>\nfix\n</user_query>", "fix"),
        ("<user_query>say <user_query>twice</user_query> inside</user_query>", "say <user_query>twice</user_query> inside"),
        ("<user_info>\nOS\n</user_info>\n<rules>\nr\n</rules>", ""),
        ("<user_query>\n\n</user_query>", ""),
    ],
)  # fmt: skip
def test_what_a_person_wrote(raw: str, human: str) -> None:
    assert human == human_text(raw)

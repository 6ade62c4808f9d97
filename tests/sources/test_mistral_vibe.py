"""Mistral Vibe: messages beside a file of facts."""

import json
from pathlib import Path

from memoryd.sources.mistral_vibe import MistralVibe
from tests.sources.contract import SourceContract, harvest

META = {"session_id": "abc123", "parent_session_id": None, "git_branch": "main", "model": "medium", "environment": {"working_directory": "/home/me/work"}, "title": "Sorting"}  # fmt: skip


class TestMistralVibe(SourceContract):
    source_class = MistralVibe
    file_name = "session_20260613_100000_abc/messages.jsonl"
    records = (
        {"role": "user", "content": "排序函数", "message_id": "m1"},
        {"role": "assistant", "content": "Writing.", "message_id": "m2", "tool_calls": [{"id": "c1", "function": {"name": "write_file", "arguments": '{"path":"sort.py"}'}}]},
        {"role": "tool", "content": "ok", "tool_call_id": "c1", "message_id": "m3"},
        {"role": "user", "content": "yes"},
        {"role": "user", "content": "yes"},
    )  # fmt: skip
    turns = (("user", "排序函数"), ("assistant", "Writing."), ("user", "yes"), ("user", "yes"))
    session_ids = ("session_20260613_100000_abc",)
    essential = (3, 4)  # the same words without ids are told apart by counting

    def test_the_file_of_facts(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, self.data)
        path.with_name("meta.json").write_text(json.dumps(META))
        found = harvest(self.make(tmp_path), path)

        assert found.sessions == {
            "abc123": {
                "project": "/home/me/work",
                "title": "Sorting",
                "branch": "main",
                "model": "medium",
            }
        }
        assert {
            "abc123:c1": "write_file: sort.py",
            "abc123:c1:result": "ok",
        }.items() <= found.texts.items()

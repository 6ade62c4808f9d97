"""gptme: one folder a conversation, local times."""

from pathlib import Path

from memoryd.sources.gptme import Gptme
from tests.sources.contract import SourceContract, harvest


class TestGptme(SourceContract):
    source_class = Gptme
    file_name = "2026-06-13-hello/conversation.jsonl"
    records = (
        {"role": "system", "content": "You are gptme", "timestamp": "2026-06-13T10:00:00.000000", "pinned": True, "hide": True},
        {"role": "user", "content": "写个 hello world", "timestamp": "2026-06-13T10:00:01.000000"},
        {"role": "assistant", "content": "Here.", "timestamp": "2026-06-13T10:00:05.000000", "metadata": {"model": "sonnet"}},
        {"role": "tool", "content": "Saved hello.py", "timestamp": "2026-06-13T10:00:06.000000"},
        {"role": "system", "content": "Ran it", "timestamp": "2026-06-13T10:00:07.000000"},
    )  # fmt: skip
    turns = (("user", "写个 hello world"), ("assistant", "Here."))
    session_ids = ("2026-06-13-hello",)
    path_tells = True

    def test_facts_tools_and_times(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions == {"2026-06-13-hello": {"model": "sonnet"}}
        assert ["Saved hello.py", "Ran it"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]
        assert {"2026-06-13T10:00"} == {
            m.time.astimezone().strftime("%Y-%m-%dT%H:%M")
            for m in found.messages.values()
            if m.time
        }

"""Lists of prompts: they speak for sessions whose transcripts are gone, and for no other."""

from pathlib import Path
from typing import Any

from memoryd.sources.prompt_histories import ClaudeHistory, CodexHistory
from tests.sources.contract import SourceContract, harvest, line

THREAD = "019ce0d1-2189-7980-bde2-9b5c50289100"


def typed(second: int, words: str, session: str, **pasted: Any) -> dict[str, Any]:
    return {"display": words, "pastedContents": pasted, "timestamp": 1767862800000 + second, "project": "/home/me/work", "sessionId": session}  # fmt: skip


class TestClaudeHistory(SourceContract):
    source_class = ClaudeHistory
    file_name = "history.jsonl"
    records = (
        typed(1, "修复测试", "gone-1"),
        typed(2, "/init", "gone-1"),
        typed(3, "see [Pasted text #1]", "gone-2", **{"1": {"id": 1, "content": "a log"}}),
    )
    turns = (("user", "修复测试"), ("user", "/init"), ("user", "see [Pasted text #1]\n\na log"))
    session_ids = ("gone-1", "gone-2")
    essential = ()

    def test_a_prompt_told_by_a_transcript_is_left_to_it(self, tmp_path: Path) -> None:
        transcript = tmp_path / "projects" / "p" / "gone-1.jsonl"
        transcript.parent.mkdir(parents=True)
        transcript.touch()
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert {"gone-2"} == {m.session_id for m in found.messages.values()}
        assert found.skipped == {"told by its transcript": 2}

    def test_a_transcript_that_appears_later_takes_its_prompts_over(self, tmp_path: Path) -> None:
        source, path = self.make(tmp_path), self.write(tmp_path, self.data)
        found = harvest(source, path)
        transcript = tmp_path / "projects" / "p" / "gone-2.jsonl.zst"
        transcript.parent.mkdir(parents=True)
        transcript.touch()
        harvest(source, path, found)

        assert {"gone-1"} == {m.session_id for m in found.messages.values()}


class TestCodexHistory(SourceContract):
    source_class = CodexHistory
    file_name = "history.jsonl"
    records = (
        {"session_id": THREAD, "ts": 1767862800, "text": "列出文件"},
        {"session_id": "gone", "ts": 1767862801, "text": "hello"},
    )
    turns = (("user", "列出文件"), ("user", "hello"))
    session_ids = (THREAD, "gone")
    essential = ()

    def test_threads_with_a_rollout_anywhere_are_left_to_it(self, tmp_path: Path) -> None:
        name = f"rollout-2026-03-11T23-52-07-{THREAD}.jsonl.zst"
        for folder in ("sessions/2026/03/11", "archived_sessions"):
            root = tmp_path / folder.replace("/", "-")
            (root / folder).mkdir(parents=True)
            (root / folder / name).touch()
            found = harvest(self.make(root), self.write(root, self.data))

            assert [("user", "hello")] == found.turns


def test_other_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(line({"something": "else"}))

    assert harvest(ClaudeHistory([path]), path).skipped == {"unknown record": 1}

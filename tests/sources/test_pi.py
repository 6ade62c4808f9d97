"""pi and oh-my-pi: entries are known by time and text, whatever their ids."""

from pathlib import Path
from typing import Any

from memoryd.sources.pi import OhMyPi, Pi
from tests.sources.contract import Harvest, SourceContract, harvest, line

SESSION = "019e19b4-eb48-746a-aa6b-8dfcfa379500"
FILE = f"--home-me-work--/2026-05-12T01-02-27-657Z_{SESSION}.jsonl"


def entry(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    stamp = f"2026-05-12T01:02:{number:02}.000Z"
    message = {"role": role, "content": content, "timestamp": 1778547700000 + number, **more}
    return {"type": "message", "id": f"{number:08x}", "parentId": None, "timestamp": stamp, "message": message}  # fmt: skip


def header(**more: Any) -> dict[str, Any]:
    return {"type": "session", "version": 3, "id": SESSION, "timestamp": "2026-05-12T01:02:00Z", "cwd": "/home/me/work", **more}  # fmt: skip


def read(tmp_path: Path, *records: Any, name: str = FILE) -> Harvest:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(line, records)))
    return harvest(Pi([tmp_path]), path)


CALL = {"type": "toolCall", "id": "toolu_01CCCCCCCCCCCCCCCC", "name": "read", "arguments": {"path": "a.py"}}  # fmt: skip


class TestPi(SourceContract):
    source_class = Pi
    file_name = FILE
    records = (
        header(),
        {"type": "model_change", "id": "m", "timestamp": "2026-05-12T01:02:01Z", "modelId": "sonnet"},
        entry(2, "user", [{"type": "text", "text": "读一下 a.py"}]),
        entry(3, "assistant", [{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "Reading."}, CALL]),
        entry(4, "toolResult", [{"type": "text", "text": "print(1)"}], toolCallId="toolu_01CCCCCCCCCCCCCCCC", toolName="read"),
        {"type": "compaction", "id": "c", "timestamp": "2026-05-12T01:02:05Z", "summary": "It prints."},
        entry(6, "user", "thanks"),
        {"type": "session_info", "id": "i", "timestamp": "2026-05-12T01:02:07Z", "name": "What a.py prints"},
    )  # fmt: skip
    turns = (("user", "读一下 a.py"), ("assistant", "Reading."), ("user", "thanks"))
    session_ids = (SESSION,)

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert found.sessions[SESSION] == {
            "project": "/home/me/work",
            "model": "sonnet",
            "title": "What a.py prints",
        }
        assert ["read: a.py", "print(1)"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]


class TestOhMyPi(TestPi):
    source_class = OhMyPi


def test_a_branched_session_copies_entries_without_doubling_them(tmp_path: Path) -> None:
    first = read(tmp_path, header(), entry(1, "user", "go"), entry(2, "assistant", [CALL]))
    branch = header(id="0aaa19b4-eb48-746a-aa6b-8dfcfa379511", parentSession=f"/x/{FILE}")
    second = read(
        tmp_path,
        branch,
        entry(1, "user", "go"),
        entry(2, "assistant", [CALL]),
        entry(3, "user", "other way"),
        name="--home-me-work--/2026-05-13T01-02-27-657Z_0aaa19b4-eb48-746a-aa6b-8dfcfa379511.jsonl",
    )

    assert [*first.messages] == [*second.messages][:2]
    assert second.sessions[branch["id"]]["parent_id"] == SESSION


def test_entries_that_get_ids_later_keep_their_keys(tmp_path: Path) -> None:
    old = entry(1, "user", "go")
    del old["id"]

    assert (
        read(tmp_path, header(), old).texts
        == read(tmp_path, header(), entry(1, "user", "go")).texts
    )


def test_a_command_run_from_the_prompt_is_a_persons(tmp_path: Path) -> None:
    ran = {"type": "message", "timestamp": "2026-05-12T01:02:03Z", "message": {"role": "bashExecution", "command": "git log", "output": "x"}}  # fmt: skip

    assert [("user", "! git log")] == read(tmp_path, header(), ran).turns

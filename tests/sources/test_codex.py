"""Codex: one text told twice is one message, and copies of a parent's turns meet themselves."""

import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from memoryd.sources.codex import Codex, TraeX
from memoryd.sources.codex_text import human_text
from tests.sources.contract import Harvest, SourceContract, harvest, line

THREAD = "019ce0d1-2189-7980-bde2-9b5c50289100"
FILE = f"sessions/2026/03/11/rollout-2026-03-11T23-52-07-{THREAD}.jsonl"


def envelope(kind: str, second: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-03-11T23:52:{second:02}.000Z", "type": kind, "payload": payload}


def meta(**more: Any) -> dict[str, Any]:
    return envelope("session_meta", 0, **{"id": THREAD, "cwd": "/home/me/work", "git": {"branch": "main"}, "source": "cli", **more})  # fmt: skip


def turn(second: int, identifier: str | None = None) -> dict[str, Any]:
    named = {"turn_id": identifier} if identifier else {}
    return envelope("turn_context", second, cwd="/home/me/work", model="gpt-5.5", **named)


def item(second: int, role: str, *texts: str, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return envelope("response_item", second, type="message", role=role, content=content, **more)


def event(second: int, kind: str, words: str) -> dict[str, Any]:
    return envelope("event_msg", second, type=kind, message=words)


def completed(second: int, kind: str, words: str, turn_id: str) -> dict[str, Any]:
    content = [{"type": "text", "text": words}]
    return envelope("event_msg", second, type="item_completed", turn_id=turn_id, item={"type": kind, "id": "i", "content": content})  # fmt: skip


def read(tmp_path: Path, *records: Any, name: str = FILE) -> Harvest:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(line, records)))
    return harvest(Codex([tmp_path]), path)


class TestCodex(SourceContract):
    source_class = Codex
    file_name = FILE
    records = (
        meta(),
        item(1, "developer", "You are careful."),
        item(1, "user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
        turn(2, "turn-1"),
        item(3, "user", "列出所有文件"),
        event(3, "user_message", "列出所有文件"),
        envelope("response_item", 4, type="reasoning", summary=[], encrypted_content="gAAAA"),
        envelope("response_item", 5, type="function_call", name="shell", arguments='{"command":["ls","-l"]}', call_id="call_aaaaaaaaaaaaaaaaaaaaaaaa"),
        envelope("response_item", 6, type="function_call_output", output='{"output":"a.py\\n","metadata":{"exit_code":0}}', call_id="call_aaaaaaaaaaaaaaaaaaaaaaaa"),
        item(7, "assistant", "One file: a.py."),
        event(7, "agent_message", "One file: a.py."),
        envelope("compacted", 8, message="", replacement_history=[{"type": "message", "role": "user", "content": []}]),
        turn(9, "turn-2"),
        event(9, "user_message", "continue"),
        item(9, "user", "continue"),
        item(9, "assistant", "Done."),
    )  # fmt: skip
    turns = (
        ("user", "列出所有文件"),
        ("assistant", "One file: a.py."),
        ("user", "continue"),
        ("assistant", "Done."),
    )
    session_ids = (THREAD,)
    essential = (0, 3, 12)

    def test_facts_and_tools(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))
        tools = {m.key: m.text for m in found.messages.values() if m.role == "tool"}

        assert found.sessions == {
            THREAD: {"project": "/home/me/work", "branch": "main", "model": "gpt-5.5"}
        }
        assert tools == {
            "call_aaaaaaaaaaaaaaaaaaaaaaaa": "shell: ls -l",
            "call_aaaaaaaaaaaaaaaaaaaaaaaa:result": "a.py",
        }
        assert found.skipped["compacted"] == 1

    def test_an_archived_twin_meets_itself(self, tmp_path: Path) -> None:
        live = read(tmp_path, *self.records)
        archived = read(tmp_path, *self.records, name=f"archived_sessions/{Path(FILE).name}")

        assert live.texts == archived.texts


@pytest.mark.parametrize("with_turns", [True, False])
@pytest.mark.parametrize("event_first", [True, False])
def test_an_event_twin_is_no_second_message(
    tmp_path: Path, with_turns: bool, event_first: bool
) -> None:
    records = [meta()]
    for number, words in enumerate(["go", "go", "stop"]):
        records.append(turn(number, f"turn-{number}" if with_turns else None))
        twins = [item(number, "user", words), event(number + 20, "user_message", words)]
        records += reversed(twins) if event_first else twins
        records.append(item(number, "assistant", f"did {number}"))
        records.append(event(number + 30, "agent_message", f"did {number}"))
    found = read(tmp_path, *records)

    assert ["go", "did 0", "go", "did 1", "stop", "did 2"] == [text for _, text in found.turns]


def test_events_speak_for_turns_without_items(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        meta(),
        turn(1, "turn-1"),
        event(1, "user_message", "old style"),
        event(2, "agent_message", "answered"),
        turn(3, "turn-2"),
        completed(4, "UserMessage", "new style", "turn-2"),
        completed(5, "AgentMessage", "again", "turn-2"),
    )

    assert ["old style", "answered", "new style", "again"] == [text for _, text in found.turns]


def test_both_kinds_of_events_tell_one_message(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        meta(),
        turn(1, "turn-1"),
        event(1, "user_message", "once"),
        completed(1, "UserMessage", "once", "turn-1"),
    )

    assert [("user", "once")] == found.turns


def test_an_event_that_words_it_otherwise_yields_to_the_item(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        meta(),
        turn(1, "turn-1"),
        event(1, "user_message", "look at [image]"),
        item(1, "user", "look at", "this"),
    )

    assert [("user", "look at\n\nthis")] == found.turns


def test_the_same_words_twice_in_a_turn_are_two_messages(tmp_path: Path) -> None:
    found = read(tmp_path, meta(), turn(1, "t"), item(1, "user", "more"), item(2, "user", "more"))

    assert [("user", "more")] * 2 == found.turns


def test_a_fork_copies_its_parents_turns_without_doubling_them(tmp_path: Path) -> None:
    parent = read(
        tmp_path, meta(), turn(1, "turn-1"), item(1, "user", "start"), item(2, "assistant", "ok")
    )
    fork = read(
        tmp_path,
        meta(id="fork-0001", forked_from_id=THREAD),
        turn(41, "turn-1"),
        item(41, "user", "start"),
        item(42, "assistant", "ok"),
        turn(43, "turn-9"),
        item(43, "user", "another way"),
        name="sessions/2026/03/12/rollout-2026-03-12T00-00-00-fork-0001.jsonl",
    )

    assert [*parent.messages] == [*fork.messages][:2]
    assert fork.sessions["fork-0001"]["parent_id"] == THREAD


def test_a_spawned_agents_prompt_is_no_persons(tmp_path: Path) -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "parent-1", "depth": 1}}}
    found = read(
        tmp_path,
        meta(source=spawn),
        turn(1, "t"),
        item(1, "user", "Explore"),
        item(2, "assistant", "Ok"),
    )

    assert [("system", "Explore"), ("assistant", "Ok")] == found.turns
    assert found.sessions[THREAD]["parent_id"] == "parent-1"


def test_memory_consolidation_is_left_out(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        meta(source={"subagent": "memory_consolidation"}),
        turn(1, "t"),
        item(1, "user", "Consolidate"),
    )

    assert {} == found.messages


def test_content_item_kinds_tell_what_a_person_wrote(tmp_path: Path) -> None:
    kinds = {"content_item_kinds": ["agents_md.instructions", "user.text"], "turn_id": "t"}
    found = read(
        tmp_path,
        meta(),
        item(
            1,
            "user",
            "Always be terse.",
            "fix the build",
            internal_chat_message_metadata_passthrough=kinds,
        ),
    )

    assert [("user", "fix the build")] == found.turns


def test_very_old_rollouts_without_envelope(tmp_path: Path) -> None:
    first = {
        "id": THREAD,
        "timestamp": "2025-05-01T10:00:00Z",
        "instructions": None,
        "git": {"branch": "dev"},
    }
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}
    call = {
        "type": "local_shell_call",
        "call_id": "c1",
        "action": {"type": "exec", "command": ["ls"]},
    }
    found = read(tmp_path, first, said, {"record_type": "state"}, call)

    assert ["hello", "local_shell: ls"] == [*found.texts.values()]
    assert found.sessions[THREAD]["branch"] == "dev"


def test_without_a_first_line_the_file_names_the_thread(tmp_path: Path) -> None:
    found = read(tmp_path, turn(1, "t"), item(1, "user", "hello"))

    assert [THREAD] == [m.session_id for m in found.messages.values()]


@pytest.mark.parametrize(
    ("raw", "human"),
    [
        ("plain", "plain"),
        ("<environment_context>x</environment_context>", ""),
        ("<environment_context>x</environment_context>\n\nreal", "real"),
        ("<user_instructions>\nbe nice\n</user_instructions>", ""),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\ny\n</INSTRUCTIONS>", ""),
        ("<turn_aborted>\nThe user interrupted\n</turn_aborted>", ""),
        ("<permissions instructions>\nnever\n</permissions instructions>", ""),
        ('<codex_internal_context source="goal">\nx\n</codex_internal_context>', ""),
        ("# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nwhy?\n", "why?"),
        ("# Context from my IDE setup:\n\n## Open tabs:\n- a.py", ""),
        ("<div>html that I wrote</div>", "<div>html that I wrote</div>"),
    ],
)  # fmt: skip
def test_what_a_person_wrote(raw: str, human: str) -> None:
    assert human == human_text(raw)


def test_traex_is_told_apart_by_its_models(tmp_path: Path) -> None:
    trae, codex = line(meta(model_provider="trae")), line(meta(model_provider="openai"))

    assert TraeX([tmp_path]).recognises(trae)
    assert not Codex([tmp_path]).recognises(trae)
    assert Codex([tmp_path]).recognises(codex)
    assert not TraeX([tmp_path]).recognises(codex)


READ_BIG = """
import resource, sys
import subprocess
import sys
from pathlib import Path
from memoryd.sources.codex import Codex
messages = rejects = 0
for batch in Codex(()).read(Path(sys.argv[1]), None):
    messages += len(batch.messages)
    rejects += len(batch.rejects)
print(messages, rejects, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def write_long(file: BinaryIO, record: dict[str, Any], blobs: list[bytes]) -> None:
    """A record with a long text in place of "@", without holding it: our own memory counts for the child."""
    before, after = line(record).split(b"@")
    file.writelines([before, *blobs, after])


@pytest.mark.slow
def test_two_gigabytes_with_huge_lines_are_read_in_little_memory(tmp_path: Path) -> None:
    path, blob = tmp_path / Path(FILE).name, b"y" * 8_000_000
    with path.open("wb") as file:
        file.write(line(meta()))
        for number in range(225):
            file.write(line(turn(1, f"turn-{number}")) + line(item(2, "user", f"go {number}")))
            write_long(file, envelope("compacted", 3, m="@"), [blob])
        write_long(file, envelope("response_item", 4, m="@"), [blob] * 25)
    command = [sys.executable, "-c", READ_BIG, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    messages, rejects, kilobytes = map(int, done.stdout.split())
    path.unlink()

    assert (225, 1) == (messages, rejects)
    assert kilobytes < 250_000

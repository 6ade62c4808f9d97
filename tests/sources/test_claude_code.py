"""Claude Code: what a person said, what the program put in, and who is who."""

from pathlib import Path
from typing import Any

import pytest

from memoryd.sources.claude_code import ClaudeCode
from memoryd.sources.claude_text import human_text
from tests.sources.contract import Harvest, SourceContract, harvest, line

SESSION = "5e551011-aaaa-4bbb-8ccc-000000000001"


def record(kind: str, number: int, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": f"uuid-{number - 1}" if number else None,
        "isSidechain": False,
        "cwd": "/home/me/work",
        "sessionId": SESSION,
        "version": "2.1.40",
        "gitBranch": "main",
        "type": kind,
        "uuid": f"uuid-{number}",
        "timestamp": f"2026-02-03T10:00:{number:02}.000Z",
        **more,
    }


def user(number: int, content: Any, **more: Any) -> dict[str, Any]:
    return record("user", number, message={"role": "user", "content": content}, **more)


def assistant(number: int, *blocks: Any, message_id: str = "msg_1", **more: Any) -> dict[str, Any]:
    message = {
        "id": message_id,
        "role": "assistant",
        "model": "claude-opus-5",
        "content": list(blocks),
    }
    return record("assistant", number, message=message, **more)


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def read(tmp_path: Path, *records: Any, name: str = f"p/{SESSION}.jsonl") -> Harvest:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(line, records)))
    return harvest(ClaudeCode([tmp_path]), path)


class TestClaudeCode(SourceContract):
    source_class = ClaudeCode
    file_name = f"-home-me-work/{SESSION}.jsonl"
    records = (
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        user(1, "怎么修复 parser 里的 bug？"),
        assistant(2, {"type": "thinking", "thinking": "hmm", "signature": "s"}),
        assistant(3, text("I look at the parser.")),
        assistant(
            4,
            {"type": "tool_use", "id": "toolu_01AAAAAAAAAAAAAAAA", "name": "Bash", "input": {"command": "ls -l\npwd"}},
        ),
        record("progress", 5, data={"type": "hook_progress"}),
        user(
            6,
            [{"type": "tool_result", "tool_use_id": "toolu_01AAAAAAAAAAAAAAAA", "content": [text("parser.py")]}],
            toolUseResult={"stdout": "parser.py"},
        ),
        {"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-02-03T10:00:07Z", "sessionId": SESSION, "content": "and the tests"},
        assistant(8, text("Fixed."), message_id="msg_2"),
        user(9, "<system-reminder>Be brief.</system-reminder>\nthanks"),
        {"type": "custom-title", "customTitle": "The parser bug", "sessionId": SESSION},
    )  # fmt: skip
    turns = (
        ("user", "怎么修复 parser 里的 bug？"),
        ("assistant", "I look at the parser."),
        ("user", "and the tests"),
        ("assistant", "Fixed."),
        ("user", "thanks"),
    )
    session_ids = (SESSION,)
    essential = ()

    def test_facts_tools_and_skips(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))
        tools = {m.key: m.text for m in found.messages.values() if m.role == "tool"}

        assert found.sessions == {
            SESSION: {
                "project": "/home/me/work",
                "branch": "main",
                "model": "claude-opus-5",
                "title": "The parser bug",
            }
        }
        assert tools == {
            "toolu_01AAAAAAAAAAAAAAAA": "Bash: ls -l pwd",
            "toolu_01AAAAAAAAAAAAAAAA:result": "parser.py",
        }
        assert found.skipped == {"file-history-snapshot": 1, "thinking": 1, "progress": 1}

    def test_a_message_is_known_by_its_uuid_and_its_response(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))
        said = found.messages["uuid-3"]

        assert (said.native_id, said.group) == ("uuid-3", "msg_1")


@pytest.mark.parametrize(
    ("raw", "human"),
    [
        ("plain words", "plain words"),
        ("<b>not a tag of ours</b>", "<b>not a tag of ours</b>"),
        ("<command-name>/review</command-name>\n <command-message>review</command-message>\n <command-args>PR 42</command-args>", "/review PR 42"),
        ("<command-message>x:y</command-message>\n<command-name>/x:y</command-name>", "/x:y"),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", "/clear"),
        ("<bash-input>git pull</bash-input>", "! git pull"),
        ("<user-memory-input>always use tabs</user-memory-input>", "# always use tabs"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>\nfix it", "fix it"),
        ("<ide_selection>lines 1 to 2</ide_selection>why?", "why?"),
        ("before <system-reminder>x\ny</system-reminder> after", "before  after"),
    ],
)  # fmt: skip
def test_what_a_person_typed_is_kept(raw: str, human: str) -> None:
    assert human_text(raw) == (human, human_text(raw)[1])


@pytest.mark.parametrize(
    "raw",
    [
        "<local-command-caveat>Caveat: The messages below</local-command-caveat>",
        "Caveat: The messages below were generated by the user while running local commands. DO NOT respond",
        "<local-command-stdout>ok</local-command-stdout>",
        "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>",
        "<task-notification>\n<task-id>b1</task-id></task-notification>",
        "[Request interrupted by user for tool use]",
        "This session is being continued from a previous conversation that ran out of context.",
        "Base directory for this skill: /x/skills/y\n\n# Skill",
        "Stop hook feedback:\n[x]: run the tests",
        "PreToolUse:Bash hook additional context: remember",
        "<system-reminder>alone</system-reminder>",
        "<ide_opened_file>The user opened a.py</ide_opened_file>",
        "   \n",
    ],
)
def test_what_the_program_wrote_is_dropped_with_a_reason(raw: str) -> None:
    human, reason = human_text(raw)

    assert not human
    assert reason


def test_records_that_no_person_wrote_are_counted(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        user(1, "meta", isMeta=True),
        user(2, "summary", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        user(
            3, [{"type": "image", "source": {"type": "base64", "data": "AAAA"}}, text("see this")]
        ),
        assistant(4, text("API Error: 529"), isApiErrorMessage=True),
    )

    assert [("user", "see this")] == found.turns
    assert found.skipped == {"meta": 1, "compact summary": 1, "image": 1, "synthetic": 1}


def test_what_only_looks_like_progress_is_decoded(tmp_path: Path) -> None:
    told = user(1, 'what is "type":"progress","data": here?')
    nested = {"type": "progress", "data": {}}
    call = {"type": "tool_use", "id": "t", "name": "Send", "input": nested}
    found = read(tmp_path, told, assistant(2, call), {"input": nested, **user(3, "and this?")})

    assert ['what is "type":"progress","data": here?', "and this?"] == [t for _, t in found.turns]
    assert 3 == len(found.messages)


def test_text_beside_a_tool_result_is_a_persons(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "toolu_01BBBBBBBBBBBBBBBB", "content": "ok"}
    found = read(tmp_path, user(1, [result, text("in worktree 2, please")]))

    assert found.texts == {
        "toolu_01BBBBBBBBBBBBBBBB:result": "ok",
        "uuid-1": "in worktree 2, please",
    }


def test_words_in_a_refusal_are_a_persons(tmp_path: Path) -> None:
    refusal = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nuse ripgrep instead"
    )
    found = read(
        tmp_path, user(1, [{"type": "tool_result", "tool_use_id": "t", "content": refusal}])
    )

    assert [("user", "use ripgrep instead")] == found.turns


def test_a_resumed_copy_under_another_session_has_the_same_keys(tmp_path: Path) -> None:
    first = read(tmp_path, user(1, "hello"), assistant(2, text("hi")))
    copied = [{**one, "sessionId": "other"} for one in (user(1, "hello"), assistant(2, text("hi")))]
    second = read(tmp_path, *copied, user(3, "on", sessionId="other"), name="q/other.jsonl")

    assert [*first.messages] == [*second.messages][:2]
    assert "other" == second.messages["uuid-3"].session_id


def test_records_go_to_the_session_they_name_not_to_the_files(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        user(1, "mine"),
        user(2, "foreign", sessionId="other"),
        {**user(3, "?"), "sessionId": None},
    )

    assert ["other", "other"] == [m.session_id for m in found.messages.values()][1:]


def test_a_queued_prompt_that_comes_again_is_one_message(tmp_path: Path) -> None:
    def queued(second: int, words: str) -> dict[str, Any]:
        stamp = f"2026-02-03T11:00:{second:02}Z"
        return {"type": "queue-operation", "operation": "enqueue", "timestamp": stamp, "sessionId": SESSION, "content": words}  # fmt: skip

    attachment = {"type": "queued_command", "prompt": [text("second")], "commandMode": "prompt"}
    found = read(
        tmp_path,
        queued(1, "first"),
        queued(2, "second"),
        queued(3, "continue"),
        queued(4, "continue"),
        user(5, "first"),
        record("attachment", 6, attachment=attachment),
        user(7, "continue"),
    )
    said = [(m.text, m.native_id) for m in found.messages.values()]

    assert sorted(said, key=str) == sorted(
        [("first", "uuid-5"), ("second", "uuid-6"), ("continue", "uuid-7"), ("continue", None)],
        key=str,
    )


def test_sub_agents_are_sessions_of_their_own(tmp_path: Path) -> None:
    prompt = user(1, "Find all TODOs", isSidechain=True, agentId="a17")
    answer = assistant(2, text("None."), isSidechain=True, agentId="a17")
    newer = read(tmp_path, prompt, answer, name=f"p/{SESSION}/subagents/agent-a17.jsonl")
    del prompt["agentId"], answer["agentId"]
    older = read(tmp_path, prompt, answer, name="p/agent-a17.jsonl")

    for found in (newer, older):
        assert [("system", "Find all TODOs"), ("assistant", "None.")] == found.turns
        assert {"a17"} == {m.session_id for m in found.messages.values()}
        assert found.sessions["a17"]["parent_id"] == SESSION


def test_inline_sub_agents_are_told_apart_by_their_roots(tmp_path: Path) -> None:
    def side(number: int, parent: int | None, words: str) -> dict[str, Any]:
        link = None if parent is None else f"uuid-{parent}"
        return assistant(number, text(words), isSidechain=True, parentUuid=link)

    found = read(
        tmp_path,
        user(1, "go"),
        side(2, None, "a1"),
        side(3, None, "b1"),
        side(4, 2, "a2"),
        side(5, 3, "b2"),
        assistant(6, text("done"), parentUuid="uuid-1"),
    )
    sessions: dict[str, list[str]] = {}
    for message in found.messages.values():
        sessions.setdefault(message.session_id, []).append(message.text)

    assert sessions == {
        SESSION: ["go", "done"],
        "sidechain-uuid-2": ["a1", "a2"],
        "sidechain-uuid-3": ["b1", "b2"],
    }


def test_a_summary_titles_only_the_session_of_its_leaf(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {"type": "summary", "summary": "Another session", "leafUuid": "elsewhere"},
        {"type": "summary", "summary": "This one", "leafUuid": "uuid-2"},
        user(1, "hello"),
        user(2, "on"),
    )

    assert {"This one"} == {facts.get("title") for facts in found.sessions.values()}


def test_a_persons_title_beats_the_machines(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        user(1, "hello"),
        {"type": "custom-title", "customTitle": "Mine", "sessionId": SESSION},
        {"type": "ai-title", "aiTitle": "Machine", "sessionId": SESSION},
    )

    assert found.sessions[SESSION]["title"] == "Mine"


def test_a_side_question_is_kept(tmp_path: Path) -> None:
    content = "<command-name>/btw</command-name>\n<command-args>why two locks?</command-args>"
    found = read(tmp_path, record("system", 1, subtype="local_command", content=content))

    assert [("user", "/btw why two locks?")] == found.turns


def test_short_tool_ids_of_gateways_do_not_collide(tmp_path: Path) -> None:
    def call(number: int, command: str) -> dict[str, Any]:
        block = {"type": "tool_use", "id": "call_0", "name": "Bash", "input": {"command": command}}
        return assistant(number, block)

    assert ["Bash: ls", "Bash: pwd"] == [
        *read(tmp_path, call(1, "ls"), call(2, "pwd")).texts.values()
    ]


def test_several_configuration_folders_are_searched(tmp_path: Path) -> None:
    roots = ClaudeCode.default_roots({"CLAUDE_CONFIG_DIR": "/a,/b"}, tmp_path)

    assert [Path("/a/projects"), Path("/b/projects")] == list(roots)[:2]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("p/s1.jsonl", True),
        ("p/s1/subagents/agent-a1.jsonl", True),
        ("p/s1/subagents/workflows/w/agent-a1.jsonl", True),
        ("p/s1/subagents/workflows/w/journal.jsonl", False),
        ("p/s1/tool-results/x.txt", False),
        ("p/sessions-index.json", False),
        ("p/memory/MEMORY.md", False),
        ("local-agent-mode-sessions/w/p/l/.claude/projects/q/s.jsonl", True),
        ("local-agent-mode-sessions/w/p/l/audit.jsonl", False),
    ],
)
def test_which_files_are_transcripts(tmp_path: Path, name: str, found: bool) -> None:
    assert found == (ClaudeCode([tmp_path]).transcript(tmp_path / name) is not None)

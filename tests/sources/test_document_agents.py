"""Agents that write a document for every conversation: who said what, under which keys, without what was injected."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import orjson
import pytest

from memoryd.sources.amp import Amp
from memoryd.sources.base import Source
from memoryd.sources.cline import Cline, Kilo, RooCode
from memoryd.sources.continue_dev import Continue
from memoryd.sources.copilot_chat import CopilotChat
from memoryd.sources.gemini import Gemini
from memoryd.sources.hermes import Hermes
from memoryd.sources.kiro import Kiro
from memoryd.sources.posit import PositAssistant
from memoryd.sources.qwenpaw import QwenPaw
from tests.sources.contract import Harvest, harvest
from tests.sources.document_contract import DocumentContract


class TestGemini(DocumentContract):
    source_class = Gemini
    file_name = "project/chats/session-2026-01-10T20-00-1a2b3c4d.json"
    session_ids = ("g-session",)
    items = (
        {"id": "m1", "timestamp": "2026-01-10T20:00:21.501Z", "type": "user", "content": "why is the 构建 red?"},
        {
            "id": "m2",
            "timestamp": "2026-01-10T20:00:27.560Z",
            "type": "gemini",
            "content": "",
            "model": "gemini-2.5-pro",
            "toolCalls": [
                {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}, "result": [{"functionResponse": {"response": {"output": "error: 1"}}}]}
            ],
        },
        {"id": "m3", "timestamp": "2026-01-10T20:00:30Z", "type": "gemini", "content": [{"text": "A header is missing."}]},
        {"id": "m4", "timestamp": "2026-01-10T20:00:31Z", "type": "info", "content": "Request cancelled."},
        {"id": "m5", "timestamp": "2026-01-10T20:00:33Z", "type": "user", "content": "/clear"},
        {"id": "m6", "timestamp": "2026-01-10T20:00:34Z", "type": "user", "content": "add it\n--- content of a.h ---", "displayContent": "add it"},
    )  # fmt: skip
    turns = (
        ("user", "why is the 构建 red?"),
        ("assistant", "A header is missing."),
        ("user", "add it"),
    )

    def document(self, items: Sequence[Any]) -> Any:
        return {
            "sessionId": "g-session",
            "projectHash": "5f2a",
            "startTime": "2026-01-10T20:00:21.501Z",
            "messages": [*items],
        }

    def test_a_session_that_goes_on_as_lines_is_stored_once(self, tmp_path: Path) -> None:
        old = self.write(tmp_path, self.data(self.items[:3]))
        header = {
            "sessionId": "g-session",
            "projectHash": "5f2a",
            "startTime": "2026-01-10T20:00:21.501Z",
            "kind": "main",
        }
        new = old.with_suffix(".jsonl")
        new.write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in (header, *self.items)))
        source = self.make(tmp_path)
        before, after = harvest(source, old), harvest(source, new)

        assert before.texts.items() <= after.texts.items()
        assert list(self.turns) == after.turns
        assert [old, new] == sorted(source.discover(tmp_path))

    def test_the_tool_call_and_its_result_are_messages_of_their_own(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data(self.items)))

        assert ["run_shell_command: make", "error: 1"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]


class TestHermesSnapshot(DocumentContract):
    source_class = Hermes
    file_name = "sessions/session_20260429_1a2b.json"
    session_ids = ("20260429_1a2b",)
    items = (
        {"role": "user", "content": "go on"},
        {"role": "assistant", "content": "Done.", "finish_reason": "stop"},
        {"role": "user", "content": "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted"},
        {"role": "user", "content": "Review the conversation above and update the skill library."},
        {"role": "user", "content": "go on"},
        {"role": "user", "content": [{"type": "text", "text": "看这张图"}, {"type": "image_url", "image_url": {"url": "data:"}}]},
    )  # fmt: skip
    turns = (("user", "go on"), ("assistant", "Done."), ("user", "go on"), ("user", "看这张图"))

    def document(self, items: Sequence[Any]) -> Any:
        return {
            "session_id": "20260429_1a2b",
            "model": "m",
            "platform": "cli",
            "session_start": "2026-04-29T20:00:00Z",
            "messages": [*items],
        }


class TestClineTask(DocumentContract):
    source_class = Cline
    file_name = "saoudrizwan.claude-dev/tasks/1767225600000/api_conversation_history.json"
    session_ids = ("1767225600000",)
    items = (
        {"role": "user", "content": [{"type": "text", "text": "<task>\n修复 flaky test\n</task>"}, {"type": "text", "text": "<environment_details>\n# VSCode Visible Files\na.py\n</environment_details>"}]},
        {"role": "assistant", "content": "<thinking>hm</thinking>I look.\n<read_file>\n<path>a.py</path>\n</read_file>"},
        {"role": "user", "content": [{"type": "text", "text": "[read_file for 'a.py'] Result:"}, {"type": "text", "text": "def a(): ..."}, {"type": "text", "text": "<environment_details>x</environment_details>"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "<attempt_completion>\n<result>\nFixed.\n</result>\n</attempt_completion>"}]},
        {"role": "user", "content": [{"type": "text", "text": "[attempt_completion] Result:"}, {"type": "text", "text": "The user has provided feedback on the results.\n<feedback>\nnot quite\n</feedback>"}]},
        {"role": "user", "content": [{"type": "text", "text": "[ERROR] You did not use a tool in your previous response!"}]},
        {"role": "user", "content": "<task>\n修复 flaky test\n</task>"},
    )  # fmt: skip
    turns = (
        ("user", "修复 flaky test"),
        ("assistant", "I look."),
        ("assistant", "Fixed."),
        ("user", "not quite"),
        ("user", "修复 flaky test"),
    )

    def document(self, items: Sequence[Any]) -> Any:
        return [*items]

    def test_tool_calls_written_as_text_are_tool_messages(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data(self.items)))
        tools = [m.text for m in found.messages.values() if m.role == "tool"]

        assert "read_file: a.py" == tools[0]
        assert tools[1].endswith("Result:\ndef a(): ...")

    def test_the_list_of_tasks_tells_title_and_project(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, self.data(self.items))
        facts = [
            {
                "id": "1767225600000",
                "task": "修复 flaky test\nplease",
                "cwdOnTaskInitialization": "/w",
            }
        ]
        (path.parents[2] / "state").mkdir()
        (path.parents[2] / "state" / "taskHistory.json").write_text(json.dumps(facts))
        found = harvest(self.make(tmp_path), path)

        assert {"title": "修复 flaky test", "project": "/w"} == found.sessions["1767225600000"]


class TestRooTask(DocumentContract):
    source_class: ClassVar[type[Source]] = RooCode
    file_name = "rooveterinaryinc.roo-cline/tasks/0198-uuid/api_conversation_history.json"
    session_ids = ("0198-uuid",)
    items = (
        {"role": "user", "content": [{"type": "text", "text": "<user_message>\nhello\n</user_message>"}], "ts": 1767225700000},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "execute_command", "input": {"command": "ls"}}], "ts": 1767225701000},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a.py"}]}], "ts": 1767225702000},
        {"role": "assistant", "content": "a summary of it all", "isSummary": True, "ts": 1767225703000},
        {"role": "assistant", "content": "There is one file.", "ts": 1767225704000},
    )  # fmt: skip
    turns = (("user", "hello"), ("assistant", "There is one file."))

    def document(self, items: Sequence[Any]) -> Any:
        return [*items]

    def test_what_opens_a_sub_task_was_said_by_the_agent(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, self.data(self.items))
        path.with_name("history_item.json").write_text(
            json.dumps({"id": "0198-uuid", "parentTaskId": "0197", "workspace": "/w"})
        )
        found = harvest(self.make(tmp_path), path)

        assert ("system", "hello") == found.turns[0]
        assert {"parent_id": "0197", "project": "/w"} == found.sessions["0198-uuid"]


class TestKiloTask(TestRooTask):
    source_class = Kilo
    file_name = "kilocode.kilo-code/tasks/0198-uuid/api_conversation_history.json"


class TestClineSession(DocumentContract):
    source_class = Cline
    file_name = "data/sessions/178_abc/178_abc.messages.json"
    session_ids = ("178_abc",)
    items = (
        {"id": "msg_1", "role": "user", "content": [{"type": "text", "text": '<user_input mode="act">make it smaller</user_input>'}, {"type": "file", "path": "/a", "content": "big"}], "ts": 1783376868634},
        {"id": "msg_2", "role": "assistant", "content": [{"type": "text", "text": "Ok."}, {"type": "tool_use", "id": "toolu_1", "name": "editor", "input": {"path": "/a"}}], "ts": 1783376873493, "modelInfo": {"id": "m"}},
        {"id": "msg_3", "role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "edited"}], "ts": 1783376873501},
        {"id": "msg_4", "role": "assistant", "content": [{"type": "text", "text": "Done."}], "ts": 1783376880004},
    )  # fmt: skip
    turns = (("user", "make it smaller"), ("assistant", "Ok."), ("assistant", "Done."))

    def document(self, items: Sequence[Any]) -> Any:
        return {
            "version": 1,
            "updated_at": "2026-07-15T05:42:04Z",
            "agent": "lead",
            "sessionId": "178_abc",
            "messages": [*items],
        }


class TestAmp(DocumentContract):
    source_class = Amp
    file_name = "threads/T-019ca1ce-3ae2-7686-a41e-ccc078837f8a.json"
    session_ids = ("T-019ca1ce-3ae2-7686-a41e-ccc078837f8a",)
    items = (
        {"role": "user", "messageId": 0, "content": [{"type": "text", "text": "plan a cli"}], "meta": {"sentAt": 1772241201792}},
        {"role": "assistant", "messageId": 1, "content": [{"type": "text", "text": "\n\n"}, {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "/a"}}], "usage": {"model": "m", "timestamp": "2026-02-28T01:13:27.454Z"}},
        {"role": "user", "messageId": 2, "content": [{"type": "tool_result", "toolUseID": "t1", "run": {"status": "done", "result": {"absolutePath": "/a", "content": "1: id"}}}]},
    )  # fmt: skip
    turns = (("user", "plan a cli"), ("assistant", "I look."))

    def document(self, items: Sequence[Any]) -> Any:
        tree = {"uri": "file:///home/x/my%20project", "repository": {"ref": "refs/heads/main"}}
        return {
            "v": 220,
            "id": "T-019ca1ce-3ae2-7686-a41e-ccc078837f8a",
            "created": 1772241173221,
            "title": "A CLI",
            "env": {"initial": {"trees": [tree]}},
            "messages": [*items],
        }

    def test_facts_of_the_thread(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data(self.items)))

        assert [
            {"title": "A CLI", "project": "/home/x/my project", "branch": "main", "model": "m"}
        ] == [*found.sessions.values()]
        assert ["Read: /a", "1: id"] == [
            m.text for m in found.messages.values() if m.role == "tool"
        ]


class TestContinue(DocumentContract):
    source_class = Continue
    file_name = "sessions/2dbfd673.json"
    session_ids = ("2dbfd673",)
    items = (
        {"message": {"role": "system", "content": "You are"}, "contextItems": []},
        {"message": {"role": "user", "content": [{"type": "text", "text": "加一行"}]}, "contextItems": [{"content": "a file"}], "editorState": {}},
        {"message": {"role": "assistant", "content": "Reading.", "toolCalls": [{"id": "t1", "function": {"name": "Read", "arguments": '{"filepath":"/a"}'}}]}, "toolCallStates": [{"toolCallId": "t1", "output": [{"content": "text of a", "name": "Tool Result"}]}]},
        {"message": {"role": "user", "content": "加一行"}, "contextItems": []},
    )  # fmt: skip
    turns = (("user", "加一行"), ("assistant", "Reading."), ("user", "加一行"))

    def document(self, items: Sequence[Any]) -> Any:
        return {
            "sessionId": "2dbfd673",
            "title": "T",
            "workspaceDirectory": "file:///w",
            "history": [*items],
        }

    def make(self, root: Path, limits: Any = None) -> Continue:
        return Continue([root / "sessions"], limits)

    def test_the_list_of_sessions_is_none_and_tells_the_time(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, self.data(self.items))
        listed = [{"sessionId": "2dbfd673", "dateCreated": "1712011200000"}]
        path.with_name("sessions.json").write_text(json.dumps(listed))
        source = self.make(tmp_path)
        first = next(iter(harvest(source, path).messages.values()))

        assert [path] == list(source.discover(tmp_path / "sessions"))
        assert first.time is not None
        assert "2024-04-01" == first.time.date().isoformat()


REQUESTS = (
    {"requestId": "request_1", "message": {"text": "what is this?", "parts": []}, "variableData": {"variables": [{"value": "big"}]}, "response": [{"value": "It is "}, {"kind": "inlineReference", "inlineReference": {"path": "/w/index.ts"}}, {"value": ", a file."}], "timestamp": 1759845073835, "modelId": "copilot/m"},
    {"requestId": "request_2", "message": {"text": "build it"}, "response": [{"kind": "thinking", "value": "hm"}, {"kind": "toolInvocationSerialized", "toolId": "run_in_terminal", "toolCallId": "c1", "toolSpecificData": {"kind": "terminal", "commandLine": {"original": "make"}}, "invocationMessage": "Running"}, {"kind": "markdownContent", "content": {"value": "Built."}}], "timestamp": 1759845101282, "result": {"metadata": {"toolCallResults": {"t9": {"content": [{"value": {"node": {"children": [{"text": "ok"}]}}}]}}}}},
)  # fmt: skip


class TestCopilotChat(DocumentContract):
    source_class = CopilotChat
    file_name = "workspaceStorage/abc/chatSessions/331fed7f.json"
    session_ids = ("331fed7f",)
    items = REQUESTS
    turns = (
        ("user", "what is this?"),
        ("assistant", "It is index.ts, a file."),
        ("user", "build it"),
        ("assistant", "Built."),
    )

    def document(self, items: Sequence[Any]) -> Any:
        return {
            "version": 3,
            "responderUsername": "GitHub Copilot",
            "sessionId": "331fed7f",
            "creationDate": 1759845046680,
            "customTitle": "T",
            "requests": [*items],
        }

    def test_the_log_of_operations_gives_the_same_messages(self, tmp_path: Path) -> None:
        document = self.write(tmp_path, self.data(self.items))
        (document.parents[1] / "workspace.json").write_text('{"folder": "file:///w"}')
        head = {**self.document([]), "requests": []}
        operations: list[dict[str, Any]] = [
            {"kind": 0, "v": head},
            {"kind": 2, "k": ["requests"], "v": [{**REQUESTS[0], "response": []}]},
            {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "wrong"}]},
            {"kind": 2, "k": ["requests", 0, "response"], "v": REQUESTS[0]["response"], "i": 0},
            {"kind": 1, "k": ["requests", 1], "v": {**REQUESTS[1], "isCanceled": True}},
            {"kind": 3, "k": ["requests", 1, "isCanceled"]},
            {"kind": 1, "k": ["inputState", "nowhere", 7], "v": 1},
        ]
        log = document.with_suffix(".jsonl")
        source, found = self.make(tmp_path), Harvest()
        for count in range(1, len(operations) + 1):
            log.write_bytes(
                b"".join(orjson.dumps(one) + b"\n" for one in operations[:count]) + b'{"kind":1,'
            )
            harvest(source, log, found)

        assert harvest(source, document).texts == found.texts
        assert "/w" == found.sessions["331fed7f"]["project"]

    def test_a_request_that_was_undone_is_taken_back(self, tmp_path: Path) -> None:
        source = self.make(tmp_path)
        found = harvest(source, self.write(tmp_path, self.data(self.items)))
        hidden = [self.items[0], {**REQUESTS[1], "isHidden": True}]
        harvest(source, self.write(tmp_path, self.data(hidden)), found)

        assert list(self.turns[:2]) == found.turns


class TestKiroEditor(DocumentContract):
    source_class = Kiro
    file_name = "workspace-sessions/L3c_/6e1f.json"
    session_ids = ("6e1f",)
    items = (
        {"message": {"role": "user", "id": "u1", "content": [{"type": "text", "text": "写一个解析器"}]}, "promptLogs": []},
        {"message": {"role": "assistant", "id": "a1", "content": "On it."}},
        {"message": {"role": "user", "id": "u2", "content": "## Included Rules (product.md)\nAlways"}},
        {"message": {"role": "user", "id": "u3", "content": "<kiro-ide-message>\ngo on\n</kiro-ide-message>"}},
    )  # fmt: skip
    turns = (("user", "写一个解析器"), ("assistant", "On it."), ("user", "go on"))

    def document(self, items: Sequence[Any]) -> Any:
        return {"history": [*items], "sessionId": "6e1f", "title": "T", "workspaceDirectory": "/w"}


class TestPosit(DocumentContract):
    source_class = PositAssistant
    file_name = "workspaces/a1b2/c3d4/lm-messages.jsonl"
    session_ids = ("c3d4",)
    items = (
        {"id": 0, "message": {"role": "user", "content": "load the 数据", "providerOptions": {"providerMetadata": {"positai": {"timestamp": 1735689600000}}}}},
        {"id": 1, "message": {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "I look.\n<MESSAGESUMMARY>x</MESSAGESUMMARY>"}, {"type": "tool-call", "toolCallId": "t1", "toolName": "read", "input": {"file_path": "a.csv"}}]}},
        {"id": 2, "message": {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "t1", "toolName": "read", "output": {"type": "text", "value": "region"}}]}},
        {"id": 3, "message": {"role": "assistant", "content": [{"type": "text", "text": "Use read.csv."}]}},
    )  # fmt: skip
    turns = (("user", "load the 数据"), ("assistant", "I look."), ("assistant", "Use read.csv."))

    def document(self, items: Sequence[Any]) -> Any:
        return [*items]

    def data(self, items: Sequence[Any]) -> bytes:
        return b"".join(orjson.dumps(one) + b"\n" for one in items)

    def test_a_branch_that_was_left_is_taken_back(self, tmp_path: Path) -> None:
        path, source = self.write(tmp_path, self.data(self.items)), self.make(tmp_path)
        found = harvest(source, path)
        tree = {
            "root": {"id": "c3d4", "title": "T"},
            "messages": [{"isActive": False, "lmMessageIds": [3]}],
        }
        path.with_name("conversation.json").write_text(json.dumps(tree))
        harvest(source, path, found)

        assert list(self.turns[:2]) == found.turns
        assert "T" == found.sessions["c3d4"]["title"]
        assert path == source.transcript(path.with_name("conversation.json"))


class TestQwenPaw(DocumentContract):
    source_class = QwenPaw
    file_name = "workspaces/keeper/sessions/wechat/user@im.wechat--1.json"
    session_ids = ("keeper:wechat:user@im.wechat--1",)
    items = (
        [{"id": "m1", "role": "user", "content": [{"type": "text", "text": "记一下"}], "timestamp": "2026-03-18 08:15:30.123"}, []],
        [{"id": "m2", "role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted."}, {"type": "tool_use", "id": "t1", "name": "write", "input": {"path": "a"}}], "timestamp": "2026-03-18 08:15:31.456"}, ["mark"]],
        [{"id": "m3", "role": "system", "content": [{"type": "tool_result", "id": "t1", "name": "write", "output": [{"type": "text", "text": "written"}]}], "timestamp": "2026-03-18 08:15:32"}, []],
        [{"id": "m4", "role": "assistant", "content": "Done.", "timestamp": "2026-03-18 08:15:33"}, []],
    )  # fmt: skip
    turns = (("user", "记一下"), ("assistant", "Noted."), ("assistant", "Done."))

    def document(self, items: Sequence[Any]) -> Any:
        return {"agent": {"memory": {"content": [*items]}, "name": "Keeper", "_sys_prompt": "x"}}


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        (
            "Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
            Cline,
        ),
        (
            "Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/api_conversation_history.json",
            RooCode,
        ),
        ("Code/User/globalStorage/kilocode.kilo-code/tasks/1/api_conversation_history.json", Kilo),
    ],
)
def test_a_task_belongs_to_one_extension(path: str, owner: type[Any]) -> None:
    owners = [
        source for source in (Cline, RooCode, Kilo) if source().transcript(Path("/home/x") / path)
    ]

    assert [owner] == owners

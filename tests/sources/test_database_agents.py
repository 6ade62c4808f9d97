"""Agents with a database: what is particular to each, and that a conversation in two forms is stored once."""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard

from memoryd.sources.base import Source
from memoryd.sources.crush import Crush
from memoryd.sources.cursor import Cursor
from memoryd.sources.goose import Goose, GooseLog
from memoryd.sources.hermes import Hermes, HermesLog
from memoryd.sources.kiro import Kiro, KiroLog
from memoryd.sources.openclaw import OpenClaw
from memoryd.sources.opencode import KiloDatabase, OpenCode
from memoryd.sources.zed import Zed
from tests.sources import foreign_agents as agents
from tests.sources.contract import Harvest, SourceContract, harvest

START = 1_780_000_000


def database(path: Path, schema: str, *statements: tuple[Any, ...]) -> Path:
    """A database with a schema and some rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    db.executescript(schema)
    for sql, *values in statements:
        db.execute(sql, values)
    db.commit()
    db.close()
    return path


def said(source: Source, path: Path) -> list[tuple[str, str]]:
    return harvest(source, path).turns


def tools(found: Harvest) -> list[str]:
    return [message.text for message in found.messages.values() if message.role == "tool"]


def lines(path: Path, records: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    return path


# Hermes

INVOKED = "The user has provided the following instruction alongside the skill invocation:"
HERMES_ROWS = (
    ("user", "go on", START + 0.25, None),
    ("assistant", "Sure.", START + 1.5, json.dumps([{"id": "c1", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}])),
    ("user", "go on", START + 9.0, None),
)  # fmt: skip
ADD_HERMES = "insert into messages(session_id, role, content, timestamp, tool_calls) values ('20260101_aa', ?, ?, ?, ?)"


def hermes_database(folder: Path) -> Path:
    return database(
        folder / "state.db", agents.HermesAgent.schema, *((ADD_HERMES, *row) for row in HERMES_ROWS)
    )


def test_hermes_in_three_forms_is_stored_once(tmp_path: Path) -> None:
    records = [
        {"role": role, "content": text, "tool_calls": json.loads(calls or "[]")}
        for role, text, _, calls in HERMES_ROWS
    ]
    snapshot = tmp_path / "sessions" / "session_20260101_aa.json"
    log = lines(
        tmp_path / "sessions" / "20260101_aa.jsonl",
        [{"role": "session_meta", "platform": "cli", "model": "m"}, *records],
    )
    snapshot.write_bytes(
        orjson.dumps(
            {
                "session_id": "20260101_aa",
                "platform": "cli",
                "session_start": "x",
                "messages": records,
            }
        )
    )
    source = Hermes([tmp_path])
    first, second, third = (
        harvest(source, path) for path in (hermes_database(tmp_path), snapshot, log)
    )

    assert [("user", "go on"), ("assistant", "Sure."), ("user", "go on")] == first.turns
    assert first.texts == second.texts == third.texts
    assert {tmp_path / "state.db", snapshot, log} == set(source.discover(tmp_path))


def test_hermes_compression_that_goes_on_in_another_session_repeats_nothing(tmp_path: Path) -> None:
    path = hermes_database(tmp_path)
    db = sqlite3.connect(path)
    db.execute(
        "insert into sessions(id, parent_session_id, started_at) values ('child', '20260101_aa', ?)",
        (START + 20.0,),
    )
    for role, text, at in [
        ("user", "[CONTEXT COMPACTION - REFERENCE ONLY] before: …", START + 20.1),
        ("assistant", "Sure.", START + 20.2),
        ("user", "go on", START + 20.3),
        ("user", "something new", START + 30.0),
        ("user", "go on", START + 40.0),
    ]:
        db.execute(
            "insert into messages(session_id, role, content, timestamp) values ('child', ?, ?, ?)",
            (role, text, at),
        )
    db.commit()
    db.close()
    found = harvest(Hermes([tmp_path]), path)

    assert ["something new", "go on"] == [
        m.text for m in found.messages.values() if m.session_id == "child"
    ]
    assert "20260101_aa" == found.sessions["child"]["parent_id"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Review the conversation above and consider saving to memory if appropriate.", None),
        ("[Your active task list was preserved across context compression]\n- [>] x", None),
        ("[IMPORTANT: Background process 7 finished]", None),
        (
            f'[SYSTEM: The user has invoked the "deploy" skill]\n\nbody\n\n{INVOKED} to staging\n\n[Runtime note: x]',
            "to staging",
        ),
        ('[SYSTEM: The user has invoked the "deploy" skill]\n\nbody', "/deploy"),
        ("Review the contract, please", "Review the contract, please"),
    ],
)
def test_hermes_speaks_for_nobody(tmp_path: Path, text: str, kept: str | None) -> None:
    first = (ADD_HERMES, "user", "hello", START, None)
    path = database(
        tmp_path / "state.db",
        agents.HermesAgent.schema,
        first,
        (ADD_HERMES, "user", text, START + 1, None),
    )

    assert ["hello", *([kept] if kept else [])] == [
        text for _, text in said(Hermes([tmp_path]), path)
    ]


def test_hermes_prompts_of_timers_are_no_persons(tmp_path: Path) -> None:
    session = ("insert into sessions(id, source) values ('20260101_aa', 'cron')",)
    path = database(
        tmp_path / "state.db",
        agents.HermesAgent.schema,
        session,
        (ADD_HERMES, "user", "daily report", START, None),
    )

    assert [("system", "daily report")] == said(Hermes([tmp_path]), path)


class TestHermesLog(SourceContract):
    source_class = HermesLog
    file_name = "sessions/20260403_5a3e.jsonl"
    records = (
        {"role": "session_meta", "platform": "cli", "model": "m", "timestamp": "2026-04-03T15:27:21.014566"},
        {"role": "user", "content": "列出文件", "timestamp": "2026-04-03T15:27:22"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": {"name": "terminal", "arguments": '{"command":"ls"}'}}]},
        {"role": "tool", "content": "a.py", "tool_call_id": "c1"},
        {"role": "assistant", "content": "One file.", "reasoning": "hm"},
    )  # fmt: skip
    turns = (("user", "列出文件"), ("assistant", "One file."))
    session_ids = ("20260403_5a3e",)


# OpenCode


def opencode_tree(folder: Path) -> Path:
    session = folder / "storage" / "session" / "proj" / "ses_1.json"
    for path, document in {
        session: {"id": "ses_1", "projectID": "proj", "directory": "/w", "title": "T", "time": {"created": 1}},
        folder / "storage/message/ses_1/msg_1.json": {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1730000201000}},
        folder / "storage/message/ses_1/msg_2.json": {"id": "msg_2", "sessionID": "ses_1", "role": "assistant", "time": {"created": 1730000202000}, "modelID": "m"},
        folder / "storage/part/msg_1/prt_1.json": {"id": "prt_1", "messageID": "msg_1", "type": "text", "text": "打开 README"},
        folder / "storage/part/msg_2/prt_2.json": {"id": "prt_2", "messageID": "msg_2", "type": "tool", "callID": "c1", "tool": "bash", "state": {"status": "completed", "input": {"command": "cat README"}, "output": "# T"}},
        folder / "storage/part/msg_2/prt_3.json": {"id": "prt_3", "messageID": "msg_2", "type": "text", "text": "It has a title."},
    }.items():  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))
    return session


def test_opencode_before_and_after_its_move_is_stored_once(tmp_path: Path) -> None:
    tree = opencode_tree(tmp_path)
    rows = [
        (json.loads(path.read_text()), path)
        for path in sorted((tmp_path / "storage").rglob("*.json"))
    ]
    statements: list[tuple[Any, ...]] = [
        ("insert into session values ('ses_1', 'proj', null, '/w', 'T', 1, 1)",)
    ]
    for document, path in rows:
        if "/message/" in path.as_posix():
            statements.append(
                (
                    "insert into message values (?, 'ses_1', 1, 1, ?)",
                    document.pop("id"),
                    json.dumps(document),
                )
            )
        elif "/part/" in path.as_posix():
            statements.append(
                (
                    "insert into part values (?, ?, 'ses_1', 1, 1, ?)",
                    document.pop("id"),
                    document["messageID"],
                    json.dumps(document),
                )
            )
    path = database(tmp_path / "opencode.db", agents.OpenCodeAgent.schema, *statements)
    source = OpenCode([tmp_path])
    before, after = harvest(source, tree), harvest(source, path)

    assert [("user", "打开 README"), ("assistant", "It has a title.")] == before.turns
    assert before.texts == after.texts
    assert before.sessions == after.sessions
    assert {tree, path} == set(source.discover(tmp_path))


def test_opencode_tree_a_new_part_is_a_change_of_its_session(tmp_path: Path) -> None:
    path, source = opencode_tree(tmp_path), OpenCode([tmp_path])
    found = harvest(source, path)
    part = {"id": "prt_4", "messageID": "msg_2", "type": "text", "text": "And more."}
    (tmp_path / "storage/part/msg_2/prt_4.json").write_text(json.dumps(part))
    new = [m.text for batch in source.read(path, found.cursor) for m in batch.messages]

    assert ["And more."] == new


def test_opencode_sub_agents_are_not_told_by_a_person(tmp_path: Path) -> None:
    path = database(
        tmp_path / "opencode-dev.db",
        agents.OpenCodeAgent.schema,
        ("insert into session values ('ses_2', 'p', 'ses_1', '/w', 'T', 1, 1)",),
        ("insert into message values ('m', 'ses_2', 1, 1, '{\"role\":\"user\"}')",),
        (
            "insert into part values ('p', 'm', 'ses_2', 1, 1, '{\"type\":\"text\",\"text\":\"explore\"}')",
        ),
    )
    found = harvest(OpenCode([tmp_path]), path)

    assert [("system", "explore")] == found.turns
    assert "ses_1" == found.sessions["ses_2"]["parent_id"]


def test_opencode_without_times_and_session_ids_in_parts(tmp_path: Path) -> None:
    schema = """
    create table session (id text primary key, directory text);
    create table message (id text primary key, session_id text, data text);
    create table part (id text primary key, message_id text, data text);
    """
    path = database(
        tmp_path / "opencode.db",
        schema,
        ("insert into session values ('s', '/w')",),
        ("insert into message values ('m', 's', '{\"role\":\"assistant\"}')",),
        ('insert into part values (\'p\', \'m\', \'{"type":"text","text":"a"}\')',),
    )
    source, found = OpenCode([tmp_path]), Harvest()
    harvest(source, path, found)
    database(path, "", ('update part set data = \'{"type":"text","text":"a b"}\'',))
    harvest(source, path, found)

    assert {"p": "a b"} == found.texts


def test_kilo_has_the_same_database_under_its_own_name() -> None:
    kilo, path = KiloDatabase(), Path("/home/x/.local/share/kilo/kilo.db")

    assert path == kilo.transcript(path)
    assert None is OpenCode().transcript(path)


# Goose

GOOSE_BLOCKS = (
    ("user", 1784282401, [{"type": "text", "text": "看看 the fixture"}]),
    ("assistant", 1784282402, [{"type": "text", "text": "I look."}, {"type": "toolRequest", "id": "t1", "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}}}]),
    ("user", 1784282403, [{"type": "toolResponse", "id": "t1", "toolResult": {"status": "success", "value": [{"type": "text", "text": "a.py"}]}}]),
    ("assistant", 1784282404, [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "One file."}]),
)  # fmt: skip


def test_goose_in_both_forms_is_stored_once(tmp_path: Path) -> None:
    rows = [
        (
            "insert into messages(session_id, role, created_timestamp, content_json) values ('20260101_1', ?, ?, ?)",
            role,
            at,
            json.dumps(blocks),
        )
        for role, at, blocks in GOOSE_BLOCKS
    ]
    session = ("insert into sessions(id, name, working_dir) values ('20260101_1', 'demo', '/w')",)
    path = database(tmp_path / "sessions.db", agents.GooseAgent.schema, session, *rows)
    head = {"working_dir": "/w", "description": "demo", "message_count": 4}
    records = [
        {"role": role, "created": at, "content": blocks} for role, at, blocks in GOOSE_BLOCKS
    ]
    log = lines(tmp_path / "sessions" / "20260101_1.jsonl", [head, *records])
    source = Goose([tmp_path])
    first, second = harvest(source, path), harvest(source, log)

    assert [
        ("user", "看看 the fixture"),
        ("assistant", "I look."),
        ("assistant", "One file."),
    ] == first.turns
    assert ["shell: ls", "a.py"] == tools(first)
    assert first.texts == second.texts
    assert first.sessions == second.sessions


class TestGooseLog(SourceContract):
    source_class = GooseLog
    file_name = "sessions/20260101_1.jsonl"
    records = (
        {"working_dir": "/w", "description": "demo", "message_count": 4},
        *({"role": role, "created": at, "content": blocks} for role, at, blocks in GOOSE_BLOCKS),
    )
    turns = (("user", "看看 the fixture"), ("assistant", "I look."), ("assistant", "One file."))
    session_ids = ("20260101_1",)


# OpenClaw

EVENTS = (
    {"type": "session", "version": 3, "id": "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d", "timestamp": "2026-07-20T09:00:00Z", "cwd": "/w"},
    {"type": "message", "id": "u1", "timestamp": "2026-07-20T09:00:05Z", "message": {"role": "user", "content": 'Sender (untrusted metadata): ```json\n{"id": 1}\n``` [Sun 2026-03-08 22:03 GMT+9] 你好'}},
    {"type": "message", "id": "u2", "timestamp": "2026-07-20T09:00:06Z", "message": {"role": "user", "content": "你好"}},
    {"type": "message", "id": "a1", "timestamp": "2026-07-20T09:00:10Z", "message": {"role": "assistant", "content": [{"type": "text", "text": "[[reply_to_current]] Hello."}, {"type": "toolCall", "id": "call_1", "name": "exec", "arguments": {"command": "ls"}}]}},
    {"type": "message", "id": "r1", "timestamp": "2026-07-20T09:00:11Z", "message": {"role": "toolResult", "toolCallId": "call_1", "content": [{"type": "text", "text": "a.py"}]}},
    {"type": "compaction", "id": "c1", "timestamp": "2026-07-20T09:00:12Z", "summary": "before"},
)  # fmt: skip


def test_openclaw_before_and_after_its_move_is_stored_once(tmp_path: Path) -> None:
    session = str(EVENTS[0]["id"])
    log = lines(tmp_path / "agents" / "main" / "sessions" / f"{session}.jsonl", EVENTS)
    add = "insert into transcript_events(session_id, seq, event_json, event_zstd, created_at) values (?, ?, ?, ?, 1)"
    rows = [
        (
            add,
            session,
            seq,
            None if seq % 2 else json.dumps(event),
            zstandard.compress(json.dumps(event).encode()) if seq % 2 else None,
        )
        for seq, event in enumerate(EVENTS)
    ]
    path = database(
        tmp_path / "agents" / "main" / "agent" / "openclaw-agent.sqlite",
        agents.OpenClawAgent.schema,
        *rows,
    )
    source = OpenClaw([tmp_path])
    before, after = harvest(source, log), harvest(source, path)

    assert [("user", "你好"), ("assistant", "Hello.")] == before.turns
    assert before.texts == after.texts
    assert {log, path} == set(source.discover(tmp_path))


def test_openclaw_a_damaged_event_costs_only_itself(tmp_path: Path) -> None:
    add = "insert into transcript_events(session_id, seq, event_zstd, created_at) values ('s', ?, ?, 1)"
    good = zstandard.compress(json.dumps(EVENTS[1]).encode())
    path = database(
        tmp_path / "openclaw-agent.sqlite",
        agents.OpenClawAgent.schema,
        (add, 1, b"no frame"),
        (add, 2, good),
    )
    found = harvest(OpenClaw([tmp_path]), path)

    assert [("user", "你好")] == found.turns
    assert ["unexpected shape: ValueError"] == [reason for _, _, reason in found.rejects]


# Crush


def test_crush_is_found_through_its_list_of_projects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("CRUSH_GLOBAL_DATA", raising=False)
    project = tmp_path / "work" / "demo"
    tool = [
        {"type": "tool_call", "data": {"id": "t1", "name": "bash", "input": '{"command": "ls"}'}}
    ]
    path = database(
        project / ".crush" / "crush.db",
        agents.CrushAgent.schema,
        ("insert into sessions values ('s', null, 'T', 1, 1)",),
        ("insert into sessions values ('sub', 's', 'T', 1, 1)",),
        ("insert into messages(id, session_id, role, parts, created_at, updated_at) values ('1', 's', 'user', ?, ?, 1)", json.dumps([{"type": "text", "data": {"text": "hi"}}]), START),
        ("insert into messages(id, session_id, role, parts, created_at, updated_at) values ('2', 's', 'assistant', ?, ?, 1)", json.dumps(tool), START * 1000),
        ("insert into messages(id, session_id, role, parts, created_at, updated_at) values ('3', 'sub', 'user', ?, 1, 1)", json.dumps([{"type": "text", "data": {"text": "look"}}])),
    )  # fmt: skip
    source = Crush()
    folder = tmp_path / ".local" / "share" / "crush"
    assert [] == list(source.discover(folder))
    folder.mkdir(parents=True)
    (folder / "projects.json").write_text(
        json.dumps(
            {"projects": [{"path": str(project), "data_dir": ".crush"}, {"path": "relative"}]}
        )
    )
    found = harvest(source, path)

    assert [path] == list(source.discover(folder))
    assert project / ".crush" in Crush().roots
    assert [path] == [one for root in Crush().roots for one in Crush().discover(root)]
    assert [("user", "hi"), ("system", "look")] == found.turns
    assert {"title": "T", "project": str(project)} == found.sessions["s"]
    assert ["bash: ls"] == tools(found)
    assert 1 == len({m.time for m in found.messages.values() if m.session_id == "s"})


# Cursor


def test_cursor_reads_no_key_but_those_of_conversations(tmp_path: Path) -> None:
    bubble = {
        "type": 2,
        "rawText": "Done.",
        "toolFormerData": {
            "name": "edit_file",
            "toolCallId": "t1",
            "rawArgs": '{"path": "a.py"}',
            "result": '{"output": "edited"}',
        },
        "createdAt": "2026-09-28T07:00:00.500Z",
    }
    composer = {
        "name": "T",
        "modelConfig": {"modelName": "m"},
        "createdAt": START * 1000,
        "fullConversationHeadersOnly": [{"bubbleId": "b1"}, {"bubbleId": "b2"}, {"bubbleId": "b0"}],
    }
    put = "insert into cursorDiskKV values (?, ?)"
    path = database(
        tmp_path / "state.vscdb",
        agents.CursorAgent.schema,
        ("insert into ItemTable values ('cursorAuth/accessToken', 'sk-secret')",),
        (put, "agentKv:blob:1", "sk-secret"),
        (put, "composerData:c1", json.dumps(composer)),
        (put, "composerData:c2", None),
        (put, "composerData:old", json.dumps({"conversation": [{"bubbleId": "o1", "type": 1, "text": "旧的"}]})),
        (put, "bubbleId:c1:b0", json.dumps({"type": 1, "text": "last in order"})),
        (put, "bubbleId:c1:b1", json.dumps({"type": 1, "text": "hi"})),
        (put, "bubbleId:c1:b2", json.dumps(bubble).encode()),
        (put, "bubbleId:c1:b3", "null"),
        (put, "bubbleId:c1:gone", json.dumps({"type": 1, "text": "withdrawn"})),
    )  # fmt: skip
    found = harvest(Cursor([tmp_path]), path)

    assert [
        ("user", "hi"),
        ("assistant", "Done."),
        ("user", "last in order"),
        ("user", "旧的"),
    ] == found.turns
    assert ["edit_file: a.py", "edited"] == tools(found)
    assert {"title": "T", "model": "m"} == found.sessions["c1"]
    assert "sk-secret" not in repr(found)


def test_cursor_command_line_store(tmp_path: Path) -> None:
    facts = json.dumps(
        {"agentId": "a1b2", "name": "Test", "createdAt": 1775522590321, "lastUsedModel": "m"}
    )
    add = "insert into blobs values (?, ?)"
    path = database(
        tmp_path / "chats" / "hash" / "a1b2" / "store.db",
        "create table blobs (id TEXT PRIMARY KEY, data BLOB); create table meta (key TEXT PRIMARY KEY, value TEXT);",
        ("insert into meta values ('0', ?)", facts.encode().hex()),
        (add, "h0", b"\x0a\x20binary"),
        (add, "h1", json.dumps({"role": "system", "content": "You are"}).encode()),
        (add, "h2", json.dumps({"role": "user", "content": "<user_info>\nOS\n</user_info>\n<user_query>\n看 a.py\n</user_query>"}).encode()),
        (add, "h3", json.dumps({"role": "assistant", "content": [{"type": "text", "text": "I look."}, {"type": "tool-call", "toolCallId": "t1", "toolName": "Read", "args": {"path": "a.py"}}]}).encode()),
        (add, "h4", json.dumps({"role": "tool", "content": [{"type": "tool-result", "toolCallId": "t1", "toolName": "Read", "result": "x = 1"}]}).encode()),
    )  # fmt: skip
    source = Cursor([tmp_path])
    found = harvest(source, path)
    database(
        path,
        "",
        (
            add,
            "h5",
            json.dumps({"role": "user", "content": "<user_query>more</user_query>"}).encode(),
        ),
    )
    new = [m.text for batch in source.read(path, found.cursor) for m in batch.messages]

    assert [("user", "看 a.py"), ("assistant", "I look.")] == found.turns
    assert ["Read: a.py", "x = 1"] == tools(found)
    assert {"a1b2": {"title": "Test", "model": "m"}} == found.sessions
    assert ["more"] == new


# Zed


def test_zed_reads_both_shapes_of_a_thread(tmp_path: Path) -> None:
    old = {
        "version": "0.2.0",
        "summary": "S",
        "messages": [
            {"id": 1, "role": "user", "segments": [{"type": "text", "text": "旧 shape"}]},
            {
                "id": 2,
                "role": "assistant",
                "segments": [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "Yes."}],
                "tool_uses": [{"id": "t1", "name": "terminal", "input": {"command": "ls"}}],
                "tool_results": [{"tool_use_id": "t1", "content": "a.py"}],
            },
        ],
    }
    new = {
        "version": "0.3.0",
        "title": "N",
        "model": {"model": "m"},
        "initial_project_snapshot": {
            "worktree_snapshots": [{"worktree_path": "/w", "git_state": {"current_branch": "main"}}]
        },
        "messages": [
            {
                "User": {
                    "id": "u1",
                    "content": [
                        {"Text": "look at"},
                        {"Mention": {"uri": {}, "content": "injected"}},
                    ],
                }
            },
            "Resume",
            {
                "Agent": {
                    "content": [
                        {"Text": "I look."},
                        {"ToolUse": {"id": "t2", "name": "read_file", "input": {"path": "a.py"}}},
                    ],
                    "tool_results": {"t2": {"tool_use_id": "t2", "content": {"Text": "x = 1"}}},
                }
            },
        ],
    }
    add = "insert into threads(id, summary, updated_at, data_type, data, parent_id, folder_paths) values (?, 'S', '2026-07-19T08:00:02+00:00', ?, ?, ?, ?)"
    path = database(
        tmp_path / "threads.db",
        agents.ZedAgent.schema,
        (add, "old", "json", json.dumps(old), None, "/one\n/two"),
        (add, "new", "zstd", zstandard.compress(json.dumps(new).encode()), None, None),
        (add, "sub", "json", json.dumps({"messages": [{"User": {"id": "u2", "content": [{"Text": "explore"}]}}]}), "new", None),
        (add, "bad", "zstd", b"no frame", None, None),
    )  # fmt: skip
    found = harvest(Zed([tmp_path]), path)

    assert [
        ("user", "look at"),
        ("assistant", "I look."),
        ("user", "旧 shape"),
        ("assistant", "Yes."),
        ("system", "explore"),
    ] == found.turns
    assert ["read_file: a.py", "x = 1", "terminal: ls", "a.py"] == tools(found)
    assert {"title": "S", "project": "/w", "branch": "main", "model": "m"} == found.sessions["new"]
    assert {"title": "S", "project": "/one"} == found.sessions["old"]
    assert ["unexpected shape: ValueError"] == [reason for _, _, reason in found.rejects]


def test_zed_a_frame_that_swells_is_rejected(tmp_path: Path) -> None:
    bomb = zstandard.compress(b" " * 80_000_000)
    add = "insert into threads(id, summary, updated_at, data_type, data) values ('t', 'S', 'x', 'zstd', ?)"
    path = database(tmp_path / "threads.db", agents.ZedAgent.schema, (add, bomb))

    assert ["unexpected shape: ValueError"] == [
        reason for _, _, reason in harvest(Zed([tmp_path]), path).rejects
    ]


# Kiro

CONVERSATION = {
    "conversation_id": "k1",
    "history": [
        {"user": {"env_context": {"env_state": {"current_working_directory": "/w"}}, "content": {"Prompt": {"prompt": "继续"}}, "timestamp": "2026-05-17T10:00:00Z"}, "assistant": {"ToolUse": {"message_id": "m1", "content": "", "tool_uses": [{"id": "t1", "name": "execute_bash", "args": {"command": "ls"}}]}}, "request_metadata": {"stream_end_timestamp_ms": 1779012010000}},
        {"user": {"content": {"ToolUseResults": {"tool_use_results": [{"tool_use_id": "t1", "content": [{"Text": "a.py"}]}]}}}, "assistant": {"Response": {"message_id": "m2", "content": "One file."}}},
        {"user": {"content": {"Prompt": {"prompt": "继续"}}}, "assistant": {"Response": {"message_id": "m3", "content": "Done."}}},
    ],
}  # fmt: skip


def test_kiro_in_its_database_and_exported_is_stored_once(tmp_path: Path) -> None:
    add = "insert into conversations_v2 values ('/w', ?, ?, 1, 2)"
    broken = '{"conversation_id":"k2","history":['
    path = database(
        tmp_path / "kiro-cli" / "data.sqlite3",
        agents.KiroAgent.schema,
        (add, "k1", json.dumps(CONVERSATION)),
        (add, "k2", broken),
    )
    export = tmp_path / "export.json"
    export.write_text(json.dumps(CONVERSATION))
    source = Kiro([tmp_path])
    first, second = harvest(source, path), harvest(source, export)

    assert [
        ("user", "继续"),
        ("assistant", "One file."),
        ("user", "继续"),
        ("assistant", "Done."),
    ] == first.turns
    assert ["execute_bash: ls", "a.py"] == tools(first)
    assert first.texts == second.texts
    assert "/w" == first.sessions["k1"]["project"]
    assert source.recognises(export.read_bytes())


class TestKiroLog(SourceContract):
    source_class = KiroLog
    file_name = "sessions/cli/6e1f.jsonl"
    records = (
        {"version": "v1", "kind": "Prompt", "data": {"message_id": "u1", "content": [{"kind": "text", "data": "看 a.py"}]}},
        {"version": "v1", "kind": "AssistantMessage", "data": {"message_id": "a1", "content": [{"kind": "text", "data": "I look."}, {"kind": "toolUse", "data": {"toolUseId": "t1", "name": "read", "input": {"path": "a.py"}}}]}},
        {"version": "v1", "kind": "ToolResults", "data": {"message_id": "r1", "content": [{"kind": "toolResult", "data": {"toolUseId": "t1", "content": [{"kind": "text", "data": "x = 1"}]}}]}},
        {"version": "v1", "kind": "AssistantMessage", "data": {"message_id": "a2", "content": [{"kind": "text", "data": "It sets x."}]}},
    )  # fmt: skip
    turns = (("user", "看 a.py"), ("assistant", "I look."), ("assistant", "It sets x."))
    session_ids = ("6e1f",)
    essential = ()

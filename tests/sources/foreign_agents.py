"""Agents as the tests know them: their schemas, how they write, and which of their rows are visible.

Run as a program it plays one of them: `python -m tests.sources.foreign_agents NAME DATABASE SEED WRITES PAUSE`.
The oracle (`visible`) looks at the finished database with plain SQL and knows nothing of memoryd.
"""

import json
import random
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zstandard

Said = tuple[str, str, str]  # session, role, text
START = 1_780_000_000


def words(chance: random.Random) -> str:
    """Something that a person may have said; sometimes the same again, sometimes long."""
    said = chance.choice(
        ["继续", "go on", "the retry loop never backs off", "数据库迁移 failed", "ok 👍"]
    )
    return (
        said
        if chance.random() < 0.4
        else f"{said} {chance.randrange(10**6)} " + "x" * chance.randrange(400)
    )


class Agent:
    """One agent's way of writing.

    Attributes:
        steps: what it may do next, as often as named.
    """

    file = "agent.db"
    schema = ""
    wal = True
    live = False

    def __init__(self, connection: sqlite3.Connection, seed: int) -> None:
        self.db = connection
        self.chance = random.Random(seed)
        self.clock = START + seed * 100_000
        self.steps: list[Callable[[], None]] = []
        self.mark = f"{seed}"

    def tick(self) -> int:
        """A moment, later than the last one; two agents at once look at one clock, where 20 s last 1 ms."""
        if self.live:
            self.clock = max(self.clock + 1, START + int(time.time() * 20_000) % 10**9)
        else:
            self.clock += self.chance.randrange(1, 40)
        return self.clock

    def step(self) -> None:
        """One transaction."""
        self.db.execute("begin immediate")
        with self.db:
            self.chance.choice(self.steps)()

    @classmethod
    def visible(cls, db: sqlite3.Connection) -> Counter[Said]:
        """What a person would see in the agent now."""
        raise NotImplementedError

    def some(self, sql: str, *values: Any) -> Any:
        """One row of a query, by chance; None if there is none."""
        rows = self.db.execute(sql, values).fetchall()
        return self.chance.choice(rows) if rows else None


class HermesAgent(Agent):
    """Hermes 0.19: rewinds, in-place compaction that repeats its tail, retries that write a session anew."""

    file = "state.db"
    schema = """
    create table sessions (id text primary key, source text, model text, parent_session_id text,
      started_at real, title text, cwd text, git_branch text);
    create table messages (id integer primary key autoincrement, session_id text not null, role text not null,
      content text, tool_call_id text, tool_calls text, tool_name text, timestamp real not null,
      finish_reason text, active integer not null default 1, compacted integer not null default 0);
    create index idx_messages_session on messages(session_id, timestamp);
    """

    def __init__(self, connection: sqlite3.Connection, seed: int) -> None:
        super().__init__(connection, seed)
        self.steps = (
            [self.say] * 12 + [self.open] * 2 + [self.rewind, self.compact, self.retry, self.call]
        )

    def open(self) -> None:
        self.db.execute(
            "insert into sessions(id, source, title, cwd) values (?, 'cli', 'A title', '/w')",
            (f"s{self.mark}-{self.tick()}",),
        )

    def _add(self, session: str, role: str, content: str | None, at: float, **more: Any) -> None:
        names = ["session_id", "role", "content", "timestamp", *more]
        marks = ",".join("?" * len(names))
        self.db.execute(
            f"insert into messages({','.join(names)}) values ({marks})",
            (session, role, content, at, *more.values()),
        )

    def say(self) -> None:
        session = self.some("select id from sessions")
        if session:
            text = words(self.chance)
            content = (
                text
                if self.chance.random() < 0.8
                else "\0json:" + json.dumps([{"type": "text", "text": text}])
            )
            self._add(
                session[0], self.chance.choice(["user", "assistant"]), content, self.tick() + 0.25
            )

    def call(self) -> None:
        session = self.some("select id from sessions")
        if session:
            call = f"call-{self.mark}-{self.tick()}"
            function = {"name": "terminal", "arguments": json.dumps({"command": f"ls {call}"})}
            self._add(
                session[0],
                "assistant",
                None,
                self.tick(),
                tool_calls=json.dumps([{"id": call, "function": function}]),
            )
            self._add(session[0], "tool", f"out of {call}", self.tick(), tool_call_id=call)

    def rewind(self) -> None:
        session = self.some("select distinct session_id from messages where active = 1")
        if session:
            last = self.db.execute(
                "select id from messages where session_id = ? and active = 1 order by id desc limit 2",
                session,
            ).fetchall()
            self.db.executemany("update messages set active = 0 where id = ?", last)

    def compact(self) -> None:
        session = self.some(
            "select session_id from messages where active = 1 group by 1 having count(*) > 4"
        )
        if not session:
            return
        tail = self.db.execute(
            "select role, content, timestamp, tool_calls, tool_call_id from messages "
            "where session_id = ? and active = 1 order by id desc limit 2", session
        ).fetchall()[::-1]  # fmt: skip
        self.db.execute(
            "update messages set active = 0, compacted = 1 where session_id = ? and active = 1",
            session,
        )
        now = float(self.tick())
        self._add(session[0], "user", "[CONTEXT COMPACTION - REFERENCE ONLY] before: …", now)
        keep_time = self.chance.random() < 0.5
        for role, content, at, calls, call in tail:
            now += 0.001
            moment = at if keep_time else now
            self._add(session[0], role, content, moment, tool_calls=calls, tool_call_id=call)

    def retry(self) -> None:
        """Delete and insert again: the same rows with other numbers."""
        session = self.some("select distinct session_id from messages")
        names = "session_id, role, content, timestamp, tool_calls, tool_call_id, active, compacted"
        rows = self.db.execute(
            f"select {names} from messages where session_id = ? order by id", session or ("",)
        ).fetchall()
        if session:
            self.db.execute("delete from messages where session_id = ?", session)
            self.db.executemany(f"insert into messages({names}) values (?,?,?,?,?,?,?,?)", rows)

    @classmethod
    def visible(cls, db: sqlite3.Connection) -> Counter[Said]:
        said: Counter[Said] = Counter()
        sessions = [key for (key,) in db.execute("select distinct session_id from messages")]
        for session in sessions:
            seen: set[tuple[str, str, float]] = set()
            archived: list[tuple[str, str]] = []
            summary = 0.0
            for role, content, at, calls, call, active, compacted in db.execute(
                "select role, content, timestamp, tool_calls, tool_call_id, active, compacted from messages "
                "where session_id = ? order by id", (session,)
            ):  # fmt: skip
                text = cls.text(content)
                if text.startswith("[CONTEXT COMPACTION"):
                    summary = at
                    continue
                if at < summary + 1 and (role, content) in archived:
                    continue
                if compacted:
                    archived.append((role, content))
                if not active and not compacted:
                    continue
                if call:
                    said[session, "tool", text] = 1
                elif calls:
                    said[
                        session,
                        "tool",
                        f"terminal: {json.loads(json.loads(calls)[0]['function']['arguments'])['command']}",
                    ] = 1
                elif (role, text, at) not in seen:
                    seen.add((role, text, at))
                    said[session, role, text] += 1
        return said

    @staticmethod
    def text(content: str | None) -> str:
        if content and content.startswith("\0json:"):
            return str(json.loads(content.removeprefix("\0json:"))[0]["text"])
        return content or ""


class OpenCodeAgent(Agent):
    """OpenCode 1.2: parts grow in place; some texts are synthetic."""

    file = "opencode.db"
    schema = """
    create table session (id text primary key, project_id text, parent_id text, directory text, title text,
      time_created integer, time_updated integer);
    create table message (id text primary key, session_id text not null, time_created integer, time_updated integer,
      data text not null);
    create table part (id text primary key, message_id text not null, session_id text not null,
      time_created integer, time_updated integer, data text not null);
    create index message_session_idx on message (session_id);
    create index part_message_idx on part (message_id);
    create index part_session_idx on part (session_id);
    """

    def __init__(self, connection: sqlite3.Connection, seed: int) -> None:
        super().__init__(connection, seed)
        self.steps = [self.open, *[self.say] * 6, *[self.grow] * 6, self.tool, self.rename]

    def open(self) -> None:
        at = self.tick() * 1000
        self.db.execute(
            "insert into session values (?, 'p', null, '/w', 'New', ?, ?)",
            (f"ses_{self.mark}_{at}", at, at),
        )

    def say(self) -> None:
        session = self.some("select id from session")
        if session:
            at, role = self.tick() * 1000, self.chance.choice(["user", "assistant"])
            message = f"msg_{self.mark}_{at}"
            self.db.execute(
                "insert into message values (?, ?, ?, ?, ?)",
                (message, session[0], at, at, json.dumps({"role": role})),
            )
            part = {
                "type": "text",
                "text": words(self.chance),
                "synthetic": self.chance.random() < 0.2,
            }
            self.db.execute(
                "insert into part values (?, ?, ?, ?, ?, ?)",
                (f"prt_{self.mark}_{at}", message, session[0], at, at, json.dumps(part)),
            )

    def grow(self) -> None:
        """Streaming: a part is written over without touching its message or session."""
        row = self.some("select id, data from part where json_extract(data, '$.type') = 'text'")
        if row:
            part = json.loads(row[1])
            part["text"] += " " + words(self.chance)
            self.db.execute(
                "update part set data = ?, time_updated = ? where id = ?",
                (json.dumps(part), self.tick() * 1000, row[0]),
            )

    def tool(self) -> None:
        message = self.some(
            "select id, session_id from message where json_extract(data, '$.role') = 'assistant'"
        )
        if message:
            at = self.tick() * 1000
            part = {
                "type": "tool",
                "tool": "bash",
                "callID": f"call-{self.mark}-{at}",
                "state": {"input": {"command": f"ls {at}"}},
            }
            self.db.execute(
                "insert into part values (?, ?, ?, ?, ?, ?)",
                (f"prt_{self.mark}_{at}", *message, at, at, json.dumps(part)),
            )

    def rename(self) -> None:
        self.db.execute(
            "update session set title = ?, time_updated = ?",
            (f"Title {self.tick()}", self.clock * 1000),
        )

    @classmethod
    def visible(cls, db: sqlite3.Connection) -> Counter[Said]:
        said: Counter[Said] = Counter()
        for session, message, data in db.execute(
            "select p.session_id, m.data, p.data from part p join message m on m.id = p.message_id"
        ):
            part = json.loads(data)
            if part["type"] == "tool":
                said[session, "tool", f"bash: {part['state']['input']['command']}"] += 1
            elif not part["synthetic"]:
                said[session, json.loads(message)["role"], part["text"].strip()] += 1
        return said


class GooseAgent(Agent):
    """Goose 1.10: rows are added; compaction writes a conversation anew, with other numbers and ids."""

    file = "sessions.db"
    schema = """
    create table sessions (id text primary key, name text not null default '', description text not null default '',
      session_type text not null default 'user', working_dir text not null,
      created_at timestamp default current_timestamp, updated_at timestamp default current_timestamp);
    create table messages (id integer primary key autoincrement, message_id text, session_id text not null,
      role text not null, content_json text not null, created_timestamp integer not null,
      timestamp timestamp default current_timestamp, metadata_json text);
    create index idx_messages_session on messages(session_id);
    """

    def __init__(self, connection: sqlite3.Connection, seed: int) -> None:
        super().__init__(connection, seed)
        self.steps = [self.open, *[self.say] * 10, self.rewrite, self.hide]

    def open(self) -> None:
        kind = self.chance.choice(["user", "acp", "terminal", "sub_agent"])
        self.db.execute(
            "insert into sessions(id, name, session_type, working_dir) values (?, 'demo', ?, '/w')",
            (f"{self.mark}_{self.tick()}", kind),
        )

    def say(self) -> None:
        session = self.some("select id from sessions")
        if session:
            content = json.dumps([{"type": "text", "text": words(self.chance)}])
            self.db.execute(
                "insert into messages(message_id, session_id, role, content_json, created_timestamp) values (?, ?, ?, ?, ?)",
                (
                    f"m{self.tick()}",
                    session[0],
                    self.chance.choice(["user", "assistant"]),
                    content,
                    self.tick(),
                ),
            )

    def hide(self) -> None:
        """What compaction puts in for the model alone."""
        session = self.some("select id from sessions")
        if session:
            content = json.dumps([{"type": "text", "text": "a summary for the model"}])
            self.db.execute(
                "insert into messages(session_id, role, content_json, created_timestamp, metadata_json) values (?, 'user', ?, ?, ?)",
                (
                    session[0],
                    content,
                    self.tick(),
                    json.dumps({"userVisible": False, "agentVisible": True}),
                ),
            )

    def rewrite(self) -> None:
        session = self.some("select id from sessions")
        names = "session_id, role, content_json, created_timestamp, metadata_json"
        rows = self.db.execute(
            f"select {names} from messages where session_id = ?", session or ("",)
        ).fetchall()
        if session:
            self.db.execute("delete from messages where session_id = ?", session)
            self.db.executemany(f"insert into messages({names}) values (?,?,?,?,?)", rows)

    @classmethod
    def visible(cls, db: sqlite3.Connection) -> Counter[Said]:
        return Counter(
            (session, role, json.loads(content)[0]["text"].strip())
            for session, role, content, facts in db.execute(
                "select session_id, role, content_json, metadata_json from messages m join sessions s on s.id = session_id "
                "where session_type <> 'sub_agent'"
            )
            if not facts or json.loads(facts)["userVisible"]
        )


class CrushAgent(Agent):
    """Crush: rows grow in place, and their time of change is a full second."""

    file = "crush.db"
    schema = """
    create table sessions (id text primary key, parent_session_id text, title text not null,
      updated_at integer not null, created_at integer not null);
    create table messages (id text primary key, session_id text not null, role text not null,
      parts blob not null default '[]', model text, created_at integer not null, updated_at integer not null,
      finished_at integer, is_summary_message integer not null default 0);
    create index idx_messages_session_id on messages (session_id);
    """

    def __init__(self, connection: sqlite3.Connection, seed: int) -> None:
        super().__init__(connection, seed)
        self.steps = [self.open, *[self.say] * 6, *[self.grow] * 6, self.summarise]

    def open(self) -> None:
        at = self.tick()
        kind = "title-" if self.chance.random() < 0.2 else ""
        self.db.execute(
            "insert into sessions values (?, null, 'T', ?, ?)", (f"{kind}{self.mark}-{at}", at, at)
        )

    def _add(self, text: str, summary: int) -> None:
        session = self.some("select id from sessions")
        if session:
            at, role = self.tick(), self.chance.choice(["user", "assistant"])
            parts = json.dumps(
                [{"type": "text", "data": {"text": text}}, {"type": "finish", "data": {}}]
            )
            self.db.execute(
                "insert into messages values (?, ?, ?, ?, 'm', ?, ?, null, ?)",
                (f"{self.mark}-{at}", session[0], role, parts, at, at, summary),
            )

    def say(self) -> None:
        self._add(words(self.chance), 0)

    def summarise(self) -> None:
        self._add("what was said before", 1)

    def grow(self) -> None:
        """The newest row of a session half of the time within the same second as its last change."""
        row = self.some(
            "select id, parts, max(updated_at), is_summary_message from messages group by session_id"
        )
        if row and not row[3]:
            parts = json.loads(row[1])
            parts[0]["data"]["text"] += " " + words(self.chance)
            at = row[2] if self.chance.random() < 0.5 else self.tick()
            self.db.execute(
                "update messages set parts = ?, updated_at = ? where id = ?",
                (json.dumps(parts), at, row[0]),
            )

    @classmethod
    def visible(cls, db: sqlite3.Connection) -> Counter[Said]:
        return Counter(
            (session, role, json.loads(parts)[0]["data"]["text"].strip())
            for session, role, parts in db.execute(
                "select session_id, role, parts from messages where is_summary_message = 0 and session_id not like 'title-%'"
            )
        )


class CursorAgent(Agent):
    """Cursor's editor: keys that are replaced (a new row number), or now and then updated (the old one)."""

    file = "state.vscdb"
    schema = """
    create table ItemTable (key text unique on conflict replace, value blob);
    create table cursorDiskKV (key text unique on conflict replace, value blob);
    """

    def __init__(self, connection: sqlite3.Connection, seed: int) -> None:
        super().__init__(connection, seed)
        self.steps = [self.open, *[self.say] * 6, *[self.grow] * 5, self.restore, self.noise]

    def _composer(self) -> tuple[str, dict[str, Any]] | None:
        row = self.some("select key, value from cursorDiskKV where key like 'composerData:%'")
        return (row[0].partition(":")[2], json.loads(row[1])) if row else None

    def _put(self, key: str, value: object) -> None:
        text = json.dumps(value)
        if (
            self.chance.random() < 0.3
            and self.db.execute("select 1 from cursorDiskKV where key = ?", (key,)).fetchone()
        ):
            self.db.execute("update cursorDiskKV set value = ? where key = ?", (text, key))
        else:
            data = text.encode() if self.chance.random() < 0.3 else text
            self.db.execute("insert into cursorDiskKV values (?, ?)", (key, data))

    def open(self) -> None:
        composer = f"c{self.mark}-{self.tick()}"
        self._put(
            f"composerData:{composer}",
            {"composerId": composer, "name": "N", "fullConversationHeadersOnly": []},
        )

    def say(self) -> None:
        found = self._composer()
        if found:
            composer, facts = found
            bubble, kind = f"b{self.mark}-{self.tick()}", self.chance.choice([1, 2])
            value = {
                "bubbleId": bubble,
                "type": kind,
                "text": words(self.chance),
                "createdAt": self.clock * 1000,
            }
            self._put(f"bubbleId:{composer}:{bubble}", value)
            facts["fullConversationHeadersOnly"].append({"bubbleId": bubble, "type": kind})
            self._put(f"composerData:{composer}", facts)

    def grow(self) -> None:
        row = self.some(
            "select key, value from cursorDiskKV where key like 'bubbleId:%' and value is not null"
        )
        if row:
            bubble = json.loads(row[1])
            bubble["text"] += " " + words(self.chance)
            self._put(row[0], bubble)

    def restore(self) -> None:
        """A checkpoint is restored: the last bubbles leave the conversation, their rows stay."""
        found = self._composer()
        if found and len(found[1]["fullConversationHeadersOnly"]) > 1:
            composer, facts = found
            del facts["fullConversationHeadersOnly"][-1]
            self._put(f"composerData:{composer}", facts)

    def noise(self) -> None:
        self.db.execute(
            "insert into cursorDiskKV values (?, null)", (f"checkpointId:{self.tick()}",)
        )
        self.db.execute(
            "insert into ItemTable values ('cursorAuth/accessToken', ?)", (f"secret-{self.tick()}",)
        )

    @classmethod
    def visible(cls, db: sqlite3.Connection) -> Counter[Said]:
        said: Counter[Said] = Counter()
        for key, value in db.execute(
            "select key, value from cursorDiskKV where key like 'composerData:%'"
        ).fetchall():
            composer = key.partition(":")[2]
            for header in json.loads(value)["fullConversationHeadersOnly"]:
                (data,) = db.execute(
                    "select value from cursorDiskKV where key = ?",
                    (f"bubbleId:{composer}:{header['bubbleId']}",),
                ).fetchone()
                bubble = json.loads(data)
                said[
                    composer, "user" if bubble["type"] == 1 else "assistant", bubble["text"].strip()
                ] += 1
        return said


class ZedAgent(Agent):
    """Zed: a thread is saved as a whole, again and again while an answer streams."""

    file = "threads.db"
    wal = False
    schema = """
    create table threads (id text primary key, summary text not null, updated_at text not null,
      data_type text not null, data blob not null, parent_id text, folder_paths text, created_at text);
    """

    def __init__(self, connection: sqlite3.Connection, seed: int) -> None:
        super().__init__(connection, seed)
        self.steps = [self.open, *[self.ask] * 3, *[self.answer] * 6]

    def _save(self, thread: str, messages: list[Any]) -> None:
        document = json.dumps({"version": "0.3.0", "title": "t", "messages": messages}).encode()
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.tick()))
        self.db.execute(
            "insert into threads(id, summary, updated_at, data_type, data, folder_paths) values (?, 'S', ?, 'zstd', ?, '/w') "
            "on conflict (id) do update set data = excluded.data, updated_at = excluded.updated_at",
            (thread, at, zstandard.compress(document)),
        )

    def _load(self) -> tuple[str, list[Any]] | None:
        row = self.some("select id, data from threads")
        return (row[0], json.loads(zstandard.decompress(row[1]))["messages"]) if row else None

    def open(self) -> None:
        self._save(f"t{self.mark}-{self.tick()}", [])

    def ask(self) -> None:
        found = self._load()
        if found:
            thread, messages = found
            messages.append(
                {
                    "User": {
                        "id": f"u{self.mark}-{self.tick()}",
                        "content": [{"Text": words(self.chance)}],
                    }
                }
            )
            self._save(thread, messages)

    def answer(self) -> None:
        found = self._load()
        if found:
            thread, messages = found
            if messages and "Agent" in messages[-1]:
                messages[-1]["Agent"]["content"][1]["Text"] += " " + words(self.chance)
            elif messages:
                blocks = [{"Thinking": {"text": "hm"}}, {"Text": words(self.chance)}]
                messages.append({"Agent": {"content": blocks, "tool_results": {}}})
            self._save(thread, messages)

    @classmethod
    def visible(cls, db: sqlite3.Connection) -> Counter[Said]:
        said: Counter[Said] = Counter()
        for thread, data in db.execute("select id, data from threads"):
            for message in json.loads(zstandard.decompress(data))["messages"]:
                role, inner = (
                    ("user", message["User"])
                    if "User" in message
                    else ("assistant", message["Agent"])
                )
                said[thread, role, inner["content"][-1]["Text"].strip()] += 1
        return said


class OpenClawAgent(Agent):
    """OpenClaw 2026.9: events as text or compressed; a rewrite changes the generation."""

    file = "openclaw-agent.sqlite"
    schema = """
    create table session_windows (session_id text primary key, model text, display_name text);
    create table transcript_events (session_id text not null, seq integer not null, event_json text,
      created_at integer not null, event_zstd blob, event_utf8_bytes integer, navigation_json text,
      primary key (session_id, seq)) strict;
    create table transcript_rewrite_watermarks (session_id text primary key, generation text, updated_at integer);
    """

    def __init__(self, connection: sqlite3.Connection, seed: int) -> None:
        super().__init__(connection, seed)
        self.steps = [self.open, *[self.say] * 10, self.rewrite]

    def open(self) -> None:
        session = f"w{self.mark}-{self.tick()}"
        self.db.execute("insert into session_windows values (?, 'm', 'D')", (session,))
        self.db.execute("insert into transcript_rewrite_watermarks values (?, 'g0', 1)", (session,))
        self._event(
            session,
            {
                "type": "session",
                "version": 4,
                "id": session,
                "cwd": "/w",
                "timestamp": self.stamp(),
            },
        )

    def stamp(self) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self.tick()))

    def _event(self, session: str, event: object) -> None:
        text = json.dumps(event)
        packed = zstandard.compress(text.encode()) if self.chance.random() < 0.5 else None
        seq = self.db.execute(
            "select coalesce(max(seq), -1) + 1 from transcript_events where session_id = ?",
            (session,),
        ).fetchone()[0]
        self.db.execute(
            "insert into transcript_events(session_id, seq, event_json, event_zstd, event_utf8_bytes, created_at) values (?, ?, ?, ?, ?, 1)",
            (session, seq, None if packed else text, packed, len(text)),
        )

    def say(self) -> None:
        session = self.some("select session_id from session_windows")
        if session:
            role = self.chance.choice(["user", "assistant"])
            text = f"{words(self.chance)} {self.tick()}"
            event = {
                "type": "message",
                "id": f"e{self.tick()}",
                "timestamp": self.stamp(),
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
            }
            self._event(session[0], event)

    def rewrite(self) -> None:
        """All events of a session anew, in other places, with one in the middle changed."""
        session = self.some("select session_id from session_windows")
        if session:
            self.db.execute(
                "update transcript_events set seq = seq + 100000 where session_id = ?", session
            )
            self.db.execute(
                "update transcript_events set seq = seq - 99999 where session_id = ?", session
            )
            generation = f"g{self.tick()}"
            self.db.execute(
                "update transcript_rewrite_watermarks set generation = ?, updated_at = ? where session_id = ?",
                (generation, self.clock, *session),
            )

    @classmethod
    def visible(cls, db: sqlite3.Connection) -> Counter[Said]:
        said: Counter[Said] = Counter()
        for session, text, packed in db.execute(
            "select session_id, event_json, event_zstd from transcript_events"
        ):
            event = json.loads(zstandard.decompress(packed) if packed else text)
            if event["type"] == "message":
                said[session, event["message"]["role"], event["message"]["content"][0]["text"]] += 1
        return said


class KiroAgent(Agent):
    """Kiro's command line: a conversation is one JSON value."""

    file = "data.sqlite3"
    schema = """
    create table conversations_v2 (key text not null, conversation_id text not null, value text not null,
      created_at integer not null, updated_at integer not null, primary key (key, conversation_id));
    """

    def __init__(self, connection: sqlite3.Connection, seed: int) -> None:
        super().__init__(connection, seed)
        self.steps = [self.open, *[self.say] * 6]

    def open(self) -> None:
        conversation = f"k{self.mark}-{self.tick()}"
        value = json.dumps({"conversation_id": conversation, "history": []})
        self.db.execute(
            "insert into conversations_v2 values ('/w', ?, ?, 1, ?)",
            (conversation, value, self.clock),
        )

    def say(self) -> None:
        row = self.some("select conversation_id, value from conversations_v2")
        if row:
            document = json.loads(row[1])
            reply = {"message_id": f"m{self.mark}-{self.tick()}", "content": words(self.chance)}
            question = {
                "content": {"Prompt": {"prompt": words(self.chance)}},
                "timestamp": "2026-05-17T10:00:00Z",
            }
            document["history"].append({"user": question, "assistant": {"Response": reply}})
            self.db.execute(
                "update conversations_v2 set value = ?, updated_at = ? where conversation_id = ?",
                (json.dumps(document), self.tick(), row[0]),
            )

    @classmethod
    def visible(cls, db: sqlite3.Connection) -> Counter[Said]:
        said: Counter[Said] = Counter()
        for conversation, value in db.execute(
            "select conversation_id, value from conversations_v2"
        ):
            for turn in json.loads(value)["history"]:
                said[conversation, "user", turn["user"]["content"]["Prompt"]["prompt"].strip()] += 1
                said[
                    conversation, "assistant", turn["assistant"]["Response"]["content"].strip()
                ] += 1
        return said


AGENTS: dict[str, type[Agent]] = {
    "hermes": HermesAgent,
    "opencode": OpenCodeAgent,
    "goose": GooseAgent,
    "crush": CrushAgent,
    "cursor": CursorAgent,
    "zed": ZedAgent,
    "openclaw": OpenClawAgent,
    "kiro": KiroAgent,
}


def create(name: str, path: Path, seed: int) -> tuple[sqlite3.Connection, Agent]:
    """A new database of an agent, and the agent that writes to it."""
    connection = sqlite3.connect(path, timeout=20)
    connection.execute("pragma synchronous=off")  # nobody pulls the plug here
    kind = AGENTS[name]
    if kind.wal:
        connection.execute("pragma journal_mode=wal")
        connection.execute("pragma wal_autocheckpoint=40")
    if not connection.execute("select 1 from sqlite_master").fetchone():
        connection.executescript(kind.schema)
    return connection, kind(connection, seed)


def main(name: str, database: str, seed: str, writes: str, pause: str) -> None:
    """Write for a while, then close as an agent does."""
    connection, agent = create(name, Path(database), int(seed))
    agent.live = True
    for _ in range(int(writes)):
        agent.step()
        time.sleep(float(pause))
    connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

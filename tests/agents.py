"""Made-up transcripts after the pattern of what Claude Code and Codex write."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

SPACE = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
SENTENCES = (
    "the migration of the orders table needs a second index",
    "部署之前先备份数据库，端口是 8081",
    "用 Docker 部署 redis 缓存 👩‍🚀",
    "why does `parse_config` ignore user_id in C++ builds?",
    "def total(rows):\n    return sum(row.price for row in rows)",
    "naïve café — 東京タワー — привет",
)
Turn = tuple[str, ...]


def line(record: object) -> bytes:
    """One record as an agent writes it."""
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def claude_session(session: str, turns: Sequence[Turn], cwd: str = "/projects/shop") -> bytes:
    """A transcript of Claude Code; a turn is ("user" | "assistant", text) or ("tool", command, output)."""
    return b"".join(line(one) for one in claude_records(session, turns, cwd))


def claude_records(
    session: str, turns: Sequence[Turn], cwd: str = "/projects/shop"
) -> Iterator[dict[str, Any]]:
    """The records of `claude_session`."""
    for number, (kind, *said) in enumerate(turns):
        common = {
            "parentUuid": None,
            "isSidechain": False,
            "cwd": cwd,
            "sessionId": session,
            "version": "2.1.40",
            "gitBranch": "main",
            "timestamp": f"2026-03-{1 + number // 3600 % 28:02}T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
        }
        for part, (role, content) in enumerate(_claude_contents(session, number, kind, said)):
            message: dict[str, Any] = {"role": role, "content": content}
            if role == "assistant":
                message |= {"id": f"msg_{session}_{number}", "model": "claude-opus-5"}
            identity = str(uuid5(SPACE, f"{session}/{number}/{part}"))
            yield {**common, "type": role, "uuid": identity, "message": message}


def _claude_contents(
    session: str, number: int, kind: str, said: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    if kind == "user":
        yield "user", said[0]
    elif kind == "assistant":
        yield "assistant", [{"type": "text", "text": said[0]}]
    else:
        call = f"toolu_{uuid5(SPACE, f'{session}/{number}').hex[:24]}"
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": said[0]}}
        yield "assistant", [use]
        yield "user", [{"type": "tool_result", "tool_use_id": call, "content": said[1]}]


def codex_session(thread: str, turns: Sequence[Turn], cwd: str = "/projects/shop") -> bytes:
    """A rollout of Codex; turns as for `claude_session`."""
    meta = {"id": thread, "cwd": cwd, "git": {"branch": "main"}, "source": "cli"}
    records = [("session_meta", meta)]
    for number, (kind, *said) in enumerate(turns):
        if kind == "user":
            records.append(("turn_context", {"cwd": cwd, "model": "gpt-5.5"}))
        records += _codex_payloads(thread, number, kind, said)
    return b"".join(
        line(
            {
                "timestamp": f"2026-03-11T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}.000Z",
                "type": kind,
                "payload": payload,
            }
        )
        for n, (kind, payload) in enumerate(records)
    )


def _codex_payloads(
    thread: str, number: int, kind: str, said: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    if kind == "tool":
        call = f"call_{uuid5(SPACE, f'{thread}/{number}').hex[:24]}"
        arguments = json.dumps({"command": ["bash", "-lc", said[0]]})
        use = {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": call}
        yield "response_item", use
        output = {"type": "function_call_output", "output": said[1], "call_id": call}
        yield "response_item", output
        return
    block = {"type": "input_text" if kind == "user" else "output_text", "text": said[0]}
    yield "response_item", {"type": "message", "role": kind, "content": [block]}
    event = "user_message" if kind == "user" else "agent_message"
    yield "event_msg", {"type": event, "message": said[0]}


def make_turns(chance: random.Random, count: int) -> list[Turn]:
    """A conversation of so many turns, in several scripts."""
    turns: list[Turn] = []
    for number in range(count):
        text = f"{chance.choice(SENTENCES)} ({number}) {chance.choice(SENTENCES)}"
        kind = ("user", "assistant", "tool")[number % 3]
        turns.append(("tool", f"make step-{number}", text * 5) if kind == "tool" else (kind, text))
    return turns


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The same with what happens to files: glued and half lines, NULs, CRLF, blank and huge lines, no newline at the end."""
    lines = data.splitlines(keepends=True)
    for number in range(2, len(lines), 7):
        kind = (number // 7) % 6
        if kind == 0:
            lines[number] = lines[number].rstrip(b"\n")
        elif kind == 1:
            lines[number] = lines[number][: chance.randrange(1, 60)] + lines[number]
        elif kind == 2:
            lines[number] = b"\0" * 40 + lines[number]
        elif kind == 3:
            lines[number] = lines[number].rstrip(b"\n") + b"\r\n\r\n"
        elif kind == 4:
            lines[number] = b'{"oops": ' + b"x" * 200 + b"\n" + lines[number]
        else:
            lines[number] = lines[number].replace("部署".encode(), b"\xe9\x83\xff")
    return b"".join(lines)


def make_home(folder: Path) -> Path:
    """A user's home with one session of Claude Code and one of Codex."""
    claude = folder / ".claude/projects/-work-shop/5e551011-aaaa-4bbb-8ccc-000000000001.jsonl"
    thread = "019ce0d1-2189-7980-bde2-9b5c50289100"
    codex = folder / f".codex/sessions/2026/03/11/rollout-2026-03-11T00-00-00-{thread}.jsonl"
    for path in (claude, codex):
        path.parent.mkdir(parents=True)
    claude.write_bytes(
        claude_session(
            claude.stem,
            [
                ("user", "怎么给订单表加索引？"),
                ("assistant", "Add the index on orders(customer_id) before the migration."),
                ("tool", "make migrate", "3 tables migrated"),
                ("assistant", "The migration is done."),
            ],
        )
    )
    codex.write_bytes(
        codex_session(
            thread,
            [
                ("user", "Which port does the staging server use?"),
                ("assistant", "The staging server listens on port 8081."),
            ],
            cwd="/projects/site",
        )
    )
    return folder

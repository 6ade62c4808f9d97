"""Kimi Code: `sessions/<folder>/<session>/agents/<agent>/wire.jsonl`, a protocol of events.

As seen in protocol 1.4 (2026). A prompt is told as `turn.prompt` or `turn.steer` and again as an appended
message: both have the same key. Tool call ids count from 0 in each turn.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.context import Context, named
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import block_texts, content_key, join, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn

_PROMPTS = {"turn.prompt": "input", "turn.steer": "input", "context.append_message": "message"}
_PEOPLE = ("user", "cli", None)


class Kimi(JsonLinesSource):
    """Sessions of Kimi Code."""

    name = "kimi"
    title = "Kimi Code"
    names = re.compile(r"/wire\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The folders of Kimi Code and of the older Kimi CLI."""
        return [home / ".kimi-code" / "sessions", home / ".kimi" / "sessions"]

    def owns(self, record: Record) -> bool:
        """The first line, or an event."""
        kind = record.get("type")
        return "protocol_version" in record or (kind in _PROMPTS and "time" in record)

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one event."""
        session, parent = _sessions(context.path)
        context.note(
            session,
            project=text_or_none(record.get("cwd")),
            model=text_or_none(record.get("modelAlias")),
            parent_id=parent,
        )
        kind, event = record.get("type"), record.get("event")
        if kind in _PROMPTS:
            yield from _parse_prompt(record, session, context)
        elif kind == "context.append_loop_event" and isinstance(event, dict):
            yield from _parse_step(event, parse_time(record.get("time")), session, context)
        else:
            context.skip(kind)


def _sessions(path: Path) -> tuple[str, str | None]:
    """The session a file belongs to, and its parent if it is a sub-agent's."""
    agent, folder = path.parent, path.parent.parent
    if path.stem != "wire":
        return path.stem, None
    if folder.name != "agents":
        return agent.name, None
    session = folder.parent.name
    return (session, None) if agent.name == "main" else (f"{session}:{agent.name}", session)


def _parse_prompt(record: Record, session: str, context: Context) -> Iterator[Message]:
    found = record.get(_PROMPTS[record["type"]])
    message = (
        found if isinstance(found, dict) else {"content": found, "origin": record.get("origin")}
    )
    if message.get("role", "user") != "user":
        context.skip(f"{named(message.get('role'))} message")
        return
    text = join(block_texts(message.get("content")))
    channel = "appended" if isinstance(found, dict) else "typed"
    count = context.occurrence(channel, text)
    person = lookup(message, "origin.kind") in _PEOPLE and ":" not in session
    role: Role = "user" if person else "system"
    key = content_key(session, role, text, count)
    yield context.message(session, role, text, time=parse_time(record.get("time")), key=key)


def _parse_step(
    event: dict[str, Any], time: Any, session: str, context: Context
) -> Iterator[Message]:
    kind, uuid = event.get("type"), text_or_none(event.get("uuid"))
    number = context.state["turn"] = event.get("turnId", context.state.get("turn"))
    turn = Turn(context, session, f"{session}/{uuid or content_key(event)}", time, uuid)
    call = f"{number}/{event.get('toolCallId')}"
    if kind == "content.part" and lookup(event, "part.type") == "text":
        yield turn.say("assistant", event["part"]["text"])
    elif kind == "tool.call":
        yield turn.call(event.get("name"), event.get("args"), call)
    elif kind == "tool.result":
        yield from turn.result(event.get("result"), call)
    else:
        context.skip(lookup(event, "part.type") or kind)

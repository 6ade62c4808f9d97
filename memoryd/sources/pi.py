"""pi and oh-my-pi: `sessions/--<cwd>--/<time>_<uuid>.jsonl`, a tree of entries under a `session` header.

Format versions 1 to 4 (2025 to November 2026); OpenClaw writes the same entries, in files and in its database.
Entries of version 1 have no ids and are given some when the file is next loaded, and a branched session copies
entries: an entry is known by its time and text, not by its id.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import call_key, content_key, parse_time, text_or_none
from memoryd.sources.turns import Turn

_STAMP = re.compile(r"^.*_(?=[0-9a-f-]{30,})")
_ROLES = ("user", "assistant", "toolResult", "bashExecution")


class Entry(Turn):
    """An entry of a session; its tool calls meet their copies in branched sessions."""

    __slots__ = ()

    def _call_key(self, identifier: object) -> str:
        return call_key(identifier, "", self.session_id)


class Pi(JsonLinesSource):
    """Sessions of pi."""

    name = "pi"
    title = "pi"

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Below `PI_CODING_AGENT_DIR`."""
        return [Path(environ.get("PI_CODING_AGENT_DIR") or home / ".pi" / "agent") / "sessions"]

    def transcript(self, path: Path) -> Path | None:
        """Every session, but not the checkpoints that OpenClaw makes of them."""
        return None if self.is_copy(path) else super().transcript(path)

    def is_copy(self, path: Path) -> bool:
        """A checkpoint."""
        return ".checkpoint." in path.name

    def owns(self, record: Record) -> bool:
        """The header."""
        return record.get("type") == "session" and record.keys() >= {"id", "timestamp"}

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one entry."""
        if record.get("type") == "session":
            begin_session(record, context)
        else:
            session = context.state.get("session") or session_of(context.path)
            yield from parse_entry(record, session, context)


class OhMyPi(Pi):
    """Sessions of oh-my-pi, a fork of pi."""

    name = "omp"
    title = "oh-my-pi"

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The fork's own folder."""
        return [home / ".omp" / "agent" / "sessions"]


def begin_session(record: Record, context: Context) -> None:
    """Note what the header says; a `parentSession` is the path or the id of the session branched from."""
    session = text_or_none(record.get("id")) or session_of(context.path)
    context.state["session"] = session
    parent = text_or_none(record.get("parentSession"))
    context.note(
        session,
        project=text_or_none(record.get("cwd")),
        model=text_or_none(record.get("modelId")),
        parent_id=session_of(Path(parent)) if parent else None,
    )


def session_of(path: Path) -> str:
    """The session's id in a file's name: what follows the time."""
    return _STAMP.sub("", path.name.partition(".jsonl")[0])


def parse_entry(
    record: Mapping[str, Any],
    session: str,
    context: Context,
    clean_user: Callable[[str], str] = str,
    clean_assistant: Callable[[str], str] = str,
) -> Iterator[Message]:
    """The messages of an entry, wherever it is kept; the texts as the *clean* functions leave them."""
    message = record.get("message")
    kind, role = record.get("type"), message.get("role") if isinstance(message, dict) else None
    if kind == "session_info":
        context.note(session, title=text_or_none(record.get("name")))
    elif kind == "model_change":
        context.note(session, model=text_or_none(record.get("modelId")))
    if kind != "message" or not isinstance(message, dict) or role not in _ROLES:
        context.skip(role or kind)
        return
    stamp = record.get("timestamp") or message.get("timestamp")
    content = message.get("content") if role != "bashExecution" else message.get("command")
    key = content_key(stamp, role, content)
    entry = Entry(context, session, key, parse_time(stamp), text_or_none(record.get("id")))
    if role == "user":
        yield from entry.blocks("user", content, clean_user)
    elif role == "assistant":
        context.note(session, model=text_or_none(message.get("model")))
        yield from entry.blocks("assistant", content, clean_assistant)
    elif role == "toolResult":
        yield from entry.result(content, message.get("toolCallId") or key)
    else:
        yield entry.say("user", f"! {content}")  # a person ran it from the prompt

"""Factory Droid: `sessions/<folder>/<id>.jsonl`; also what `droid exec --output-format stream-json` prints.

As seen in version 0.81 (December 2025). Message ids are unique in their session.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message, Role
from memoryd.sources.claude_text import strip_injected
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import content_key, parse_time, text_or_none
from memoryd.sources.turns import Turn

_STREAM = {"tool_call", "tool_result", "completion", "message"}


class Droid(JsonLinesSource):
    """Sessions of Factory's Droid."""

    name = "droid"
    title = "Factory Droid"

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Its own folder."""
        return [home / ".factory" / "sessions"]

    def owns(self, record: Record) -> bool:
        """The header, or a line of the stream."""
        kind = record.get("type")
        return kind == "session_start" or (kind in _STREAM and "session_id" in record)

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one record."""
        if record.get("type") == "session_start":
            context.state["session"] = record.get("id")
            title = text_or_none(record.get("sessionTitle")) or text_or_none(record.get("title"))
            context.note(
                _session(record, context), project=text_or_none(record.get("cwd")), title=title
            )
            return
        session, time = _session(record, context), record.get("timestamp")
        identifier = text_or_none(record.get("id"))
        key = f"{session}/{identifier}" if identifier else content_key(session, time, record)
        yield from _parse(record, Turn(context, session, key, parse_time(time), identifier))


def _session(record: Record, context: Context) -> str:
    named = text_or_none(record.get("session_id")) or context.state.get("session")
    return named if isinstance(named, str) else context.path.stem


def _parse(record: Record, turn: Turn) -> Iterator[Message]:
    kind, message = record.get("type"), record.get("message")
    if kind == "message":
        found = message if isinstance(message, dict) else record
        role: Role = "assistant" if found.get("role") == "assistant" else "user"
        content = found.get("content") or found.get("text")
        yield from turn.blocks(role, content, strip_injected)
    elif kind == "tool_call":
        yield turn.call(record.get("toolName"), record.get("parameters"), record.get("toolCallId"))
    elif kind == "tool_result":
        value = record.get("value")
        output = value.get("stdout") if isinstance(value, dict) else value
        yield from turn.result(output, record.get("toolCallId"))
    elif kind == "completion":
        yield turn.say("assistant", str(record.get("finalText") or ""))
    else:
        turn.context.skip(kind)

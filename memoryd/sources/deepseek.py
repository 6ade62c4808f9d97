"""DeepSeek Harness: `sessions/--<cwd>--/session-<uuid>/session.jsonl.zstd`, frames of zstd, or plain.

As seen in versions 0.1 (August 2026): a header, then events `{type, seq, time, data}`. Plugins splice in user
messages of their own: only those whose source is a user are a person's. Chunks are told again as a whole.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn


class DeepSeek(JsonLinesSource):
    """Sessions of DeepSeek Harness."""

    name = "deepseek"
    title = "DeepSeek Harness"
    names = re.compile(r"/session-[^/]+/session\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Below `DSH_HOME`."""
        return [Path(environ.get("DSH_HOME") or home / ".dsh") / "sessions"]

    def owns(self, record: Record) -> bool:
        """The header, or an event."""
        header = record.get("type") == "session" and "createdAt" in record
        return header or record.keys() >= {"type", "seq", "time", "data"}

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one event."""
        kind, data = record.get("type"), record.get("data")
        if kind == "session":
            context.state["session"] = record.get("id")
            parent = text_or_none(record.get("parentSession"))
            context.note(
                _session(context), project=text_or_none(record.get("cwd")), parent_id=parent
            )
        elif isinstance(data, dict):
            session = _session(context)
            key = f"{session}/{record.get('seq')}"
            yield from _parse(
                record, data, Turn(context, session, key, parse_time(record.get("time")))
            )
        else:
            context.skip(kind)


def _session(context: Context) -> str:
    session = context.state.get("session")
    return session if isinstance(session, str) else context.path.parent.name


def _parse(record: Record, data: Record, turn: Turn) -> Iterator[Message]:
    kind, source = record.get("type"), lookup(data, "source.kind")
    if kind == "session/title":
        turn.context.note(turn.session_id, title=text_or_none(data.get("title")))
    elif kind == "request/header":
        turn.context.note(turn.session_id, model=text_or_none(data.get("model")))
    elif kind == "user/message" and source in ("user", None):
        yield from turn.blocks("user", data.get("content"))
    elif kind == "assistant/message":
        yield from turn.blocks("assistant", lookup(data, "message.content"))
    elif kind == "tool/call":
        yield turn.call(data.get("name"), data.get("arguments"), data.get("callId"))
    elif kind == "tool/result":
        content = lookup(data, "message.content") or data.get("content")
        call = data.get("callId") or lookup(data, "message.source.callId")
        yield from turn.result(content, call)
    else:
        turn.context.skip("injected" if kind == "user/message" else str(kind))

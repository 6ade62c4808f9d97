"""GitHub Copilot CLI: `session-state/<id>/events.jsonl`, before 0.0.4xx flat `session-state/<id>.jsonl`.

As seen in versions 0.0.402 to 1.0.77 (2026): `{type, id, parentId, timestamp, data}`. A sub-agent speaks in the
same file, under the tool call that started it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import content_key, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn


class CopilotCli(JsonLinesSource):
    """Sessions of Copilot CLI."""

    name = "copilot-cli"
    title = "GitHub Copilot CLI"
    names = re.compile(r"/session-state/(?:[^/]+/events|[^/]+)\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Its own folder."""
        base = Path(environ.get("COPILOT_HOME") or home / ".copilot")
        return [base / "session-state", base / "history-session-state"]

    def owns(self, record: Record) -> bool:
        """Dotted types around `data`."""
        kind = record.get("type")
        return isinstance(record.get("data"), dict) and str(kind).startswith(
            ("session.", "user.message")
        )

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one event."""
        data, kind = record.get("data"), record.get("type")
        if not isinstance(data, dict):
            context.skip(kind)
            return
        session = context.state.get("session") or _named_by(context.path)
        if kind in ("session.start", "session.resume"):
            session = text_or_none(data.get("sessionId")) or session
            context.state["session"] = session
            context.note(
                session,
                project=text_or_none(lookup(data, "context.cwd")),
                branch=text_or_none(lookup(data, "context.branch")),
                model=text_or_none(data.get("selectedModel")),
            )
        elif kind == "session.model_change":
            context.note(session, model=text_or_none(data.get("newModel")))
        else:
            yield from _parse_event(record, data, session, context)


def _named_by(path: Path) -> str:
    return path.parent.name if path.stem == "events" else path.stem


def _parse_event(
    record: Record, data: dict[str, Any], session: str, context: Context
) -> Iterator[Message]:
    kind, time, identifier = record.get("type"), record.get("timestamp"), record.get("id")
    agent = text_or_none(data.get("parentToolCallId")) or text_or_none(
        data.get("parentAgentTaskId")
    )
    if agent:
        context.note(agent, parent_id=session)
    key = f"{session}/{identifier}" if identifier else content_key(session, time, data)
    turn = Turn(context, agent or session, key, parse_time(time), text_or_none(identifier))
    if kind == "user.message":
        person: Role = "system" if agent else "user"
        yield from turn.blocks(person, data.get("content"))
    elif kind == "assistant.message":
        yield from turn.blocks("assistant", data.get("content"))
        for request in data.get("toolRequests") or ():
            yield turn.call(
                request.get("name"), request.get("arguments"), request.get("toolCallId")
            )
    elif kind == "tool.execution_complete":
        yield from turn.result(data.get("result"), data.get("toolCallId"))
    else:
        context.skip(kind)

"""Grok Build: `sessions/<url-encoded cwd>/<id>/updates.jsonl`, chunks of the Agent Client Protocol.

As seen in 2026. Chunks of one speaker in a row are one message, known by its first chunk, and told anew as it
grows. A rewind cuts the file and lets it grow again. `chat_history.jsonl` beside it is derived and has no
times: it is read only when it is given by hand.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from memoryd.model import Message, Role
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import block_texts, content_key, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn

_SPEAKERS: dict[str, Role] = {"user_message_chunk": "user", "agent_message_chunk": "assistant"}
_ASIDE = ("agent_thought_chunk", "tool_call_update", "plan", "available_commands_update")


class Grok(JsonLinesSource):
    """Sessions of Grok Build."""

    name = "grok"
    title = "Grok Build"
    names = re.compile(r"/updates\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Its own folder."""
        return [home / ".grok" / "sessions"]

    def owns(self, record: Record) -> bool:
        """A session update, or a line of the derived history."""
        derived = record.keys() & {"synthetic_reason", "prompt_index", "model_fingerprint"}
        return lookup(record, "params.update.sessionUpdate") is not None or bool(derived)

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one update."""
        update = lookup(record, "params.update")
        if not isinstance(update, dict):
            yield from _parse_derived(record, context)
            return
        session = text_or_none(lookup(record, "params.sessionId")) or context.path.parent.name
        if context.path.stem == "updates":
            folder = unquote(context.path.parent.parent.name)
            context.note(session, project=folder if folder.startswith("/") else None)
        time = record.get("timestamp")
        turn = Turn(context, session, content_key(session, time, update), parse_time(time))
        role = _SPEAKERS.get(str(update.get("sessionUpdate")))
        if role is not None:
            yield from _chunk(update, role, turn, time)
        else:
            yield from _parse_other(update, turn)

    def finish(self, context: Context) -> Iterator[Message]:
        """The message that may still grow, as far as it is."""
        if "open" in context.state and context.scratch.get("grown"):
            yield _told(context)


def _chunk(update: Record, role: Role, turn: Turn, time: Any) -> Iterator[Message]:
    state, text = turn.context.state, "".join(block_texts(update.get("content")))
    if "open" in state and state["open"]["role"] != role:
        yield _told(turn.context)
        del state["open"]
    if "open" not in state:
        start = (turn.session_id, role, str(time), text)
        key = content_key(*start, turn.context.occurrence(*start))
        span = turn.context.span
        state["open"] = {
            "session": turn.session_id, "role": role, "key": key, "time": time, "text": "", "span": span,
        }  # fmt: skip
    state["open"]["text"] += text
    turn.context.scratch["grown"] = True


def _told(context: Context) -> Message:
    said = context.state["open"]
    message = context.message(
        said["session"],
        said["role"],
        said["text"],
        time=parse_time(said["time"]),
        key=said["key"],
    )
    return replace(message, span=tuple(said["span"]))


def _parse_other(update: Record, turn: Turn) -> Iterator[Message]:
    kind, state = str(update.get("sessionUpdate")), turn.context.state
    if "open" in state and kind not in _ASIDE:
        yield _told(turn.context)
        del state["open"]
    if kind == "tool_call":
        name = update.get("title") or update.get("kind")
        yield turn.call(name, update.get("rawInput"), update.get("toolCallId"))
    elif kind == "tool_call_update" and update.get("status") == "completed":
        output = update.get("content") or update.get("rawOutput")
        yield from turn.result(output, update.get("toolCallId"))
    else:
        turn.context.skip(kind)


def _parse_derived(record: Record, context: Context) -> Iterator[Message]:
    kind, session = record.get("type"), context.path.stem
    content = record.get("content")
    count = context.occurrence(str(kind), str(content))
    turn = Turn(context, session, content_key(session, kind, content, count), context.changed)
    if kind in ("user", "assistant") and not record.get("synthetic_reason"):
        yield from turn.blocks("user" if kind == "user" else "assistant", content)
        for call in record.get("tool_calls") or ():
            yield turn.call(call.get("name"), call.get("arguments"), call.get("id"))
    elif kind == "tool_result":
        yield from turn.result(content, record.get("tool_call_id"))
    else:
        context.skip(kind)

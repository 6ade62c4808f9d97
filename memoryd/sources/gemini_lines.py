"""Gemini CLI since 0.40: `tmp/<project>/chats/session-<time>-<id>.jsonl`, sub-agents one folder deeper.

A header, messages, `$set` patches and `$rewindTo`. A message written again with the same id is an update: the last
one counts. `$set.messages` replaces the history, as compression does: what is no longer in it stays with us.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.files import read_companion
from memoryd.sources.gemini_message import parse_message
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import text_or_none

_REMEMBERED = 5000  # messages that a rewind can withdraw


class GeminiLines(JsonLinesSource):
    """Conversations of Gemini CLI as JSON lines."""

    name = "gemini"
    title = "Gemini CLI"
    names = re.compile(r"/chats/(?:[^/]+/)?[^/]+\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Below `GEMINI_CLI_HOME`."""
        return [Path(environ.get("GEMINI_CLI_HOME") or home) / ".gemini" / "tmp"]

    def owns(self, record: Record) -> bool:
        """The header, or an operation."""
        return record.keys() >= {"sessionId", "projectHash"} or "$rewindTo" in record

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one record."""
        patch = record.get("$set")
        if "$rewindTo" in record:
            _rewind(record["$rewindTo"], context)
        elif isinstance(patch, dict):
            messages = patch.get("messages")
            for message in messages if isinstance(messages, list) else ():
                yield from _take(message, context)
            if "messages" not in patch:
                context.skip("$set")
        elif "type" in record:
            yield from _take(record, context)
        else:
            _begin(record, context)


def _begin(record: Record, context: Context) -> None:
    session = text_or_none(record.get("sessionId"))
    if session is None:
        context.skip("unknown record")
        return
    context.state["session"] = session
    chats = (
        context.path.parent if context.path.parent.name == "chats" else context.path.parent.parent
    )
    parent = context.path.parent.name if record.get("kind") == "subagent" else None
    root = read_companion(chats.parent / ".project_root").decode("utf-8", "replace").strip()
    context.note(session, project=root or None, parent_id=parent if parent != "chats" else None)


def _take(record: Record, context: Context) -> Iterator[Message]:
    messages = list(
        parse_message(record, context.state.get("session") or context.path.stem, context)
    )
    turns: dict[str, list[str]] = context.state.setdefault("turns", {})
    if messages:
        turns[str(record["id"])] = [message.key for message in messages]
        while len(turns) > _REMEMBERED:
            del turns[next(iter(turns))]
    yield from messages


def _rewind(target: object, context: Context) -> None:
    """Withdraw the message and all after it; an id that is not known withdraws everything."""
    turns: dict[str, list[str]] = context.state.get("turns", {})
    names = list(turns)
    for name in names[names.index(target) if target in names else 0 :]:
        context.retract(turns.pop(name))

"""Qwen Code: `projects/<folder>/chats/<session>.jsonl`, records like Claude Code's with Gemini's parts.

Format as seen in version 0.21 (August 2026); the older `tmp/<hash>/chats` is read too. Records are known by
their uuid. Titles and metadata are written again every 32 KB.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message
from memoryd.sources.context import Context, named
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import join, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn

_INJECTED = re.compile(r"\s*<qwen:user-prompt-submit-context>|\s*<session_context>")
_ROLES = ("user", "assistant", "tool_result")


class QwenCode(JsonLinesSource):
    """Sessions of Qwen Code."""

    name = "qwen-code"
    title = "Qwen Code"
    names = re.compile(r"/chats/[^/]+\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Both places that versions have used."""
        return [home / ".qwen" / "projects", home / ".qwen" / "tmp"]

    def owns(self, record: Record) -> bool:
        """Gemini's parts inside an envelope with a session."""
        parts = lookup(record, "message.parts")
        return "sessionId" in record and (isinstance(parts, list) or "systemPayload" in record)

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one record."""
        kind, session = (
            record.get("type"),
            text_or_none(record.get("sessionId")) or context.path.stem,
        )
        typed = lookup(record, "systemPayload.rawCommand")
        invoked = lookup(record, "systemPayload.phase") == "invocation"
        context.note(
            session,
            project=text_or_none(record.get("cwd")),
            branch=text_or_none(record.get("gitBranch")),
            model=text_or_none(record.get("model")),
        )
        uuid = text_or_none(record.get("uuid"))
        key = uuid or f"{session}/{context.span}"
        turn = Turn(context, session, key, parse_time(record.get("timestamp")), uuid)
        if kind in _ROLES:
            yield from _parse_parts(record, turn)
        elif isinstance(typed, str) and invoked:
            yield turn.say("user", typed)
        else:
            context.skip(f"{named(kind)}/{named(record.get('subtype'))}")


def _parse_parts(record: Record, turn: Turn) -> Iterator[Message]:
    texts = []
    for part in lookup(record, "message.parts") or ():
        if part.get("thought"):
            turn.context.skip("thinking")
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part.get("functionCall"), dict):
            call = part["functionCall"]
            yield turn.call(call.get("name"), call.get("args"), call.get("id") or turn.key)
        elif isinstance(part.get("functionResponse"), dict):
            answer = part["functionResponse"]
            yield from turn.result(answer.get("response"), answer.get("id") or turn.key)
    if record.get("type") == "user":
        shown = text_or_none(lookup(record, "systemPayload.displayText"))
        texts = [shown] if shown else [text for text in texts if not _INJECTED.match(text)]
    text = join(texts)
    if text:
        yield turn.say("assistant" if record.get("type") == "assistant" else "user", text)

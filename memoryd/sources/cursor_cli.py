"""Cursor's command line (and newer editor): `projects/<folder>/agent-transcripts/**/<session>.jsonl`.

As seen in 2026: `{role, message{content}}`, no ids and no times; a message is known by its words in its session
and, short ones, by how often they came. Times are the file's. A prompt stands in `<user_query>`, after what the
editor attached.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message, Role
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import content_key
from memoryd.sources.turns import Turn

_QUERY = re.compile(r"<user_query>\s*(.*)\s*</user_query>", re.DOTALL)
_ATTACHED = re.compile(
    r"\s*<(user_info|system_reminder|attached_files|open_and_recently_viewed_files|git_status|rules"
    r"|agent_skills|external_links|additional_data|cursor_commands|timestamp)\b.*?</\1>",
    re.DOTALL,
)


class CursorCli(JsonLinesSource):
    """Transcripts of Cursor's agent."""

    name = "cursor-cli"
    title = "Cursor CLI"
    names = re.compile(r"/agent-transcripts/(?:[^/]+/){0,3}[^/]+\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Its own folder."""
        return [home / ".cursor" / "projects"]

    def owns(self, record: Record) -> bool:
        """A bare role beside a message."""
        message = record.get("message")
        return (
            record.get("role") in ("user", "assistant")
            and isinstance(message, dict)
            and "content" in message
            and not record.keys() & {"type", "id", "uuid", "sessionId", "timestamp"}
        )

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one record."""
        role, message = record.get("role"), record.get("message")
        if role not in ("user", "assistant") or not isinstance(message, dict):
            context.skip(role or record.get("type"))
            return
        session, folder = context.path.stem, context.path.parent
        if folder.name == "subagents":
            context.note(session, parent_id=folder.parent.name)
        content = message.get("content")
        count = context.occurrence(role, str(content))
        turn = Turn(context, session, content_key(session, role, content, count), context.changed)
        person: Role = "system" if folder.name == "subagents" else "user"
        if role == "user":
            yield from turn.blocks(person, content, human_text)
        else:
            yield from turn.blocks("assistant", content, spoken_text)


def human_text(text: str) -> str:
    """The query inside what the editor wrapped around it."""
    found = _QUERY.search(text)
    if found:
        return found[1].strip()
    while (attached := _ATTACHED.match(text)) is not None:
        text = text[attached.end() :]
    return text.strip()


def spoken_text(text: str) -> str:
    """An assistant's text without the marks of what was left out."""
    return text.replace("[REDACTED]", "").strip()

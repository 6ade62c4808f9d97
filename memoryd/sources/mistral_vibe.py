"""Mistral Vibe: `logs/session/session_<time>_<id>/messages.jsonl` beside a `meta.json`.

As seen in version 2 (2026): `{role, content, message_id, tool_calls?, tool_call_id?}` without times, which are
the file's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.files import read_companion
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import content_key, lookup, parsed, text_or_none
from memoryd.sources.turns import Turn


class MistralVibe(JsonLinesSource):
    """Sessions of Mistral Vibe."""

    name = "mistral-vibe"
    title = "Mistral Vibe"
    names = re.compile(r"/session[^/]*/messages\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Below `VIBE_HOME`."""
        return [Path(environ.get("VIBE_HOME") or home / ".vibe") / "logs" / "session"]

    def owns(self, record: Record) -> bool:
        """An OpenAI message with an id of its own."""
        return "message_id" in record and "role" in record and "type" not in record

    def companions(self, path: Path) -> Sequence[Path]:
        """The file that names the session."""
        return [path.with_name("meta.json")]

    def begin(self, context: Context) -> None:
        """Note what `meta.json` says."""
        found = parsed(
            read_companion(context.path.with_name("meta.json")).decode("utf-8", "replace")
        )
        meta: dict[str, Any] = found if isinstance(found, dict) else {}
        session = text_or_none(meta.get("session_id")) or context.path.parent.name
        context.state["session"] = session
        context.note(
            session,
            project=text_or_none(lookup(meta, "environment.working_directory")),
            title=text_or_none(meta.get("title")),
            branch=text_or_none(meta.get("git_branch")),
            model=text_or_none(meta.get("model")),
            parent_id=text_or_none(meta.get("parent_session_id")),
        )

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one record."""
        session, role = context.state["session"], record.get("role")
        identifier = text_or_none(record.get("message_id"))
        key = identifier or context.occurrence(str(role), str(record.get("content")))
        own = content_key(session, key, None if identifier else record)
        turn = Turn(context, session, own, context.changed, identifier)
        if role == "user":
            yield from turn.blocks("user", record.get("content"))
        elif role == "assistant":
            yield from turn.blocks("assistant", record.get("content"))
            for call in record.get("tool_calls") or ():
                made = call.get("function") or call
                yield turn.call(made.get("name"), made.get("arguments"), call.get("id"))
        elif role == "tool":
            yield from turn.result(record.get("content"), record.get("tool_call_id"))
        else:
            context.skip(role)

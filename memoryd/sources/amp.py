"""Amp: `threads/T-<id>.json`, one document a thread (newer builds keep threads on their server).

Format versions up to 220 (2025, 2026). Messages are numbered within their thread.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.documents import DocumentSource, session_name
from memoryd.sources.places import data_folder
from memoryd.sources.texts import lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, mappings


class Amp(DocumentSource):
    """Amp's threads."""

    name, title = "amp", "Amp"
    names = re.compile(r"(^|/)T-[0-9a-f-]+\.json$")
    patterns = ("T-*.json",)

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Amp's data folder, the same on every platform."""
        return [data_folder(environ, home) / "amp" / "threads"]

    def recognises(self, head: bytes) -> bool:
        """A thread's id and its numbered messages."""
        return re.search(rb'"id"\s*:\s*"T-', head) is not None and b'"messageId"' in head

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The facts of the thread."""
        tree = lookup(document, "env.initial.trees.0") or {}
        branch = text_or_none(lookup(tree, "repository.ref"))
        thread = session_name(document.get("id"), context)
        context.note(
            thread,
            title=text_or_none(document.get("title")),
            project=file_path(tree.get("uri")),
            branch=branch.removeprefix("refs/heads/") if branch else None,
            parent_id=text_or_none(document.get("mainThreadID")),
        )
        return {"id": thread, "time": parse_time(document.get("created"))}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The messages."""
        return mappings(document.get("messages"))

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """What was said, the calls of tools, and what they gave back."""
        context.note(session["id"], model=text_or_none(lookup(item, "usage.model")))
        sent = lookup(item, "meta.sentAt") or lookup(item, "usage.timestamp")
        key = f"{session['id']}:{item['messageId']}"
        turn = Turn(context, session["id"], key, parse_time(sent), str(item["messageId"]))
        role = item.get("role")
        return turn.blocks("assistant" if role == "assistant" else "user", item.get("content"))


def file_path(uri: object) -> str | None:
    """The path in a `file:` URI."""
    if not isinstance(uri, str) or not uri.startswith("file:"):
        return None
    path = unquote(urlsplit(uri).path)
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path

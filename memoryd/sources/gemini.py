"""Gemini CLI: before 0.40 `tmp/<project>/chats/session-<time>-<id>.json`, one document written anew with every message.

A resumed session goes on as JSON lines (see `gemini_lines`) and leaves its document behind, with the same keys.
"""

import re
from collections.abc import Iterable
from typing import Any

from memoryd.model import Message
from memoryd.sources.combined import CombinedSource
from memoryd.sources.context import Context
from memoryd.sources.documents import DocumentSource, session_name
from memoryd.sources.files import read_companion
from memoryd.sources.gemini_lines import GeminiLines
from memoryd.sources.gemini_message import parse_message
from memoryd.sources.jsonl import head_records
from memoryd.sources.texts import parse_time
from memoryd.sources.turns import mappings


class GeminiDocument(DocumentSource):
    """A conversation as one document."""

    name, title = "gemini", "Gemini CLI"
    names = re.compile(r"(^|/)chats/(?:[^/]+/)?[^/]+\.json$")
    patterns = ("*/chats/*.json", "*/chats/*/*.json")
    default_roots = GeminiLines.default_roots

    def recognises(self, head: bytes) -> bool:
        """A session with its messages in one object; JSON lines begin with an object without them."""
        first = next(iter(head_records(head.partition(b"\n")[0])), None)
        return (first is None or "messages" in first) and all(
            f'"{name}"'.encode() in head for name in ("sessionId", "projectHash", "messages")
        )

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The session; its folder's name is only a hash of the project's."""
        folder = context.path.parent
        chats = folder if folder.name == "chats" else folder.parent
        root = read_companion(chats.parent / ".project_root").decode("utf-8", "replace").strip()
        parent = folder.name if document.get("kind") == "subagent" and folder != chats else None
        session_id = session_name(document["sessionId"], context)
        context.note(session_id, project=root or None, parent_id=parent)
        return {"id": session_id, "time": parse_time(document.get("startTime"))}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The messages."""
        return mappings(document.get("messages"))

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """As in the JSON lines."""
        return parse_message(item, session["id"], context)


class Gemini(CombinedSource):
    """Gemini CLI, in whichever form."""

    name, title = "gemini", "Gemini CLI"
    parts = (GeminiDocument, GeminiLines)

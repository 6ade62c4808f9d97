"""QwenPaw (formerly CoPaw): `workspaces/<agent>/sessions/<session>.json`, one folder deeper for some channels.

Format of 2026: the agent's whole memory, rewritten with every message; times are the machine's own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.documents import DocumentSource
from memoryd.sources.texts import content_key, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, mappings


class QwenPaw(DocumentSource):
    """QwenPaw's sessions."""

    name, title = "qwenpaw", "QwenPaw"
    names = re.compile(r"(^|/)[^/]+/sessions/(?:[^/]+/)?[^/]+\.json$")
    patterns = ("*/sessions/*.json", "*/sessions/*/*.json")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Below `QWENPAW_WORKING_DIR`, and the program's older name."""
        named = environ.get("QWENPAW_WORKING_DIR")
        folders = [Path(named)] if named else [home / ".qwenpaw", home / ".copaw"]
        return [folder / "workspaces" for folder in folders]

    def recognises(self, head: bytes) -> bool:
        """The agent's memory."""
        return (
            re.match(rb'\s*\{\s*"agent"\s*:\s*\{\s*"memory"\s*:\s*\{\s*"content"', head) is not None
        )

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The session is named by its place: one agent's name may occur with another's session."""
        if not isinstance(lookup(document, "agent.memory.content"), list):
            return None
        parts = context.path.with_suffix("").parts
        place = (
            len(parts) - parts[::-1].index("sessions") if "sessions" in parts else len(parts) - 1
        )
        return {"id": ":".join((*parts[place - 2 : place - 1], *parts[place:]))}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The messages; each comes with a list of marks."""
        entries = document["agent"]["memory"]["content"]
        return [
            message
            for entry in entries
            if isinstance(entry, list)
            for message in mappings(entry[:1])
        ]

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterator[Message]:
        """What was said; what tools give back stands in a message of the system."""
        native, role = text_or_none(item.get("id")), item.get("role")
        key = native or content_key(role, item.get("content"), item.get("timestamp"))
        time = parse_time(item.get("timestamp"), zone=None)
        turn = Turn(context, session["id"], f"{session['id']}:{key}", time, native)
        content = item.get("content")
        if role == "system":
            content = [block for block in mappings(content) if block.get("type") != "text"]
            if not content:
                context.skip("system")
        yield from turn.blocks("assistant" if role == "assistant" else "user", content)

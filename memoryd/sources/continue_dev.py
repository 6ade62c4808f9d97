"""Continue: `sessions/<id>.json`, in the editors and on the command line (`sessions.json` is only the list).

Format of 2024 to 2026. There are no times but the session's, and in older versions no ids.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.documents import DocumentSource, load_companion, session_name
from memoryd.sources.texts import block_texts, content_key, join, parse_time, text_or_none
from memoryd.sources.turns import Turn, decoded, mappings

_LIST_BYTES = 16 * 1024 * 1024


class Continue(DocumentSource):
    """Continue's sessions."""

    name, title = "continue", "Continue"
    names = re.compile(r"\.continue/sessions/(?!sessions\.json$)[^/]+\.json$")
    patterns = ("*.json",)

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Below `CONTINUE_GLOBAL_DIR`."""
        return [Path(environ.get("CONTINUE_GLOBAL_DIR") or home / ".continue") / "sessions"]

    def transcript(self, path: Path) -> Path | None:
        """A document in a root, or in a folder named like the usual one."""
        inside = (
            path.parent in self.roots and path.suffix == ".json" and path.name != "sessions.json"
        )
        return path if inside else super().transcript(path)

    def recognises(self, head: bytes) -> bool:
        """A session's fields, and what only Continue keeps of a message."""
        return all(
            f'"{name}"'.encode() in head for name in ("sessionId", "history", "contextItems")
        )

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The facts of the session; the list of sessions has its time."""
        session_id = session_name(document["sessionId"], context)
        listed = mappings(load_companion(context.path.with_name("sessions.json"), _LIST_BYTES))
        facts = next((one for one in listed if one.get("sessionId") == session_id), {})
        folder = text_or_none(document.get("workspaceDirectory"))
        context.note(
            session_id,
            title=text_or_none(document.get("title")),
            project=folder.removeprefix("file://") if folder else None,
            model=text_or_none(document.get("chatModelTitle")),
        )
        return {"id": session_id, "time": parse_time(facts.get("dateCreated"))}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The history."""
        return mappings(document["history"])

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterator[Message]:
        """What was said, and the tools; what the editor added stands in `contextItems`."""
        message = item["message"]
        role, text = message.get("role"), join(block_texts(message.get("content")))
        native = text_or_none(message.get("id"))
        key = native or content_key(role, text, context.occurrence(str(role), text))
        turn = Turn(context, session["id"], f"{session['id']}:{key}", None, native)
        if role == "tool":
            yield from turn.result(text, message.get("toolCallId"))
        elif role not in ("user", "assistant"):
            context.skip(role)
        elif item.get("conversationSummary") and not text:
            context.skip("compaction summary")
        elif text:
            yield turn.say("user" if role == "user" else "assistant", text)
        for call in mappings(message.get("toolCalls")):
            function = call.get("function") or {}
            yield turn.call(
                function.get("name"), decoded(function.get("arguments")), call.get("id")
            )
        for state in mappings(item.get("toolCallStates")):
            outputs = [output.get("content") for output in mappings(state.get("output"))]
            yield from turn.result(outputs, state.get("toolCallId"))

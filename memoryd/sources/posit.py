"""Posit Assistant: `workspaces/<workspace>/<id>/`: the texts in `lm-messages.jsonl`, their tree in `conversation.json`.

Schema version 3 (2025, 2026). Branches that a person has left are marked inactive in the tree.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.documents import DocumentSource, decode_lines, load_companion
from memoryd.sources.texts import lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, mappings

_TREE, _TEXTS = "conversation.json", "lm-messages.jsonl"
_TREE_BYTES = 16 * 1024 * 1024
_SUMMARY = re.compile(r"<MESSAGESUMMARY>.*?(?:</MESSAGESUMMARY>|\Z)", re.DOTALL)


class PositAssistant(DocumentSource):
    """Posit Assistant's conversations."""

    name, title = "posit-assistant", "Posit Assistant"
    names = re.compile(rf"(^|/)[^/]+/{re.escape(_TEXTS)}$")
    patterns = (f"*/*/{_TEXTS}",)

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Below the home folder, on every platform."""
        return [home / ".posit" / "assistant" / "workspaces"]

    def transcript(self, path: Path) -> Path | None:
        """The texts; a change of the tree is a change of the texts beside it."""
        return super().transcript(path.with_name(_TEXTS) if path.name == _TREE else path)

    def recognises(self, head: bytes) -> bool:
        """Either file."""
        tree = b'"lmMessageIds"' in head and b'"schemaVersion"' in head
        return (
            tree
            or re.match(rb'\s*\{\s*"id"\s*:\s*\d+\s*,\s*"message"\s*:\s*\{\s*"role"', head)
            is not None
        )

    def companions(self, path: Path) -> Sequence[Path]:
        """The tree."""
        return [path.with_name(_TREE)]

    def decode(self, data: bytes) -> Any:
        """All whole lines."""
        return decode_lines(data)

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The facts of the conversation, and which texts are on the branch that counts."""
        tree = load_companion(context.path.with_name(_TREE), _TREE_BYTES) or {}
        root = lookup(tree, "root") or {}
        workspace = load_companion(context.path.parents[1] / "workspace.json", _TREE_BYTES) or {}
        session_id = text_or_none(root.get("id")) or context.path.parent.name
        context.note(
            session_id,
            title=text_or_none(root.get("title")) or text_or_none(root.get("summary")),
            branch=text_or_none(lookup(root, "metadata.gitBranch")),
            model=text_or_none(lookup(root, "metadata.model.id")),
            project=text_or_none(lookup(workspace, "path")),
            parent_id=text_or_none(lookup(root, "metadata.parentConversationId")),
        )
        left = [one for one in mappings(tree.get("messages")) if one.get("isActive") is False]
        inactive = {number for one in left for number in one.get("lmMessageIds") or ()}
        return {"id": session_id, "time": parse_time(root.get("timestamp")), "inactive": inactive}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The texts."""
        return mappings(document)

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterator[Message]:
        """The messages in one text to or from the model."""
        message, number = item["message"], item["id"]
        facts = lookup(message, "providerOptions.providerMetadata.positai") or {}
        key = f"{session['id']}:{number}"
        turn = Turn(context, session["id"], key, parse_time(facts.get("timestamp")), str(number))
        role = message.get("role")
        if role == "system":
            context.skip("system")
            return
        spoken = turn.blocks(
            "assistant" if role == "assistant" else "user", message.get("content"), _clean
        )
        messages = list(spoken)
        if number in session["inactive"]:
            context.skip("inactive branch")
            context.retract(message.key for message in messages)
        else:
            yield from messages


def _clean(text: str) -> str:
    return _SUMMARY.sub("", text).strip()

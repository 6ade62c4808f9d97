"""Copilot Chat in VS Code and its kin: `chatSessions/<id>.json`, since 1.109 the operation log `<id>.jsonl`.

Session versions 1 to 3 (2024 to 2026). The log begins with the document (kind 0) and goes on with what changed: set (1),
append behind an index (2), delete (3). An unfinished last line is an operation not made yet.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.amp import file_path
from memoryd.sources.context import Context
from memoryd.sources.decoding import decode_document
from memoryd.sources.documents import DocumentSource, decode_lines, load_companion, session_name
from memoryd.sources.places import editor_folders
from memoryd.sources.texts import lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, mappings

_WORKSPACE_BYTES = 1024 * 1024
_LOG = re.compile(rb'\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:')
_DEPTH = 64  # of an operation's path, and of the tree in which a tool's result is kept


class CopilotChat(DocumentSource):
    """Chat sessions of an editor."""

    name, title = "copilot-chat", "GitHub Copilot Chat"
    names = re.compile(r"(^|/)(chatSessions|emptyWindowChatSessions)/[^/]+\.jsonl?$")
    patterns = ("*/chatSessions/*.json", "*/chatSessions/*.jsonl", "*.json", "*.jsonl")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """In every editor: those of workspaces, and those of windows without one."""
        parts = ("workspaceStorage", "globalStorage/emptyWindowChatSessions")
        return [folder / part for folder in editor_folders(environ, home) for part in parts]

    def recognises(self, head: bytes) -> bool:
        """A document or a log of Copilot's requests."""
        return b'"requests"' in head and (
            _LOG.match(head) is not None or b'"responderUsername"' in head
        )

    def decode(self, data: bytes) -> Any:
        """The document, or what the operations make of it."""
        return _replay(data) if _LOG.match(data) else decode_document(data)

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The facts of the session; the workspace's folder stands in a file two folders up."""
        session_id = session_name(document.get("sessionId"), context)
        workspace = load_companion(context.path.parents[1] / "workspace.json", _WORKSPACE_BYTES)
        context.note(
            session_id,
            title=text_or_none(document.get("customTitle")),
            project=file_path(lookup(workspace, "folder") or lookup(workspace, "workspace")),
        )
        return {"id": session_id, "time": parse_time(document.get("creationDate"))}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The requests, each with its response."""
        return mappings(document.get("requests"))

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterator[Message]:
        """A question, its answer, and the tools used for it."""
        context.note(session["id"], model=text_or_none(item.get("modelId")))
        native = str(item["requestId"])
        turn = Turn(context, session["id"], native, parse_time(item.get("timestamp")), native)
        messages = list(_exchange(item, turn))
        if item.get("isHidden") or item.get("shouldBeRemovedOnSend"):
            context.skip("withdrawn")
            context.retract(message.key for message in messages)
        else:
            yield from messages


def _exchange(request: Mapping[str, Any], turn: Turn) -> Iterator[Message]:
    message = request.get("message")
    asked = message if isinstance(message, str) else lookup(message, "text")
    if isinstance(asked, str) and asked:
        yield turn.say("user", asked)
    parts = mappings(request.get("response"))
    answer = "".join(_part_text(part, turn) for part in parts).strip()
    if answer:
        yield turn.say("assistant", answer, f"{turn.key}:response")
    for part in parts:
        if part.get("kind") == "toolInvocationSerialized":
            command = lookup(part, "toolSpecificData.commandLine.original")
            message = command or part.get("pastTenseMessage") or part.get("invocationMessage")
            yield turn.call(part.get("toolId"), _plain(message), part.get("toolCallId"))
    results = lookup(request, "result.metadata.toolCallResults")
    for identifier, result in results.items() if isinstance(results, Mapping) else ():
        texts = [_tree_text(lookup(one, "value")) for one in mappings(result.get("content"))]
        yield from turn.result(texts, identifier)


def _part_text(part: Mapping[str, Any], turn: Turn) -> str:
    """What a part of a response adds to the text of the answer."""
    kind = part.get("kind")
    if kind is None:
        return _plain(part)
    if kind == "markdownContent":
        return _plain(part.get("content"))
    if kind == "inlineReference":
        reference = part.get("inlineReference") or {}
        path = lookup(reference, "path") or lookup(reference, "uri.path") or ""
        return str(part.get("name") or reference.get("name") or str(path).rpartition("/")[2])
    if kind != "toolInvocationSerialized":
        turn.context.skip(kind)
    return ""


def _plain(value: object) -> str:
    """A text, or the text of a Markdown value."""
    text = value.get("value") if isinstance(value, Mapping) else value
    return text if isinstance(text, str) else ""


def _tree_text(tree: object) -> str:
    """The text in a tool's result: itself, or the leaves of the tree in which a prompt is kept."""
    if isinstance(tree, str):
        return tree
    texts: list[str] = []
    waiting = [(lookup(tree, "node"), 0)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, Mapping) and depth < _DEPTH:
            text = node.get("text")
            texts.append(text if isinstance(text, str) else "")
            waiting += [(child, depth + 1) for child in reversed(node.get("children") or [])]
    return "".join(texts)


def _replay(data: bytes) -> Any:
    """The document that a log of operations makes; an operation that does not fit is left out."""
    document: Any = None
    for operation in decode_lines(data):
        try:
            if operation["kind"] == 0:
                document = operation["v"]
            else:
                _apply(document, operation)
        except (LookupError, TypeError, ValueError, AttributeError):
            continue
    return document


def _apply(document: Any, operation: Mapping[str, Any]) -> None:
    *path, last = operation["k"][:_DEPTH]
    target = document
    for step in path:
        target = target[step]
    kind, value = operation["kind"], operation.get("v")
    if kind == 1 and isinstance(target, list) and last == len(target):
        target.append(value)
    elif kind == 1:
        target[last] = value
    elif kind == 2:  # noqa: PLR2004 - see the head of this module
        items = target.setdefault(last, []) if isinstance(target, dict) else target[last]
        if operation.get("i") is not None:
            del items[operation["i"] :]
        items.extend(value or ())
    elif kind == 3:  # noqa: PLR2004 - see the head of this module
        del target[last]

"""One turn of a conversation, and the messages in it: what was said, which tools were called, what they gave.

Most agents write content as a list of blocks after one of two patterns (`text`, `tool_use`, `tool_result`, or
`tool-call`, `tool-result`); `Turn.blocks` reads both. A call is known by the tool call's own id in its session.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.context import Context
from memoryd.sources.decoding import decode_document
from memoryd.sources.texts import block_texts, call_line, clip, join

_CALLS = {"tool_use", "tool-call", "toolCall", "tool_call", "server_tool_use", "toolRequest"}
_RESULTS = {"tool_result", "tool-result", "toolResult", "toolResponse"}
_OUTPUTS = (
    "content", "output", "result", "value", "text", "message", "error", "Text", "Json", "stdout", "stderr",
)  # fmt: skip
_DEPTH = 6  # of a tool's output, as deep as agents have been seen to wrap it


@dataclass(frozen=True, slots=True)
class Turn:
    """Where the messages of a record belong, and how they are known.

    Attributes:
        key: of what is said; the agent's own id of the record, made unique among all sessions.
    """

    context: Context
    session_id: str
    key: str
    time: datetime | None = None
    native_id: str | None = None

    def say(self, role: Role, text: str, key: str | None = None) -> Message:
        """A message of this turn."""
        return self.context.message(
            self.session_id,
            role,
            text,
            time=self.time,
            native_id=self.native_id,
            key=self.key if key is None else key,
        )

    def call(self, name: object, arguments: object, identifier: object) -> Message:
        """A tool call, as one line."""
        return self.say("tool", call_line(name, decoded(arguments)), self._call_key(identifier))

    def result(self, output: object, identifier: object) -> Iterator[Message]:
        """What a tool gave back, if that is text."""
        text = clip(output_text(output).strip(), self.context.limits.tool_output_chars)
        if text:
            yield self.say("tool", text, f"{self._call_key(identifier)}:result")

    def blocks(
        self, role: Role, content: object, clean: Callable[[str], str] = str
    ) -> Iterator[Message]:
        """The messages in a content: first what was said, each text as *clean* leaves it, then the tools."""
        blocks = content if isinstance(content, list) else [content]
        texts = [clean(text) for block in blocks for text in block_texts(block)]
        if any(texts):
            yield self.say(role, join(texts))
        elif texts:
            self.context.skip("injected")
        for number, block in enumerate(blocks):
            if isinstance(block, Mapping):
                yield from self._tool(block, number)

    def _tool(self, block: Mapping[str, Any], number: int) -> Iterator[Message]:
        kind = block.get("type", "text")
        fallback = f"{self.key}:{number}"
        if kind in _CALLS:
            arguments = _first(block, ("input", "arguments", "args"))
            identifier = _first(block, ("id", "toolCallId", "tool_call_id")) or fallback
            yield self.call(_first(block, ("name", "toolName")), arguments, identifier)
        elif kind in _RESULTS:
            identifier = _first(block, ("tool_use_id", "toolUseID", "toolCallId", "id")) or fallback
            yield from self.result(_first(block, (*_OUTPUTS, "run")), identifier)
        elif kind != "text":
            self.context.skip(kind)

    def _call_key(self, identifier: object) -> str:
        return f"{self.session_id}:{identifier}"


def decoded(value: object) -> object:
    """Arguments of a tool call: often JSON in a text."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        found: object = decode_document(value.encode("utf-8", "replace"))
    except ValueError:
        return value
    return found


def mappings(value: object) -> list[Mapping[str, Any]]:
    """A list of JSON objects, which may be written as JSON in a text; whatever else is in it is left out."""
    if isinstance(value, str | bytes):
        try:
            value = decode_document(
                value.encode("utf-8", "replace") if isinstance(value, str) else value
            )
        except ValueError:
            return []
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def json_column(value: object) -> dict[str, Any]:
    """The JSON object in a column: text, bytes, an object already; {} for anything else.

    Raises:
        ValueError: damaged JSON.
    """
    if isinstance(value, str | bytes):
        value = decode_document(
            value.encode("utf-8", "replace") if isinstance(value, str) else value
        )
    return value if isinstance(value, dict) else {}


def output_text(output: object, depth: int = _DEPTH) -> str:
    """The text in a tool's output, however it is wrapped."""
    if isinstance(output, str):
        return output
    if isinstance(output, Mapping) and depth:
        return output_text(_first(output, _OUTPUTS), depth - 1)
    if isinstance(output, list) and depth:
        return "\n".join(text for item in output if (text := output_text(item, depth - 1)))
    return ""


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The value of the first of *names* that has one."""
    return next((record[name] for name in names if record.get(name) not in (None, "")), None)

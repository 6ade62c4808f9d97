"""A message of Gemini CLI, which its whole-file JSON and its JSON lines write alike.

Keys are made of the session and the message's id, so a conversation migrated from one form to the other
meets itself.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.texts import block_texts, join, parse_time, text_or_none
from memoryd.sources.turns import Turn

_INJECTED = re.compile(r"\s*(?:[/?][\w:-]*(?:\s|\Z)|<(?:session|hook)_context>)")


def parse_message(record: Mapping[str, Any], session: str, context: Context) -> Iterator[Message]:
    """What was said, and the tool calls with their results."""
    kind, identifier = record.get("type"), text_or_none(record.get("id"))
    if kind not in ("user", "gemini") or identifier is None:
        context.skip(kind)
        return
    context.note(session, model=text_or_none(record.get("model")))
    time = parse_time(record.get("timestamp"))
    turn = Turn(context, session, f"{session}/{identifier}", time, identifier)
    shown = record.get("displayContent") or record.get("content")
    text = join(block_texts(shown))
    if kind == "user" and _INJECTED.match(text):
        context.skip("injected")
    elif text:
        yield turn.say("user" if kind == "user" else "assistant", text)
    if record.get("thoughts"):
        context.skip("thinking")
    calls = record.get("toolCalls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        yield from _parse_call(call, turn, f"{turn.key}/{number}")


def _parse_call(call: Mapping[str, Any], turn: Turn, key: str) -> Iterator[Message]:
    made = turn.call(call.get("name"), call.get("args"), None)
    yield turn.say("tool", made.text, key)
    result = call.get("result")
    parts = result if isinstance(result, list) else [result]
    responses = [part.get("functionResponse") for part in parts if isinstance(part, dict)]
    outputs = [r.get("response") for r in responses if isinstance(r, dict)]
    for message in turn.result(outputs or call.get("resultDisplay"), None):
        yield turn.say("tool", message.text, f"{key}:result")

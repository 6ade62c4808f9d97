"""Copilot in Visual Studio: `*_VSGitHubCopilot_traces.jsonl`, spans of OpenTelemetry.

As seen in Visual Studio 18.6 (June 2026). Tool calls are always in them; what was said only where the capture of
content is switched on, under the names of the GenAI conventions, and then with the whole history in every span: of
that the last prompt counts. There is no default place: it depends on Windows' temporary folder.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message, Role
from memoryd.sources.context import Context
from memoryd.sources.decoding import decode_document
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import content_key, join, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, decoded


class VisualStudioCopilot(JsonLinesSource):
    """Traces of Copilot in Visual Studio."""

    name = "visualstudio-copilot"
    title = "GitHub Copilot in Visual Studio"
    names = re.compile(r"VSGitHubCopilot_traces[^/]*\.jsonl$")
    names_tell = True

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """None: see the module."""
        return []

    def owns(self, record: Record) -> bool:
        """Spans."""
        return "resourceSpans" in record

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of all spans in a line."""
        for resource in record["resourceSpans"]:
            for scope in resource.get("scopeSpans") or ():
                for span in scope.get("spans") or ():
                    yield from _parse_span(span, context)


def _parse_span(span: Record, context: Context) -> Iterator[Message]:
    named = {one.get("key"): _value(one.get("value")) for one in span.get("attributes") or ()}
    session = named.get("gen_ai.conversation.id")
    if not session:
        context.skip("span without a conversation")
        return
    context.note(session, model=text_or_none(named.get("gen_ai.request.model")))
    time = parse_time(str(span.get("startTimeUnixNano") or "")[:16])
    turn = Turn(context, session, content_key(session, span.get("spanId")), time)
    if named.get("gen_ai.operation.name") == "execute_tool":
        call = named.get("gen_ai.tool.call.id")
        arguments = decoded(named.get("gen_ai.tool.call.arguments"))
        yield turn.call(named.get("gen_ai.tool.name"), arguments, call)
        yield from turn.result(named.get("gen_ai.tool.call.result"), call)
    else:
        request = named.get("copilot_chat.root_request_id") or session
        yield from _said(named.get("gen_ai.input.messages"), "user", request, turn)
        yield from _said(named.get("gen_ai.output.messages"), "assistant", request, turn)


def _said(value: str | None, role: Role, request: str, turn: Turn) -> Iterator[Message]:
    """The last message of a role in a list of messages with parts."""
    try:
        messages = decode_document((value or "[]").encode())
    except ValueError:
        return
    own = [one for one in messages if isinstance(one, dict) and one.get("role") == role]
    parts = own[-1].get("parts") if own else ()
    text = join(
        str(part.get("content") or "") for part in parts or () if part.get("type") == "text"
    )
    if text:
        yield turn.say(role, text, content_key(turn.session_id, request, role, text))


def _value(value: object) -> str | None:
    return text_or_none(lookup(value, "stringValue"))

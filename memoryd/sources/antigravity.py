"""Antigravity: `antigravity*/brain/<id>/.system_generated/logs/transcript.jsonl`, one step a line.

As seen in June 2026. A prompt stands in `<USER_REQUEST>`; arguments of tools are JSON texts; a step of the model
that is no response of its planner is a tool's result.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import content_key, parse_time
from memoryd.sources.turns import Turn

_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*?)\s*</USER_REQUEST>", re.DOTALL)
_ADDED = re.compile(
    r"<(USER_SETTINGS_CHANGE|ADDITIONAL_METADATA|EPHEMERAL_MESSAGE|SYSTEM_MESSAGE)>.*?</\1>",
    re.DOTALL,
)


class Antigravity(JsonLinesSource):
    """Transcripts of Antigravity."""

    name = "antigravity"
    title = "Antigravity"
    names = re.compile(r"/brain/[^/]+/\.system_generated/logs/transcript\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The folders of the editor, of the command line and of the preview."""
        names = ("antigravity", "antigravity-cli", "antigravity-preview")
        return [home / ".gemini" / name / "brain" for name in names]

    def owns(self, record: Record) -> bool:
        """A numbered step."""
        return record.keys() >= {"step_index", "source", "type"}

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one step."""
        parts = context.path.parts
        session = parts[parts.index("brain") + 1] if "brain" in parts else context.path.stem
        kind, step = record.get("type"), record.get("step_index")
        key = content_key(session, step, kind, record.get("created_at"))
        turn = Turn(context, session, key, parse_time(record.get("created_at")))
        content = record.get("content")
        if kind == "USER_INPUT":
            yield from turn.blocks("user", content, _human_text)
        elif kind == "PLANNER_RESPONSE":
            yield from turn.blocks("assistant", content)
            for number, call in enumerate(record.get("tool_calls") or ()):
                yield turn.call(call.get("name"), call.get("args"), f"{key}:{number}")
        elif record.get("source") == "MODEL" and content:
            yield from turn.result(content, key)
        else:
            context.skip(kind)


def _human_text(text: str) -> str:
    found = _REQUEST.search(text)
    return found[1] if found else _ADDED.sub("", text).strip()

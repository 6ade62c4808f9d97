"""Windsurf: `transcripts/<session>.jsonl`, one step a line under its own kind's name.

As seen in 2026: `{type, status, <type>: {…}}`, no ids and no times; a step is known by its words in its session and,
short ones, by how often they came. Times are the file's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import content_key, lookup, text_or_none
from memoryd.sources.turns import Turn


class Windsurf(JsonLinesSource):
    """Transcripts of Windsurf's agent."""

    name = "windsurf"
    title = "Windsurf"
    names = re.compile(r"/transcripts/[^/]+\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Its own folder."""
        return [home / ".windsurf" / "transcripts"]

    def owns(self, record: Record) -> bool:
        """A step whose kind names its own field."""
        kind = record.get("type")
        return isinstance(kind, str) and "status" in record and isinstance(record.get(kind), dict)

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one step."""
        kind, session = record.get("type"), context.path.stem
        step = record.get(kind) if isinstance(kind, str) else None
        if not isinstance(step, dict):
            context.skip(kind)
            return
        context.note(session, project=text_or_none(step.get("cwd")))
        count = context.occurrence(str(kind), str(step))
        turn = Turn(context, session, content_key(session, kind, step, count), context.changed)
        if kind == "user_input":
            yield from turn.blocks("user", step.get("user_response"))
        elif kind == "planner_response":
            yield from turn.blocks("assistant", lookup(step, "response"))
        else:
            yield turn.call(kind, step, turn.key)
            yield from turn.result(step.get("output") or step.get("content"), turn.key)

"""gptme: `logs/<name>/conversation.jsonl`, `{role, content, timestamp}`; times are local and name no zone.

As seen in 2026. The folder names the conversation; tools answer as role "tool", in older versions as "system".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.places import data_folder
from memoryd.sources.texts import content_key, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn


class Gptme(JsonLinesSource):
    """Conversations of gptme."""

    name = "gptme"
    title = "gptme"
    names = re.compile(r"/conversation\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Its logs."""
        return [
            Path(environ.get("GPTME_LOGS_HOME") or data_folder(environ, home) / "gptme" / "logs")
        ]

    def owns(self, record: Record) -> bool:
        """The pinned system message at the beginning."""
        return record.get("role") == "system" and record.keys() >= {
            "content",
            "timestamp",
            "pinned",
        }

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one record."""
        role, content, time = record.get("role"), record.get("content"), record.get("timestamp")
        session = (
            context.path.parent.name if context.path.stem == "conversation" else context.path.stem
        )
        context.note(session, model=text_or_none(lookup(record, "metadata.model")))
        key = content_key(session, time, role, content)
        turn = Turn(context, session, key, parse_time(time, zone=None))
        if role == "tool" or (role == "system" and not record.get("pinned")):
            yield from turn.result(content, key)
        elif role == "user":
            yield from turn.blocks("user", content)
        elif role == "assistant":
            yield from turn.blocks("assistant", content)
        else:
            context.skip(role)

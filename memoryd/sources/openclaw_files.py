"""OpenClaw's transcripts before 2026.8.1, and its archives: `agents/<agent>/sessions/<id>.jsonl` and kin.

A daily reset or a deletion renames a file (`.reset.<time>`, `.deleted.<time>[.zst]`), a topic has its own
(`<id>-topic-<thread>.jsonl`), cold archives are `cold/<sha256>.jsonl.zst`. Checkpoints are copies and are left out.
The entries are pi's, word for word, and stand so in the newer database too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message
from memoryd.sources.context import Context
from memoryd.sources.jsonl import Record
from memoryd.sources.openclaw_text import human_text, spoken_text
from memoryd.sources.pi import Pi, parse_entry, session_of
from memoryd.sources.texts import content_key


def state_folders(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Where OpenClaw and the distributions that went before or after it keep their state."""
    named = environ.get("OPENCLAW_STATE_DIR")
    others = [home / name for name in (".kimi_openclaw", ".qclaw", ".clawdbot")]
    return [Path(named)] if named else [home / ".openclaw", *others]


class OpenClawFiles(Pi):
    """Transcripts of OpenClaw in files."""

    name = "openclaw"
    title = "OpenClaw"
    names = re.compile(r"/sessions/(?:[^/]+/)?[^/]+\.jsonl(?:\.(?:reset|deleted)\.[^/]+)?$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The folders of all agents, and the older single one."""
        folders = state_folders(environ, home)
        return [folder / part for folder in folders for part in ("agents", "sessions")]

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The messages of one entry; a failed turn repeats its prompt, which counts once."""
        if record.get("type") == "session":
            yield from super().parse(record, context)
            return
        session = context.state.get("session") or session_of(context.path)
        for message in parse_entry(record, session, context, human_text, spoken_text):
            said = content_key(message.text)[:12] if message.role == "user" else ""
            if said and said == context.state.get("said"):
                context.skip("repeated prompt")
            else:
                context.state["said"] = said
                yield message

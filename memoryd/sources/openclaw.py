"""OpenClaw: `agents/<agent>/agent/openclaw-agent.sqlite` since 2026.8.1; before that, and as archives, files.

Agent schemas 9 to 23 (2026.8 to 2026.9.7). An event is the very line of the older file, as text or compressed; a rewrite
of a session gives it another generation. The migration leaves the files behind: both forms have the same keys.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.combined import CombinedSource
from memoryd.sources.context import Context
from memoryd.sources.databases import SqliteSource
from memoryd.sources.openclaw_files import OpenClawFiles, state_folders
from memoryd.sources.openclaw_text import human_text, spoken_text
from memoryd.sources.pi import begin_session, parse_entry
from memoryd.sources.session_rows import Rows
from memoryd.sources.sqlite import Database, Row
from memoryd.sources.texts import content_key, text_or_none
from memoryd.sources.turns import json_column
from memoryd.sources.zstd import decompress

_EVENT_BYTES = 64 * 1024 * 1024
_SAID = "said"


class OpenClawDatabase(SqliteSource):
    """`openclaw-agent.sqlite`."""

    name, title = "openclaw", "OpenClaw"
    names = re.compile(r"(^|/)openclaw-agent\.sqlite$")
    patterns = ("*/agent/openclaw-agent.sqlite",)
    signs = (b"transcript_events", b"event_json")
    names_tell = True
    tables = (
        Rows(
            "transcript_rewrite_watermarks",
            clock="updated_at",
            facts=(("max", "generation"),),
            rewrites=True,
        ),
        Rows("transcript_events", clock="seq", facts=(("min", "seq"), ("count", "event_zstd"))),
    )

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The folders of all agents."""
        return [folder / "agents" for folder in state_folders(environ, home)]

    def open_session(
        self, database: Database, session_id: str, context: Context
    ) -> dict[str, Any] | None:
        """The facts of the session's window."""
        names = ("display_name", "model", "previous_session_id", "hook_external_content_source")
        facts = next(
            database.records("session_windows", names, {"session_id": session_id}),
            dict.fromkeys(names),
        )
        context.note(
            session_id,
            title=text_or_none(facts["display_name"]),
            model=text_or_none(facts["model"]),
            parent_id=text_or_none(facts["previous_session_id"]),
        )
        return {"id": session_id}

    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """The events, in order."""
        names = ("seq", "event_json", "event_zstd")
        after = None if since is None else ("seq", since)
        where = {"session_id": session["id"]}
        return database.records("transcript_events", names, where, after=after, order=("seq",))

    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterator[Message]:
        """The messages in an event."""
        packed = row["event_zstd"]
        record = json_column(decompress(packed, _EVENT_BYTES) if packed else row["event_json"])
        if record.get("type") == "session":
            begin_session({**record, "id": session["id"]}, context)
            return
        for message in parse_entry(record, session["id"], context, human_text, spoken_text):
            said = content_key(message.text) if message.role == "user" else None
            if said and said == session.get(_SAID):
                context.skip("repeated prompt")  # a failed turn repeats its prompt
            else:
                session[_SAID] = said
                yield message


class OpenClaw(CombinedSource):
    """OpenClaw, in whichever form."""

    name, title = "openclaw", "OpenClaw"
    parts = (OpenClawDatabase, OpenClawFiles)

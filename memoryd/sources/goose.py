"""Goose: `sessions.db` since version 1.10, before that one `<session>.jsonl` each.

Schema versions 1 to 6 (2025, 2026). Compaction writes a conversation anew, so row numbers and even message ids change:
a message is known by its session, role, second and content, which are the same in both forms.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.combined import CombinedSource
from memoryd.sources.context import Context
from memoryd.sources.databases import SqliteSource
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.places import data_folder, glob_transcripts
from memoryd.sources.session_rows import Rows
from memoryd.sources.sqlite import Database, Row
from memoryd.sources.texts import block_texts, content_key, join, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, decoded, mappings

_NOT_PEOPLE = (
    "sub_agent",
    "scheduled",
    "hidden",
)  # the list of types grows; these alone are left out


class GooseDatabase(SqliteSource):
    """`sessions.db`."""

    name, title = "goose", "Goose"
    names = re.compile(r"(^|/)sessions\.db$")
    patterns = ("sessions.db",)
    signs = (b"messages", b"content_json", b"created_timestamp")
    tables = (
        Rows("sessions", session="id", clock="updated_at", header=True, facts=(("max", "name"),)),
        Rows("messages", facts=(("min", "id"),)),
    )

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """`GOOSE_PATH_ROOT`, else the platform's data folder."""
        if environ.get("GOOSE_PATH_ROOT"):
            return [Path(environ["GOOSE_PATH_ROOT"]) / "data" / "sessions"]
        if sys.platform == "win32":
            application = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
            return [application / "Block" / "goose" / "data" / "sessions"]
        return [data_folder(environ, home) / "goose" / "sessions"]

    def open_session(
        self, database: Database, session_id: str, context: Context
    ) -> dict[str, Any] | None:
        """The facts of the session; None for one in which no person takes part."""
        names = ("name", "description", "working_dir", "session_type")
        facts = next(database.records("sessions", names, {"id": session_id}), dict.fromkeys(names))
        if facts["session_type"] in _NOT_PEOPLE:
            context.skip(f"{facts['session_type']} session")
            return None
        context.note(
            session_id,
            title=text_or_none(facts["name"]) or text_or_none(facts["description"]),
            project=text_or_none(facts["working_dir"]),
        )
        return {"id": session_id}

    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """The messages."""
        names = (
            "message_id",
            "role",
            "content_json",
            "created_timestamp",
            "created_at",
            "metadata_json",
        )
        after = None if since is None else ("id", since)
        return database.records(
            "messages", names, {"session_id": session["id"]}, after=after, order=("id",)
        )

    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in a row."""
        created = row["created_timestamp"] or row["created_at"]
        visible = lookup(decoded(row["metadata_json"]), "userVisible") is not False
        if not visible:
            context.skip("not visible")
            return ()
        return _messages(
            row | {"created": created}, mappings(row["content_json"]), session["id"], context
        )


class GooseLog(JsonLinesSource):
    """`<session>.jsonl`: facts in the first line, then a message a line."""

    name, title = "goose", "Goose"
    names = re.compile(r"(^|/)sessions/[^/]+\.jsonl$")
    default_roots = GooseDatabase.default_roots

    def discover(self, root: Path) -> Iterator[Path]:
        """See `Source.discover`."""
        return glob_transcripts(self, root, ("*.jsonl",))

    def owns(self, record: Record) -> bool:
        """The first line."""
        return "working_dir" in record and "message_count" in record

    def parse(self, record: Record, context: Context) -> Iterable[Message]:
        """One line is one message."""
        session_id = context.path.stem
        if "working_dir" in record:
            context.note(
                session_id,
                title=text_or_none(record.get("description")),
                project=text_or_none(record["working_dir"]),
            )
            return ()
        row = {**record, "message_id": record.get("id")}
        return _messages(row, mappings(record.get("content")), session_id, context)


class Goose(CombinedSource):
    """Goose, in whichever form."""

    name, title = "goose", "Goose"
    parts = (GooseDatabase, GooseLog)


def _messages(
    row: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]], session_id: str, context: Context
) -> Iterator[Message]:
    role, created = row.get("role"), row.get("created")
    if role not in ("user", "assistant"):
        context.skip(role)
        return
    text = join(block_texts(list(blocks)))
    key = content_key(session_id, role, created, text)
    native = text_or_none(row.get("message_id"))
    turn = Turn(context, session_id, key, parse_time(created), native)
    if text:
        yield turn.say("assistant" if role == "assistant" else "user", text)
    for block in blocks:
        kind, identifier = block.get("type"), block.get("id")
        if kind == "toolRequest":
            call = lookup(block, "toolCall.value") or {}
            yield turn.call(call.get("name"), call.get("arguments"), identifier)
        elif kind == "toolResponse":
            yield from turn.result(block.get("toolResult"), identifier)
        elif kind != "text":
            context.skip(kind)

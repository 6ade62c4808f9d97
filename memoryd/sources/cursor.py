"""Cursor, in whichever form: the editor's `state.vscdb` and the command line's `chats/<workspace>/<id>/store.db`.

A `store.db` (2025, 2026) holds one conversation: `meta` its facts, hex-encoded, `blobs` its contents under their
hashes. Blobs that are JSON with a role are messages; the others tie them together, and are encrypted in some builds.
The transcripts that newer versions write are read by `cursor_cli`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.combined import CombinedSource
from memoryd.sources.context import Context
from memoryd.sources.cursor_cli import human_text, spoken_text
from memoryd.sources.cursor_ide import CursorDatabase
from memoryd.sources.databases import SqliteSource
from memoryd.sources.session_rows import Rows
from memoryd.sources.sqlite import Database, Row
from memoryd.sources.texts import parse_time, text_or_none
from memoryd.sources.turns import Turn, json_column


class CursorStore(SqliteSource):
    """`store.db`."""

    name, title = "cursor", "Cursor"
    names = re.compile(r"(^|/)chats/(?:[^/]+/){1,2}store\.db$")
    patterns = ("*/*/store.db",)
    signs = (b"blobs", b"meta", b"PRIMARY KEY")
    tables = (Rows("blobs", session="", clock="rowid"),)

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Below the home folder, on every platform."""
        return [home / ".cursor" / "chats"]

    def recognises(self, head: bytes) -> bool:
        """Two tables and no other."""
        return super().recognises(head) and head.count(b"CREATE TABLE") == len(("blobs", "meta"))

    def open_session(
        self, database: Database, session_id: str, context: Context
    ) -> dict[str, Any] | None:
        """The facts of the one conversation."""
        facts: dict[str, Any] = {}
        for row in database.records("meta", ("key", "value"), {}):
            facts |= _facts(row["value"])
        chat = text_or_none(facts.get("agentId")) or context.path.parent.name
        name, model = text_or_none(facts.get("name")), text_or_none(facts.get("lastUsedModel"))
        context.note(chat, title=name, model=model)
        return {"id": chat, "time": parse_time(facts.get("createdAt"))}

    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """The blobs."""
        after = None if since is None else ("rowid", since)
        return database.records("blobs", ("id", "data"), {}, after=after, order=("rowid",))

    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in a blob."""
        data = row["data"] or b""
        data = data.encode() if isinstance(data, str) else bytes(data)
        if not data.startswith(b"{"):
            context.skip("binary")
            return
        message = json_column(data)
        role = message.get("role")
        turn = Turn(
            context, session["id"], f"{session['id']}:{row['id']}", session["time"], row["id"]
        )
        if role == "assistant":
            yield from turn.blocks("assistant", message.get("content"), spoken_text)
        elif role in ("user", "tool"):
            yield from turn.blocks("user", message.get("content"), human_text)
        else:
            context.skip(role)


class Cursor(CombinedSource):
    """Cursor's editor and command line."""

    name, title = "cursor", "Cursor"
    parts = (CursorDatabase, CursorStore)


def _facts(value: object) -> dict[str, Any]:
    """What stands in a row of `meta`: JSON, or the hexadecimal digits of it."""
    if isinstance(value, str) and re.fullmatch(r"(?:[0-9a-fA-F]{2})+", value):
        value = bytes.fromhex(value)
    try:
        return json_column(value)
    except ValueError:
        return {}

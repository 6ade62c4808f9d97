"""Zed: `threads/threads.db`, a compressed document for every thread.

Formats 0.1 to 0.3 of the thread (2025, 2026): `Agent` and `User` messages, before that `role` and `segments`. A thread
is saved as a whole while an answer streams. What the agent says has no id: it is known by its place behind what
the user said before. Only the thread has times: a message gets that of the save in which it is first seen.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.context import Context, named
from memoryd.sources.databases import LARGEST_ROW, SqliteSource
from memoryd.sources.decoding import decode_document
from memoryd.sources.places import application_folder, data_folder
from memoryd.sources.session_rows import Rows
from memoryd.sources.sqlite import Database, Row
from memoryd.sources.texts import block_texts, join, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, mappings
from memoryd.sources.zstd import decompress

_COLUMNS = ("summary", "updated_at", "data_type", "data", "parent_id", "folder_paths")


class Zed(SqliteSource):
    """Zed's agent threads."""

    name, title = "zed", "Zed"
    names = re.compile(r"(^|/)threads\.db$")
    patterns = ("threads.db",)
    signs = (b"threads", b"data_type", b"summary", b"updated_at")
    names_tell = True
    tables = (Rows("threads", session="id", clock="updated_at", header=True, content="data"),)
    whole = True

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Zed's data folder."""
        if sys.platform == "darwin":
            return [application_folder(environ, home) / "Zed" / "threads"]
        if sys.platform == "win32":
            return [
                Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "Zed" / "threads"
            ]
        return [data_folder(environ, home) / "zed" / "threads"]

    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """The one row of a thread."""
        return database.records("threads", _COLUMNS, {"id": session["id"]})

    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """All messages of a thread."""
        data = row["data"] if isinstance(row["data"], bytes) else str(row["data"] or "").encode()
        if row["data_type"] == "zstd":
            data = decompress(data, LARGEST_ROW * context.limits.line_bytes)
        document = decode_document(data)
        snapshot = lookup(document, "initial_project_snapshot.worktree_snapshots.0") or {}
        folders = str(row["folder_paths"] or "").split("\n")
        parent = text_or_none(row["parent_id"])
        context.note(
            session["id"],
            title=text_or_none(row["summary"]) or text_or_none(document.get("title")),
            project=text_or_none(folders[0]) or text_or_none(lookup(snapshot, "worktree_path")),
            branch=text_or_none(lookup(snapshot, "git_state.current_branch")),
            model=text_or_none(lookup(document, "model.model")),
            parent_id=parent,
        )
        person: Role = "system" if parent else "user"
        yield from _messages(document, row["updated_at"], person, session["id"], context)


def _messages(
    document: Mapping[str, Any], updated: object, person: Role, thread: str, context: Context
) -> Iterator[Message]:
    behind, number = "start", 0
    for message in document.get("messages") or ():
        if not isinstance(message, Mapping):
            context.skip(str(message)[:20])
            continue
        said = message.get("User") or (message if message.get("role") == "user" else None)
        number += 1
        if said is not None:
            behind, number = str(said.get("id") or f"{behind}+{number}"), 0
        key = f"{thread}:{behind}:{number}"
        native = behind if said is not None else None
        turn = Turn(context, thread, key, parse_time(updated), native)
        if said is not None:
            yield from _texts(turn, person, said)
        else:
            yield from _texts(turn, "assistant", message.get("Agent") or message)


def _texts(turn: Turn, role: Role, message: Mapping[str, Any]) -> Iterator[Message]:
    """The messages in one message: blocks are named by their only field, or (before 0.2) by a type."""
    blocks = mappings(message.get("content") or message.get("segments"))
    text = join(text for block in blocks for text in block_texts(block.get("Text") or block))
    if text:
        yield turn.say(role, text)
    uses = [use for block in blocks if isinstance(use := block.get("ToolUse"), Mapping)]
    for use in (*uses, *mappings(message.get("tool_uses"))):
        yield turn.call(use.get("name"), use.get("input"), use.get("id"))
    results = message.get("tool_results") or ()
    for result in results.values() if isinstance(results, Mapping) else results:
        content = lookup(result, "content.Text") or result.get("content") or result.get("output")
        yield from turn.result(content, result.get("tool_use_id"))
    for block in blocks:
        if not block.keys() & {"Text", "ToolUse"} and block.get("type") != "text":
            turn.context.skip(named(block.get("type") or next(iter(block), "empty")).lower())

"""Crush: `.crush/crush.db` in every project, listed in `projects.json`.

Schema as of 2025 and 2026. Messages grow in place while they stream; their times are seconds, whatever the comments in
the schema say, so a change within a second is noticed by the length of the parts.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.context import Context
from memoryd.sources.databases import SqliteSource
from memoryd.sources.documents import load_companion
from memoryd.sources.places import data_folder
from memoryd.sources.session_rows import Rows
from memoryd.sources.sqlite import Database, Row
from memoryd.sources.texts import block_texts, join, parse_time, text_or_none
from memoryd.sources.turns import Turn, decoded, mappings

_LIST = "projects.json"
_LIST_BYTES = 4 * 1024 * 1024
_COLUMNS = ("id", "role", "parts", "model", "created_at", "is_summary_message")


class Crush(SqliteSource):
    """Crush's databases."""

    name, title = "crush", "Crush"
    names = re.compile(r"(^|/)crush\.db$")
    patterns = ("crush.db",)
    signs = (b"messages", b"parts", b"finished_at", b"parent_session_id")
    names_tell = True
    tables = (
        Rows("sessions", session="id", clock="updated_at", header=True, facts=(("max", "title"),)),
        Rows(
            "messages",
            clock="updated_at",
            changes=True,
            content="parts",
            facts=(("count", "finished_at"),),
        ),
    )

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The folder with the list of projects, and what it lists today."""
        if environ.get("CRUSH_GLOBAL_DATA"):
            folder = Path(environ["CRUSH_GLOBAL_DATA"])
        elif sys.platform == "win32":
            folder = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "crush"
        else:
            folder = data_folder(environ, home) / "crush"
        return [folder, *_listed(folder)]

    def discover(self, root: Path) -> Iterator[Path]:
        """The databases of listed projects that are no roots of their own yet, and those in *root* itself."""
        for folder in _listed(root):
            if folder not in self.roots and (folder / "crush.db").is_file():
                yield folder / "crush.db"
        yield from super().discover(root)

    def open_session(
        self, database: Database, session_id: str, context: Context
    ) -> dict[str, Any] | None:
        """The facts of the session; None for the one in which a title is made."""
        if session_id.startswith("title-"):
            context.skip("title session")
            return None
        names = ("title", "parent_session_id")
        facts = next(database.records("sessions", names, {"id": session_id}), dict.fromkeys(names))
        parent, folder = text_or_none(facts["parent_session_id"]), context.path.parent
        context.note(
            session_id,
            title=text_or_none(facts["title"]),
            parent_id=parent,
            project=str(folder.parent) if folder.name == ".crush" else None,
        )
        return {"id": session_id, "person": "system" if parent else "user"}

    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """The messages."""
        after = None if since is None else ("updated_at", since)
        where = {"session_id": session["id"]}
        return database.records("messages", _COLUMNS, where, after=after, order=("created_at",))

    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in a row."""
        if row["is_summary_message"]:
            context.skip("compaction summary")
            return
        context.note(session["id"], model=text_or_none(row["model"]))
        turn = Turn(context, session["id"], row["id"], parse_time(row["created_at"]), row["id"])
        parts = [(part.get("type"), part.get("data") or {}) for part in mappings(row["parts"])]
        text = join(text for kind, data in parts if kind == "text" for text in block_texts(data))
        role: Role = "assistant" if row["role"] == "assistant" else session["person"]
        if text:
            yield turn.say(role, text)
        for kind, data in parts:
            if kind == "tool_call":
                yield turn.call(data.get("name"), decoded(data.get("input")), data.get("id"))
            elif kind == "tool_result":
                yield from turn.result(data.get("content"), data.get("tool_call_id"))
            elif kind not in ("text", "finish"):
                context.skip(kind)


def _listed(folder: Path) -> list[Path]:
    """The data folders in the list of projects, as it is now."""
    document = load_companion(folder / _LIST, _LIST_BYTES)
    projects = document.get("projects") if isinstance(document, Mapping) else document
    found = []
    for project in mappings(projects):
        path, data = text_or_none(project.get("path")), text_or_none(project.get("data_dir"))
        if path or data:
            found.append(Path(path or "", data or ".crush"))
    return [folder for folder in dict.fromkeys(found) if folder.is_absolute()]

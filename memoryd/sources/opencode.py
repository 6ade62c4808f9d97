"""OpenCode and Kilo Code's command line: `opencode*.db`, before version 1.2 the tree `storage/session/<project>/<id>.json`.

Schema as of OpenCode 1.2 to 1.4 (2026). A text is a part of a message; parts grow in place while they stream, and keep
their ids when the tree is moved into the database: a part's id is our key. The tree is left behind by the move.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.combined import CombinedSource
from memoryd.sources.context import Context
from memoryd.sources.databases import SqliteSource
from memoryd.sources.documents import DocumentSource, load_companion, session_name
from memoryd.sources.places import data_folder
from memoryd.sources.session_rows import Rows
from memoryd.sources.sqlite import Database, Row
from memoryd.sources.texts import content_key, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, json_column

_PART_BYTES = 16 * 1024 * 1024
_PART = ("id", "message_id", "session_id", "data", "time_created")


class OpenCodeDatabase(SqliteSource):
    """`opencode.db`, and `opencode-<channel>.db`."""

    name, title = "opencode", "OpenCode"
    names = re.compile(r"(^|/)opencode[^/]*\.db$")
    patterns = ("opencode*.db",)
    signs = (b"message", b"part", b"session", b"message_id")
    folder = "opencode"
    tables = (
        Rows("session", session="id", clock="time_updated", header=True, facts=(("max", "title"),)),
        Rows("message", clock="time_updated", changes=True),
        Rows(
            "part",
            clock="time_updated",
            changes=True,
            content="data",
            parent=("message", "message_id", "id"),
        ),
    )

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The databases themselves: their folder also holds snapshots of whole projects."""
        folder = data_folder(environ, home) / cls.folder
        return [*sorted(folder.glob(f"{cls.folder}-*.db")), folder / f"{cls.folder}.db"]

    def recognises(self, head: bytes) -> bool:
        """Tables of messages and parts that name each other."""
        tables = re.search(rb'(?is)create table [`"]?part[`"]?\s*\(.{0,300}?message_id', head)
        return super().recognises(head) and tables is not None

    def open_session(
        self, database: Database, session_id: str, context: Context
    ) -> dict[str, Any] | None:
        """The facts of the session."""
        names = ("directory", "title", "parent_id")
        facts = next(database.records("session", names, {"id": session_id}), {})
        return _open_session(session_id, facts, context)

    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """The parts, each with its message."""
        after = None if since is None else ("time_updated", since)
        if "session_id" in database.columns("part"):
            where = {"session_id": session["id"]}
            for part in database.records("part", _PART, where, after=after, order=("id",)):
                yield part | {"message": self._message(database, session, part["message_id"])}
            return
        order = ("time_created", "id")
        for row in database.records("message", ("id",), {"session_id": session["id"]}, order=order):
            for part in database.records("part", _PART, {"message_id": row["id"]}, order=("id",)):
                yield part | {"message": self._message(database, session, row["id"])}

    def _message(self, database: Database, session: dict[str, Any], message_id: str) -> Row:
        if session.get("message", {}).get("id") != message_id:
            names = ("id", "data", "time_created")
            empty = dict.fromkeys(names)
            session["message"] = next(database.records("message", names, {"id": message_id}), empty)
        found: Row = session["message"]
        return found

    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in a part."""
        part = {"id": row["id"], **json_column(row["data"])}
        message = {"id": row["message_id"], **json_column(row["message"]["data"])}
        time = row["time_created"] or row["message"]["time_created"]
        return _part_messages(part, message, session, time, context)


class OpenCodeTree(DocumentSource):
    """`storage/`: a small document for every session, message and part."""

    name, title = "opencode", "OpenCode"
    names = re.compile(r"(^|/)session/[^/]+/[^/]+\.json$")
    patterns = ("*/*.json",)

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Sessions only: there are a hundred thousand messages and parts, and each touches its session."""
        return [data_folder(environ, home) / "opencode" / "storage" / "session"]

    def recognises(self, head: bytes) -> bool:
        """A session's fields."""
        return all(
            f'"{name}"'.encode() in head for name in ("id", "projectID", "directory", "time")
        )

    def companions(self, path: Path) -> Sequence[Path]:
        """The session's messages and their parts."""
        messages = _messages_of(path)
        parts = path.parents[2] / "part"
        flat = sorted(parts.glob("*.json")) if messages else []
        return [
            *messages,
            *flat,
            *(part for one in messages for part in sorted((parts / one.stem).glob("*.json"))),
        ]

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The facts of the session."""
        facts = {**document, "parent_id": document.get("parentID")}
        session_id = session_name(document.get("id"), context)
        return _open_session(session_id, facts, context) | {"path": context.path}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """Pairs of a part and its message, oldest first."""
        path: Path = session["path"]
        loaded = (load_companion(one, _PART_BYTES) for one in _messages_of(path))
        messages = sorted(filter(None, loaded), key=lambda one: str(lookup(one, "time.created")))
        flat = _flat_parts(path.parents[2] / "part")
        for message in messages:
            folder = path.parents[2] / "part" / str(message.get("id"))
            for part in [
                *(load_companion(one, _PART_BYTES) for one in sorted(folder.glob("*.json"))),
                *flat,
            ]:
                if part and part.get("messageID") == message.get("id"):
                    yield part, message

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in a part."""
        part, message = item
        return _part_messages(part, message, session, lookup(message, "time.created"), context)


class OpenCode(CombinedSource):
    """OpenCode, before and after it had a database."""

    name, title = "opencode", "OpenCode"
    parts = (OpenCodeDatabase, OpenCodeTree)


class KiloDatabase(OpenCodeDatabase):
    """Kilo Code's command line keeps OpenCode's database under its own name."""

    name, title = "kilo", "Kilo Code"
    names = re.compile(r"(^|/)kilo[^/]*\.db$")
    patterns = ("kilo*.db",)
    folder = "kilo"

    def recognises(self, head: bytes) -> bool:
        """Only the name tells it from OpenCode's."""
        return False


def _messages_of(path: Path) -> list[Path]:
    folder = path.parents[2] / "message"
    stems = dict.fromkeys((path.stem, path.stem.removeprefix("ses_")))
    return [message for stem in stems for message in sorted((folder / stem).glob("*.json"))]


def _flat_parts(folder: Path) -> list[Any]:
    """Some versions put all parts into one folder."""
    return [load_companion(one, _PART_BYTES) for one in sorted(folder.glob("*.json"))]


def _open_session(session_id: str, facts: Mapping[str, Any], context: Context) -> dict[str, Any]:
    parent = text_or_none(facts.get("parent_id"))
    context.note(
        session_id,
        project=text_or_none(facts.get("directory")),
        title=text_or_none(facts.get("title")),
        parent_id=parent,
    )
    person: Role = "system" if parent else "user"  # what a sub-agent is told, no person said
    return {"id": session_id, "person": person}


def _part_messages(
    part: Mapping[str, Any],
    message: Mapping[str, Any],
    session: Mapping[str, Any],
    time: object,
    context: Context,
) -> Iterator[Message]:
    kind, role = part.get("type"), message.get("role")
    model = message.get("modelID") or lookup(message, "model.modelID")
    context.note(session["id"], model=text_or_none(model))
    moment = parse_time(
        lookup(part, "time.start") or lookup(part, "state.time.start")
    ) or parse_time(time)
    key = part.get("id") or content_key(session["id"], role, part.get("text"))
    turn = Turn(context, session["id"], str(key), moment, text_or_none(message.get("id")))
    if role not in ("user", "assistant"):
        context.skip("no message")
    elif role == "assistant" and message.get("summary") is True:
        context.skip("compaction summary")
    elif kind == "text" and not part.get("synthetic") and not part.get("ignored"):
        yield turn.say(
            "assistant" if role == "assistant" else session["person"], str(part.get("text") or "")
        )
    elif kind == "tool":
        identifier = part.get("callID") or key
        yield turn.call(part.get("tool"), lookup(part, "state.input"), identifier)
        yield from turn.result(
            lookup(part, "state.output") or lookup(part, "state.error"), identifier
        )
    else:
        context.skip("synthetic text" if kind == "text" else str(kind))

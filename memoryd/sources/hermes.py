"""Hermes: `state.db` of the home and of every profile; before that `sessions/<id>.jsonl`, `session_<id>.json`.

Format as of hermes-agent 0.19 (schema 22, July 2026) and later branches (schema 30), read with whatever columns there
are. Row ids are not stable (/retry and /undo write a session anew) and compaction stores rows twice, so a message is
known by session, role, content, and how many equal ones were said before it: the same in all three forms.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.combined import CombinedSource
from memoryd.sources.context import Context
from memoryd.sources.databases import SqliteSource
from memoryd.sources.decoding import decode_document
from memoryd.sources.documents import DocumentSource
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.places import glob_transcripts
from memoryd.sources.session_rows import Rows
from memoryd.sources.sqlite import Database, Row
from memoryd.sources.texts import block_texts, content_key, join, parse_time, text_or_none
from memoryd.sources.turns import Turn, decoded, mappings

_TITLE = "Hermes"
_JSON_MARK = "\0json:"  # before content that is a list of parts
_SUMMARY = re.compile(r"\s*\[(?:CONTEXT COMPACTION|CONTEXT SUMMARY|PRIOR CONTEXT)\b")
_INJECTED = re.compile(
    r"\s*(?:\[Your active task list was preserved|\[Planning state preserved|\[IMPORTANT: Background process"
    r"|\[ASYNC DELEGATION|\[Continuing toward your standing goal|\[System: (?:Your previous tool call|The user has)"
    r"|Review the conversation above and (?:consider|update|save)\b)"
)
_SKILL = re.compile(
    r'\[SYSTEM: The user has invoked the "([^"]{1,100})".*?'
    r"(?:The user has provided the following instruction alongside the skill invocation: (.*?)(?:\n\n\[Runtime note:.*)?)?\Z",
    re.DOTALL,
)
_COLUMNS = (
    "role", "content", "tool_calls", "tool_call_id", "timestamp", "active", "compacted",
    "_compressed_summary", "display_kind",
)  # fmt: skip
_FACTS = ("title", "model", "parent_session_id", "cwd", "git_branch", "source", "started_at")
_AT_ONCE = 1.0  # seconds; what compaction repeats is older than its summary, or written with it
_NO_PERSON = ("cron", "subagent")  # where prompts come from in such sessions


def _homes(environ: Mapping[str, str], home: Path) -> Path:
    return Path(environ.get("HERMES_HOME") or home / ".hermes")


class HermesDatabase(SqliteSource):
    """`state.db`."""

    name, title = "hermes", _TITLE
    names = re.compile(r"(^|/)state\.db$")
    patterns = ("state.db", "*/state.db")
    signs = (b"messages", b"session_id", b"tool_call_id", b"finish_reason")
    tables = (
        Rows("sessions", session="id", clock="rowid", facts=(("max", "title"),)),
        Rows(
            "messages",
            facts=(
                ("min", "id"),
                ("total", "active"),
                ("total", "compacted"),
                ("count", "display_kind"),
            ),
        ),
    )

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """`HERMES_HOME`; only what holds conversations: the home also holds the program."""
        folder = _homes(environ, home)
        return [folder / "state.db", folder / "profiles"]

    def open_session(
        self, database: Database, session_id: str, context: Context
    ) -> dict[str, Any] | None:
        """The facts of the session, and whose first rows its own may repeat."""
        facts = next(
            database.records("sessions", _FACTS, {"id": session_id}), dict.fromkeys(_FACTS)
        )
        texts = {name: text_or_none(fact) for name, fact in facts.items() if name != "started_at"}
        parent = texts["parent_session_id"]
        context.note(
            session_id,
            title=texts["title"],
            model=texts["model"],
            parent_id=parent,
            project=texts["cwd"],
            branch=texts["git_branch"],
        )
        origin = [{"session_id": parent}] if parent else []
        return {
            "id": session_id,
            "origin": origin,
            "copied": origin,
            "since": facts["started_at"],
            "person": "system" if texts["source"] in _NO_PERSON else "user",
        }

    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """All rows, also hidden ones: what was visible before must be taken back."""
        if since is not None:
            session["copied"] = []
        after = None if since is None else ("id", since)
        for row in database.records(
            "messages", (*_COLUMNS, "id"), {"session_id": session["id"]}, after=after, order=("id",)
        ):
            if self._is_copy(database, session, row):
                continue
            row["number"] = self._number(database, session, row, since)
            yield row

    def _is_copy(self, database: Database, session: dict[str, Any], row: Row) -> bool:
        """Is this one of the rows that compaction repeats behind its summary, or in the session that follows?"""
        if _is_summary(row):
            archived = {"session_id": session["id"], "active": 0, "compacted": 1}
            known = "compacted" in database.columns("messages")
            session["copied"] = [*session["origin"], *([archived] if known else [])]
            session["since"] = row["timestamp"]
            return False
        if not session["copied"]:
            return False
        if isinstance(session["since"], float) and row["timestamp"] > session["since"] + _AT_ONCE:
            session["copied"] = []
            return False
        same, before = {"role": row["role"], "content": row["content"]}, ("id", row["id"])
        copied = ({**of, **same} for of in session["copied"])
        if any(database.values("messages", "id", where, before) for where in copied):
            return True
        session["copied"] = []
        return False

    def _number(
        self, database: Database, session: dict[str, Any], row: Row, since: float | None
    ) -> int:
        """How many times the same was said before in this session; a repeated row has its first one's time."""
        if since is None:
            times = session.setdefault("times", {}).setdefault(
                content_key(row["role"], row["content"]), {}
            )
            return int(times.setdefault(row["timestamp"], len(times)))
        same = {"session_id": session["id"], "role": row["role"], "content": row["content"]}
        first = database.values("messages", "id", {**same, "timestamp": row["timestamp"]})
        times = database.values(
            "messages", "timestamp", same, ("id", min(first, default=row["id"]))
        )
        if times and "summaries" not in session:
            session["summaries"] = database.values(
                "messages",
                "timestamp",
                {"session_id": session["id"]},
                like=("content", "[CONTEXT %"),
            )
        own = [t for t in times if not any(0 < t - s < _AT_ONCE for s in session["summaries"])]
        return len(own) or min(len(times), 1)

    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """What a row says, if it is still part of the conversation."""
        if _is_summary(row):
            context.skip("compaction summary")
        elif row["display_kind"] == "hidden" or (row["active"] == 0 and not row["compacted"]):
            context.skip("withdrawn")
            context.retract(
                [message.key for message in _messages(row, session, row["number"], context)]
            )
        else:
            yield from _messages(row, session, row["number"], context)


class HermesSnapshot(DocumentSource):
    """`session_<id>.json`."""

    name, title = "hermes", _TITLE
    names = re.compile(r"(^|/)session_[^/]+\.json$")
    patterns = ("session_*.json", "*/sessions/session_*.json")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The folder of sessions, and those of the profiles."""
        folder = _homes(environ, home)
        return [folder / "sessions", folder / "profiles"]

    def recognises(self, head: bytes) -> bool:
        """The fields before the messages."""
        return all(
            f'"{name}"'.encode() in head for name in ("session_id", "session_start", "platform")
        )

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """Who talks, and since when."""
        session_id = text_or_none(document.get("session_id")) or context.path.stem.removeprefix(
            "session_"
        )
        context.note(
            session_id,
            model=text_or_none(document.get("model")),
            title=text_or_none(document.get("title")),
            project=text_or_none(document.get("cwd")),
        )
        return {"id": session_id, "time": parse_time(document.get("session_start")), "times": {}}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The messages."""
        return document.get("messages") or ()

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """As in the database; equal messages are told apart by their order."""
        if _is_summary(item):
            context.skip("compaction summary")
            return ()
        return _messages(item, session, context.occurrence(*_words(item)), context)


class HermesLog(JsonLinesSource):
    """`<id>.jsonl`."""

    name, title = "hermes", _TITLE
    names = re.compile(r"(^|/)sessions/[^/]+\.jsonl$")
    default_roots = HermesSnapshot.default_roots

    def discover(self, root: Path) -> Iterator[Path]:
        """See `Source.discover`."""
        return glob_transcripts(self, root, ("*.jsonl", "*/sessions/*.jsonl"))

    def owns(self, record: Record) -> bool:
        """The first line."""
        return record.get("role") == "session_meta" and "platform" in record

    def parse(self, record: Record, context: Context) -> Iterable[Message]:
        """One line is one message."""
        session_id = context.path.stem
        if record.get("role") == "session_meta" or _is_summary(record):
            context.note(session_id, model=text_or_none(record.get("model")))
            context.skip("compaction summary" if _is_summary(record) else "session_meta")
            return ()
        return _messages(record, {"id": session_id}, context.occurrence(*_words(record)), context)


class Hermes(CombinedSource):
    """Hermes, in whichever form."""

    name, title = "hermes", _TITLE
    parts = (HermesDatabase, HermesSnapshot, HermesLog)


def _is_summary(row: Mapping[str, Any]) -> bool:
    return bool(row.get("_compressed_summary") or _SUMMARY.match(_text(row.get("content"))))


def _text(content: object) -> str:
    """The text of a content, which may be a list of parts, written as JSON behind a mark."""
    if isinstance(content, bytes):
        content = content.decode("utf-8", "replace")
    if isinstance(content, str) and content.startswith(_JSON_MARK):
        content = decode_document(content.removeprefix(_JSON_MARK).encode("utf-8", "replace"))
    return join(block_texts(content, ("text", "input_text", "output_text")))


def _words(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """By what equal messages are counted: role, text, and whether it is written as a list of parts."""
    content = row.get("content")
    plain = content is None or (isinstance(content, str) and not content.startswith(_JSON_MARK))
    return str(row.get("role")), _text(content), "" if plain else "parts"


def _messages(
    row: Mapping[str, Any], session: Mapping[str, Any], number: int, context: Context
) -> Iterator[Message]:
    """The messages in a row, a line or an item: they have the same fields."""
    role, text, form = _words(row)
    key = content_key(session["id"], role, text, number, form)
    turn = Turn(context, session["id"], key, parse_time(row.get("timestamp")))
    if role == "tool":
        yield from turn.result(text, row.get("tool_call_id") or key)
    elif role == "user":
        yield from _said(turn, text, session.get("person", "user"))
    elif role == "assistant":
        if text:
            yield turn.say("assistant", text)
        calls = mappings(row.get("tool_calls"))
        for place, call in enumerate(calls):
            function = call.get("function") or call
            arguments = decoded(function.get("arguments") or function.get("input"))
            yield turn.call(function.get("name"), arguments, call.get("id") or f"{key}:{place}")
    else:
        context.skip(role)


def _said(turn: Turn, text: str, person: Role) -> Iterator[Message]:
    """What a person said; of an invoked skill only what was said with it."""
    skill = _SKILL.match(text)
    if skill:
        text = (skill[2] or "").strip() or f"/{skill[1]}"
    if _INJECTED.match(text):
        turn.context.skip("injected")
    elif text:
        yield turn.say(person, text)

"""Kiro: `data.sqlite3` and `sessions/cli/<id>.jsonl` of the command line, `workspace-sessions/…/<id>.json` of the editor.

Formats of 2025 and 2026. A row of `conversations_v2` holds a whole conversation (keyed by its folder), which is also
found exported as a file; what a person says in it has no id and is known by its order among equal texts.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.combined import CombinedSource
from memoryd.sources.context import Context
from memoryd.sources.databases import SqliteSource
from memoryd.sources.documents import DocumentSource, load_companion, session_name
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.places import application_folder, data_folder, glob_transcripts
from memoryd.sources.session_rows import Rows
from memoryd.sources.sqlite import Database, Row
from memoryd.sources.texts import block_texts, content_key, join, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, json_column, mappings

_TITLE = "Kiro"
_INJECTED = (
    "# System Prompt",
    "# Identity",
    "<identity>",
    "## Included Rules",
    "You are operating in a workspace",
)
_WRAPPING = re.compile(r"\s*<kiro-ide-message>(.*?)(?:</kiro-ide-message>\s*)?\Z", re.DOTALL)
_ACKNOWLEDGED = "I will follow these instructions."
_META_BYTES = 1024 * 1024


class KiroDatabase(SqliteSource):
    """`data.sqlite3`."""

    name, title = "kiro", _TITLE
    names = re.compile(r"(^|/)kiro[^/]*/data\.sqlite3$")
    patterns = ("data.sqlite3",)
    signs = (b"conversations_v2", b"conversation_id")
    tables = (
        Rows(
            "conversations_v2",
            session="conversation_id",
            clock="updated_at",
            header=True,
            content="value",
        ),
    )
    whole = True

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The command line's data folder."""
        folders = (application_folder(environ, home), data_folder(environ, home))
        return list(dict.fromkeys(folder / "kiro-cli" for folder in folders))

    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """The conversation; it may stand under several folders, the newest row last."""
        where = {"conversation_id": session["id"]}
        return database.records("conversations_v2", ("key", "value"), where, order=("updated_at",))

    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """All messages of the conversation."""
        context.note(session["id"], project=text_or_none(row["key"]))
        history = mappings(json_column(row["value"]).get("history"))
        seen: dict[str, int] = {}
        return [m for turn in history for m in _exchange(turn, session["id"], seen, context)]


class KiroExport(DocumentSource):
    """A conversation as its row holds it, in a file of its own (by no fixed name)."""

    name, title = "kiro", _TITLE
    names = re.compile(r"(?!)")
    patterns = ()

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """None: only read when given by hand."""
        return []

    def recognises(self, head: bytes) -> bool:
        """The first fields."""
        return re.match(rb'\s*\{\s*"conversation_id"', head) is not None and b'"history"' in head

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """Whose conversation."""
        return {"id": session_name(document["conversation_id"], context), "seen": {}}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """What was asked and answered."""
        return mappings(document.get("history"))

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """A question and its answer."""
        return _exchange(item, session["id"], session["seen"], context)


class KiroEditor(DocumentSource):
    """`workspace-sessions/<folder>/<id>.json`."""

    name, title = "kiro", _TITLE
    names = re.compile(r"(^|/)workspace-sessions/[^/]+/(?!sessions\.json$)[^/]+\.json$")
    patterns = ("*/*.json",)

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The editor's storage."""
        storage = application_folder(environ, home) / "Kiro" / "User" / "globalStorage"
        return [storage / "kiro.kiroagent" / "workspace-sessions"]

    def recognises(self, head: bytes) -> bool:
        """A session's fields, and what only Kiro has among the messages."""
        return all(f'"{name}"'.encode() in head for name in ("history", "sessionId", "promptLogs"))

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The facts of the session."""
        session_id = session_name(document.get("sessionId"), context)
        context.note(
            session_id,
            title=text_or_none(document.get("title")),
            project=text_or_none(document.get("workspaceDirectory")),
        )
        return {"id": session_id, "time": parse_time(document.get("dateCreated"))}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The history."""
        return mappings(document.get("history"))

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in one entry of the history."""
        message = item["message"]
        role, text = message.get("role"), join(block_texts(message.get("content")))
        found = _WRAPPING.match(text)
        text = found[1].strip() if found else text
        if role not in ("user", "assistant") or not text:
            context.skip(role if role not in ("user", "assistant") else "empty")
        elif text.startswith(_INJECTED) or text == _ACKNOWLEDGED:
            context.skip("injected")
        else:
            native = text_or_none(message.get("id"))
            key = native or content_key(session["id"], role, text, context.occurrence(role, text))
            yield Turn(context, session["id"], f"{session['id']}:{key}", None, native).say(
                role, text
            )


class KiroLog(JsonLinesSource):
    """`sessions/cli/<id>.jsonl`; title and folder stand in the `.json` beside it. No times."""

    name, title = "kiro", _TITLE
    names = re.compile(r"(^|/)sessions/(cli/)?[^/]+\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """`~/.kiro`."""
        return [home / ".kiro" / "sessions"]

    def discover(self, root: Path) -> Iterator[Path]:
        """See `Source.discover`."""
        return glob_transcripts(self, root, ("*.jsonl", "cli/*.jsonl"))

    def owns(self, record: Record) -> bool:
        """The three kinds of records."""
        return (
            record.get("kind") in ("Prompt", "AssistantMessage", "ToolResults") and "data" in record
        )

    def parse(self, record: Record, context: Context) -> Iterable[Message]:
        """The messages in a record."""
        data = record["data"]
        session_id = context.path.stem
        if not context.state.get("described"):
            self._describe(session_id, context)
        native = text_or_none(data.get("message_id"))
        blocks: list[tuple[Any, Any]] = [
            (block.get("kind"), block.get("data")) for block in mappings(data.get("content"))
        ]
        text = join(str(value) for kind, value in blocks if kind == "text")
        role = "user" if record.get("kind") == "Prompt" else "assistant"
        key = native or content_key(session_id, role, text, context.occurrence(role, text))
        time = parse_time(lookup(data, "meta.timestamp"))
        turn = Turn(context, session_id, f"{session_id}:{key}", time, native)
        if text and record.get("kind") != "ToolResults":
            yield turn.say("user" if role == "user" else "assistant", text)
        for kind, value in blocks:
            if kind == "toolUse":
                yield turn.call(value.get("name"), value.get("input"), value.get("toolUseId"))
            elif kind == "toolResult":
                content = [block.get("data") for block in mappings(value.get("content"))]
                yield from turn.result(content, value.get("toolUseId"))

    def _describe(self, session_id: str, context: Context) -> None:
        facts = load_companion(context.path.with_suffix(".json"), _META_BYTES)
        if isinstance(facts, Mapping):
            context.state["described"] = 1
            context.note(
                session_id,
                title=text_or_none(facts.get("title")),
                project=text_or_none(facts.get("cwd")),
            )


class Kiro(CombinedSource):
    """Kiro, in whichever form."""

    name, title = "kiro", _TITLE
    parts = (KiroDatabase, KiroEditor, KiroLog, KiroExport)


def _exchange(
    turn: Mapping[str, Any], session_id: str, seen: dict[str, int], context: Context
) -> Iterator[Message]:
    """What was asked and answered in one entry of a conversation."""
    user, assistant = turn.get("user") or {}, turn.get("assistant") or {}
    context.note(
        session_id,
        project=text_or_none(lookup(user, "env_context.env_state.current_working_directory")),
        model=text_or_none(lookup(turn, "request_metadata.model_id")),
    )
    asked = parse_time(user.get("timestamp"))
    prompt = lookup(user, "content.Prompt.prompt")
    if isinstance(prompt, str) and prompt:
        number = seen[prompt] = seen.get(prompt, -1) + 1
        key = content_key(session_id, "user", prompt, number)
        yield Turn(context, session_id, key, asked).say("user", prompt)
    for result in mappings(lookup(user, "content.ToolUseResults.tool_use_results")):
        yield from Turn(context, session_id, "", asked).result(
            result.get("content"), result.get("tool_use_id")
        )
    answer = assistant.get("Response") or assistant.get("ToolUse") or {}
    ended = parse_time(lookup(turn, "request_metadata.stream_end_timestamp_ms")) or asked
    native = text_or_none(answer.get("message_id"))
    text = str(answer.get("content") or "")
    reply = Turn(context, session_id, f"{session_id}:{native or content_key(text)}", ended, native)
    if text:
        yield reply.say("assistant", text)
    for use in mappings(answer.get("tool_uses")):
        yield reply.call(use.get("name"), use.get("args"), use.get("id"))

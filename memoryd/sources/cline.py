"""Cline, Roo Code and Kilo Code: `tasks/<task>/api_conversation_history.json`, Cline's newer `<id>.messages.json`.

The extensions of 2024 to 2026 in any editor of the VS Code family, and Cline's command line of 2026. Messages of tasks
have no ids: they are known by their order among equal texts, so a shortened history meets itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.cline_text import assistant_text, user_text
from memoryd.sources.combined import CombinedSource
from memoryd.sources.context import Context
from memoryd.sources.documents import DocumentSource, load_companion
from memoryd.sources.opencode import KiloDatabase
from memoryd.sources.places import editor_folders
from memoryd.sources.texts import block_texts, content_key, join, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, mappings

_FACTS_BYTES = 8 * 1024 * 1024
_HISTORY = "api_conversation_history.json"
_ROO_FACTS = "history_item.json"
_AGENT = re.compile(r"\.[^.]+\.messages\.json$")  # <session>.<agent>.messages.json


class Tasks(DocumentSource):
    """The tasks of one extension.

    Attributes:
        extension: its folder in an editor's `globalStorage`.
    """

    names = re.compile(r"(^|/)tasks/[^/]+/api_conversation_history\.json$")
    patterns = ("*/api_conversation_history.json",)
    extension: str

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """In every editor."""
        folders = editor_folders(environ, home)
        return [folder / "globalStorage" / cls.extension / "tasks" for folder in folders]

    def recognises(self, head: bytes) -> bool:
        """A list of messages to and from the model; whose fork wrote it only the place tells."""
        return re.match(rb'\s*\[\s*\{\s*"role"\s*:\s*"user"\s*,\s*"content"', head) is not None

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The facts of the task, which stand in a file beside it or in a list of all tasks."""
        task, folder = context.path.parent.name, context.path.parent
        facts = load_companion(folder / _ROO_FACTS, _FACTS_BYTES)
        if not isinstance(facts, Mapping):
            tasks = load_companion(folder.parents[1] / "state" / "taskHistory.json", _FACTS_BYTES)
            facts = next((one for one in mappings(tasks) if one.get("id") == task), {})
        parent = text_or_none(facts.get("parentTaskId"))
        project = facts.get("workspace") or facts.get("cwdOnTaskInitialization")
        title = (text_or_none(facts.get("task")) or "").strip().partition("\n")[0]
        context.note(
            task,
            project=text_or_none(project),
            title=title or None,
            model=text_or_none(facts.get("modelId")),
            parent_id=parent,
        )
        started = parse_time(task) or parse_time(facts.get("ts"))
        return {"id": task, "time": started, "opened": "system" if parent else "user"}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The messages."""
        return mappings(document)

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in one message to or from the model."""
        if item.get("isSummary"):
            context.skip("compaction summary")
            return ()
        return _messages(item, session, None, context)


class ClineTasks(Tasks):
    """Cline's tasks."""

    name, title = "cline", "Cline"
    extension = "saoudrizwan.claude-dev"

    def transcript(self, path: Path) -> Path | None:
        """A task that is not marked as a fork's."""
        forks = ("rooveterinaryinc.", "kilocode.")
        is_fork = any(part.startswith(forks) for part in path.parts)
        return None if is_fork or path.with_name(_ROO_FACTS).exists() else super().transcript(path)


class RooCode(Tasks):
    """Roo Code's tasks."""

    name, title = "roo", "Roo Code"
    extension = "rooveterinaryinc.roo-cline"
    names_tell = True

    def transcript(self, path: Path) -> Path | None:
        """A task in the extension's place, or one with the facts beside it that only Roo Code writes."""
        if any(part.startswith("kilocode.") for part in path.parts):
            return None
        ours = self.extension in path.parts or path.with_name(_ROO_FACTS).exists()
        return super().transcript(path) if ours else None


class KiloTasks(Tasks):
    """Kilo Code's tasks."""

    name, title = "kilo", "Kilo Code"
    extension = "kilocode.kilo-code"

    def transcript(self, path: Path) -> Path | None:
        """A task in the extension's place."""
        return super().transcript(path) if self.extension in path.parts else None


class ClineSessions(DocumentSource):
    """`~/.cline/data/sessions/<id>/<id>.messages.json`, with the facts in `<id>.json`."""

    name, title = "cline", "Cline"
    names = re.compile(r"\.messages\.json$")
    patterns = ("*/*.messages.json",)

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Below `CLINE_DATA_DIR` or `CLINE_DIR`."""
        folder = Path(environ.get("CLINE_DIR") or home / ".cline") / "data"
        return [Path(environ.get("CLINE_DATA_DIR") or folder) / "sessions"]

    def recognises(self, head: bytes) -> bool:
        """The fields before the messages."""
        return all(
            f'"{name}"'.encode() in head
            for name in ("version", "updated_at", "sessionId", "messages")
        )

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The facts of the session; a sub-agent's file says from whom it comes."""
        session_id = text_or_none(document.get("sessionId")) or context.path.name.partition(".")[0]
        origin = document.get("origin") or {}
        parent = origin.get("parentThreadId") if origin.get("subagent") else None
        if _AGENT.search(context.path.name):
            parent, session_id = session_id, context.path.name.removesuffix(".messages.json")
        found = load_companion(context.path.with_name(f"{session_id}.json"), _FACTS_BYTES)
        facts = found if isinstance(found, Mapping) else {}
        context.note(
            session_id,
            project=text_or_none(facts.get("cwd") or facts.get("workspace_root")),
            title=text_or_none(lookup(facts, "metadata.title")),
            branch=text_or_none(lookup(facts, "metadata.git.branch")),
            model=text_or_none(facts.get("model")),
            parent_id=text_or_none(parent),
        )
        opened = "system" if parent else "user"
        return {"id": session_id, "time": parse_time(facts.get("started_at")), "opened": opened}

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The messages."""
        return mappings(document["messages"])

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in one message to or from the model."""
        context.note(session["id"], model=text_or_none(lookup(item, "modelInfo.id")))
        return _messages(item, session, text_or_none(item.get("id")), context)


class Cline(CombinedSource):
    """Cline, in whichever form."""

    name, title = "cline", "Cline"
    parts = (ClineTasks, ClineSessions)


class Kilo(CombinedSource):
    """Kilo Code, in whichever form."""

    name, title = "kilo", "Kilo Code"
    parts = (KiloTasks, KiloDatabase)


def _messages(
    item: Mapping[str, Any], session: dict[str, Any], native: str | None, context: Context
) -> Iterator[Message]:
    content, role = item.get("content"), item.get("role")
    texts = block_texts(content)
    tools = [block for block in mappings(content) if block.get("type") != "text"]
    spoken = user_text(texts) if role == "user" else assistant_text(join(texts))
    text = join(spoken.said)
    key = native or content_key(role, text, context.occurrence(str(role), text))
    turn = Turn(
        context, session["id"], f"{session['id']}:{key}", parse_time(item.get("ts")), native
    )
    if role not in ("user", "assistant"):
        context.skip(role)
        return
    if text:
        yield turn.say("assistant" if role == "assistant" else _person(session), text)
    elif texts and not spoken.tools:
        context.skip("injected")
    for tool in spoken.tools:
        identifier = content_key(role, *tool, context.occurrence(*tool))
        if isinstance(tool, str):
            yield from turn.result(tool, identifier)
        else:
            yield turn.call(*tool, identifier)
    yield from turn.blocks("tool", tools)


def _person(session: dict[str, Any]) -> Role:
    """Who speaks as the user: what opens a sub-task the agent wrote, what follows a person."""
    role: Role = "system" if session.pop("opened", "user") == "system" else "user"
    return role

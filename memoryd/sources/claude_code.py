"""Claude Code: `projects/<folder>/<session>.jsonl`, sub-agents in `<session>/subagents/agent-<id>.jsonl`.

Format as seen in versions 1.0.64 to 2.1.220 (2025 to November 2026). One record is one message, known by its
uuid: a resumed or forked session is a copy with the same uuids and meets itself. The blocks of one response are
several records that share `message.id`, our group. The folder's name is lossy: the project is `cwd`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.screening import screen
from memoryd.sources.claude_text import human_text, rejection_words, strip_injected
from memoryd.sources.context import Context, named
from memoryd.sources.documents import load_companion
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.places import application_folder
from memoryd.sources.texts import (
    block_texts,
    call_key,
    call_line,
    clip,
    content_key,
    join,
    lookup,
    parse_time,
    text_or_none,
)

_DESKTOP = "local-agent-mode-sessions"
_QUEUE = 32  # queued prompts remembered until they turn up again
_CHAIN = 64  # records of inline sub-agents remembered as parents
_TITLES = {
    "summary": ("summary", 0),
    "ai-title": ("aiTitle", 1),
    "custom-title": ("customTitle", 2),
}
_PROGRESS = b'"type":"progress","data":'
_ENVELOPE = 1000  # bytes in which a record says what it is
_OWN_KEYS = {"sessionId", "leafUuid", "messageId", "snapshot"}
_OWN_KINDS = {
    *_TITLES, "system", "progress", "queue-operation", "attachment", "file-history-snapshot",
    "last-prompt", "mode", "permission-mode",
}  # fmt: skip
_SETTINGS_BYTES = 1 << 20
CLEANUP_DAYS = 30.0  # as of version 2.1


class ClaudeCode(JsonLinesSource):
    """Transcripts of Claude Code and of programs that write its format."""

    name = "claude-code"
    title = "Claude Code"
    starts = (b'{"parentUuid":', b'{"type":"queue-operation"')

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """`CLAUDE_CONFIG_DIR` (it may list several), else the places that versions and kin have used."""
        named = [Path(part) for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",") if part]
        folders = named or [home / ".claude", home / ".config" / "claude", home / ".openclaude"]
        desktop = application_folder(environ, home) / "Claude" / _DESKTOP
        return [*(folder / "projects" for folder in folders), desktop]

    def cleanup_days(self, root: Path) -> float | None:
        """`cleanupPeriodDays` of the settings beside the transcripts; 30 unless it is set."""
        settings = load_companion((root.parent / "settings.json").resolve(), _SETTINGS_BYTES)
        days = settings.get("cleanupPeriodDays") if isinstance(settings, dict) else None
        return float(days) if isinstance(days, int | float) and days >= 0 else CLEANUP_DAYS

    def transcript(self, path: Path) -> Path | None:
        """Every `.jsonl` but a workflow's journal; of the desktop program's files only those of its agents."""
        if path.name.startswith("journal.jsonl"):
            return None
        if _DESKTOP in path.parts and ".claude" not in path.parts:
            return None
        return super().transcript(path)

    def owns(self, record: Record) -> bool:
        """Messages inside an envelope, or one of the bookkeeping records of a session."""
        kind, message = record.get("type"), record.get("message")
        if kind in ("user", "assistant"):
            known = isinstance(message, dict) and "content" in message
            return known and bool(record.keys() & {"sessionId", "timestamp"})
        foreign = record.keys() & {"payload", "data", "message", "systemPayload"}
        return kind in _OWN_KINDS and not foreign and bool(record.keys() & _OWN_KEYS)

    def skipped(self, head: bytes) -> str | None:
        """Snapshots of files and progress: a third of all records, and never text."""
        if head.startswith(b'{"type":"file-history-snap'):
            return "file-history-snapshot"
        found = head.find(_PROGRESS, 0, _ENVELOPE)
        # Inside a string its quotes would be escaped; before any inner object it is the record's own.
        return "progress" if found > 0 and head.find(b"{", 1, found) < 0 else None

    def parse(self, record: Record, context: Context) -> Iterable[Message]:
        """The messages of one record."""
        kind = record.get("type")
        if kind in _TITLES:
            _note_title(record, context)
        elif kind in _PARSERS:
            return _PARSERS[kind](record, _Place(record, context))
        else:
            context.skip(kind)
        return ()


class _Place:
    """Where a record belongs: its session, whether that is a sub-agent's, and how messages are made there."""

    def __init__(self, record: Record, context: Context) -> None:
        self.context = context
        self.uuid = text_or_none(record.get("uuid"))
        self.time = parse_time(record.get("timestamp"))
        parent = text_or_none(record.get("sessionId")) or context.state.get("session")
        self.session = parent or context.path.stem
        agent = _agent(record, context, self.uuid)
        if agent is not None:
            parent, self.session = _parent_session(context.path) or self.session, agent
            context.note(agent, parent_id=None if parent == f"agent-{agent}" else parent)
        else:
            context.state["session"] = self.session
        self.person: Role = "system" if agent else "user"
        if context.fact(self.session, "project") is None:
            context.note(self.session, project=text_or_none(record.get("cwd")))
        branch = text_or_none(record.get("gitBranch"))
        if branch != context.fact(self.session, "branch"):
            context.note(self.session, branch=branch)
        if self.uuid:
            _settle_title(self, context)

    def say(
        self, role: Role, text: str, key: str | None = None, group: str | None = None
    ) -> Message:
        """A message of this record; its key is the record's uuid unless another is given."""
        return self.context.message(
            self.session, role, text, time=self.time, native_id=self.uuid, key=key, group=group
        )

    def tool(self, identifier: object, text: str, ending: str = "") -> Message:
        """A tool call or, with an *ending*, its result."""
        return self.say("tool", text, call_key(identifier, ending, self.uuid or self.session, text))


def _agent(record: Record, context: Context, uuid: str | None) -> str | None:
    """The sub-agent that a record belongs to; None: the session itself."""
    named = text_or_none(record.get("agentId"))
    if context.path.name.startswith("agent-"):
        return named or context.path.stem.removeprefix("agent-")
    if not record.get("isSidechain"):
        return None
    return named or _inline_agent(record, context, uuid)


def _inline_agent(record: Record, context: Context, uuid: str | None) -> str:
    """Before version 1.0.110 sub-agents had no id: one is the chain of records from its root."""
    chains: dict[str, str] = context.state.setdefault("chains", {})
    root = chains.get(record.get("parentUuid") or "")
    if root is None and record.get("parentUuid") and chains:
        root = next(reversed(chains.values()))
    root = root or f"sidechain-{uuid}"
    if uuid:
        chains[uuid] = root
        while len(chains) > _CHAIN:
            del chains[next(iter(chains))]
    return root


def _parent_session(path: Path) -> str | None:
    """The session whose folder holds this sub-agent's file."""
    parts = path.parts
    return parts[parts.index("subagents") - 1] if "subagents" in parts[1:] else None


def _parse_assistant(record: Record, place: _Place) -> Iterator[Message]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else message
    model = text_or_none(message.get("model")) if isinstance(message, dict) else None
    if model == "<synthetic>" or record.get("isApiErrorMessage"):
        place.context.skip("synthetic")
        return
    if model != place.context.fact(place.session, "model"):
        place.context.note(place.session, model=model)
    texts = []
    for kind, block in _blocks(content):
        if kind == "text":
            texts += block_texts([block])
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            yield place.tool(block.get("id"), call_line(block.get("name"), block.get("input")))
        else:
            place.context.skip("thinking" if "thinking" in kind else kind)
    text = join(texts)
    if text and text != "(no content)":
        group = message.get("id") if isinstance(message, dict) else None
        yield place.say("assistant", text, group=text_or_none(group))


def _blocks(content: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The blocks of a content with their kinds; a bare string is a text."""
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, str):
            yield "text", {"type": "text", "text": item}
        elif isinstance(item, dict):
            yield named(item.get("type")), item


def _parse_user(record: Record, place: _Place) -> Iterator[Message]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else message
    texts = []
    for kind, block in _blocks(content):
        if kind == "text":
            texts += block_texts([block])
        elif kind == "tool_result":
            result = _result_text(block.get("content"))
            texts.append(rejection_words(result))
            text = clip(strip_injected(result), place.context.limits.tool_output_chars)
            yield place.tool(block.get("tool_use_id"), text, ":result")
        else:
            place.context.skip(kind)
    if any(
        record.get(mark) for mark in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    ):
        place.context.skip("compact summary" if record.get("isCompactSummary") else "meta")
    else:
        yield from _said(texts, place)


def _result_text(content: object) -> str:
    """The text of a tool's result; forks of Gemini CLI wrap it in their own way."""
    wrapped = lookup(content, "responseParts.functionResponse.response.output")
    return wrapped if isinstance(wrapped, str) else "\n".join(block_texts(content))


def _said(texts: list[str], place: _Place) -> Iterator[Message]:
    """What a person said in the texts of one record."""
    kept = []
    for text in filter(None, texts):
        human, reason = human_text(text)
        if human:
            kept.append(human)
        else:
            place.context.skip(reason)
    if kept:
        text = join(kept)
        place.context.retract(_take_queued(place.context, text))
        yield place.say(place.person, text)


def _parse_queued(record: Record, place: _Place) -> Iterator[Message]:
    """A prompt typed while a tool ran: it may turn up again as a record of its own, or never."""
    text, _ = human_text(record.get("content") or "")
    if record.get("operation") != "enqueue" or not text:
        place.context.skip("queue-operation")
        return
    key = content_key("queued", record.get("timestamp"), text)
    queue: list[list[str]] = place.context.state.setdefault("queue", [])
    queue.append([content_key(text), key])
    del queue[:-_QUEUE]
    yield place.say(place.person, text, key)


def _take_queued(context: Context, text: str) -> list[str]:
    """The key of the queued prompt with this text, if one still waits to turn up."""
    wanted = content_key(text)
    for entry in context.state.get("queue", ()):
        if entry[0] == wanted:
            context.state["queue"].remove(entry)
            return [entry[1]]
    return []


def _parse_attachment(record: Record, place: _Place) -> Iterator[Message]:
    attachment = record.get("attachment") or {}
    if attachment.get("type") != "queued_command":
        place.context.skip("attachment")
        return
    yield from _said(block_texts(attachment.get("prompt")), place)


def _parse_system(record: Record, place: _Place) -> Iterator[Message]:
    content = record.get("content")
    if record.get("subtype") == "local_command" and isinstance(content, str):
        yield from _said([content], place)
    else:
        place.context.skip(f"system/{named(record.get('subtype'))}")


_PARSERS: dict[Any, Callable[[Record, _Place], Iterator[Message]]] = {
    "assistant": _parse_assistant,
    "user": _parse_user,
    "queue-operation": _parse_queued,
    "attachment": _parse_attachment,
    "system": _parse_system,
}


def _note_title(record: Record, context: Context) -> None:
    """A title. A summary names only the last record of its session, which may be in another file."""
    field, rank = _TITLES[record["type"]]
    title = text_or_none(record.get(field))
    leaf = record.get("leafUuid")
    if title and rank == 0 and leaf != context.state.get("last"):
        summaries: dict[str, str] = context.state.setdefault("summaries", {})
        if isinstance(leaf, str) and len(summaries) < _QUEUE:
            summaries[leaf] = screen(title).text  # the state is stored as it is
    elif title:
        session = text_or_none(record.get("sessionId")) or context.state.get("session")
        _set_title(context, session or context.path.stem, title, rank)


def _set_title(context: Context, session: str, title: str, rank: int) -> None:
    known = context.state.get("titled", ["", 0])
    if known[0] != session or known[1] <= rank:
        context.state["titled"] = [session, rank]
        context.note(session, title=title)


def _settle_title(place: _Place, context: Context) -> None:
    context.state["last"] = place.uuid
    summaries = context.state.get("summaries")
    if summaries and place.uuid in summaries:
        _set_title(context, place.session, summaries.pop(place.uuid), 0)

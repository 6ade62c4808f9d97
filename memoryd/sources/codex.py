"""Codex CLI, IDE and desktop: `sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`, plain, archived or `.zst`.

Format as seen in versions 0.2 to 0.150 (2025 to November 2026). Lines are `{timestamp, type, payload}`; very old
ones are bare items. A text stands there as a `response_item` and often again as an event: the item counts,
events only speak for turns without items. Resumed, forked and spawned threads copy their parent's turns with new
times but the same turn ids, so a message is known by its turn, role, text and occurrence in it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.codex_text import human_text
from memoryd.sources.context import Context, named
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import (
    block_texts,
    call_key,
    call_line,
    clip,
    content_key,
    join,
    lookup,
    parse_time,
    parsed,
    text_or_none,
)

_KINDS = ("text", "input_text", "output_text", "Text")
_NO_TEXT = re.compile(
    rb'\{"timestamp":"[^"]{0,40}",(?:"ordinal":\d+,)?"type":"(compacted|world_state|security_risk_score)"'
)
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
    "tool_search_call": "arguments",
}
_ITEM_ROLES: dict[str, Role] = {"UserMessage": "user", "AgentMessage": "assistant"}
_EVENT_ROLES: dict[str, Role] = {"user_message": "user", "agent_message": "assistant"}


class Codex(JsonLinesSource):
    """Rollouts of Codex."""

    name = "codex"
    title = "Codex"
    names = re.compile(r"/rollout-[^/]*\.jsonl$")
    names_tell = True
    starts = (b'{"timestamp":',)

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Live and archived sessions below `CODEX_HOME`."""
        base = Path(environ.get("CODEX_HOME") or home / ".codex")
        return [base / "sessions", base / "archived_sessions"]

    def owns(self, record: Record) -> bool:
        """The envelope of a rollout, or the first line of a very old one."""
        payload = record.get("payload")
        if not isinstance(payload, dict):
            return record.keys() >= {"id", "timestamp", "instructions"}
        kinds = ("session_meta", "turn_context", "response_item", "event_msg")
        return record.get("type") in kinds and payload.get("model_provider") != "trae"

    def skipped(self, head: bytes) -> str | None:
        """Copies of the whole history and of the environment: most of the bytes of a rollout."""
        found = _NO_TEXT.match(head)
        return found[1].decode() if found else None

    def parse(self, record: Record, context: Context) -> Iterable[Message]:
        """The messages of one record."""
        payload, kind = record.get("payload"), record.get("type")
        if not isinstance(payload, dict):
            payload, kind = record, "response_item" if kind else "session_meta"
        item = _Item(payload, record.get("timestamp"), context)
        if kind == "session_meta":
            _begin_session(payload, context)
        elif kind == "turn_context":
            _begin_turn(payload, context)
            context.note(_session(context), model=text_or_none(payload.get("model")))
        elif kind == "response_item":
            return _parse_item(item)
        elif kind == "event_msg":
            return _parse_event(item)
        else:
            context.skip(kind)
        return ()


class TraeX(Codex):
    """TRAE's command line, a fork of Codex with the same rollouts."""

    name = "traex"
    title = "TRAE CLI"
    names_tell = False  # they are Codex's

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Live and archived sessions."""
        return [home / ".trae" / "cli" / "sessions", home / ".trae" / "cli" / "archived_sessions"]

    def owns(self, record: Record) -> bool:
        """A rollout whose models are TRAE's."""
        return bool(lookup(record, "payload.model_provider") == "trae")


def _session(context: Context) -> str:
    if "session" not in context.state:
        found = UUID.search(context.path.stem)
        context.state["session"] = found[0] if found else context.path.stem
    session: str = context.state["session"]
    return session


def _begin_session(payload: Record, context: Context) -> None:
    """The first `session_meta` names the thread; later ones are copied with a parent's history."""
    if "session" in context.state:
        context.skip("session_meta")
        return
    session = text_or_none(payload.get("id"))
    if session:
        context.state["session"] = session
    session = _session(context)
    origin = payload.get("source")
    if isinstance(origin, dict) and "subagent" in origin:
        context.state["spawned"] = True
        if origin["subagent"] == "memory_consolidation":
            context.exclude(session)
    context.note(
        session,
        project=text_or_none(payload.get("cwd")),
        branch=text_or_none(lookup(payload, "git.branch")),
        parent_id=text_or_none(payload.get("parent_thread_id"))
        or text_or_none(lookup(payload, "source.subagent.thread_spawn.parent_thread_id"))
        or text_or_none(payload.get("forked_from_id")),
    )


def _begin_turn(payload: Record, context: Context) -> None:
    """A new turn: what was said by events so far is settled."""
    turn = text_or_none(payload.get("turn_id"))
    if turn is None or turn != context.state.get("turn"):
        context.state.update(turn=turn, told={}, items=[], tally={})


@dataclass(frozen=True, slots=True)
class _Item:
    """A payload and where it stands."""

    payload: Record
    time: Any
    context: Context

    def say(self, role: Role, text: str, channel: str) -> Message:
        """A message; *channel* is who tells it: the item itself, or one of the kinds of events."""
        state, session = self.context.state, _session(self.context)
        turn = (
            lookup(self.payload, "internal_chat_message_metadata_passthrough.turn_id")
            or self.payload.get("turn_id")
            or state.get("turn")
        )
        if turn is None:
            key = content_key(session, self.time, role, text)
        else:
            key = content_key(turn, role, text, self._occurrence(channel, role, text))
        if role == "user" and state.get("spawned"):
            role = "system"  # a parent agent's words, no person's
        native = text_or_none(self.payload.get("id"))
        return self.context.message(
            session, role, text, time=parse_time(self.time), native_id=native, key=key
        )

    def tool(self, text: str, ending: str = "") -> Message:
        """A tool call or, with an *ending*, its result."""
        session = _session(self.context)
        identifier = self.payload.get("call_id") or self.payload.get("id")
        key = call_key(identifier, ending, session, self.time, text)
        native = text_or_none(identifier)
        return self.context.message(
            session, "tool", text, time=parse_time(self.time), native_id=native, key=key
        )

    def _occurrence(self, channel: str, role: str, text: str) -> int:
        """How often this channel has said this before in the turn: a twin on another channel meets it."""
        tally: dict[str, int] = self.context.state.setdefault("tally", {})
        name = content_key(channel, role, text)[:12]
        tally[name] = tally.get(name, -1) + 1
        return tally[name]


def _parse_item(item: _Item) -> Iterator[Message]:
    kind = item.payload.get("type") or ("message" if "role" in item.payload else "unknown item")
    role = item.payload.get("role")
    if kind == "message" and role in ("user", "assistant"):
        text = _item_text(item, role)
        if text:
            message = item.say(role, text, "item")
            _settle_events(item.context.state, role, message.key, item.context)
            yield message
    elif kind in _CALLS:
        name = item.payload.get("name") or kind.removesuffix("_call")
        yield item.tool(call_line(name, parsed(item.payload.get(_CALLS[kind]))))
    elif kind.endswith("_output"):
        output = item.payload.get("output")
        inner = lookup(parsed(output), "output")  # versions before 0.60 wrap it
        text = "\n".join(block_texts(output if inner is None else inner, _KINDS)).strip()
        yield item.tool(clip(text, item.context.limits.tool_output_chars), ":result")
    else:
        item.context.skip("thinking" if kind == "reasoning" else named(role or kind))


def _item_text(item: _Item, role: Role) -> str:
    content = item.payload.get("content")
    blocks = content if isinstance(content, list) else [content]
    kinds = lookup(item.payload, "internal_chat_message_metadata_passthrough.content_item_kinds")
    if role == "user" and isinstance(kinds, list) and len(kinds) == len(blocks):
        paired = zip(blocks, kinds, strict=True)
        blocks = [block for block, kind in paired if str(kind).startswith("user.")]
        item.context.skip("injected", len(kinds) - len(blocks))
    texts = [text for block in blocks for text in block_texts(block, _KINDS)]
    if role != "user":
        return join(texts)
    kept = [human_text(text) for text in texts]
    item.context.skip("injected", kept.count(""))
    return join(kept)


def _settle_events(state: Record, role: Role, key: str, context: Context) -> None:
    """An item has spoken for *role* in this turn: what events told before is withdrawn."""
    told = state.get("told", {}).pop(role, [])
    context.retract(other for other in told if other != key)
    items: list[str] = state.setdefault("items", [])
    if role not in items:
        items.append(role)


def _parse_event(item: _Item) -> Iterator[Message]:
    kind, inner = item.payload.get("type"), item.payload.get("item")
    if kind == "task_started":
        _begin_turn(item.payload, item.context)
    elif kind == "thread_name_updated":
        title = text_or_none(item.payload.get("thread_name"))
        item.context.note(_session(item.context), title=title)
    elif kind == "item_completed" and isinstance(inner, dict) and inner.get("type") in _ITEM_ROLES:
        role = _ITEM_ROLES[inner["type"]]
        yield from _tell(item, role, block_texts(inner.get("content"), _KINDS))
    elif kind in _EVENT_ROLES:
        yield from _tell(item, _EVENT_ROLES[kind], block_texts(item.payload.get("message")))
    else:
        item.context.skip(f"event/{named(kind)}")


def _tell(item: _Item, role: Role, texts: list[str]) -> Iterator[Message]:
    """A text told by an event: it counts until an item of its turn and role says otherwise."""
    text = join(map(human_text, texts) if role == "user" else texts)
    state = item.context.state
    if not text or role in state.get("items", ()):
        item.context.skip("event twin" if text else "injected")
        return
    message = item.say(role, text, str(item.payload.get("type")))
    state.setdefault("told", {}).setdefault(role, []).append(message.key)
    yield message

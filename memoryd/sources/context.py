"""What a reader gathers while it goes through a transcript, until a batch is handed out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from memoryd.model import Batch, Cursor, Message, Reject, Role, Session
from memoryd.screening import screen
from memoryd.sources.base import ReadLimits
from memoryd.sources.exclusion import (
    is_own_call,
    is_own_session,
    maintains_memory,
    strip_own_output,
)
from memoryd.sources.texts import content_key

UNKNOWN = "unknown record"
_REASON = 40  # characters of a reason: it may be a record's own kind
_KEPT = 16  # sessions of one transcript whose facts are remembered; more only repeats a fact
_SHORT = 300  # characters; longer texts are not counted
_TALLIED = 1000  # short texts counted at most
_SESSIONS = "_sessions"
_TALLY = "_tally"
_EXCLUDED = "_excluded"
_OWN_CALLS = "_own_calls"
RESULT = ":result"  # how the key of a tool's result goes on from its call's
_PROMPTED = "_prompted"  # among the facts of a session: a person has said something


def named(kind: object) -> str:
    """What a record calls itself, for people; "unknown record" where it does not, or by no text."""
    return kind if isinstance(kind, str) and kind else UNKNOWN


class Context:
    """Passed to `parse` with every record: it knows the place, keeps the state, and takes what is found.

    Attributes:
        path: the transcript's logical path.
        state: what must be remembered until the next read; JSON values only, and few of them.
        span: the bytes of the record being parsed.
    """

    def __init__(
        self, source: str, path: Path, limits: ReadLimits, state: Mapping[str, Any]
    ) -> None:
        self.source = source
        self.path = path
        self.limits = limits
        self.state: dict[str, Any] = orjson.loads(orjson.dumps(dict(state)))
        self.scratch: dict[str, Any] = {}
        self.changed: datetime | None = None
        self.span: tuple[int, int] | None = None
        self._clear()

    def _clear(self) -> None:
        self.messages: dict[str, Message] = {}
        self.sessions: list[Session] = []
        self.rejects: list[Reject] = []
        self.skipped: Counter[str] = Counter()
        self.retracted: dict[str, None] = {}

    def message(
        self,
        session_id: str,
        role: Role,
        text: str,
        *,
        time: datetime | None = None,
        native_id: str | None = None,
        key: str | None = None,
        group: str | None = None,
    ) -> Message:
        """A message of the record being parsed; without a key it is known by its content in its session."""
        if key is None:
            key = native_id or content_key(session_id, time, role, text)
        return Message(self.source, session_id, key, role, text, time, native_id, group, self.span)

    def add(self, message: Message) -> None:
        """Take a message into the batch, unless it is empty or must never be ingested."""
        text = strip_own_output(message.text)
        if not text.strip():
            self.skip("empty" if text == message.text else "memoryd's own output")
        elif message.role == "tool" and self._is_own_answer(message):
            self.skip("memoryd's own output")
        elif self._is_excluded(message, text):
            self.skip("memory-keeping session")
        else:
            if text != message.text:
                message = replace(message, text=text)
            self.retracted.pop(message.key, None)
            self.messages[message.key] = message

    def skip(self, reason: object, count: int = 1) -> None:
        """Count something that was left out on purpose.

        Args:
            reason: often a kind as the record itself names it; of a record that names none that is told.
        """
        if count:
            self.skipped[named(reason)[:_REASON]] += count

    def reject(self, start: int, end: int, reason: str, head: bytes) -> None:
        """Keep aside bytes that could not become a record."""
        self.rejects.append(Reject(start, end, reason, head))

    def retract(self, keys: Iterable[str]) -> None:
        """Take back messages that the agent itself has withdrawn."""
        for key in keys:
            self.messages.pop(key, None)
            self.retracted[key] = None

    def note(self, session_id: str, **facts: str | None) -> None:
        """Tell facts of a session (the fields of `Session`); what is known already costs little.

        They are screened here, since the state that remembers them is stored as it is: a title is somebody's
        words, and even a branch or a folder may be named after a secret.
        """
        known = self._known(session_id)
        clean = {
            name: fact if name == "parent_id" else screen(fact).text
            for name, fact in facts.items()
            if fact
        }
        news = {name: fact for name, fact in clean.items() if known.get(name) != fact}
        if news:
            known.update(news)
            self.sessions.append(Session(self.source, session_id, **news))

    def exclude(self, session_id: str) -> None:
        """Leave out this session from here on: it is not a conversation with a person."""
        self.state[_EXCLUDED] = [*self.state.get(_EXCLUDED, [])[-_KEPT:], session_id]

    def occurrence(self, *parts: str) -> int:
        """How often the same short text was met before in this transcript, for keys without id and time.

        Long texts always give 0: they do not repeat by chance.
        """
        if sum(map(len, parts)) > _SHORT:
            return 0
        tally: dict[str, int] = self.state.setdefault(_TALLY, {})
        name = content_key(*parts)[:12]
        tally[name] = tally.get(name, -1) + 1
        while len(tally) > _TALLIED:
            del tally[next(iter(tally))]
        return tally[name]

    def fact(self, session_id: str, name: str) -> str | None:
        """What was last told of a session; a cheap question before `note`."""
        facts = self.state.get(_SESSIONS)
        known = facts.get(session_id) if facts else None
        return known.get(name) if known else None

    def is_empty(self) -> bool:
        """Is there nothing to hand out?"""
        return not (
            self.messages or self.sessions or self.rejects or self.skipped or self.retracted
        )

    def saved_state(self) -> dict[str, Any]:
        """A copy of the state, for a cursor."""
        copy: dict[str, Any] = orjson.loads(orjson.dumps(self.state))
        return copy

    def batch(self, cursor: Cursor, consumed: int, *, restarted: bool) -> Batch:
        """Everything gathered, as one batch; gathering starts anew."""
        batch = Batch(
            cursor=cursor,
            messages=tuple(self.messages.values()),
            sessions=tuple(self.sessions),
            rejects=tuple(self.rejects),
            skipped=dict(self.skipped),
            retracted=tuple(self.retracted),
            consumed=consumed,
            restarted=restarted,
        )
        self._clear()
        return batch

    def _is_excluded(self, message: Message, text: str) -> bool:
        excluded = self.state.get(_EXCLUDED, [])
        if message.session_id in excluded:
            return True
        first = message.role == "user" and self._is_first_prompt(message.session_id)
        if not is_own_session(text) and not (first and maintains_memory(text)):
            return False
        self.exclude(message.session_id)
        return True

    def _is_own_answer(self, message: Message) -> bool:
        """Did memoryd give this result? Its call came before, and a result's key is the call's and an ending."""
        calls: list[str] = self.state.get(_OWN_CALLS, [])
        if is_own_call(message.text) and not message.key.endswith(RESULT):
            self.state[_OWN_CALLS] = [*calls[-_KEPT:], message.key]
        return message.key.removesuffix(RESULT) in calls and message.key.endswith(RESULT)

    def _is_first_prompt(self, session_id: str) -> bool:
        known = self._known(session_id)
        first = _PROMPTED not in known
        known[_PROMPTED] = True
        return first

    def _known(self, session_id: str) -> dict[str, Any]:
        """What was told of a session; the sessions least recently begun are forgotten."""
        sessions: dict[str, dict[str, Any]] = self.state.setdefault(_SESSIONS, {})
        if session_id not in sessions:
            sessions[session_id] = {}
            while len(sessions) > _KEPT:
                del sessions[next(iter(sessions))]
        return sessions[session_id]

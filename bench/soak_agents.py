"""Twenty agents at once, as they are to their transcripts: appending, tearing, rewriting, rotating; and what they said, as the oracle.

Nothing here knows memoryd. `Agent.said` is what must be found in the end, each message exactly once.
"""

import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import zstandard

from bench.syllables import WORDS
from tests.agents import Turn, claude_session, codex_session

LONGEST = 120  # turns of a session

Said = tuple[str, str, str, str]  # source, session, role, text
WasRead = Callable[[str, Path], bool]


def generic_session(session: str, turns: list[Turn]) -> bytes:
    """A transcript of a program that memoryd knows only by its configuration."""
    return b"".join(
        json.dumps({"role": role, "text": text, "session": session, "id": f"{session}-{number}"}).encode()
        + b"\n"
        for number, (role, text) in enumerate(turns)
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """How an agent keeps its transcripts.

    Attributes:
        render: session and turns -> the whole file; more turns only add bytes.
        has_ids: a record that changes is known again.
    """

    source: str
    render: Callable[..., bytes]
    has_ids: bool

    def path(self, root: Path, session: str) -> Path:
        """Where the agent would put a session."""
        if self.source == "codex":
            return root / self.source / f"2026/03/11/rollout-2026-03-11T00-00-00-{session}.jsonl"
        return root / self.source / f"project-{session[-1]}" / f"{session}.jsonl"


KINDS = (
    Kind("claude-code", claude_session, has_ids=True),
    Kind("codex", codex_session, has_ids=False),
    Kind("chats", generic_session, has_ids=True),
)


@dataclass(slots=True)
class Session:
    """One conversation, and where it lies."""

    name: str
    path: Path
    turns: list[Turn] = field(default_factory=list)
    written: int = 0  # bytes of the file


class Agent:
    """One writer; `step` does one thing that agents do.

    Args:
        was_read: may a transcript be deleted? Only what was read can be found later.
    """

    def __init__(self, kind: Kind, number: int, root: Path, seed: int, was_read: WasRead) -> None:
        self.kind = kind
        self._number = number
        self._root = root
        self._chance = random.Random(seed * 1000 + number)
        self._was_read = was_read
        self._old: list[Session] = []
        self._count = 0
        self.done: Counter[str] = Counter()
        self.tokens: list[str] = []
        self._begin()

    def _begin(self) -> None:
        name = str(UUID(int=self._chance.getrandbits(128), version=4))
        self._now = Session(name, self.kind.path(self._root, name))
        self._now.path.parent.mkdir(parents=True, exist_ok=True)

    def live(self, stop: threading.Event, pause: float) -> None:
        """Write until told to stop, about once in *pause* seconds."""
        while not stop.wait(self._chance.expovariate(1 / pause)):
            self.step()

    def step(self) -> None:
        """One thing, mostly an append."""
        if len(self._now.turns) >= LONGEST:
            self._rotate()
        actions = (
            self._append,
            self._tear,
            self._replace,
            self._truncate,
            self._edit,
            self._rotate,
        )
        action = self._chance.choices(actions, (70, 12, 5, 4, 4, 5))[0]
        if not self._now.turns:
            action = self._append
        self.done[action.__name__.strip("_")] += 1
        action()

    def _speak(self) -> bytes:
        """Say something more; what the file then is."""
        self._count += 1
        token = f"tok{self._number:02}x{self._count:06}"
        words = ", ".join(
            self._chance.choices([*WORDS, "café", "λ"], k=self._chance.randrange(3, 40))
        )
        # A question: the night finds nothing in it to remember.
        self._now.turns.append((("user", "assistant")[self._count % 2], f"Which is meant, {words} or {token}?"))  # fmt: skip
        self.tokens.append(token)
        return self._content()

    def _content(self) -> bytes:
        return self.kind.render(self._now.name, self._now.turns)

    def _add(self, *pieces: bytes) -> None:
        for number, piece in enumerate(pieces):
            if number:
                time.sleep(self._chance.uniform(0.0, 0.4))
            with self._now.path.open("ab") as file:
                file.write(piece)
            self._now.written += len(piece)

    def _append(self) -> None:
        self._add(self._speak()[self._now.written :])

    def _tear(self) -> None:
        more = self._speak()[self._now.written :]
        cut = self._chance.randrange(1, len(more))
        self._add(more[:cut], more[cut:])

    def _replace(self) -> None:
        """An atomic save: another file under the same name."""
        self._save(self._speak())

    def _save(self, content: bytes) -> None:
        fresh = self._now.path.with_suffix(".tmp")
        fresh.write_bytes(content)
        fresh.replace(self._now.path)
        self._now.written = len(content)

    def _truncate(self) -> None:
        """Written anew in place, not in one go."""
        content = self._speak()
        cut = self._chance.randrange(1, len(content))
        os.truncate(self._now.path, 0)
        self._now.written = 0
        self._add(content[:cut], content[cut:])

    def _edit(self) -> None:
        """Change what was said before, and save."""
        if self.kind.has_ids:
            number = self._chance.randrange(len(self._now.turns))
            role, text = self._now.turns[number]
            if role == "user":  # answers are snapshots that only grow
                self._now.turns[number] = (role, f"{text} ({self._count})")
        self._save(self._content())

    def _rotate(self) -> None:
        """Begin another session; the old one stays, moves, is compressed, or goes if it was read."""
        old, path = self._now, self._now.path
        fate = self._chance.choice(("stays", "moves", "compressed", "deleted"))
        self.done[fate] += 1
        if fate == "moves":
            target = path.parent.with_name(f"{path.parent.name}-old") / path.name
            target.parent.mkdir(exist_ok=True)
            path.rename(target)
        elif fate == "compressed":
            fresh = path.with_name(f"{path.name}.zst.tmp")
            fresh.write_bytes(zstandard.compress(path.read_bytes()))
            fresh.replace(path.with_name(f"{path.name}.zst"))
            path.unlink()
        elif fate == "deleted" and self._was_read(self.kind.source, path):
            path.unlink()
        self._old.append(old)
        self._begin()

    @property
    def said(self) -> Counter[Said]:
        """Everything, each once."""
        return Counter(
            (self.kind.source, session.name, role, text)
            for session in (*self._old, self._now)
            for role, text in session.turns
        )

"""The lists of prompts that Claude Code and Codex keep beside their transcripts.

They outlive the transcripts, which are deleted after a month, and are then the only trace of a session. A prompt
whose transcript is there is left to it; one that was told before its transcript appeared is withdrawn again.
"""

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from memoryd.model import Message
from memoryd.sources.codex import UUID
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import content_key, join, parse_time, text_or_none

_WAITING = 200  # sessions whose transcript may still appear


class PromptHistory(JsonLinesSource):
    """A list of prompts, one a line, each naming its session.

    Attributes:
        session_field: where a line names its session.
    """

    session_field: ClassVar[str]

    @abstractmethod
    def recorded(self, folder: Path) -> set[str]:
        """The sessions that have a transcript now, of the program whose history lies in *folder*."""

    @abstractmethod
    def prompt(self, record: Record) -> str:
        """What was typed."""

    def transcript(self, path: Path) -> Path | None:
        """The list itself."""
        return super().transcript(path) if path.name.startswith("history.jsonl") else None

    def begin(self, context: Context) -> None:
        """Leave to transcripts what they tell by now."""
        waiting: dict[str, list[str]] = context.state.setdefault("waiting", {})
        recorded = context.scratch["recorded"] = self.recorded(context.path.parent)
        for session in recorded & waiting.keys():
            context.retract(waiting.pop(session))

    def parse(self, record: Record, context: Context) -> Iterator[Message]:
        """The prompt in a line, if no transcript tells it."""
        session, text = text_or_none(record.get(self.session_field)), self.prompt(record)
        if session is None or session in context.scratch["recorded"]:
            context.skip("told by its transcript" if session else "unknown record")
            return
        time = record.get("timestamp") or record.get("ts")
        context.note(session, project=text_or_none(record.get("project")))
        message = context.message(
            session, "user", text, time=parse_time(time), key=content_key(session, time, text)
        )
        waiting = context.state["waiting"]
        waiting.setdefault(session, []).append(message.key)
        while len(waiting) > _WAITING:
            del waiting[next(iter(waiting))]
        yield message


class ClaudeHistory(PromptHistory):
    """Prompts typed into Claude Code."""

    name = "claude-history"
    title = "Claude Code prompts"
    session_field = "sessionId"

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The list beside the projects."""
        named = [Path(part) for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",") if part]
        return [folder / "history.jsonl" for folder in named or [home / ".claude"]]

    def owns(self, record: Record) -> bool:
        """A typed prompt."""
        return record.keys() >= {"display", "timestamp", "project"}

    def recorded(self, folder: Path) -> set[str]:
        """Names of the files in the projects' folders."""
        return {path.name.partition(".jsonl")[0] for path in folder.glob("projects/*/*.jsonl*")}

    def prompt(self, record: Record) -> str:
        """The line as shown, and what was pasted."""
        pasted = record.get("pastedContents")
        pieces = pasted.values() if isinstance(pasted, dict) else ()
        texts = [piece.get("content") for piece in pieces if isinstance(piece, dict)]
        shown = [record.get("display"), *texts]
        return join(text for text in shown if isinstance(text, str))


class CodexHistory(PromptHistory):
    """Prompts typed into Codex."""

    name = "codex-history"
    title = "Codex prompts"
    session_field = "session_id"

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The list below `CODEX_HOME`."""
        return [Path(environ.get("CODEX_HOME") or home / ".codex") / "history.jsonl"]

    def owns(self, record: Record) -> bool:
        """A typed prompt."""
        return record.keys() == {"session_id", "ts", "text"}

    def recorded(self, folder: Path) -> set[str]:
        """The threads that rollouts, live or archived, are named after."""
        found: set[str] = set()
        for part in ("sessions", "archived_sessions"):
            for _, _, names in os.walk(folder / part):
                stems = (name.partition(".jsonl")[0] for name in names)
                found.update(thread[0] for stem in stems if (thread := UUID.search(stem)))
        return found

    def prompt(self, record: Record) -> str:
        """The text."""
        return text_or_none(record.get("text")) or ""

"""Aider: `.aider.chat.history.md` in a repository, Markdown that only grows.

`# aider chat started at <local time>` begins a session, `#### ` a person's line, `> ` a line of the program;
everything else is the assistant's. Inside a fence all lines are the assistant's, but those that Aider itself
wrote: they end with two spaces. No default places: looking through a
home for repositories is slow and indiscreet.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby, pairwise
from pathlib import Path

from memoryd.model import Message, Role
from memoryd.sources.context import Context
from memoryd.sources.markdown import TextSource
from memoryd.sources.texts import clip, content_key, parse_time

_START = re.compile(
    r"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*$", re.MULTILINE
)
_OWN = re.compile(r"(?:####|>) .*  $")
_FENCE = re.compile(r"(`{3,}|~{3,})")


class Aider(TextSource):
    """Chat histories of Aider."""

    name = "aider"
    title = "Aider"
    names = re.compile(r"(?:^|/)\.aider\.chat\.history\.md$")
    names_tell = True
    current = False

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The file that the environment names, if any."""
        named = environ.get("AIDER_CHAT_HISTORY_FILE")
        return [Path(named)] if named else []

    def recognises(self, head: bytes) -> bool:
        """A session's beginning, or the marks of a history that was cut."""
        return re.search(rb"^# aider chat started at \d{4}", head, re.MULTILINE) is not None

    def parse_text(self, text: str, context: Context, changed: datetime) -> Iterator[Message]:
        """The messages of every session."""
        starts = list(_START.finditer(text))
        edges = [0, *(found.start() for found in starts), len(text)]
        for number, (start, end) in enumerate(pairwise(edges)):
            stamp = starts[number - 1][1] if number else "before"
            yield from _parse_session(text[start:end], stamp, context)


def _parse_session(text: str, stamp: str, context: Context) -> Iterator[Message]:
    folder = context.path.parent
    session = f"{folder.name}@{stamp.replace(' ', 'T')}"
    context.note(session, project=str(folder))
    time = parse_time(stamp, zone=None)
    for role, lines in groupby(_lines(text), key=lambda line: line[0]):
        said = "\n".join(line for _, line in lines).strip()
        if not said:
            continue
        if role == "tool":
            said = clip(said, context.limits.tool_output_chars)
        key = content_key(session, role, said, context.occurrence(session, role, said))
        yield context.message(session, role, said, time=time, key=key)


def _lines(text: str) -> Iterator[tuple[Role, str]]:
    """Every line with its speaker; blank ones belong to whoever spoke before."""
    fence = ""
    speaker: Role = "tool"
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if _OWN.match(line):
            fence = ""  # a fence that an interrupted answer left open
        elif mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        if not _START.match(line):
            speaker, kept = _speaker(line, speaker, fenced=bool(fence or mark))
            yield speaker, kept


def _speaker(line: str, last: Role, *, fenced: bool) -> tuple[Role, str]:
    if fenced:
        return "assistant", line
    if line.startswith("#### "):
        return "user", line[5:].rstrip()
    if line.startswith("> ") or line == ">":
        return "tool", line[1:].strip()
    return ("assistant", line) if line.strip() else (last, line)

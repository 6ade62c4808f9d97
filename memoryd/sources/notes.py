"""`[sources.<name>] type = "notes"`: a person's Markdown or plain text notes.

A note is a session; a section of it (or a paragraph, where a section is long) is a message, known by its words
in that note. An edited section replaces what it was.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from memoryd.model import Message
from memoryd.sources.base import ReadLimits
from memoryd.sources.context import Context
from memoryd.sources.generic import matches_below
from memoryd.sources.markdown import TextSource
from memoryd.sources.texts import content_key

_SECTION_CHARS = 1500  # a longer section is cut between paragraphs
_HEADING = re.compile(r"#{1,6}\s+(\S.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")


class Notes(TextSource):
    """A folder of notes."""

    def __init__(
        self,
        name: str,
        roots: Sequence[Path],
        limits: ReadLimits | None = None,
        *,
        pattern: str = "",
    ) -> None:
        """Prepare; *pattern* is a glob relative to a root, "": every `.md`, `.markdown` and `.txt`."""
        super().__init__(roots, limits)
        self.name = name
        self.title = name
        self._pattern = pattern

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """None: notes are only read where a person says so."""
        return []

    def recognises(self, head: bytes) -> bool:
        """Any text may be a note: only names tell."""
        return False

    def transcript(self, path: Path) -> Path | None:
        """A file below a root that matches the pattern."""
        if not self._pattern:
            return super().transcript(path)
        return path if matches_below(path, self.roots, self._pattern) else None

    def parse_text(self, text: str, context: Context, changed: datetime) -> Iterable[Message]:
        """One message a section."""
        session = self._note_name(context.path)
        context.note(session, title=_title(text) or context.path.stem)
        for start, end in _sections(text):
            section = text[start:end].strip()
            key = content_key(context.path.name, section, context.occurrence(section))
            context.span = (len(text[:start].encode()), len(text[:end].encode()))
            yield context.message(session, "user", section, time=changed, key=key)

    def _note_name(self, path: Path) -> str:
        """The note's path below its root."""
        roots = [root for root in self.roots if path != root and path.is_relative_to(root)]
        return path.relative_to(roots[0]).as_posix() if roots else path.name


def _title(text: str) -> str | None:
    for line in text.split("\n", 20)[:20]:
        found = _HEADING.match(line)
        if found:
            return found[1]
    return None


def _sections(text: str) -> Iterator[tuple[int, int]]:
    """Character spans of sections: from heading to heading, long ones cut at blank lines."""
    start = position = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        full = position - start >= _SECTION_CHARS and not line.strip()
        if position > start and not fence and (full or _HEADING.match(line)):
            yield start, position
            start = position
        position += len(line)
    if position > start:
        yield start, position

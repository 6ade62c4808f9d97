"""What a memory file says, entry by entry with its place, and what happened to it since it was last read.

The bank keeps in step with files through these: a hand edit in a file is the user's word.
"""

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.memory_files.contents import POINTER
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.profiles import Profile


@dataclass(frozen=True, slots=True)
class FileEntry:
    """An entry of a file; *start* and *end* are characters of the file's text, for provenance."""

    content: str
    heading: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened to the entries of a file: contents that came, went, or were reworded (old, new)."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    reworded: tuple[tuple[str, str], ...]


def read_entries(file: MemoryFile, profile: Profile) -> tuple[FileEntry, ...]:
    """Every entry but memoryd's own pointer, code blocks left out: they are no facts."""
    spans = profile.parse(file.path.name, file.text).spans()
    return tuple(
        FileEntry(piece.content, piece.heading, start, end)
        for piece, start, end in spans
        if piece.kind != "code" and piece.content and piece.content != POINTER
    )


def compare_entries(before: Sequence[str], after: Sequence[str]) -> Changes:
    """What happened between two lists of contents; an entry that only moved did nothing.

    An entry counts as reworded when exactly one came in the place of exactly one.
    """
    gone, come = Counter(before) - Counter(after), Counter(after) - Counter(before)
    reworded = _pair(before, after, gone, come)
    return Changes(tuple(come.elements()), tuple(gone.elements()), reworded)


def _pair(
    before: Sequence[str], after: Sequence[str], gone: Counter[str], come: Counter[str]
) -> tuple[tuple[str, str], ...]:
    """Take what was reworded out of *gone* and *come*: each entry once."""
    codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    pairs = [
        (old, new)
        for tag, a, b, c, d in codes
        if tag == "replace" and b - a == d - c
        for old, new in zip(before[a:b], after[c:d], strict=True)
    ]
    reworded = []
    for old, new in pairs:
        if gone[old] and come[new]:
            gone[old] -= 1
            come[new] -= 1
            reworded.append((old, new))
    return tuple(reworded)

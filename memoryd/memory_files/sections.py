"""Hermes memory files: entries joined by a line with a section sign, parsed as Hermes does and without loss.

Hermes reads in text mode (any line ending counts as a newline), splits on newline, §, newline, strips every entry
and drops empty ones; it writes the entries joined, with no newline at the end (hermes-agent 0.19, memory tool).
"""

import re
from collections.abc import Iterable

from memoryd.memory_files.documents import Document, Piece

DELIMITER = "\n§\n"
_DELIMITER = re.compile(r"(?:\r\n|\r|\n)§(?:\r\n|\r|\n)")


def parse_sections(text: str) -> Document:
    """Split a Hermes file into entries and what stands between; the pieces join to *text* exactly."""
    pieces: list[Piece] = []
    position = 0
    for delimiter in _DELIMITER.finditer(text):
        _add_entry(pieces, text[position : delimiter.start()])
        pieces.append(Piece("between", delimiter[0]))
        position = delimiter.end()
    _add_entry(pieces, text[position:])
    return Document(tuple(pieces))


def _add_entry(pieces: list[Piece], raw: str) -> None:
    body = raw.strip()
    if not body:
        pieces.extend([Piece("between", raw)] if raw else [])
        return
    start = raw.index(body)
    between = [raw[:start], raw[start + len(body) :]]
    pieces.extend(Piece("between", text) for text in between[:1] if text)
    pieces.append(Piece("item", body, read_newlines(body)))
    pieces.extend(Piece("between", text) for text in between[1:] if text)


def read_newlines(text: str) -> str:
    """The text as a reader in text mode gets it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def join_sections(contents: Iterable[str]) -> str:
    """Entries as Hermes writes them."""
    return DELIMITER.join(contents)


def has_drifted(text: str) -> bool:
    """Would Hermes refuse `replace` and `remove`, because the file is not what it would write itself?"""
    seen = read_newlines(text)
    return seen.strip() != join_sections(
        entry.strip() for entry in seen.split(DELIMITER) if entry.strip()
    )

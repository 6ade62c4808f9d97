"""Reads the readable tables of messages: what stands between [[ and ]] is worth remembering."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memoryd.memory.gate import Extraction, extract
from memoryd.memory.sentences import Span

FOLDER = Path(__file__).parent / "messages"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message of the tables: its kind, its text without marks, and the parts to keep."""

    kind: str
    text: str
    kept: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Right of all extracted spans, and found of all kept parts."""

    right: int
    extracted: int
    found: int
    kept: int


def read_messages(name: str) -> Iterator[Labelled]:
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    for kind, rows in table.items():
        yield from (_parse(kind, row) for row in rows)


def _parse(kind: str, row: str) -> Labelled:
    text, kept, start = "", [], 0
    for piece in re.split(r"(\[\[|\]\])", row):
        if piece == "[[":
            start = len(text)
        elif piece == "]]":
            kept.append(Span(start, len(text)))
        else:
            text += piece
    return Labelled(kind, text, tuple(kept))


@cache
def score_table(name: str) -> Score:
    """The score of one of the tables."""
    return score(list(read_messages(name)), name)


def score(messages: Sequence[Labelled], origin: str = "user") -> Score:
    """A span is right if half of it lies in kept text; a part is found if 60 % of it is covered."""
    right = extracted = found = kept = 0
    for message in messages:
        extraction = extract(
            message.text, "assistant" if origin.startswith("assistant") else "user"
        )
        spans = added(extraction)
        right += sum(_overlap(span, message.kept) * 2 >= span.end - span.start for span in spans)
        found += sum(
            _overlap(part, spans) >= 0.6 * (part.end - part.start) for part in message.kept
        )
        extracted += len(spans)
        kept += len(message.kept)
    return Score(right, extracted, found, kept)


def added(extraction: Extraction) -> tuple[Span, ...]:
    return tuple(Span(one.start, one.end) for one in extraction.entries if one.outcome == "added")


def _overlap(span: Span, others: Sequence[Span]) -> int:
    return sum(max(0, min(span.end, other.end) - max(span.start, other.start)) for other in others)

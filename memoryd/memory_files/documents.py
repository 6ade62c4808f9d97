"""A memory file's text as pieces: entries, and everything between them. Joining the pieces gives the text back.

No parser may drop, add or normalise a character: the agents' own annotations, people's prose, front matter and
odd line endings live in the pieces exactly as they stood. What is folded for comparing stands in `content`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

PieceKind = Literal["item", "paragraph", "code", "between"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a file.

    Attributes:
        kind: "between" is no entry: headings, blank lines, front matter, comments, delimiters.
        text: exactly the characters of the file.
        content: an entry's words without list marker, annotations and outer space; "" for "between".
        heading: the words of the heading it stands under, "" for none.
        managed: it stands inside memoryd's own block.
    """

    kind: PieceKind
    text: str
    content: str = ""
    heading: str = ""
    managed: bool = False

    @property
    def is_entry(self) -> bool:
        return self.kind != "between"


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file; `text` is the file's text again, character for character."""

    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def entries(self) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if piece.is_entry)

    def spans(self) -> Iterator[tuple[Piece, int, int]]:
        """Every entry with its place [start, end) in characters of the file's text."""
        position = 0
        for piece in self.pieces:
            if piece.is_entry:
                yield piece, position, position + len(piece.text)
            position += len(piece.text)


Parser = Callable[[str], Document]

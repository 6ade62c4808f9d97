"""Other ways to read a text in which a secret may be split or escaped, each with the way back.

A view never replaces the text: what is found in it is mapped to characters of the original.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

# What may stand between two halves of a wrapped token: indentation, a shell's continuation sign,
# the quoting of mail and of terminal frames.
_WRAP_MARGIN = " \t\\>|│┃"
# Escapes that are one character; `%` ones are those of URLs.
_ESCAPE = re.compile(r"\\{1,4}(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(/))|%([0-9A-Fa-f]{2})")
_INVISIBLE_ESCAPES = re.compile("[\x00-\x08\x0e-\x1f\x7f\xad\u200b-\u200f\u2060-\u2064\ufeff]")


@dataclass(frozen=True, slots=True)
class View:
    """A text made of pieces of another.

    Attributes:
        starts: where each piece begins in *text*, ascending.
        origins: the characters [start, end) of the original each piece was made from.
    """

    text: str
    starts: list[int]
    origins: list[tuple[int, int]]

    def crosses(self, start: int, end: int) -> bool:
        """Does a piece begin inside [start, end) of the view, behind its first character?"""
        return bisect_right(self.starts, start) < bisect_left(self.starts, end)

    def beginnings(self, start: int, end: int) -> list[int]:
        """Where pieces begin in [start, end) of the view."""
        return self.starts[bisect_left(self.starts, start) : bisect_left(self.starts, end)]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original that [start, end) of the view was made from."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_left(self.starts, end) - 1
        begin = self.origins[first][0] + start - self.starts[first]
        finish = self.origins[last][0] + end - self.starts[last]
        ends = self.starts[last + 1] if last + 1 < len(self.starts) else len(self.text)
        return begin, self.origins[last][1] if end == ends else finish


def unescape(text: str) -> str:
    """*text* with the short JSON escapes of white space and quotes blanked out, at equal length."""
    if "\\" not in text:
        return text
    return (
        text.replace("\\n", " \n")
        .replace("\\r", " \n")
        .replace("\\t", " \t")
        .replace('\\"', ' "')
        .replace("\\'", " '")
    )


def decode(text: str) -> View | None:
    r"""*text* with escapes such as \u0041, \/ and %41 decoded; None if it has none."""
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[tuple[int, int]] = []
    length = position = 0
    for match in _ESCAPE.finditer(text):
        digits = match[1] or match[2] or match[4]
        character = chr(int(digits, 16)) if digits else "/"
        decoded = "" if _INVISIBLE_ESCAPES.match(character) else character
        for piece, span in (
            (text[position : match.start()], (position, match.start())),
            (decoded, match.span()),
        ):
            if piece:
                pieces.append(piece)
                starts.append(length)
                origins.append(span)
                length += len(piece)
        position = match.end()
    if not position:
        return None
    if position < len(text):
        pieces.append(text[position:])
        starts.append(length)
        origins.append((position, len(text)))
    return View("".join(pieces), starts, origins)


def join_lines(text: str) -> View:
    """*text* with its lines joined, margins dropped: wrapped tokens are whole in it."""
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[tuple[int, int]] = []
    length = position = 0
    for line in text.split("\n"):
        piece = line.strip(_WRAP_MARGIN)
        if piece:
            begin = position + len(line) - len(line.lstrip(_WRAP_MARGIN))
            pieces.append(piece)
            starts.append(length)
            origins.append((begin, begin + len(piece)))
            length += len(piece)
        position += len(line) + 1
    return View("".join(pieces), starts, origins)

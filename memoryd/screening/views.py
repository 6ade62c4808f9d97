"""Other ways to read a text in which a secret may be split or escaped, each with the way back.

A view never replaces the text: what is found in it is mapped to characters of the original.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memoryd.screening.spans import Span

# What may stand between two halves of a wrapped token: indentation, a shell's continuation sign, the
# quoting of mail; "?" stands for what is not ASCII, such as the frames that terminals draw.
_MARGIN = " \t\\>|?"
# Escapes that are one character, however often their backslash was escaped; `%` ones are of URLs.
_ESCAPE = re.compile(r"\\{1,16}(?:u([0-9A-Fa-f]{4})|x([0-7][0-9A-Fa-f])|(/))|%([2-7][0-9A-Fa-f])")
_DEEP_ESCAPE = re.compile(r"\\{2,16}[nrt\"']")
_PERCENT = re.compile("%[2-7][0-9A-Fa-f]")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\xad\u2000-\u206f\ufeff]")


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

    def back(self, span: Span) -> Span:
        """*span* of the view as a span of the original."""
        return Span(*self.origin(span.start, span.end), span.kind)

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
    """*text* with its JSON escapes of white space and quotes undone, at equal length."""
    if "\\\\" in text:  # escaped more than once
        text = _DEEP_ESCAPE.sub(_undo, text)
    return (
        text.replace("\\n", " \n")
        .replace("\\r", " \n")
        .replace("\\t", " \t")
        .replace('\\"', '""')
        .replace("\\'", "''")
    )


def _undo(match: re.Match[str]) -> str:
    character = match[0][-1]
    if character in "\"'":
        return character * len(match[0])
    return " " * (len(match[0]) - 1) + ("\t" if character == "t" else "\n")


def has_escapes(text: str) -> bool:
    """May `decode` find something in *text*?"""
    return ("\\" in text and ("\\u" in text or "\\x" in text or "\\/" in text)) or (
        "%" in text and bool(_PERCENT.search(text))
    )


def decode(text: str) -> View:
    r"""*text* with escapes such as \u0041, \/ and %41 decoded."""
    builder = _Builder()
    position = 0
    for match in _ESCAPE.finditer(text):
        digits = match[1] or match[2] or match[4]
        character = chr(int(digits, 16)) if digits else "/"
        builder.add(text[position : match.start()], position, match.start())
        builder.add(_INVISIBLE.sub("", character), *match.span())
        position = match.end()
    builder.add(text[position:], position, len(text))
    return builder.build()


def translate(text: str, table: Mapping[str, str]) -> View:
    """*text* with every character replaced by what *table* has for it; a run of such is one piece."""
    changed = {character for character in set(text) if table.get(character, character) != character}
    if all(len(table[character]) == 1 for character in changed):
        return View(
            text.translate({ord(one): table[one] for one in changed}), [0], [(0, len(text))]
        )
    builder = _Builder()
    runs = re.compile(
        f"[{re.escape(''.join(sorted(changed)))}]+|[^{re.escape(''.join(sorted(changed)))}]+"
    )
    mapping = {ord(one): table[one] for one in changed}
    for match in runs.finditer(text):
        builder.add(match[0].translate(mapping), *match.span())
    return builder.build()


def join_lines(text: str) -> View:
    """*text*, made ASCII, with its lines joined as by `join`, and the way back."""
    text = to_ascii(text)
    builder = _Builder()
    position = 0
    for line in text.split("\n"):
        piece = line.strip(_MARGIN)
        begin = position + len(line) - len(line.lstrip(_MARGIN))
        builder.add(piece, begin, begin + len(piece))
        position += len(line) + 1
    return builder.build()


def join(lines: Iterable[str]) -> str:
    """ASCII *lines* joined, margins dropped: a token wrapped over them is whole in it."""
    return "".join([line.strip(_MARGIN) for line in lines])


def strip_margin(line: str) -> str:
    return line.strip(_MARGIN)


def to_ascii(text: str) -> str:
    """*text* with one "?" for every character that is not ASCII."""
    return text if text.isascii() else text.encode("ascii", "replace").decode()


class _Builder:
    """Collects the pieces of a view."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[tuple[int, int]] = []
        self._length = 0

    def add(self, piece: str, start: int, end: int) -> None:
        if piece:
            self._pieces.append(piece)
            self._starts.append(self._length)
            self._origins.append((start, end))
            self._length += len(piece)

    def build(self) -> View:
        return View("".join(self._pieces), self._starts, self._origins)

"""What C-level passes over a whole text tell about it, at the offsets of the text.

Nearly every text holds no secret; these passes find that out at about a nanosecond a character.
"""

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import NamedTuple

MIN_RUN = 16  # every token of the table contains a run of so many [A-Za-z0-9_-]

MIN_WRAPPED_RUN = 20  # nobody wraps a shorter token
_RUN_END = re.compile(b"[^a]")
_SIGNS = b"\\%:/-"  # of escapes, URLs, key blocks, options
_CONTROLS = bytes([*range(9), *range(11, 32), 127])
_NO_SIGNS = bytes(byte for byte in range(256) if byte not in _SIGNS + _CONTROLS)
_CONTROL = re.compile(b"[\x00-\x1f\x7f]")
_ASCII = bytes(range(128))
_LENIENT = "surrogatepass"
_MARGIN = b" \t\\>|?"  # "?" stands for every non-ASCII character, such as the bars of a frame


def _classify(byte: int) -> bytes:
    character = bytes([byte])
    if character.isalnum() or character in b"_-":
        return b"a"
    if character in _MARGIN:
        return b" "
    if character == b"\n":
        return b"\n"
    return b"."


_CLASSES = b"".join(map(_classify, range(128))) + b"." * 128


class Joined(NamedTuple):
    """The lines of a text, joined without their margins (see `views.join_lines`).

    Attributes:
        runs: those that go over a line's end.
        ends: where each line ends.
    """

    runs: list[tuple[int, int]]
    ends: list[int]

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """Numbers [first, last) of the lines that [start, end) lies in."""
        return bisect_right(self.ends, start), bisect_left(self.ends, end) + 1


class Outline(NamedTuple):
    """A text reduced to ASCII, every other character one "?".

    Attributes:
        lowered: in lower case.
        classes: "a" for [A-Za-z0-9_-], "\\n", " " for what may stand in
            the margin of a line, "." for the rest.
        foreign: only the characters that are not ASCII, in their order.
        signs: only the control characters and what `_SIGNS` has, in their order.
    """

    lowered: bytes
    classes: bytes
    signs: bytes
    foreign: str

    def has_controls(self) -> bool:
        """Has the text control characters other than tabs and line ends?"""
        return bool(_CONTROL.search(self.signs))

    def runs(self) -> list[tuple[int, int]]:
        """The spans of MIN_RUN or more of [A-Za-z0-9_-]."""
        return _find_runs(self.classes, MIN_RUN)

    def joined(self, runs: list[tuple[int, int]]) -> Joined | None:
        """What runs there would be if the lines were joined without their margins.

        Args:
            runs: those of the text as it is.

        Returns:
            None where joining makes none longer.
        """
        lines = [line.strip() for line in self.classes.split(b"\n")]
        joined = _find_runs(b"".join(lines), MIN_WRAPPED_RUN)
        lengths = [end - start for start, end in runs if end - start >= MIN_WRAPPED_RUN]
        if [end - start for start, end in joined] == lengths:
            return None
        ends = list(accumulate(map(len, lines)))
        crossing = [run for run in joined if bisect_right(ends, run[0]) < bisect_left(ends, run[1])]
        return Joined(crossing, ends)


def outline(text: str) -> Outline:
    """Make the outline of *text*."""
    raw = text.encode("ascii", "replace")
    foreign = ""
    if not text.isascii():
        foreign = text.encode("utf-8", _LENIENT).translate(None, _ASCII).decode("utf-8", _LENIENT)
    return Outline(raw.lower(), raw.translate(_CLASSES), raw.translate(None, _NO_SIGNS), foreign)


def _find_runs(classes: bytes, minimum: int) -> list[tuple[int, int]]:
    runs = []
    shortest = b"a" * minimum
    classes += b"."  # so that the last run ends
    find, search = classes.find, _RUN_END.search
    start = find(shortest)
    while start >= 0:
        end = search(classes, start + minimum).start()  # type: ignore[union-attr]  # see above
        runs.append((start, end))
        start = find(shortest, end)
    return runs

"""What C-level passes over a whole text tell about it, at the offsets of the text.

Nearly every text holds no secret; these passes find that out at about a nanosecond a character.
"""

import re
from typing import NamedTuple

MIN_RUN = 16  # every token of the table contains a run of so many [A-Za-z0-9_-]

_RUN = b"a" * MIN_RUN
_RUN_END = re.compile(b"[^a]")
_CONTROL = b"\0"
_MARGIN = b" \t\\>|?"  # "?" stands for every non-ASCII character, such as the bars of a frame


def _classify(byte: int) -> bytes:
    character = bytes([byte])
    if character.isalnum() or character in b"_-":
        return b"a"
    if character in _MARGIN:
        return b" "
    if character == b"\n":
        return b"\n"
    return _CONTROL if byte < ord(" ") or byte == 127 else b"."  # noqa: PLR2004 - DEL


_CLASSES = b"".join(map(_classify, range(128))) + b"." * 128


class Outline(NamedTuple):
    """A text reduced to ASCII, every other character one "?".

    Attributes:
        lowered: in lower case.
        classes: "a" for [A-Za-z0-9_-], NUL for control characters, "\\n", " " for what may stand in
            the margin of a line, "." for the rest.
    """

    lowered: bytes
    classes: bytes

    def has_controls(self) -> bool:
        return _CONTROL in self.classes

    def runs(self) -> list[tuple[int, int]]:
        """The spans of MIN_RUN or more of [A-Za-z0-9_-]."""
        return _find_runs(self.classes)

    def joins(self, runs: list[tuple[int, int]]) -> bool:
        """Would there be other runs than *runs* if the lines were joined without their margins?"""
        joined = _find_runs(b"".join([line.strip() for line in self.classes.split(b"\n")]))
        return [end - start for start, end in joined] != [end - start for start, end in runs]


def outline(text: str) -> Outline:
    """Make the outline of *text*."""
    raw = text.encode("ascii", "replace")
    return Outline(raw.lower(), raw.translate(_CLASSES))


def _find_runs(classes: bytes) -> list[tuple[int, int]]:
    runs = []
    start = classes.find(_RUN)
    while start >= 0:
        after = _RUN_END.search(classes, start + MIN_RUN)
        end = after.start() if after else len(classes)
        runs.append((start, end))
        start = classes.find(_RUN, end)
    return runs

"""A found piece of a text: where it is and what it is."""

import re
from dataclasses import dataclass
from dataclasses import replace as changed

from memoryd.screening import values

# The rest of a wrapped token: behind a line's end and margins (see `views`), up to the end of the next
# line or of a quotation.
_MARGIN = r"[ \t\\>|\u2500-\u257f⎿]"
_REST = re.compile(
    rf"{_MARGIN}{{0,9}}\n{_MARGIN}{{0,80}}([A-Za-z0-9+/_-]{{4,4000}}={{0,2}})"
    rf"(?={_MARGIN}{{0,9}}(?:\n|$)|[\"'`,;)])"
)
_MIN_EXTENDED = 16  # characters; nobody wraps a shorter secret


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) that are a secret of *kind*."""

    start: int
    end: int
    kind: str


def extend(text: str, span: Span) -> Span:
    """*span* with the rest of it on the next lines, as far as that looks like the rest of a secret."""
    rest = _REST.match(text, span.end) if span.end - span.start >= _MIN_EXTENDED else None
    while rest and values.is_fragment(rest[1]):
        span = changed(span, end=rest.end(1))
        rest = _REST.match(text, span.end)
    return span


def merge(spans: list[Span]) -> list[Span]:
    """Ascending spans that do not overlap; what overlaps becomes one, of the longest one's kind."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            longest = max(last, span, key=lambda one: one.end - one.start)
            merged[-1] = Span(last.start, max(last.end, span.end), longest.kind)
        else:
            merged.append(span)
    return merged


def replace(text: str, spans: list[Span]) -> str:
    """*text* with every one of *spans* (ascending, not overlapping) replaced by its kind."""
    pieces = []
    position = 0
    for span in spans:
        pieces += [text[position : span.start], f"‹secret:{span.kind}›"]
        position = span.end
    return "".join(pieces) + text[position:]

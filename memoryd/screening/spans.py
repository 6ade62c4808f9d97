"""A found piece of a text: where it is and what it is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) that are a secret of *kind*."""

    start: int
    end: int
    kind: str


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

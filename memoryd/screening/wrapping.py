"""Finds tokens that were broken over lines, by margins, a shell's continuation sign or quoting."""

import re
from collections.abc import Iterator
from itertools import pairwise

from memoryd.screening.outline import Joined, outline
from memoryd.screening.spans import Span
from memoryd.screening.tokens import (
    begins_token,
    find_anywhere,
    find_at,
    find_at_beginning,
    find_behind,
    find_tokens,
    may_hold_token,
)
from memoryd.screening.values import is_fragment
from memoryd.screening.views import View, join, strip_margin, to_ascii

_CAPITALS = re.compile("[A-Z]+")  # a list of words in capitals, rather
_BETWEEN_PARTS = frozenset(".:$~")  # what stands between the parts of a token


def may_wrap(text: str, joined: Joined) -> bool:
    """May a run of *joined* hold a token? Nearly all hold the end of a line and a word."""
    lines = to_ascii(text).split("\n")
    return any(_may_hold_token(lines, joined, start, end) for start, end in joined.runs)


def _may_hold_token(lines: list[str], joined: Joined, start: int, end: int) -> bool:
    first, last = joined.lines(start, end)
    around = join(lines[first:last])
    before = joined.ends[first - 1] if first else 0
    start, end = start - before, end - before
    run = [(start, end)]
    if may_hold_token(around[start:end]):
        return True
    if any(begins_token(strip_margin(line)) for line in lines[first:last]):
        return True
    if around[start - 1 : start] in _BETWEEN_PARTS:
        return bool(find_tokens(around, runs := outline(around).runs(), runs))
    return bool(find_tokens(around, run, run))


def find_wrapped(view: View, joined: Joined, known: list[Span]) -> Iterator[Span]:
    """Yield the tokens over a line's end, but for those whose beginning is *known* already.

    Args:
        view: the joined lines of the text (see `views.join_lines`).
    """
    starts = {span.start for span in known}
    for span in _find_in_view(view, joined):
        token = view.text[span.start : span.end]
        if view.crosses(span.start, span.end) and not _CAPITALS.fullmatch(token):
            found = view.back(span)
            if found.start not in starts:
                yield found


def _find_in_view(view: View, joined: Joined) -> Iterator[Span]:
    crossing = set(joined.runs)
    runs = [run for run in outline(view.text).runs() if run not in crossing]
    for span in find_tokens(view.text, runs, runs):  # of several parts, one of which crosses
        yield _shorten(view, span)
    for start, end in joined.runs:
        yield from _find_in_run(view, start, end)


def _find_in_run(view: View, start: int, end: int) -> Iterator[Span]:
    limit = len(view.text)
    position = start
    while span := next(find_anywhere(view.text, position, end, limit), None):
        span = _shorten(view, span)
        position = span.end
        yield span
    position = start
    for beginning in (start, *view.beginnings(start + 1, end)):
        if beginning >= position:
            for span in find_at_beginning(view.text, beginning, limit):
                position = span.end
                yield _shorten(view, span)
    for span in find_behind(view.text, start, limit):
        yield _shorten(view, span)


def _shorten(view: View, span: Span) -> Span:
    """*span* without the words of the next lines that a token of any length takes for its own."""
    lines = view.beginnings(span.start + 1, span.end)
    for line, following in pairwise([*lines, span.end]):
        if not is_fragment(view.text[line:following]):
            shorter = find_at(view.text, span.start, line)
            if shorter:
                return shorter
    return span

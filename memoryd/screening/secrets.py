"""Finds secrets in a text: tokens by shape, secrets by context, values by name, in every view.

The order is made for speed, as nearly every text holds no secret: C-level passes over the whole text
first (see `outline`), patterns only where those found something.
"""

from collections.abc import Iterator

from memoryd.screening.assignments import find_assignments
from memoryd.screening.cookies import find_cookies
from memoryd.screening.encodings import find_encoded
from memoryd.screening.outline import Outline, outline
from memoryd.screening.shapes import (
    CONTEXTS_OF_BLOCKS,
    CONTEXTS_OF_COMMANDS,
    CONTEXTS_OF_URLS,
    Context,
)
from memoryd.screening.spans import Span, extend, merge
from memoryd.screening.tokens import Runs, find_suspects, find_tokens
from memoryd.screening.views import decode, has_escapes, join_lines, unescape
from memoryd.screening.wrapping import find_wrapped, may_wrap

_MIN_ENCODED = 24  # base64 of 18 characters, the shortest token


def find_secrets(text: str, drawn: Outline) -> list[Span]:
    """The secrets in *text*, ascending, not overlapping. Linear in the length of *text*.

    Args:
        drawn: the outline of *text*.
    """
    view = text
    if b"\\" in drawn.signs:
        view = unescape(text)
        drawn = outline(view)
    spans = _search(view, drawn)
    if (b"%" in drawn.signs or b"\\" in drawn.signs) and has_escapes(view):
        decoded = decode(view)
        spans += map(decoded.back, _search(decoded.text, outline(decoded.text)))
    return merge(spans) if spans else spans


def _search(text: str, drawn: Outline) -> list[Span]:
    """What is found in *text* as it stands, encoded, or with its lines joined."""
    runs = drawn.runs()
    suspects = find_suspects(text, runs)
    spans = _search_plain(text, drawn, runs, suspects)
    spans += _search_encoded(text, suspects)
    if "\n" not in text:
        return spans
    if spans:
        spans = [extend(text, span) for span in spans]
    joined = drawn.joined(runs)
    if joined and may_wrap(text, joined):
        view = join_lines(text)
        spans += find_wrapped(view, joined, spans)
        spans += map(view.back, _search_encoded(view.text, joined.runs))
    return spans


def _search_plain(text: str, drawn: Outline, runs: Runs, suspects: Runs) -> list[Span]:
    spans = find_tokens(text, runs, suspects)
    spans += _search_contexts(text, drawn)
    spans += find_assignments(text, drawn)
    spans += find_cookies(text, drawn)
    return spans


def _search_encoded(text: str, runs: Runs) -> list[Span]:
    return [
        Span(start, encoding_end, "encoded")
        for start, end in runs
        if end - start >= _MIN_ENCODED
        for encoding_end, decoded in find_encoded(text, start, end)
        if _search_plain(decoded, drawn := outline(decoded), runs := drawn.runs(), runs)
    ]


def _search_contexts(text: str, drawn: Outline) -> list[Span]:
    contexts: tuple[Context, ...] = ()
    if b"://" in drawn.signs and b"://" in drawn.lowered:
        contexts += CONTEXTS_OF_URLS
    if b"-" in drawn.signs and b" -p" in drawn.lowered:
        contexts += CONTEXTS_OF_COMMANDS
    if b"-----" in drawn.signs:
        contexts += CONTEXTS_OF_BLOCKS
    return [
        span
        for context in contexts
        if context.hint in drawn.lowered
        for span in _find_in_context(text, context)
    ]


def _find_in_context(text: str, context: Context) -> Iterator[Span]:
    group = "secret" if "secret" in context.pattern.groupindex else 0
    for match in context.pattern.finditer(text):
        if "‹" not in match[group] and context.check(match[group]):
            yield Span(*match.span(group), context.kind)

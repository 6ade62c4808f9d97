"""Finds secrets in a text: tokens by shape, secrets by context, values by name, in every view.

The order is made for speed, as nearly every text holds no secret: C-level passes over the whole text
first (see `outline`), patterns only where those found something.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memoryd.screening import values
from memoryd.screening.assignments import find_assignments
from memoryd.screening.outline import Outline, outline
from memoryd.screening.shapes import (
    ANYWHERE,
    AT_BEGINNING,
    BEFORE_RUN,
    CONTEXTS_OF_BLOCKS,
    CONTEXTS_OF_COMMANDS,
    CONTEXTS_OF_URLS,
    Context,
    Token,
)
from memoryd.screening.spans import Span, merge
from memoryd.screening.views import View, decode, has_escapes, join_lines, joined, unescape

_TOKEN_CHARACTER = re.compile("[A-Za-z0-9_-]")
_MIN_ENCODED = 24  # base64 of 18 characters, the shortest token


Table = Mapping[str, Sequence[Token]]


def _trie(words: Iterable[str]) -> str:
    """A pattern for any of *words*, longest first, that decides by one character at a time."""
    tails: dict[str, set[str]] = defaultdict(set)
    ends = False
    for word in words:
        if word:
            tails[word[0]].add(word[1:])
        else:
            ends = True
    branches = [re.escape(head) + _trie(rest) for head, rest in sorted(tails.items())]
    pattern = f"(?:{'|'.join(branches)})" if branches else ""
    return pattern + "?" if branches and ends else pattern


_ANYWHERE = re.compile(_trie(ANYWHERE))
_AT_BEGINNING = re.compile(_trie(AT_BEGINNING))
_BEFORE_RUN = tuple(BEFORE_RUN)


def find_secrets(text: str, drawn: Outline) -> list[Span]:
    """The secrets in *text*, ascending, not overlapping. Linear in the length of *text*.

    Args:
        drawn: the outline of *text*.
    """
    view = unescape(text)
    spans = _search(view, drawn if view is text else outline(view))
    if has_escapes(view):
        decoded = decode(view)
        found = _search(decoded.text, outline(decoded.text))
        spans += [_back(decoded, span) for span in found]
    return merge(spans) if spans else spans


def _search(text: str, drawn: Outline) -> list[Span]:
    """What is found in *text* as it stands, or with its lines joined."""
    runs = drawn.runs()
    spans = _search_runs(text, runs, is_encoded=True)
    spans += _search_contexts(text, drawn.lowered)
    spans += find_assignments(text, drawn.lowered)
    if "\n" in text and drawn.joins(runs):
        spans += _search_wrapped(text, spans)
    return spans


def _back(view: View, span: Span) -> Span:
    return Span(*view.origin(span.start, span.end), span.kind)


def _search_runs(text: str, runs: list[tuple[int, int]], *, is_encoded: bool) -> list[Span]:
    spans: list[Span] = []
    for start, end in runs:
        if _ANYWHERE.search(text, start, end):
            spans += _find_tokens(text, start, end, _ANYWHERE, ANYWHERE)
        prefix = _AT_BEGINNING.match(text, start)
        if prefix:
            spans += filter(None, [_match_token(text, prefix, AT_BEGINNING)])
        if text.endswith(_BEFORE_RUN, 0, start):
            spans += _find_behind(text, start)
        if is_encoded and end - start >= _MIN_ENCODED:
            spans += _find_encoded(text, start, end)
    return spans


def _search_contexts(text: str, lowered: bytes) -> list[Span]:
    contexts: tuple[Context, ...] = ()
    if b"://" in lowered:
        contexts += CONTEXTS_OF_URLS
    if b" -" in lowered:
        contexts += CONTEXTS_OF_COMMANDS
    if b"-----begin" in lowered:
        contexts += CONTEXTS_OF_BLOCKS
    return [
        span
        for context in contexts
        if context.hint in lowered
        for span in _find_in_context(text, context)
    ]


def _find_tokens(
    text: str, start: int, end: int, prefixes: re.Pattern[str], table: Table
) -> Iterator[Span]:
    """Tokens of *table* that begin anywhere in the run [start, end); *prefixes* finds its keys."""
    prefix = prefixes.search(text, start, end)
    while prefix:
        span = _match_token(text, prefix, table)
        if span:
            yield span
        prefix = prefixes.search(text, span.end if span else prefix.start() + 1, end)


def _find_behind(text: str, start: int) -> Iterator[Span]:
    """A token whose prefix ends where a run begins, at *start*."""
    for prefix, tokens in BEFORE_RUN.items():
        if text.endswith(prefix, 0, start):
            for token in tokens:
                body = token.body.match(text, start)
                if body and token.check(body[0]):
                    yield Span(start, body.end(), token.kind)


def _match_token(text: str, prefix: re.Match[str], table: Table) -> Span | None:
    """The token at *prefix*; where a longer prefix fails, a shorter one may fit ("sk-", "sk-ant-")."""
    for length in range(len(prefix[0]), 0, -1):
        for token in table.get(prefix[0][:length], ()):
            body = token.body.match(text, prefix.start() + length)
            if body and token.check(body[0]):
                return Span(prefix.start(), body.end(), token.kind)
    return None


def _find_encoded(text: str, start: int, end: int) -> Iterator[Span]:
    """The run [start, end), if it is the base64 or hexadecimal of a text with a secret."""
    for decoded in values.decode(text[start:end]):
        drawn = outline(decoded)
        if (
            _search_runs(decoded, drawn.runs(), is_encoded=False)
            or _search_contexts(decoded, drawn.lowered)
            or any(find_assignments(decoded, drawn.lowered))
        ):
            yield Span(start, end, "encoded")


def _find_in_context(text: str, context: Context) -> Iterator[Span]:
    group = "secret" if "secret" in context.pattern.groupindex else 0
    for match in context.pattern.finditer(text):
        if "‹" not in match[group] and context.check(match[group]):
            yield Span(*match.span(group), context.kind)


def _search_wrapped(text: str, known: list[Span]) -> list[Span]:
    """Tokens broken over lines, but for those whose beginning is *known* already."""
    whole = joined(text)
    candidates: list[Span] = []
    for start, end in outline(whole).runs():
        candidates += _find_tokens(whole, start, end, _ANYWHERE, ANYWHERE)
        candidates += _find_tokens(whole, start, end, _AT_BEGINNING, AT_BEGINNING)
        candidates += _find_encoded(whole, start, end)
    if not candidates:
        return []
    view = join_lines(text)
    spans = [_back(view, span) for span in candidates if view.crosses(span.start, span.end)]
    starts = {span.start for span in known}
    return [
        span
        for span in spans
        if span.start not in starts
        and not _TOKEN_CHARACTER.match(text[span.start - 1 : span.start])
    ]

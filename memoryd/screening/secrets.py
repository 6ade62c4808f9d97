"""Finds secrets in a text: tokens by shape, secrets by context, values by name, in every view.

The order is made for speed, as nearly every text holds no secret: C-level passes over the whole text
first (see `outline`), patterns only where those found something.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from memoryd.screening import values
from memoryd.screening.assignments import find_assignments
from memoryd.screening.outline import Joined, Outline, outline
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
from memoryd.screening.spans import Span, extend, merge
from memoryd.screening.views import (
    View,
    decode,
    has_escapes,
    join,
    join_lines,
    strip_margin,
    to_ascii,
    unescape,
)

_TOKEN_CHARACTER = re.compile("[A-Za-z0-9_-]")
_MAX_REMEMBERED = 128  # characters; bounds the memory of `_may_hold_token`
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
# What stands directly before a run, by its last character.
_BEFORE_RUN = {
    last: tuple(prefix for prefix in BEFORE_RUN if prefix[-1] == last)
    for last in {prefix[-1] for prefix in BEFORE_RUN}
}
_NOTHING = ("\0",)  # in no screened text


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
        found = _search(decoded.text, outline(decoded.text))
        spans += [_back(decoded, span) for span in found]
    return merge(spans) if spans else spans


def _search(text: str, drawn: Outline) -> list[Span]:
    """What is found in *text* as it stands, or with its lines joined."""
    runs = drawn.runs()
    spans = _search_runs(text, runs, is_encoded=True)
    spans += _search_contexts(text, drawn)
    spans += find_assignments(text, drawn.lowered)
    if "\n" not in text:
        return spans
    if spans:
        spans = [extend(text, span) for span in spans]
    joined = drawn.joined(runs)
    if joined and _may_wrap(text, joined):
        spans += _search_wrapped(text, joined, spans)
    return spans


def _back(view: View, span: Span) -> Span:
    return Span(*view.origin(span.start, span.end), span.kind)


def _search_runs(text: str, runs: list[tuple[int, int]], *, is_encoded: bool) -> list[Span]:
    spans: list[Span] = []
    for start, end in runs:
        run = text[start:end]
        if _may_hold_token(run) if end - start < _MAX_REMEMBERED else _has_token_parts(run):
            spans += _find_tokens(text, start, end, _ANYWHERE, ANYWHERE)
            prefix = _AT_BEGINNING.match(text, start)
            if prefix:
                spans += filter(None, [_match_token(text, prefix, AT_BEGINNING, len(text))])
            if is_encoded and end - start >= _MIN_ENCODED:
                spans += _find_encoded(text, start, end)
        if text.endswith(_BEFORE_RUN.get(text[start - 1], _NOTHING), 0, start):
            spans += _find_behind(text, start)
    return spans


def _has_token_parts(run: str) -> bool:
    """Does *run* hold the prefix of a token, or may it be the encoding of something?"""
    return bool(
        _ANYWHERE.search(run) or _AT_BEGINNING.match(run) or values.ENCODED_ASCII.match(run)
    )


_may_hold_token = lru_cache(maxsize=4096)(_has_token_parts)  # 4 of 5 runs were seen a moment ago


def _search_contexts(text: str, drawn: Outline) -> list[Span]:
    contexts: tuple[Context, ...] = ()
    if b"://" in drawn.signs and b"://" in drawn.lowered:
        contexts += CONTEXTS_OF_URLS
    if b"-" in drawn.signs and (b" -p" in drawn.lowered or b"curl" in drawn.lowered):
        contexts += CONTEXTS_OF_COMMANDS
    if b"-----" in drawn.signs:
        contexts += CONTEXTS_OF_BLOCKS
    return [
        span
        for context in contexts
        if context.hint in drawn.lowered
        for span in _find_in_context(text, context)
    ]


def _find_tokens(
    text: str, start: int, end: int, prefixes: re.Pattern[str], table: Table
) -> Iterator[Span]:
    """Tokens of *table* that begin anywhere in the run [start, end); *prefixes* finds its keys."""
    prefix = prefixes.search(text, start, end)
    while prefix:
        span = _match_token(text, prefix, table, len(text))
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


def _match_token(text: str, prefix: re.Match[str], table: Table, limit: int) -> Span | None:
    """The token at *prefix*; where a longer prefix fails, a shorter one may fit ("sk-", "sk-ant-").

    *limit* is where the text is taken to end.
    """
    for length in range(len(prefix[0]), 0, -1):
        for token in table.get(prefix[0][:length], ()):
            body = token.body.match(text, prefix.start() + length, limit)
            if body and token.check(body[0]):
                return Span(prefix.start(), body.end(), token.kind)
    return None


def _find_encoded(text: str, start: int, end: int) -> Iterator[Span]:
    """The run [start, end), if it is the base64 or hexadecimal of a text with a secret."""
    for decoded in values.decode(text[start:end]):
        drawn = outline(decoded)
        if (
            _search_runs(decoded, drawn.runs(), is_encoded=False)
            or _search_contexts(decoded, drawn)
            or any(find_assignments(decoded, drawn.lowered))
        ):
            yield Span(start, end, "encoded")


def _find_in_context(text: str, context: Context) -> Iterator[Span]:
    group = "secret" if "secret" in context.pattern.groupindex else 0
    for match in context.pattern.finditer(text):
        if "‹" not in match[group] and context.check(match[group]):
            yield Span(*match.span(group), context.kind)


def _may_wrap(text: str, joined: Joined) -> bool:
    """May a run of *joined* hold a token? Most hold the end of a line and a word."""
    lines = to_ascii(text).split("\n")
    for start, end in joined.runs:
        first, last = joined.lines(start, end)
        pieces = lines[first:last]
        before = joined.ends[first - 1] if first else 0
        run = join(pieces)[start - before : end - before]
        if _may_hold_token(run) or any(map(_AT_BEGINNING.match, map(strip_margin, pieces))):
            return True
    return False


def _search_wrapped(text: str, joined: Joined, known: list[Span]) -> list[Span]:
    """Tokens broken over lines, but for those whose beginning is *known* already."""
    view = join_lines(text)
    starts = {span.start for span in known}
    spans = []
    for start, end in joined.runs:
        for span in _find_wrapped(view, start, end):
            found = _back(view, span)
            is_new = found.start not in starts and view.crosses(span.start, span.end)
            if is_new and not _TOKEN_CHARACTER.match(text[found.start - 1 : found.start]):
                spans.append(found)
    return spans


def _find_wrapped(view: View, start: int, end: int) -> Iterator[Span]:
    for prefixes, table in ((_ANYWHERE, ANYWHERE), (_AT_BEGINNING, AT_BEGINNING)):
        for span in _find_tokens(view.text, start, end, prefixes, table):
            yield _shorten(view, span, prefixes, table)
    yield from _find_encoded(view.text, start, end)


def _shorten(view: View, span: Span, prefixes: re.Pattern[str], table: Table) -> Span:
    """*span* without the words of the next lines that a token of any length takes for its own."""
    for line in reversed(view.beginnings(span.start + 1, span.end)):
        prefix = prefixes.match(view.text, span.start)
        shorter = _match_token(view.text, prefix, table, line) if prefix else None
        if shorter is None or values.is_fragment(view.text[line : span.end]):
            break
        span = shorter
    return span

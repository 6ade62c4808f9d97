"""Finds secrets in a text: tokens by shape, secrets by context, values by name, in every view.

The order is made for speed, as nearly every text holds no secret: C-level tests over the whole text
first (a long run of token characters, a literal hint, a name's stem), patterns only where they hit.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from memoryd.screening import values
from memoryd.screening.assignments import find_assignments
from memoryd.screening.shapes import CONTEXTS, TOKENS, Token
from memoryd.screening.spans import Span, merge
from memoryd.screening.views import View, decode, join_lines, unescape

_MIN_RUN = 16  # every token of the table contains a run of so many [A-Za-z0-9_-]
_MIN_ENCODED = 24  # base64 of 18 characters, the shortest token
_RUN = b"a" * _MIN_RUN
_TO_RUNS = (
    bytes(ord("a") if chr(byte).isalnum() or byte in b"_-" else ord(" ") for byte in range(128))
    + b" " * 128
)


def _trie(words: list[str]) -> str:
    """A pattern for any of *words* that decides by one character at a time."""
    tails: dict[str, list[str]] = defaultdict(list)
    for word in words:
        if word:
            tails[word[0]].append(word[1:])
    branches = [re.escape(head) + _trie(rest) for head, rest in tails.items()]
    pattern = f"(?:{'|'.join(branches)})" if branches else ""
    return f"{pattern}?" if branches and "" in words else pattern


_BY_PREFIX: dict[str, list[Token]] = defaultdict(list)
for _token in TOKENS:
    _BY_PREFIX[_token.prefix].append(_token)
# Longest match first is not enough: "sk-" must be tried where "sk-ant-" fails.
_PREFIX = re.compile(_trie(list(_BY_PREFIX)))


def find_secrets(text: str) -> list[Span]:
    """The secrets in *text*, ascending, not overlapping. Linear in the length of *text*."""
    view = unescape(text)
    spans = list(_scan(view))
    escaped = decode(view) if "\\" in view or "%" in view else None
    if escaped:
        spans += [_back(escaped, span) for span in _scan(escaped.text)]
    return merge(spans) if spans else spans


def _back(view: View, span: Span) -> Span:
    start, end = view.origin(span.start, span.end)
    return Span(start, end, span.kind)


def _scan(text: str) -> Iterator[Span]:
    raw = text.encode("ascii", "replace")
    lowered = raw.lower()
    spans = [
        *_find_in_runs(text, raw),
        *_find_in_context(text, lowered),
        *find_assignments(text, lowered),
    ]
    yield from spans
    if "\n" in text:
        yield from _find_wrapped(text, spans)


def _runs(raw: bytes) -> Iterator[tuple[int, int]]:
    mapped = raw.translate(_TO_RUNS) + b" "
    start = mapped.find(_RUN)
    while start >= 0:
        end = mapped.index(b" ", start)
        yield start, end
        start = mapped.find(_RUN, end)


def _find_in_runs(text: str, raw: bytes) -> Iterator[Span]:
    for start, end in _runs(raw):
        found = False
        for span in _find_tokens(text, start, end, (start,)):
            found = True
            yield span
        if not found and end - start >= _MIN_ENCODED:
            yield from _find_encoded(text, start, end)


def _find_tokens(text: str, start: int, end: int, beginnings: tuple[int, ...]) -> Iterator[Span]:
    """Tokens of the table in the run [start, end); the bounded ones only at *beginnings*."""
    match = _PREFIX.search(text, start, end)
    while match:
        span = _match_token(text, match, match.start() in beginnings)
        if span:
            yield span
        match = _PREFIX.search(text, span.end if span else match.start() + 1, end)


def _match_token(text: str, prefix: re.Match[str], is_beginning: bool) -> Span | None:
    for length in range(len(prefix[0]), 0, -1):
        for token in _BY_PREFIX.get(prefix[0][:length], ()):
            if not (token.glued or is_beginning):
                continue
            body = token.body.match(text, prefix.start() + length)
            if body and token.check(body[0]):
                return Span(prefix.start(), body.end(), token.kind)
    return None


def _find_encoded(text: str, start: int, end: int) -> Iterator[Span]:
    """The run [start, end), if it is the base64 or hexadecimal of a text with a secret."""
    run = text[start:end]
    for decoded in (values.decode_hex(run), values.decode_base64(run)):
        if decoded and any(_scan_plain(decoded)):
            yield Span(start, end, "encoded")


def _scan_plain(text: str) -> Iterator[Span]:
    raw = text.encode("ascii", "replace")
    for start, end in _runs(raw):
        yield from _find_tokens(text, start, end, (start,))
    lowered = raw.lower()
    yield from _find_in_context(text, lowered)
    yield from find_assignments(text, lowered)


def _find_in_context(text: str, lowered: bytes) -> Iterator[Span]:
    for context in CONTEXTS:
        if context.hint in lowered:
            for match in context.pattern.finditer(text):
                group = "secret" if "secret" in context.pattern.groupindex else 0
                if "‹" not in match[group] and context.check(match[group]):
                    yield Span(match.start(group), match.end(group), context.kind)


def _find_wrapped(text: str, spans: list[Span]) -> Iterator[Span]:
    """Tokens broken over lines."""
    view = join_lines(text)
    raw = view.text.encode("ascii", "replace")
    known = {span.start for span in spans}
    for start, end in _runs(raw):
        if view.crosses(start, end):
            beginnings = (start, *view.beginnings(start, end))
            for span in _find_tokens(view.text, start, end, beginnings):
                if view.crosses(span.start, span.end):
                    found = _back(view, span)
                    if found.start not in known:
                        yield found

"""Finds the tokens of the table in a text, given its runs of token characters.

A token begins in a run, where a run begins, or has its prefix right before one (see `shapes`), so
only runs are looked at, and of those seen a moment ago only what is remembered of them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from memoryd.screening.encodings import may_be_encoded
from memoryd.screening.shapes import ANYWHERE, AT_BEGINNING, BEFORE_RUN, Table, Token
from memoryd.screening.spans import Span

Runs = list[tuple[int, int]]
Candidates = Mapping[str, Sequence[Token]]

_MAX_REMEMBERED = 128  # characters; bounds the memory of what is remembered


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


def _candidates(table: Table) -> Candidates:
    """The tokens to try at each prefix: where a longer one fails, a shorter may fit ("sk-ant-", "sk-")."""
    return {
        found: [
            token
            for prefix in sorted(table, key=len, reverse=True)
            if found.startswith(prefix)
            for token in table[prefix]
        ]
        for found in table
    }


_ANYWHERE = re.compile(_trie(ANYWHERE))
_AT_BEGINNING = re.compile(_trie(AT_BEGINNING))
_CANDIDATES_ANYWHERE = _candidates(ANYWHERE)
_CANDIDATES_AT_BEGINNING = _candidates(AT_BEGINNING)
# What stands directly before a run, by its last character.
_BEFORE_RUN = {
    last: tuple(prefix for prefix in BEFORE_RUN if prefix[-1] == last)
    for last in {prefix[-1] for prefix in BEFORE_RUN}
}
_NOTHING = ("\0",)  # in no screened text


def find_suspects(text: str, runs: Runs) -> Runs:
    """Those of *runs* that may hold a token or be the encoding of something."""
    return [run for run in runs if may_hold_token(text[run[0] : run[1]])]


def find_tokens(text: str, runs: Runs, suspects: Runs, limit: int | None = None) -> list[Span]:
    """The tokens of *text*.

    Args:
        runs: those of *text*.
        suspects: what `find_suspects` makes of them, or all of them.
        limit: where the text is taken to end.
    """
    spans: list[Span] = []
    limit = len(text) if limit is None else limit
    for start, end in suspects:
        spans += find_anywhere(text, start, end, limit)
        spans += find_at_beginning(text, start, limit)
    for start, _ in runs:
        if text.endswith(_BEFORE_RUN.get(text[start - 1 : start], _NOTHING), 0, start):
            spans += find_behind(text, start, limit)
    return spans


def may_hold_token(run: str) -> bool:
    """Does *run* hold the prefix of a token, or may it be the encoding of something?"""
    return _remember(run) if len(run) <= _MAX_REMEMBERED else _judge(run)


def begins_token(text: str) -> bool:
    """Does *text* begin with one of the prefixes that must begin where a run begins?"""
    return bool(_AT_BEGINNING.match(text))


def _judge(run: str) -> bool:
    return bool(_ANYWHERE.search(run) or _AT_BEGINNING.match(run) or may_be_encoded(run))


_remember = lru_cache(maxsize=4096)(_judge)  # four of five runs of a transcript


def find_at_beginning(text: str, start: int, limit: int) -> Iterator[Span]:
    """A token with one of the prefixes that must begin where a run begins: at *start*."""
    prefix = _AT_BEGINNING.match(text, start)
    span = _match(text, prefix, _CANDIDATES_AT_BEGINNING, limit) if prefix else None
    if span:
        yield span


def find_anywhere(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    """The tokens with an unmistakable prefix in the run [start, end)."""
    prefix = _ANYWHERE.search(text, start, end)
    while prefix:
        span = _match(text, prefix, _CANDIDATES_ANYWHERE, limit)
        if span:
            yield span
        prefix = _ANYWHERE.search(text, span.end if span else prefix.start() + 1, end)


def find_behind(text: str, start: int, limit: int) -> Iterator[Span]:
    """The token whose prefix ends where a run begins: at *start*."""
    for prefix in _BEFORE_RUN.get(text[start - 1 : start], ()):
        if text.endswith(prefix, 0, start):
            for token in BEFORE_RUN[prefix]:
                body = token.body.match(text, start, limit)
                if body and token.check(body[0]):
                    yield Span(start, body.end(), token.kind)


def find_at(text: str, start: int, limit: int) -> Span | None:
    """The token that begins at *start*, if the text ended at *limit*."""
    for prefixes, candidates in (
        (_ANYWHERE, _CANDIDATES_ANYWHERE),
        (_AT_BEGINNING, _CANDIDATES_AT_BEGINNING),
    ):
        prefix = prefixes.match(text, start, limit)
        span = _match(text, prefix, candidates, limit) if prefix else None
        if span:
            return span
    return next(find_behind(text, start, limit), None)


def _match(text: str, prefix: re.Match[str], candidates: Candidates, limit: int) -> Span | None:
    """The token at *prefix*."""
    start = prefix.start()
    for token in candidates[prefix[0]]:
        body = token.body.match(text, start + len(token.prefix), limit)
        if body and token.check(body[0]):
            return Span(start, body.end(), token.kind)
    return None

"""Literals: what stands in backticks or quotes, or is said to be a name, is spelled as it is and has no synonym.

`delete` and `remove` are two commands, "bug" and "defect" two labels. Markup itself says nothing: `make seed` and
make seed are the same literal.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from memoryd.memory.consolidation.tables import table

_LONGEST_QUOTE = 3  # words; a longer quotation is somebody's sentence, not a name
_MARKUP = re.compile(r"`+|\*{1,3}|[\"“”„«»「」『』]")
_CODE = re.compile(r"`+([^`\n]+)`+")
_SNAKE = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z0-9]*_[A-Za-z0-9_]*(?:\(\))?")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|[“„]([^“”„\n]+)[”“]|[«「『]\s?([^«»「」『』\n]+?)\s?[»」』]")
_QUOTES = frozenset('"“„«「『')  # that a quotation opens with
_TAIL = re.compile(r"\(\)$|(?<=\w)/$|[.,;:!?。，；：！？]+$")


@lru_cache(maxsize=16384)
def literals(text: str) -> tuple[tuple[int, int, str], ...]:
    """Find the literals of folded *text*: (start, end, plain form); the form is in lower case without markup."""
    found = ((start, end, _plain(text[start:end])) for start, end in _spans(text))
    return tuple(one for one in found if one[2])


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for sign, pattern in (("`", _CODE), ("_", _SNAKE)):
        if sign in text:
            yield from (match.span() for match in pattern.finditer(text))
    for match in () if _QUOTES.isdisjoint(text) else _QUOTED.finditer(text):
        if len(match.group().split()) <= _LONGEST_QUOTE:
            yield match.span()
    for match in _names().finditer(text):
        yield match.span(match.lastgroup or 0)


def is_said(literal: str, text: str) -> bool:
    """Does folded *text* say a literal's plain form, as words of its own?"""
    return re.search(rf"(?<![a-z0-9_]){re.escape(literal)}(?![a-z0-9_])", _plain(text)) is not None


def _plain(text: str) -> str:
    return _TAIL.sub("", " ".join(_MARKUP.sub(" ", text).casefold().split()))


@cache
def _names() -> re.Pattern[str]:
    """Make the pattern of a word that is said to be a name."""
    data = table("naming")
    spaced = "|".join(w for language in ("en", "de", "fr", "es") for w in data["naming"][language])
    unspaced = "|".join(sorted(data["naming"]["zh"], key=len, reverse=True))
    nouns = "|".join(data["named"]["nouns"])
    states = "|".join(data["named"]["states"])
    places = "|".join(data["places"]["spaced"])
    unspaced_places = "|".join(data["places"]["unspaced"])
    word = r"[A-Za-z0-9_][\w.-]*"
    return re.compile(
        rf"\b(?:{spaced})\s+(?P<called>(?!(?:the|a|an|by|with|from|to|in|on|after|for|as|and|or|off|out|up|back|upon|it|him|her|them|us|me|when|if|because|once|twice|again)\b){word})"
        rf"|(?:{unspaced})\s*(?P<name>{word})"
        rf"|\b(?:{nouns})\s*(?:\bis\b(?:\s+now\b)?(?!\s+(?:\w+ed|{states})\b)|=|:)\s*(?P<value>{word})(?=\s*(?:[.,;!。，；]|$))"
        rf"|^(?P<subject>{word})(?=\s+is\s+(?:now\s+)?(?:the|our|your|its)\s+(?:\w+\s+)?(?:{nouns})\b)"
        rf"|\b(?:the|an?|our|your|its)\s+(?P<folder>{word})(?=\s+(?:{places})\b)"
        rf"|(?P<place>{word})(?=\s*(?:{unspaced_places}))",
        re.IGNORECASE,
    )

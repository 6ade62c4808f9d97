"""Two texts with the same units in the same order: do small words between them tell two facts apart?

Where the order differs, or a text says more, prepositions and auxiliaries differ for good reasons; see `order` and `voice`.
"""

import re
import tomllib
from collections import Counter
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from itertools import pairwise

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED, Language
from memoryd.memory.consolidation.unit import Reading

_NEAR = 0.85  # of the words
_STEM = 4  # letters
_WORD = re.compile(r"[㐀-鿿぀-ヿ가-힣]|[^\W_㐀-鿿぀-ヿ가-힣]+")
_ARTICLES = frozenset({
    "the", "a", "an", "is", "are", "der", "die", "das", "ein", "eine", "einen", "einem", "einer", "le", "la", "les", "un", "une", "el",
    "los", "las", "una",
})  # fmt: skip


def small_word_problem(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Name a small word that only one of two texts of the same units has, or None."""
    if a.language != b.language or alignment.only_a or alignment.only_b:
        return None
    pairs = sorted(alignment.pairs)
    if any(j > m for (_, j), (_, m) in pairwise(pairs)) or any(
        a.units[i].key != b.units[j].key for i, j in pairs
    ):
        return None
    ours, theirs = _said(a), _said(b)
    alone = sorted((ours - theirs) + (theirs - ours))
    return f"only one says {alone[0]!r}" if alone and _is_near(a, b) else None


def _is_near(a: Reading, b: Reading) -> bool:
    """Are the texts the same but for a few small words and endings?"""
    first, second = (_rest(reading) for reading in (a, b))
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= _NEAR


def _rest(reading: Reading) -> list[str]:
    """A text without its small words and articles, the beginnings of its words."""
    text = _pattern(reading.language).sub(" ", reading.text.casefold())
    words = _WORD.findall(text)
    return [word[:_STEM] for word in words if word not in _ARTICLES]


def _said(reading: Reading) -> "Counter[str]":
    """The small words of a text, outside of its units."""
    rest, at = [], 0
    for unit in sorted(reading.units, key=lambda one: one.start):
        rest.append(reading.text[at : max(at, unit.start)])
        at = max(at, unit.end)
    rest.append(reading.text[at:])
    return Counter(_pattern(reading.language).findall(" | ".join(rest).casefold()))


@cache
def _pattern(language: Language) -> re.Pattern[str]:
    path = files("memoryd.memory.consolidation") / "languages" / "small_words.toml"
    words = tomllib.loads(path.read_text(encoding="utf-8"))[language]
    found = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(found if language in UNSPACED else rf"(?<!\w)(?:{found})(?!\w)")

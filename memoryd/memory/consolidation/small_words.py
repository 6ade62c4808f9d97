"""Two texts with the same units in the same order: do small words between them tell two facts apart?

Where the order differs, or a text says more, prepositions and auxiliaries differ for good reasons; see `order` and `voice`.
"""

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import Language, lexicon
from memoryd.memory.consolidation.tables import table, words_of
from memoryd.memory.consolidation.unit import Reading

_NAME = "small_words"
_NEAR = 0.84  # of the words
_FEW = 2  # small words; more are a frame (L'utilisatrice a répété que)
_MOST = 4  # of both texts
_STEM = 4  # letters
_GOVERNING = frozenset({"of", "for", "against"})  # paid for Dana, knows of Dana
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
    if ours == theirs and (exchange := _exchanged(a, b)):
        return exchange if _is_near(a, b, _prepositions(a.language)) else None
    held = {word for one in (*a.units, *b.units) for word in one.surface.casefold().split()[1:]}
    apart = ((ours - theirs) + (theirs - ours)).elements()
    alone = sorted(word for word in apart if word not in held)  # allergic to, an allergy to
    if _table(a.language)[0] is None:
        near = len(alone) <= _MOST and _are_spelled_alike(a, b, alignment)
    else:
        near = _is_near(a, b)
    return f"only one says {alone[0]!r}" if alone and near else None


def _exchanged(a: Reading, b: Reading) -> str | None:
    """Works for Acme, works with Acme: does each text have a preposition that the other has not?"""
    pattern = _prepositions(a.language)
    if pattern is None:
        return None
    ours, theirs = (Counter(pattern.findall(one.text.casefold())) for one in (a, b))
    mine, yours = ours - theirs, theirs - ours
    if mine and yours:
        return f"{min(mine)!r} is not {min(yours)!r}"
    alone = {*mine, *yours} & _GOVERNING
    return f"only one says {min(alone)!r}" if alone else None


def _are_spelled_alike(a: Reading, b: Reading, alignment: Alignment) -> bool:
    """Do the units begin with the same letters?"""
    return all(
        a.units[i].surface.casefold()[:_STEM] == b.units[j].surface.casefold()[:_STEM]
        for i, j in alignment.pairs
    )


def _is_near(a: Reading, b: Reading, besides: re.Pattern[str] | None = None) -> bool:
    """Are the texts the same but for a few small words (and *besides*) and endings?"""
    first, second = (_rest(reading, besides) for reading in (a, b))
    return SequenceMatcher(None, first, second, autojunk=False).ratio() > _NEAR


def _rest(reading: Reading, besides: re.Pattern[str] | None) -> list[str]:
    """A text without its small words and articles, the beginnings of its words."""
    text = reading.text.casefold()
    small, neutral = _table(reading.language)
    for pattern in (small, besides):
        text = pattern.sub(" ", text) if pattern is not None else text
    words = _WORD.findall(text)
    return [word[:_STEM] for word in words if word not in _ARTICLES | neutral]


@cache
def _frames(language: Language) -> frozenset[str]:
    """Phrases around a statement that say nothing of it (zur erinnerung, 다시 말하지만)."""
    phrases = lexicon(language).phrases
    return frozenset(phrase for phrase, sense in phrases.items() if sense.role == "frame")


def _without_frames(reading: Reading, text: str) -> str:
    for phrase in sorted(
        _frames(reading.language).intersection(reading.dropped), key=len, reverse=True
    ):
        text = text.replace(phrase, " ")
    return text


def _said(reading: Reading) -> "Counter[str]":
    """The small words of a text, outside of its units and frames."""
    small, neutral = _table(reading.language)
    if small is None:
        said = (word for word in reading.dropped if word not in _frames(reading.language))
        words = " ".join(word for word in said if len(word.split()) <= _FEW).casefold()
        for phrase in sorted((one for one in neutral if " " in one), key=len, reverse=True):
            words = words.replace(phrase, " ")
        return Counter(word for word in _WORD.findall(words) if word not in neutral)
    rest, at = [], 0
    for unit in sorted(reading.units, key=lambda one: one.start):
        rest.append(reading.text[at : max(at, unit.start)])
        at = max(at, unit.end)
    rest.append(reading.text[at:])
    return Counter(small.findall(_without_frames(reading, " | ".join(rest).casefold())))


@cache
def _prepositions(language: Language) -> re.Pattern[str] | None:
    words = table(_NAME)["exchanged"].get(language)
    return words_of(words, language) if words else None


@cache
def _table(language: Language) -> tuple[re.Pattern[str] | None, frozenset[str]]:
    """The small words that count, or where all but a few do, those few."""
    words = table(_NAME)
    if language in words["neutral"]:
        return None, frozenset(words["neutral"][language])
    return words_of(words[language], language), frozenset()

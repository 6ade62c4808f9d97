"""Text -> a reading: the content units of an entry, each with its clause, sign, role and scope.

A unit is what must find its equal in another entry before the two may be called the same.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from memoryd.memory.consolidation.builder import ReadingBuilder
from memoryd.memory.consolidation.items import items
from memoryd.memory.consolidation.lexicon import UNSPACED, Language, lexicon, simplified
from memoryd.memory.consolidation.unit import Reading
from memoryd.memory.text import fold, script

_LETTERS: tuple[tuple[Language, frozenset[str]], ...] = (
    ("de", frozenset("äöüß")),
    ("fr", frozenset("éèêàçùœ")),
    ("es", frozenset("ñíóáéú¿¡")),
)
# endings of words that no table has; between two languages that are equal otherwise they decide
_ENDINGS: dict[Language, tuple[str, ...]] = {
    "de": ("ung", "ungen", "heit", "keit", "lich", "isch", "schaft"),
    "fr": ("eux", "euse", "ement", "aux", "eurs", "ière"),
    "es": ("ción", "ciones", "dad", "amos", "emos", "imos", "iendo", "ando", "ados", "adas"),
}
_ENDING = 0.25
_NOUN = 1.25  # at most what a noun or verb weighs, function words weigh more
_SURE = 2.0  # a function word and a noun more than any other language has
LONGEST = (
    4000  # characters; of a longer text the beginning is read, and nobody compares it word by word
)
_CODE = re.compile(
    r"(?<!\S)\S*?[\d/_@]\S*|(?<!\S)--?\w\S*|`[^`]*`"
)  # says nothing about the language
_WORD = re.compile(r"[^\W\d_]+'?")
_GLUING_COLON = re.compile(r"(?<=[A-Za-z0-9])：(?=[A-Za-z0-9])")
_SPACED: tuple[Language, ...] = ("en", "de", "fr", "es")


@lru_cache(maxsize=16384)
def guess_language(text: str) -> Language:
    """Guess the language from scripts and function words; Latin text without a hint is English."""
    text = text[:LONGEST]
    scripts = set() if text.isascii() else {script(char) for char in set(text)}
    if "kana" in scripts:
        return "ja"
    if "hangul" in scripts:
        return "ko"
    if "han" in scripts:
        return "zh"
    scores = _scores(text)
    return max(_SPACED, key=scores.__getitem__)  # the first of equals: English


@lru_cache(maxsize=16384)
def sure_language(text: str) -> Language | Literal[""]:
    """Give the language of a text in Latin script of which its words leave no doubt, else ""."""
    if UNSPACED & {guess_language(text)}:
        return ""
    first, second = sorted(_scores(text).values(), reverse=True)[:2]
    return guess_language(text) if first - second >= _SURE else ""


def common_language(a: str, b: str) -> Language:
    """Guess one language for two texts in Latin or in Han script: what is sure of one helps with the other."""
    if "ja" in (guess_language(a), guess_language(b)):
        return "ja"  # 参加費：二千円
    first, second = _scores(a), _scores(b)
    return max(_SPACED, key=lambda language: first[language] + second[language])


@lru_cache(maxsize=16384)
def _scores(text: str) -> dict[Language, float]:
    text = text[:LONGEST]
    scores = dict.fromkeys(_SPACED, 0.0)
    loud = text.isupper()
    for word in _WORD.findall(_CODE.sub(" ", text)):
        short_for = (
            not loud and len(word.rstrip("'")) > 1 and word.isupper()
        )  # MIT is not the German "mit"
        for language, weight in _weights(word.casefold()):
            scores[language] += 0.0 if short_for and weight > _NOUN else weight
    text = text.casefold()
    if not text.isascii():
        for language, letters in _LETTERS:
            scores[language] += not letters.isdisjoint(text)
    return scores


@lru_cache(maxsize=65536)
def _weights(word: str) -> tuple[tuple[Language, float], ...]:
    """Give the languages that a word speaks for, and how much; most words are met again and again."""
    weights = ((language, _weight(word, language)) for language in _SPACED)
    return tuple((language, weight) for language, weight in weights if weight)


def _weight(word: str, language: Language) -> float:
    """Function words tell a language better than nouns that travel; a form of a verb tells as much as its infinitive."""
    ending = _ENDING if word.endswith(_ENDINGS.get(language, ())) else 0.0
    table = lexicon(language)
    sense = table.phrases.get(word) or table.phrases.get(table.bases.get(word, ""))
    if sense is None:
        return ending
    if sense.role == "unit":
        return ending + 0.5
    return ending + (1.0 if sense.role in ("concept", "action", "quality") else 1.5)


def read(
    text: str, language: Language | None = None, slips: tuple[tuple[str, str], ...] = ()
) -> Reading:
    """Read one entry's text, in *language* if it is known, each of *slips* (lower case) as the word that was meant."""
    text = text[:LONGEST]
    folded = fold(text)
    language = language or guess_language(folded.text)
    table = lexicon(language)
    plain = folded.text.translate(simplified()) if language == "zh" else folded.text
    plain = _with_wide_colons(plain, folded.offsets, text)
    builder = ReadingBuilder(table, plain)
    for item in items(plain, language, dict(slips)):
        builder.take(item)
    return builder.finish(folded.offsets)


def _with_wide_colons(folded: str, offsets: Sequence[int], text: str) -> str:
    """Timeout：30s is a label and its value; folded, it would be read as one name (timeout:30s)."""
    if "：" not in text:
        return folded
    wide = {match.start() for match in _GLUING_COLON.finditer(text)}
    return "".join(
        "：" if offset in wide else char for char, offset in zip(folded, offsets, strict=False)
    )

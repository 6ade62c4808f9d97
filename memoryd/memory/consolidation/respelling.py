"""Slips of the pen: words of one text that are none, and that the other text spells right.

Only a pair of texts tells: a word is read as another only if no dictionary has it, the other text has the other word
and lacks this one, and a single slip lies between them. Names, identifiers and numbers are what they are.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from memoryd.memory.consolidation.inflection import bases
from memoryd.memory.consolidation.lexicon import Language, lexicon
from memoryd.memory.text import unaccent

_WORD = re.compile(r"(?<![\w.@/#_-])[^\W\d_]{5,}(?![\w@/_]|[.-]\w)")
_MOST = 4  # words that only one of the texts has; with more the texts differ anyhow
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def respellings(a: str, b: str, language: Language) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Give for each of two folded texts the words that are slips -> what the other text shows they mean."""
    ours, theirs = set(_words(a, language)), set(_words(b, language))
    only_a, only_b = sorted(ours - theirs), sorted(theirs - ours)
    if not only_a or not only_b or max(len(only_a), len(only_b)) > _MOST:
        return {}, {}
    return dict(_slips(only_a, only_b, language)), dict(_slips(only_b, only_a, language))


def _words(text: str, language: Language) -> Iterator[str]:
    """Yield the ordinary words in lower case; one with a capital inside of an English text is a name (Schmidt, Schmitt)."""
    for match in _WORD.finditer(text):
        word = match.group()
        inside = word[1:].islower() and language != "en"
        if word.islower() or match.start() == 0 or not word.isascii() or inside:
            yield word.casefold()


def _slips(wrong: list[str], right: list[str], language: Language) -> Iterator[tuple[str, str]]:
    for word in wrong:
        for other in right:
            if _is_slip(word, other, language):
                yield word, other
                break


def _is_slip(word: str, other: str, language: Language) -> bool:
    if language == "en":
        return not is_word(word) and is_word(other) and _one_slip(word, other)
    if language == "de" and word != other.translate(_GERMAN) and word.isascii():
        return word == unaccent(other)
    return word.isascii() and word in (other.translate(_GERMAN), unaccent(other))


def is_word(word: str) -> bool:
    """Does a table or the dictionary have an English word (the dictionary: of five letters and more), or its base?"""
    table, known = lexicon("en").plain_words, _dictionary()
    return any(form in table or form in known for form in (word, *bases(word, "en")))


@cache
def _dictionary() -> frozenset[str]:
    text = files(__package__).joinpath("languages", "en_spelling.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


def _one_slip(word: str, other: str) -> bool:
    """A letter left out, added, changed or exchanged with its neighbour, not at either end; or letters doubled wrongly."""
    if word[0] != other[0] or abs(len(word) - len(other)) > 2:  # noqa: PLR2004 - a doubled letter each way
        return False
    if _undoubled(word) == _undoubled(other):
        return True
    k = next((n for n, (x, y) in enumerate(zip(word, other, strict=False)) if x != y), -1)
    if k < 1 or (len(word) == len(other) == k + 1):
        return False
    return (
        word[k + 1 :] == other[k + 1 :]
        or word[k + 1 :] == other[k:]
        or word[k:] == other[k + 1 :]
        or (word[k : k + 2] == other[k : k + 2][::-1] and word[k + 2 :] == other[k + 2 :])
    )


def _undoubled(word: str) -> str:
    return re.sub(r"(.)\1", r"\1", word)

"""Where somebody is in life: "I live in Munich", "I moved to Hamburg" share no word, and the second replaces the first."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from memoryd.memory.consolidation.lexicon import UNSPACED, Language
from memoryd.memory.consolidation.tables import any_of, table, words_of

_NAME = "stations"
_ATTRIBUTES = {"residence": "residence", "moving": "residence", "employer": "employer"}
_PROPER = r"[^\W\d_a-z]\w+"
_VALUE = rf"{_PROPER}(?:[ -]{_PROPER}){{0,2}}"
_HAN_VALUE = r"[\u4e00-\u9fffA-Za-z]{2,8}?"


@dataclass(frozen=True, slots=True)
class Station:
    """*who* has *value* for *attribute*, all in lower case; not *sure* if the words may mean something else."""

    attribute: str
    who: str
    value: str
    sure: bool = True


@lru_cache(maxsize=16384)
def find_station(text: str, language: Language) -> Station | None:
    """Read a whole text as a station; None if it says anything else, or anything more."""
    for phrases, attribute in _ATTRIBUTES.items():
        match = _pattern(phrases, language).fullmatch(text.strip())
        if match:
            who, value = match["who"].casefold(), match["value"].casefold()
            who = "user" if who in table(_NAME)["who"][language] else who
            return Station(attribute, who, value, sure=phrases != "moving")
    return None


@lru_cache(maxsize=16384)
def is_of_the_moment(text: str, language: Language) -> bool:
    """Does a text speak of today, last night, 今天: of another time when it is said again?"""
    return _moments(language).search(text.casefold()) is not None


@lru_cache(maxsize=16384)
def kin_of(text: str, language: Language) -> frozenset[str]:
    """The relatives and colleagues that a text speaks of."""
    return frozenset(_kin(language).findall(text.casefold()))


@cache
def _moments(language: Language) -> re.Pattern[str]:
    return words_of(table(_NAME)["relative"][language], language)


@cache
def _kin(language: Language) -> re.Pattern[str]:
    return words_of(table(_NAME)["kin"][language], language)


@cache
def _pattern(phrases: str, language: Language) -> re.Pattern[str]:
    phrases_of = table(_NAME)
    phrase, adverb, ending = (
        any_of(phrases_of[name][language]) for name in (phrases, "adverbs", "endings")
    )
    if language in UNSPACED:
        who = any_of(phrases_of["who"][language])
        return re.compile(
            rf"(?P<who>{who})(?:{adverb})*(?:{phrase})(?P<value>{_HAN_VALUE})(?:{ending})?[。！!.]?"
        )
    who = rf"(?i:{any_of(phrases_of['who'][language])})|{_VALUE}"
    return re.compile(
        rf"(?P<who>{who})\s*(?:(?i:{adverb})\s+)*(?i:{phrase})\s+(?P<value>{_VALUE})(?:,?\s+(?i:{ending}))?[.!]?"
    )

"""Where somebody is in life: "I live in Munich", "I moved to Hamburg" share no word, and the second replaces the first."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from memoryd.memory.consolidation.lexicon import UNSPACED, Language

_ATTRIBUTES = {"residence": "residence", "moving": "residence", "employer": "employer"}
_NAME = r"[^\W\d_a-z]\w+"
_VALUE = rf"{_NAME}(?:[ -]{_NAME}){{0,2}}"
_HAN_VALUE = r"[\u4e00-\u9fffA-Za-z]{2,8}?"


@dataclass(frozen=True, slots=True)
class Station:
    """*who* has *value* for *attribute*, all in lower case; not *sure* if the words may mean something else."""

    attribute: str
    who: str
    value: str
    sure: bool = True


@lru_cache(maxsize=131072)
def find_station(text: str, language: Language) -> Station | None:
    """Read a whole text as a station; None if it says anything else, or anything more."""
    for phrases, attribute in _ATTRIBUTES.items():
        match = _pattern(phrases, language).fullmatch(text.strip())
        if match:
            who, value = match["who"].casefold(), match["value"].casefold()
            who = "user" if who in _table()["who"][language] else who
            return Station(attribute, who, value, sure=phrases != "moving")
    return None


@lru_cache(maxsize=131072)
def is_of_the_moment(text: str, language: Language) -> bool:
    """Does a text speak of today, last night, 今天: of another time when it is said again?"""
    words = _any(_table()["relative"][language])
    pattern = words if language in UNSPACED else rf"\b(?:{words})\b"
    return re.search(pattern, text.casefold()) is not None


@lru_cache(maxsize=131072)
def kin_of(text: str, language: Language) -> frozenset[str]:
    """The relatives and colleagues that a text speaks of."""
    words = _any(_table()["kin"][language])
    pattern = words if language in UNSPACED else rf"\b(?:{words})\b"
    return frozenset(re.findall(pattern, text.casefold()))


@cache
def _pattern(phrases: str, language: Language) -> re.Pattern[str]:
    table = _table()
    phrase, adverb, ending = (
        _any(table[name][language]) for name in (phrases, "adverbs", "endings")
    )
    if language in UNSPACED:
        who = _any(table["who"][language])
        return re.compile(
            rf"(?P<who>{who})(?:{adverb})*(?:{phrase})(?P<value>{_HAN_VALUE})(?:{ending})?[。！!.]?"
        )
    who = rf"(?i:{_any(table['who'][language])})|{_VALUE}"
    return re.compile(
        rf"(?P<who>{who})\s*(?:(?i:{adverb})\s+)*(?i:{phrase})\s+(?P<value>{_VALUE})(?:,?\s+(?i:{ending}))?[.!]?"
    )


def _any(phrases: Iterable[str]) -> str:
    """The longest first; of no phrase at all, what matches nothing."""
    found = "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
    return found or r"(?!)"


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    path = files("memoryd.memory.consolidation") / "languages" / "stations.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))

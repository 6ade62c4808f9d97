"""Whether an attribute has one value at a time, or several side by side."""

from collections.abc import Sequence
from functools import lru_cache

from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.unit import Reading


def is_multiple(reading: Reading, site: Sequence[int]) -> bool:
    """Is the verb of the clause one that takes several objects over time (likes, handles, supports)?"""
    table = lexicon(reading.language)
    phrases = table.attributes.get("multi", frozenset())
    if reading.language in UNSPACED:
        said = {unit.surface for unit in reading.units} | set(reading.dropped)
        return bool(said & phrases)
    divides = reading.clauses[reading.units[site[0]].clause].divides
    rest = " ".join(reading.text[max(divides, 0) :].casefold().split()) + " "
    return any(
        rest.startswith(f"{phrase} ") or (f" {phrase} " in rest[:40] and " " in phrase)
        for phrase in phrases
    )


def is_single(reading: Reading, site: Sequence[int]) -> bool:
    """Does the text say what something is (a copula, a colon), or what it has one of at a time?"""
    table = lexicon(reading.language)
    if mentions_any(reading, table.attributes.get("single", frozenset())):
        return True
    clause = reading.units[site[0]].clause
    divides = reading.clauses[clause].divides
    verbs = (unit for unit in reading.units if unit.clause == clause and unit.kind == "action")
    return divides >= 0 and all(unit.start != divides for unit in verbs)


def mentions_any(reading: Reading, phrases: frozenset[str]) -> bool:
    return mentions(reading.text.casefold(), phrases)


@lru_cache(maxsize=16384)
def mentions(text: str, phrases: frozenset[str]) -> bool:
    """Does one of the phrases stand in the text (whole words, where words are spaced)?"""
    spaced = f" {text} ".replace(",", " ").replace(".", " ").replace(":", " ").replace("'", " '")
    return any(
        (f" {phrase} " in spaced) if phrase.isascii() else phrase in text for phrase in phrases
    )

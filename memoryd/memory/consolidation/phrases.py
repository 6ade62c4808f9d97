"""Phrases of the language tables in the form in which texts are cut."""

from collections.abc import Iterable

from memoryd.memory.consolidation.tokens import split_phrase


def clean_phrase(phrase: str, spaced: bool) -> str:
    """A phrase folded and cut like a text; one that ends in an apostrophe (l', 's) is a piece of a word."""
    phrase = phrase.casefold()
    if not spaced or "'" in (phrase[:1], phrase[-1:]):
        return phrase
    return " ".join(split_phrase(phrase))


def longest_by_start(phrases: Iterable[str], spaced: bool) -> dict[str, int]:
    """For every first word (or character) the length of the longest phrase that begins with it, in words."""
    longest: dict[str, int] = {}
    for phrase in phrases:
        items = phrase.split() if spaced else list(phrase)
        longest[items[0]] = max(longest.get(items[0], 0), len(items))
    return longest

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
        first = phrase.split(" ", 1)[0] if spaced else phrase[0]
        length = phrase.count(" ") + 1 if spaced else len(phrase)
        if length > longest.get(first, 0):
            longest[first] = length
    return longest


def longest_by_pair(phrases: Iterable[str]) -> dict[str, int]:
    """For every two first words of a phrase the length of the longest one that begins with them, in words."""
    longest: dict[str, int] = {}
    for words in (phrase.split() for phrase in phrases if " " in phrase):
        pair = f"{words[0]} {words[1]}"
        longest[pair] = max(longest.get(pair, 0), len(words))
    return longest

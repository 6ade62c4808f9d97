"""Of what "all" and "only" are said: all admins can delete projects, admins can delete all projects."""

import re
from functools import cache, lru_cache

from memoryd.memory.consolidation.lexicon import Language
from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import Reading

_STEM = 5  # letters; endings differ


def ranging_problem(a: Reading, b: Reading) -> str | None:
    """Say that "all" is said of another word that both texts have, or None."""
    if a.language != b.language:
        return None
    ours, theirs = (_said_of("all", one.text, one.language) for one in (a, b))
    if not ours or not theirs or ours & theirs:
        return None
    both = _are_named(ours, b) and _are_named(theirs, a)
    return "'all' is said of another" if both else None


def are_all_and_only(a: Reading, b: Reading) -> bool:
    """Only admins can delete projects, admins can delete all projects: both may hold."""
    return any(
        bool(only := _said_of("only", x.text, x.language))
        and bool(everything := _said_of("all", y.text, y.language))
        and not only & everything
        and _are_named(only, y)
        and _are_named(everything, x)
        for x, y in ((a, b), (b, a))
    )


def _are_named(stems: frozenset[str], reading: Reading) -> bool:
    return any(stem in reading.text.casefold() for stem in stems)


@lru_cache(maxsize=16384)
def _said_of(name: str, text: str, language: Language) -> frozenset[str]:
    """The beginnings of the words that it is said of."""
    text = text.casefold()
    return frozenset(
        found[:_STEM] for pattern in _patterns(name, language) for found in pattern.findall(text)
    )


@cache
def _patterns(name: str, language: Language) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in table("ranging")[name].get(language, ()))

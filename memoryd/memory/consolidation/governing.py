"""Buy from Acme, buy Acme: a preposition between a verb and what stands behind it tells another fact than none."""

import re
from functools import cache

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import Language
from memoryd.memory.consolidation.tables import any_of, table
from memoryd.memory.consolidation.unit import Reading

_STEM = 4  # letters
_NAMING = frozenset({"name", "concept", "word", "code"})


def governed_problem(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Name the preposition that stands behind a verb in only one of the texts, or None.

    The verb and what follows it must be the same words: "talk to Anna" and "call Anna" are for the tables.
    """
    patterns = _patterns(a.language)
    if a.language != b.language or patterns is None:
        return None
    pairs = set(alignment.pairs)
    for i, j in alignment.pairs:
        if (i + 1, j + 1) not in pairs or not _is_same_verb(a, b, i, j):
            continue
        ours, theirs = (_between(one, n) for one, n in ((a, i), (b, j)))
        for mine, other, verb in ((ours, theirs, b.units[j]), (theirs, ours, a.units[i])):
            found = patterns[0].fullmatch(mine)
            if found is None or not patterns[1].fullmatch(other) or _is_free(a, i, found[1]):
                continue
            if not verb.surface.casefold().endswith(" " + found[1]):  # allergic to, an allergy to
                return f"only one says {found[1]!r}"
    return None


def _is_same_verb(a: Reading, b: Reading, i: int, j: int) -> bool:
    """Is it the same verb, with a thing or person right behind it in both texts?"""
    u, v, x, y = a.units[i], b.units[j], a.units[i + 1], b.units[j + 1]
    if (u.kind != "action" and i + j > 0) or u.surface.casefold()[:_STEM] != v.surface.casefold()[
        :_STEM
    ]:
        return False
    return {x.kind, y.kind} <= _NAMING and x.clause == u.clause and y.clause == v.clause


def _between(reading: Reading, i: int) -> str:
    return reading.text[reading.units[i].end : reading.units[i + 1].start].casefold()


def _is_free(reading: Reading, i: int, preposition: str) -> bool:
    """May the verb have the preposition or not (meet with Anna)?"""
    phrases = table("governing")["free"].get(reading.language, ())
    verb = reading.units[i].surface.casefold()[:_STEM]
    return any(
        preposition == phrase.split()[1] and phrase.startswith(verb[: len(phrase.split()[0])])
        for phrase in phrases
    )


@cache
def _patterns(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """A gap with a preposition, and one without."""
    words = table("governing")["prepositions"].get(language)
    if not words:
        return None
    article = rf"(?:(?:{any_of(table('governing')['articles'][language])})\s+)?"
    return re.compile(rf"\s+({any_of(words)})\s+{article}"), re.compile(rf"\s+{article}")

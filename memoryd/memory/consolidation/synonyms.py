"""Which ordinary words may stand for each other, from WordNet: only asked of words that found no equal.

The hand-made tables come first: what they keep apart, two known words, stays apart. Names and values have no
synonyms.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

from memoryd.memory.consolidation.inflection import bases
from memoryd.memory.consolidation.lexicon import lexicon
from memoryd.memory.consolidation.unit import Reading, Unit

_ORDINARY = frozenset({"word", "concept", "action", "quality", "name", "char"})
_SWAPS = frozenset({"en", "zh"})  # languages with a table of swaps
_MOST = 8  # leftovers; with more the texts differ anyhow


def pair_synonyms(
    a: Reading, b: Reading, only_a: list[int], only_b: list[int], pairs: list[tuple[int, int]]
) -> None:
    """Move leftovers that are synonyms from *only_a* and *only_b* to *pairs*; English and Chinese only."""
    if a.language != b.language or len(only_a) + len(only_b) > _MOST:
        return
    if a.language not in _SWAPS:
        return
    for i in tuple(only_a):
        j = next((j for j in only_b if are_synonyms(a.units[i], b.units[j], a.language)), None)
        if j is not None:
            pairs.append((i, j))
            only_a.remove(i)
            only_b.remove(j)


def are_synonyms(u: Unit, v: Unit, language: str = "en") -> bool:
    """Do both words mostly mean the same, or is one what the other does (decide, decision)?

    Two words that the hand-made tables know are two things, unless they say otherwise or one is the other's deed.
    """
    if not {u.kind, v.kind} <= _ORDINARY or any(x.kind == "name" and x.start for x in (u, v)):
        return False
    if language == "zh" and (_is_short_for(u, v) or _is_short_for(v, u)):
        return True
    shared = _sets(u.surface.casefold(), language) & _sets(v.surface.casefold(), language)
    return any(number < 0 or u.forms or v.forms for number in shared)


def _is_short_for(u: Unit, v: Unit) -> bool:
    """办: 办理; 报: 上报. The other character must not turn or undo the deed."""
    short, full = u.surface, v.surface
    if len(short) != 1 or len(full) != 2 or v.kind != "action" or short not in full:  # noqa: PLR2004
        return False
    return full.replace(short, "", 1) not in lexicon("zh").single


@lru_cache(maxsize=16384)
def _sets(word: str, language: str) -> frozenset[int]:
    known = _table(language)
    forms = _forms(word) if language == "en" else (word,)
    return frozenset(n for form in forms for n in known.get(form, ()))


def _forms(words: str) -> Iterator[str]:
    first, gap, rest = words.replace(" ", "_").partition("_")
    yield first + gap + rest
    yield lexicon("en").bases.get(first, first) + gap + rest
    for base in bases(first, "en"):
        yield base + gap + rest


@cache
def _table(language: str) -> dict[str, list[int]]:
    """Give the numbers of the sets that each word is in; those that are sure are negative."""
    sets: list[tuple[bool, list[str]]] = []
    for line in _lines("en_wordnet.txt") if language == "en" else ():
        kind, *words = line.split()
        sets.append((kind == "d", words))
    sets += ((True, line.split()) for line in _lines(f"{language}_swaps.txt"))
    found: dict[str, list[int]] = {}
    for number, (sure, words) in enumerate(sets, start=1):
        for word in words:
            found.setdefault(word, []).append(-number if sure else number)
    return found


def _lines(name: str) -> list[str]:
    text = files(__package__).joinpath("languages", name).read_text("utf-8")
    return [line for line in text.splitlines() if not line.startswith(("#", "="))]

"""Units that are spelled differently but are the same word: acronyms, joined words, slips of the pen.

Only leftovers of an otherwise matching pair are looked at, and only ordinary words may be misspelled: names,
identifiers and numbers are what they are.
"""

import re
from itertools import pairwise

from memoryd.memory.consolidation.respelling import is_word
from memoryd.memory.consolidation.unit import Reading, Unit

_MIN_TYPO = 7  # letters; shorter words too often have a neighbour (desert, dessert)
_LONG = 8  # letters; two unknown words of more that differ by a slip are one
_MOST = 10  # leftovers; with more the texts differ anyhow
_MIN_JOINED = 4
_MIN_CUT = 3
_FULL = 4  # characters of which a Chinese abbreviation takes the first and the third
_HAN_PAIR = re.compile(r"[\u4e00-\u9fff]{2}")
_ACRONYM = re.compile(r"[A-Za-z]{2,6}")
_VOWELS = frozenset("aeiou")


def pair_spellings(
    a: Reading, b: Reading, only_a: list[int], only_b: list[int], pairs: list[tuple[int, int]]
) -> None:
    """Move leftovers that are one word in another spelling from *only_a* and *only_b* to *pairs*."""
    if not only_a or not only_b or len(only_a) + len(only_b) > _MOST:
        return
    if all(
        any(reading.units[i].kind == "quantity" for i in only)
        for reading, only in ((a, only_a), (b, only_b))
    ):
        return
    _pair_words(a, b, only_a, only_b, pairs)
    _pair_spans(a, b, only_a, only_b, pairs, turned=False)
    _pair_spans(b, a, only_b, only_a, pairs, turned=True)


def _pair_words(
    a: Reading, b: Reading, only_a: list[int], only_b: list[int], pairs: list[tuple[int, int]]
) -> None:
    for i in tuple(only_a):
        for j in tuple(only_b):
            if (
                _is_slip(a.units[i], b.units[j])
                or _is_cut(a.units[i], a, b.units[j])
                or _is_cut(b.units[j], b, a.units[i])
            ):
                pairs.append((i, j))
                only_a.remove(i)
                only_b.remove(j)
                break


def _is_slip(u: Unit, v: Unit) -> bool:
    """Is one an unknown word that a single slip makes of the other, a known or equally unknown one?"""
    first, second = u.surface.casefold(), v.surface.casefold()
    if (
        min(len(first), len(second)) < _MIN_TYPO
        or first[0] != second[0]
        or not (first + second).isalpha()
    ):
        return False
    if not (u.forms or v.forms) or (
        u.surface[0].isupper() and v.surface[0].isupper() and u.start and v.start
    ):
        return False
    named = u.surface[0].isupper() and v.surface[0].isupper()
    unknown = not (is_word(first) or is_word(second))
    if named and (unknown or _is_longer(first, second)):
        return False  # Christian, Christiane; Schmidt, Schmitt
    if u.forms and v.forms:
        alike = _undouble(first) == _undouble(second)
        return len(first) > _MIN_TYPO and (
            alike or (len(first) > _LONG and _one_slip(first, second))
        )
    if len(first if u.forms else second) > len(second if u.forms else first):
        return _undouble(first) == _undouble(
            second
        )  # the unknown one has a letter more: another word
    return _undouble(first) == _undouble(second) or _one_slip(first, second)


def _is_longer(first: str, second: str) -> bool:
    """Is one word the other with something behind it?"""
    return first.startswith(second) or second.startswith(first)


def _is_cut(u: Unit, reading: Reading, v: Unit) -> bool:
    """deg. and coords: the beginning of the other word, with a full stop or no word itself."""
    if u.kind not in ("word", "concept") or v.kind not in ("word", "concept", "action", "quality"):
        return False
    short, full = u.surface.casefold(), v.surface.casefold()
    stem = short.removesuffix("s") if full.endswith("s") else short
    if not short.isalpha() or len(stem) < _MIN_CUT or len(full) < len(short) + _MIN_CUT:
        return False
    dotted = re.match(r"\.(?:[,;:)]| [a-z\d])", reading.text[u.end : u.end + 3]) is not None
    unknown = reading.language == "en" and len(short) > _MIN_CUT + 1 and not is_word(short)
    return full.startswith(stem) and (dotted or unknown)


def _undouble(word: str) -> str:
    return re.sub(r"(.)\1", r"\1", word)


def _one_slip(first: str, second: str) -> bool:
    """One letter left out, two exchanged, or a vowel for a vowel; a consonant changed may be another word."""
    if len(first) > len(second):
        first, second = second, first
    k = next((n for n, (x, y) in enumerate(zip(first, second, strict=False)) if x != y), len(first))
    if len(first) != len(second):
        return first[k:] == second[k + 1 :]
    if first[k + 2 :] == second[k + 2 :] and first[k : k + 2] == second[k : k + 2][::-1]:
        return True
    return first[k + 1 :] == second[k + 1 :] and {first[k], second[k]} <= _VOWELS


def _pair_spans(
    short: Reading,
    long: Reading,
    only_short: list[int],
    only_long: list[int],
    pairs: list[tuple[int, int]],
    *,
    turned: bool,
) -> None:
    for i in tuple(only_short):
        span = _spelled_out(short.units[i], long, only_long)
        if not span:
            continue
        pairs.append((span[0], i) if turned else (i, span[0]))
        only_short.remove(i)
        for j in span:
            only_long.remove(j)


def _spelled_out(unit: Unit, long: Reading, only_long: list[int]) -> list[int]:
    """Find the neighbouring leftovers that the unit abbreviates or writes as one word."""
    word = unit.surface
    if not (word.isascii() and word.isalpha()) and not _HAN_PAIR.fullmatch(word):
        return []
    if parts := _parted(unit, long, only_long):
        return parts
    for start in range(len(only_long)):
        for stop in range(start + 1, min(start + 6, len(only_long)) + 1):
            span = only_long[start:stop]
            if span[-1] - span[0] != len(span) - 1:
                break
            units = [long.units[j] for j in span]
            if units[0].sign == unit.sign and _stands_for(word, units, long):
                return span
    return []


def _parted(unit: Unit, long: Reading, only_long: list[int]) -> list[int]:
    """调一次音: 调音. Only a number may stand between the two characters."""
    if len(unit.surface) != 2 or unit.kind != "action":  # noqa: PLR2004
        return []
    for i, j in pairwise(only_long):
        between = long.units[i + 1 : j]
        written = long.units[i].surface + long.units[j].surface
        if written == unit.surface and between and all(u.kind == "quantity" for u in between):
            return [i, j] if long.units[i].sign == unit.sign else []
    return []


def _stands_for(word: str, units: list[Unit], long: Reading) -> bool:
    joined = "".join(re.findall(r"\w", "".join(u.surface for u in units))).casefold()
    if not word.isascii():
        return len(joined) == _FULL and word == joined[::2]  # 北大: 北京大学
    if len(units) > 1 and len(joined) >= _MIN_JOINED and joined == word.casefold():
        return True
    if not _ACRONYM.fullmatch(word) or sum(c.isupper() for c in word) < 2:  # noqa: PLR2004 - not a mere capital
        return False
    words = re.findall(r"[^\W\d_]+", _between(long, units))
    full = "".join(w[0] for w in words).casefold()
    content = "".join(w[0] for u in units for w in re.findall(r"[^\W\d_]+", u.surface)).casefold()
    return len(words) > 1 and word.casefold() in (full, content)


def _between(long: Reading, units: list[Unit]) -> str:
    return long.text[units[0].start : units[-1].end]

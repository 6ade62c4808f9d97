"""What the units leave out and yet tells two texts apart: signs, capitals of names in code, and who stands where.

Each guard looks at the words and signs themselves, whatever the tables know of them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import product

from memoryd.memory.consolidation.acting import acting_problem
from memoryd.memory.consolidation.cases import case_problem
from memoryd.memory.consolidation.contrasts import contrast_problem
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.ranging import ranging_problem
from memoryd.memory.consolidation.signs import sign_problem
from memoryd.memory.consolidation.unit import Reading

_MOST_WORDS = 80
_SHORT = 3  # letters; longer words lose their "s": runs, run
_SHARED = 3
_WORD = re.compile(r"'s\b|[=!<>~&|]{1,3}|[㐀-鿿぀-ヿ]|[^\W_㐀-鿿぀-ヿ]+")
_JOINERS = frozenset(
    [
        "and",
        "or",
        "is",
        "are",
        "equals",
        "和",
        "与",
        "及",
        "或",
        "跟",
        "是",
        "即",
        "und",
        "oder",
        "ist",
        "sind",
        "et",
        "ou",
        "est",
        "sont",
        "y",
        "e",
        "o",
        "es",
        "son",
        "と",
        "や",
        "は",
        "와",
        "과",
    ]
)
_ARTICLES = frozenset({"the", "The", "a", "an", "An", "是"})  # A may be a name
# Words that are said of what stands behind them: moved, they are said of something else.
_SCOPE = frozenset({
    "不", "都", "只", "也", "没", "太", "很", "半", "全", "每", "仅", "才", "only", "not", "all", "just", "half", "even", "also", "never",
    "always", "no", "nur", "nicht", "auch", "alle", "kein", "seulement", "pas", "solo", "sólo", "también", "aussi",
})  # fmt: skip
_CAUSES = (
    "为了",
    "因为",
    "由于",
    "因",
    "如果",
    "because",
    "if",
    "since",
    "when",
    "weil",
    "wenn",
    "parce",
    "si",
    "porque",
)
_OWNING = frozenset({"'s", "的", "の", "의"})  # Ann is Bob's manager: what follows is of Bob
_PLACING = frozenset({"marker", "condition", "boundary", "quantify"})
_HAS_DONE = re.compile(
    r"(?<![通经超说提讲调多胜])过(?!去|程|期|敏|滤|来|后|年|于|[慢快大小长短高低多少早晚重轻热冷](?=[^一-鿿]|$)|[慢快大小长短高低多少早晚重轻热冷][的了])"
)


def wording_problem(a: Reading, b: Reading) -> str | None:
    """Name what tells the words of two readings apart, or None."""
    guards: tuple[Callable[[Reading, Reading], str | None], ...] = (
        exchanged_words, acting_problem, contrast_problem, sign_problem, ranging_problem, case_problem, _only_once,
    )  # fmt: skip
    return next((problem for guard in guards if (problem := guard(a, b))), None)


def exchanged_words(a: Reading, b: Reading) -> str | None:
    """Ann gave Bob the keys, Bob gave Ann the keys: the same words in the same places but for two."""
    first, second = _spelled(a.text), _spelled(b.text)
    if first == second or len(first) != len(second) or len(first) > _MOST_WORDS:
        return None
    if Counter(first) != Counter(second):
        return None
    if _owned(a.text) != _owned(b.text):
        return "what belongs to whom is another"
    found = [
        (cut, before, after)
        for mine, yours, before, after in _windows(first, second)
        for cut in _exchanges(mine, yours)
    ]
    if not found or any(_is_free(*cut, before, after, a) for cut, before, after in found):
        return None
    one, _, other = found[0][0]
    return f"{' '.join(one)!r} and {' '.join(other)!r} changed places"


@lru_cache(maxsize=16384)
def _spelled(text: str) -> list[str]:
    words = (word.casefold() for word in _WORD.findall(text) if word not in _ARTICLES)
    return [word.removesuffix("s") if len(word) > _SHORT else word for word in words]


def _owned(text: str) -> set[tuple[str, str]]:
    """小王是姐姐的同学, 小王的姐姐是同学: what stands on both sides of 的."""
    return {
        (text[at - 2 : at], text[at + 1 : at + 3]) for at in range(2, len(text)) if text[at] == "的"
    }


def _is_free(  # what was exchanged, and the words around it
    one: list[str],
    between: list[str],
    other: list[str],
    before: list[str],
    after: str,
    reading: Reading,
) -> bool:
    """May the two follow each other in any order: joined, whole parts, or one of them a time or a place?"""
    if after in _OWNING or _SCOPE.issuperset(one) or _SCOPE.issuperset(other):
        return False
    if not between and "".join(before[-2:]).endswith(_CAUSES):
        return False
    if {"谁", "都"} & {*one, *other} and not between:
        return False  # 谁都认识老李, 老李谁都认识
    if not between and {one[0], one[-1], other[0], other[-1]} & _JOINERS:
        return False  # small dogs and cats, dogs and small cats
    placing = (_is_placing(one, reading), _is_placing(other, reading))
    if (
        all(placing)
        and min(len(one), len(other)) > 1
        and one[0] != other[0]
        and reading.language not in UNSPACED
    ):
        return True  # to the team, on Fridays: each keeps its preposition
    return set(between) <= _JOINERS or placing[0] != placing[1]


def _windows(
    first: list[str], second: list[str]
) -> Iterator[tuple[list[str], list[str], list[str], str]]:
    """What both begin and end with cut off, all but a few words of it (中文和英文, 英文和中文); what is before and behind."""
    start = next(i for i, (x, y) in enumerate(zip(first, second, strict=True)) if x != y)
    pairs = zip(reversed(first), reversed(second), strict=True)
    end = len(first) - next(i for i, (x, y) in enumerate(pairs) if x != y)
    for more, most in product(range(_SHARED), repeat=2):
        if more <= start and end + most <= len(first):
            window = slice(start - more, end + most)
            after = "".join(first[window.stop :][:1])
            yield first[window], second[window], first[: window.start], after


def _exchanges(
    first: list[str], second: list[str]
) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Cut *first* into u y v so that *second* is v y u, in every way there is."""
    size = len(first)
    for i in range(1, size):
        if second[size - i :] != first[:i]:
            continue
        for j in range(1, size - i + 1):
            if second[:j] == first[size - j :] and second[j : size - i] == first[i : size - j]:
                yield first[:i], first[i : size - j], first[size - j :]


def _is_placing(words: Sequence[str], reading: Reading) -> bool:
    """Does the part say when, where or on which condition, so that it may stand anywhere?"""
    phrases = lexicon(reading.language).phrases
    sense = phrases.get(words[0]) or phrases.get(words[0] + "s")  # dans
    dated = any(
        unit.kind == "quantity" and words[-1] in unit.surface.casefold() for unit in reading.units
    )
    return dated or (sense is not None and sense.role in _PLACING)


def _only_once(a: Reading, b: Reading) -> str | None:
    """住在 / 住过: what somebody has done is not what he does."""
    if not (a.language == b.language == "zh"):
        return None
    done = [_HAS_DONE.search(reading.text) is not None for reading in (a, b)]
    silent = b if done[0] else a
    if done[0] == done[1] or not lexicon("zh").perfective.isdisjoint(silent.dropped):
        return None
    return "only one speaks of the past"

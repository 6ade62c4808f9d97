"""What is written and no unit holds: signs, capitals of code, names of one letter, and of whom "only" is said."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memoryd.memory.consolidation.unit import Reading

_SIGNS: tuple[re.Pattern[str], ...] = (
    re.compile(r"(?<![<>=-])[<>]=?(?![<>/])|[!=]="),  # comparison
    re.compile(r"[\[(]\s*-?[\d.]+\s*[,;]\s*-?[\d.]+\s*[\])]"),  # interval
    re.compile(r"(?<=\s)[=!<>~&|:?^]{1,3}(?=\s|\d|$)"),  # operator
    re.compile(r"[\U0001f300-\U0001faff✀-➿]"),  # emoji that say yes or no
    re.compile(r"\d\s?[kMGT]i?([bB])\b"),  # bit or byte
    re.compile(r"[★☆⭐]+|(?<!\w)[:;]-?[()](?!\w)"),  # how many stars, which smile
)
_NONE: tuple[tuple[str, ...], ...] = tuple(() for _ in _SIGNS)
# Few texts have any of the signs that a pattern asks for, which are found much faster than the pattern.
_MAY_BE_SIGN = re.compile(r"[<>=!\[(~&|:?^]|[kMGT]i?[bB]\b|[\U0001f300-\U0001faff✀-➿★☆⭐]")
_MAY_BE_TAILED = re.compile(r"[+#!*]|[A-Z]-")
_MAY_BE_CASED = re.compile(r"[-/\\_]|[a-z][A-Z]|\(\)")
_PIECE = re.compile(r"\S+")
_TAILED = re.compile(
    r"(?<!\S)(?!\d[\d.]*\+)[\w.]+(?:\+{1,2}|#)(?=[\s.,;:!?)]|$)|(?<!\S)[A-Z]{1,2}-(?=[\s.,;:!?)]|$)|(?<!\S)[!*][\w.]\S*"
)
_SUPERSCRIPT = re.compile(r"\w?[²³¹⁰⁴-⁹⁻]+")
_SUFFIXED = re.compile(r"(?<![\w+#])[A-Za-z](?:\+\+|#|\*|\+)?(?![\w+#'.-])")
_CASED = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*|[\w.~-]*[/\\][\w./\\~-]*\w|\b[A-Za-z]*[a-z][A-Z]\w*|\b\w+_\w+|\b\w+(?=\(\))"
)
_TITLED = re.compile(r"[A-Z][a-z]+(?:/[A-Z][a-z]+)+")  # Europe/Lisbon may be typed small
_SUBJECT_ONLY = re.compile(
    r"\bonly (?:the|i|we|he|she|they|you|our|my)\b|只有(?:我|你|他|她|用户|我们)|\bnur (?:der|die|das|ich|wir)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bonly\b|只|\bnur\b", re.IGNORECASE)
_MARKED_ONLY = re.compile(r"(\w\w|\w)(?:曜日?)?だけ|(\w{1,2}?)(?:에|에게|에서)?만(?=[ .]|$)")


@dataclass(frozen=True, slots=True)
class _Written:
    """What is written in one text.

    Attributes:
        signs: those of each kind of _SIGNS.
        cased: code in which capitals count, by its form in lower case.
        letters: names of one letter (C, C++).
        marked_only: what stands before だけ or 만.
        only: is there an "only"? *of_subject*: is it said of who acts?
        tails: words that end or begin with a sign (O+, C#, !ready).
    """

    signs: tuple[tuple[str, ...], ...]
    powers: frozenset[str]
    cased: Mapping[str, str]
    letters: frozenset[str]
    marked_only: frozenset[tuple[str, str]]
    only: bool
    of_subject: bool
    tails: frozenset[str]


def sign_problem(a: Reading, b: Reading) -> str | None:
    """Name the sign that tells two texts apart, or None."""
    ours, theirs = _written(a.text), _written(b.text)
    for mine, yours in zip(ours.signs, theirs.signs, strict=True):
        if mine and yours and set(mine) != set(yours):
            return f"another sign: {' '.join(mine)} / {' '.join(yours)}"
    if ours.powers != theirs.powers:
        return "another power"
    if ours.tails != theirs.tails and {_bare(w) for w in ours.tails ^ theirs.tails} & (
        {_bare(w) for w in _PIECE.findall(a.text)} & {_bare(w) for w in _PIECE.findall(b.text)}
    ):
        return f"another sign: {' '.join(sorted(ours.tails ^ theirs.tails))}"
    return _other_case(ours, theirs) or _other_letters(ours, theirs) or _other_only(ours, theirs)


@lru_cache(maxsize=16384)
def _written(text: str) -> _Written:
    only, foreign = _ONLY.search(text) is not None, not text.isascii()
    cased = _CASED.findall(text) if _MAY_BE_CASED.search(text) else ()
    return _Written(
        tuple(_found(pattern, text) for pattern in _SIGNS) if _MAY_BE_SIGN.search(text) else _NONE,
        frozenset(_SUPERSCRIPT.findall(text) if foreign else ()),
        {found.casefold(): found for found in cased},
        frozenset(found for found in _SUFFIXED.findall(text) if found.lower() not in ("a", "i")),
        frozenset(_MARKED_ONLY.findall(text) if foreign else ()),
        only,
        only and _SUBJECT_ONLY.search(text) is not None,
        frozenset(_TAILED.findall(text) if _MAY_BE_TAILED.search(text) else ()),
    )


def _found(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    """Give what the pattern finds, each once, in the order of the text."""
    found = (match.group(match.lastindex or 0) for match in pattern.finditer(text))
    return tuple(dict.fromkeys(found))


def _bare(word: str) -> str:
    return word.strip("+-#!*.,;:?()").casefold()


def _other_case(ours: _Written, theirs: _Written) -> str | None:
    """-v is not -V, lib/app not lib/App: in code capitals count."""
    for folded in ours.cased.keys() & theirs.cased.keys():
        one, other = sorted((ours.cased[folded], theirs.cased[folded]))
        if one != other and not (_TITLED.fullmatch(one) and other == folded):
            return f"another identifier: {ours.cased[folded]} / {theirs.cased[folded]}"
    return None


def _other_letters(ours: _Written, theirs: _Written) -> str | None:
    """C, C++ and C# are three."""
    bare = {name[0] for name in ours.letters} & {name[0] for name in theirs.letters}
    differing = {name for name in ours.letters ^ theirs.letters if name[0] in bare}
    return f"another name: {' / '.join(sorted(differing))}" if differing else None


def _other_only(ours: _Written, theirs: _Written) -> str | None:
    """Only the user drinks it, the user only drinks it; 田中さんだけが, デプロイだけ."""
    marked = ours.marked_only and theirs.marked_only and ours.marked_only != theirs.marked_only
    said = ours.only and theirs.only and ours.of_subject != theirs.of_subject
    return "'only' is said of another" if marked or said else None

"""Ways to say that look alike and are two facts: risen by 10, risen to 10; see languages/contrasts.toml."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import Reading

_FOREIGN = "\u0250"  # the first letter behind the Latin ones
_SYNTAX = re.compile(r"\\.|\(\?<?[:!=]")


class _Row(NamedTuple):
    """A contrast: its name, its two sides, and whether they hold Latin and other letters."""

    says: str
    one: re.Pattern[str]
    other: re.Pattern[str]
    latin: bool
    foreign: bool


def contrast_problem(a: Reading, b: Reading) -> str | None:
    """Name the contrast of which each of two texts holds another side, or None."""
    ours, theirs = _ones(a.text), _ones(b.text)
    for number in sorted(ours ^ theirs):
        said, silent = (a, b) if number in ours else (b, a)
        if _holds_other(silent.text, number) and not _holds_other(said.text, number):
            return _rows()[number].says
    return None


@lru_cache(maxsize=16384)
def _ones(text: str) -> frozenset[int]:
    """The contrasts of which a text holds the first side; only for them it is asked who holds the second."""
    text = text.casefold()
    return frozenset(number for number, one in _ones_of(*_scripts(text)) if one.search(text))


@cache
def _ones_of(latin: bool, foreign: bool) -> tuple[tuple[int, re.Pattern[str]], ...]:
    """The first sides that a text with Latin or other letters may hold, by the numbers of their contrasts."""
    return tuple(
        (number, row.one)
        for number, row in enumerate(_rows())
        if (latin and row.latin) or (foreign and row.foreign)
    )


@lru_cache(maxsize=16384)
def _holds_other(text: str, number: int) -> bool:
    text, row = text.casefold(), _rows()[number]
    latin, foreign = _scripts(text)
    fits = (latin and row.latin) or (foreign and row.foreign)
    return fits and row.other.search(text) is not None


def _scripts(text: str) -> tuple[bool, bool]:
    """Are there Latin letters, and others (accents do not count)?"""
    letters = [char for char in set(text) if char.isalpha()]
    return min(letters, default=_FOREIGN) < _FOREIGN, max(letters, default="") >= _FOREIGN


@cache
def _rows() -> tuple[_Row, ...]:
    return tuple(
        _Row(
            row["says"],
            re.compile(row["one"]),
            re.compile(row["other"]),
            *_scripts(_SYNTAX.sub("", row["one"] + row["other"])),
        )
        for row in table("contrasts")["contrast"]
    )

"""Ways to say that look alike and are two facts: risen by 10, risen to 10; see languages/contrasts.toml."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import Reading

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
    ours, theirs = _sides(a.text), _sides(b.text)
    for number in ours.keys() & theirs.keys():
        if ours[number] != theirs[number] and "both" not in (ours[number], theirs[number]):
            return _rows()[number].says
    return None


@lru_cache(maxsize=131072)
def _sides(text: str) -> dict[int, str]:
    """Which sides of which contrasts a text holds: "one", "other" or "both"."""
    text = text.casefold()
    latin, foreign = _scripts(text)
    found: dict[int, str] = {}
    for number, row in enumerate(_rows()):
        if not ((latin and row.latin) or (foreign and row.foreign)):
            continue
        sides = [name for name in ("one", "other") if getattr(row, name).search(text)]
        if sides:
            found[number] = sides[0] if len(sides) == 1 else "both"
    return found


def _scripts(text: str) -> tuple[bool, bool]:
    """Are there Latin letters, and others (accents do not count)?"""
    letters = [char for char in text if char.isalpha()]
    return any(char < "\u0250" for char in letters), any(char >= "\u0250" for char in letters)


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

"""Ways to say that look alike and are two facts: risen by 10, risen to 10; see languages/contrasts.toml."""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files

from memoryd.memory.consolidation.unit import Reading


def contrast_problem(a: Reading, b: Reading) -> str | None:
    """Name the contrast of which each of two texts holds another side, or None."""
    ours, theirs = _sides(a.text), _sides(b.text)
    for row in ours.keys() & theirs.keys():
        if ours[row] != theirs[row] and len(ours[row]) == len(theirs[row]) == 1:
            return _rows()[row][0]
    return None


@lru_cache(maxsize=16384)
def _sides(text: str) -> dict[int, tuple[int, ...]]:
    """Which sides of which contrasts a text holds."""
    text = text.casefold()
    found = {
        number: tuple(side for side in (1, 2) if row[side].search(text))  # type: ignore[union-attr] # 0 is the name
        for number, row in enumerate(_rows())
    }
    return {number: sides for number, sides in found.items() if sides}


@cache
def _rows() -> list[tuple[str, re.Pattern[str], re.Pattern[str]]]:
    path = files("memoryd.memory.consolidation") / "languages" / "contrasts.toml"
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["contrast"]
    return [(row["says"], re.compile(row["one"]), re.compile(row["other"])) for row in rows]

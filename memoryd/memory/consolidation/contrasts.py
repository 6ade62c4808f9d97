"""Ways to say that look alike and are two facts: risen by 10, risen to 10; see languages/contrasts.toml."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from memoryd.memory.consolidation.unit import Reading


def contrast_problem(a: Reading, b: Reading) -> str | None:
    """Name the contrast of which each of two texts holds another side, or None."""
    ours, theirs = a.text.casefold(), b.text.casefold()
    for says, one, other in _rows():
        for first, second in ((ours, theirs), (theirs, ours)):
            if (
                one.search(first)
                and other.search(second)
                and not (one.search(second) or other.search(first))
            ):
                return says
    return None


@cache
def _rows() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    path = files("memoryd.memory.consolidation") / "languages" / "contrasts.toml"
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["contrast"]
    return tuple((row["says"], re.compile(row["one"]), re.compile(row["other"])) for row in rows)

"""The small tables of languages/: each guard has one, and reads it once."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from memoryd.memory.consolidation.lexicon import UNSPACED


@cache
def table(name: str) -> dict[str, Any]:
    """Read languages/*name*.toml."""
    path = files("memoryd.memory.consolidation") / "languages" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def any_of(phrases: Iterable[str]) -> str:
    """Make the regular expression of any of the phrases, the longest first; of none, one that matches nothing."""
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True))) or r"(?!)"


def words_of(phrases: Iterable[str], language: str) -> re.Pattern[str]:
    """Make the pattern of any of the phrases: whole words, where words are spaced."""
    found = any_of(phrases)
    return re.compile(found if language in UNSPACED else rf"(?<!\w)(?:{found})(?!\w)")

"""A number is followed by the noun that belongs to it, wherever a person reads it."""

import re
from pathlib import Path

import pytest

from memoryd.counting import counted

PACKAGE = Path(__file__).parents[1] / "memoryd"
# A made number, then a plural: `{len(found)} entries`.
PLURAL = re.compile(
    r"\}(?: new| more)? (?:entries|files|messages|transcripts|records|sessions|days|folders|conflicts|"
    r"merges|secrets|pairs|hits|vectors|tasks|places|rows|changes|times)\b"
)
# "1 of 3 entries", several that became one, and the figures of an index that contradicts itself.
NOT_COUNTED = {"problems.py", "snapshots.py", "bank.py", "fts.py"}


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (1, "entry", "1 entry"),
        (0, "entry", "0 entries"),
        (2, "more change", "2 more changes"),
        (3, "day", "3 days"),
        (1.0, "day", "1 day"),
        (1.5, "day", "1.5 days"),
    ],
)
def test_the_noun_agrees(number: float, noun: str, text: str) -> None:
    assert counted(number, noun) == text


def test_nobody_makes_a_plural_by_hand() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in PACKAGE.rglob("*.py")
        if path.name not in NOT_COUNTED and "consolidation" not in path.parts
        for line in path.read_text(encoding="utf-8").splitlines()
        if PLURAL.search(line)
    ]

    assert found == []

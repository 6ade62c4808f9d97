"""Batches written in one go, each before the tables knew it: no twin ever merges, and most restatements do.

batches.tsv: same or apart, text, text. How many of each batch were recognised at the first try stands in
docs/benchmarks.md; a line is never taken out because it is hard.
"""

from pathlib import Path

import pytest

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.planning import _read_both

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("batches.tsv").read_text("utf-8").splitlines()
    if line
]
# measured; raise it when the tables get better
FLOOR = 0.50


def _merges(a: str, b: str) -> bool:
    return compare(*_read_both(a, b)).merges


@pytest.mark.parametrize(("a", "b"), [row[1:] for row in ROWS if row[0] == "apart"])
def test_twins_are_kept_apart(a: str, b: str) -> None:
    assert not _merges(a, b)
    assert not _merges(b, a)


def test_most_restatements_are_recognised() -> None:
    same = [row for row in ROWS if row[0] == "same"]

    assert sum(_merges(a, b) for _, a, b in same) >= FLOOR * len(same)

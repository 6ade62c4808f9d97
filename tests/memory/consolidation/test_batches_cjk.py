"""Batches in Chinese, Japanese and Korean, each written before the tables knew it: no twin merges, most restatements do.

batches_cjk.tsv: same or apart, language, text, text. A line is never taken out because it is hard.
"""

from pathlib import Path

import pytest

from memoryd.memory.consolidation.pairing import compare_texts

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("batches_cjk.tsv").read_text("utf-8").splitlines()
    if line
]
# measured; raise them when the tables get better
FLOORS = {"zh": 0.60, "ja": 0.45, "ko": 0.45}


def _merges(a: str, b: str) -> bool:
    return compare_texts(a, b)[2].merges


@pytest.mark.parametrize("language", FLOORS)
def test_twins_are_kept_apart_either_way_round(language: str) -> None:
    twins = [row[2:] for row in ROWS if row[:2] == ["apart", language]]

    assert not [(a, b) for a, b in twins if _merges(a, b) or _merges(b, a)]


@pytest.mark.parametrize("language", FLOORS)
def test_most_restatements_are_recognised(language: str) -> None:
    same = [row[2:] for row in ROWS if row[:2] == ["same", language]]

    assert sum(_merges(a, b) for a, b in same) >= FLOORS[language] * len(same)


def test_restatements_and_twins_are_both_there_in_numbers() -> None:
    for label in ("same", "apart"):
        assert sum(row[0] == label for row in ROWS) > 100

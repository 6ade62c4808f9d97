"""Restatements of many kinds and languages become one; how many is a floor that must not sink."""

from collections import Counter
from pathlib import Path

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.reading import read

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("pairs.tsv").read_text("utf-8").splitlines()
    if line
]
# measured when the tables were written; raise it when they get better
FLOOR = 0.78


def _merged() -> Counter[tuple[str, bool]]:
    found: Counter[tuple[str, bool]] = Counter()
    for _, language, _, a, b in ROWS:
        found[language, compare(read(a), read(b)).merges] += 1
    return found


def test_most_restatements_are_recognised() -> None:
    found = _merged()

    assert sum(n for (_, merged), n in found.items() if merged) >= FLOOR * len(ROWS)


def test_english_and_chinese_restatements_are_recognised_alike() -> None:
    found = _merged()
    for language in ("en", "zh"):
        assert found[language, True] >= FLOOR * (found[language, True] + found[language, False])


def test_a_comparison_is_the_same_either_way_round() -> None:
    for _, _, _, a, b in ROWS:
        assert compare(read(a), read(b)).merges == compare(read(b), read(a)).merges, (a, b)


def test_every_text_is_the_same_as_itself() -> None:
    for _, _, _, *texts in ROWS:
        for text in texts:
            assert compare(read(text), read(text)).relation == "same", text

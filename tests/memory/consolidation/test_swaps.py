"""The same words, another fact: who acts on whom, what comes first, whose it is (swaps.tsv); and what may change places."""

from pathlib import Path

import pytest

from memoryd.memory.consolidation.pairing import compare_texts

SWAPS = [
    line.split("\t")
    for line in Path(__file__).with_name("swaps.tsv").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(("one", "other"), SWAPS)
def test_the_same_words_with_another_meaning_stay_two(one: str, other: str) -> None:
    assert not compare_texts(one, other)[2].merges
    assert not compare_texts(other, one)[2].merges


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I want short answers", "Give me short answers"),
        ("Tom hired me", "I was hired by Tom"),
        ("Lena's deputy is Tom", "Tom is Lena's deputy"),
        ("The owner is Bob", "Bob is the owner"),
        ("I prefer answers in German", "Answer me in German"),
    ],
)
def test_what_only_changed_places_is_one(one: str, other: str) -> None:
    assert compare_texts(one, other)[2].merges

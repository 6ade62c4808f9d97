"""Texts that nobody would call a note: however long, and of whatever signs, they cost no time and lose nothing."""

import time

import pytest

from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.sketching import sketch_of

SECONDS = 20.0  # minutes and hours before they were bounded; a slow machine needs some
PIECES = [
    "a",
    "1",
    "a1",
    "中",
    "a.",
    "-",
    "ab-",
    "`",
    "/",
    "1,",
    "1:",
    "@",
    "一",
    "not ",
    "1 ",
    "不",
    "'",
    "\N{GRINNING FACE}",
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_takes_no_longer_than_its_beginning(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    started = time.process_time()
    sketch_of(text, japanese=True)
    comparison = compare_texts(text, text + " and the port is 8080")[2]
    assert not comparison.merges
    assert time.process_time() - started < SECONDS


def test_long_texts_with_the_same_beginning_are_one_only_if_they_are_equal() -> None:
    text = "word " * 2000
    assert not compare_texts(text + "the port is 80", text + "the port is 81")[2].merges
    assert not compare_texts(text, text + "the port is 81")[2].merges
    assert compare_texts(text, text)[2].relation == "same"

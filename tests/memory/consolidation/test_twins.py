"""A fact changed anywhere in a sentence keeps it apart from its twin; a polite frame around it does not."""

import random
from collections import Counter

import pytest

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.reading import read

from .twins import FEWEST, KINDS, LANGUAGES, POLITE, Twin, twins

ALL = list(twins())
SAMPLE = 150  # twins that the quick tests look at, in four parts


def _check(twin: Twin) -> None:
    for frame in ("{s}", *POLITE[twin.language]):
        other = frame.format(s=twin.twin)
        assert not compare(read(twin.original), read(other)).merges, (twin.original, other)
        assert not compare(read(other), read(twin.original)).merges, (other, twin.original)
    assert not compare_texts(twin.original, twin.twin)[2].merges, (twin.original, twin.twin)


def test_every_kind_of_fact_has_twins_in_every_language() -> None:
    counts = Counter((twin.language, twin.kind) for twin in ALL)
    empty = [
        (language, kind)
        for language in LANGUAGES
        for kind in KINDS
        if counts[language, kind] < FEWEST
    ]

    assert empty == []


@pytest.mark.parametrize("part", range(4))
def test_a_sample_of_twins_is_kept_apart(part: int) -> None:
    cells = {(twin.language, twin.kind): twin for twin in random.Random(7).sample(ALL, len(ALL))}
    for twin in [*cells.values(), *ALL[:: len(ALL) // SAMPLE]][part::4]:
        _check(twin)


@pytest.mark.slow
def test_every_twin_is_kept_apart() -> None:
    for twin in ALL:
        _check(twin)


@pytest.mark.slow
def test_a_frame_that_adds_no_fact_never_keeps_a_sentence_from_itself() -> None:
    for twin in ALL:
        for frame in POLITE[twin.language]:
            framed = frame.format(s=twin.original)
            assert compare_texts(twin.original, framed)[2].merges, framed

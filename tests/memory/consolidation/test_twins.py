"""A fact changed anywhere in a sentence keeps it apart from its twin; a polite frame around it does not."""

import pytest

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.reading import read

from .twins import POLITE, Twin, twins

ALL = list(twins())


def _check(twin: Twin) -> None:
    for frame in ("{s}", *POLITE[twin.language]):
        other = frame.format(s=twin.twin)
        assert not compare(read(twin.original), read(other)).merges, (twin.original, other)
        assert not compare(read(other), read(twin.original)).merges, (other, twin.original)


def test_there_are_twins_of_every_guard_in_every_language() -> None:
    assert len(ALL) > 1000
    assert {twin.language for twin in ALL} == {"en", "zh", "ja", "ko", "de", "fr", "es"}


@pytest.mark.parametrize("start", range(4))
def test_a_sample_of_twins_is_kept_apart(start: int) -> None:
    for twin in ALL[start::28]:
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
            assert compare(read(twin.original), read(framed)).merges, framed

"""What is told of one thing neither merges with nor replaces what is told of another; a newer value of one thing still does."""

from collections import Counter

import pytest

from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.updates import judge
from tests.memory.consolidation.made_things import FRAMES, Pair, pairs

STEP = 29  # every so many pairs; it shares no divisor with the ways in which two notes of a frame are asked for

# Of a thousand pairs: about two things, merged or replaced at most, and asked at most; about one, replaced or asked at least.
BOUNDS = {
    "en": (12, 1, 770),
    "zh": (3, 3, 670),
    "de": (6, 6, 880),
    "fr": (1, 10, 940),
    "es": (1, 10, 920),
    "ja": (8, 8, 830),
    "ko": (1, 1, 660),
}


def relation(pair: Pair) -> str:
    old, new, comparison = compare_texts(pair.older, pair.newer)
    return "merge" if comparison.merges else judge(old, new, comparison).relation


@pytest.mark.parametrize("language", FRAMES)
def test_another_thing_is_left_alone_and_a_newer_value_is_seen(language: str) -> None:
    found = Counter((pair.same, relation(pair)) for pair in pairs(language, STEP))
    apart = sum(count for (same, _), count in found.items() if not same)
    alike = sum(count for (same, _), count in found.items() if same)
    wrong = found[False, "merge"] + found[False, "update"]
    seen = found[True, "update"] + found[True, "conflict"]
    most, asked, least = BOUNDS[language]

    assert found[True, "merge"] == 0
    assert wrong * 1000 <= most * apart
    assert found[False, "conflict"] * 1000 <= asked * apart
    assert seen * 1000 >= least * alike

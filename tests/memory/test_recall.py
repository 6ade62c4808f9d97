"""Which hits of a search count as used in full."""

import pytest

from memoryd.memory.recall import answering


@pytest.mark.parametrize(
    ("complete", "answered"),
    [
        ([], []),
        ([False], [0]),
        ([False, False, False], [0]),
        ([True, False, True, True], [0, 2]),
        ([True] * 10, [0, 1, 2]),
    ],
)
def test_the_first_answers_and_so_do_those_at_the_top_with_every_word(
    complete: list[bool], answered: list[int]
) -> None:
    assert answering(complete) == answered

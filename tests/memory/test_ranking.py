"""Ranking is pure: the same candidates in any order give the same list."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory.ranking import (
    SHOWN_BEFORE_VARIETY,
    literal_share,
    rank_candidates,
    score,
    spread_sessions,
)
from memoryd.model import Candidate


def candidate(
    row: int,
    strength: float = 1.0,
    *,
    session: int = 1,
    position: int | None = None,
    complete: bool = True,
) -> Candidate:
    return Candidate(row, session, position, complete, strength, 0.0)


def order(*candidates: Candidate) -> list[int]:
    return [one.id for one in rank_candidates(candidates)]


def test_all_words_come_before_any_strength() -> None:
    assert order(candidate(1, 99.0, complete=False), candidate(2, 0.1)) == [2, 1]


def test_the_stronger_comes_first_and_of_equals_the_newer() -> None:
    assert order(
        candidate(1, 1.0, session=1), candidate(2, 5.0, session=2), candidate(3, 5.0, session=3)
    ) == [3, 2, 1]


def test_a_neighbour_that_matches_too_lifts_a_message() -> None:
    alone = candidate(1, 5.0, session=1, position=10)
    accompanied = candidate(2, 5.0, session=2, position=10)
    far = candidate(3, 4.0, session=1, position=90)
    near = candidate(4, 4.0, session=2, position=11)

    assert order(alone, accompanied, far, near)[0] == 2


def test_a_session_with_more_matches_lifts_its_messages() -> None:
    talkative = [candidate(row, 5.0, session=1, position=row * 10) for row in range(1, 6)]

    assert order(candidate(9, 5.0, session=2), *talkative)[-1] == 9


def test_tool_rows_have_no_neighbours() -> None:
    ranked = rank_candidates([candidate(1, 5.0), candidate(2, 5.0)])

    assert [one.why["neighbours"] for one in ranked] == [0.0, 0.0]


@given(
    st.lists(
        st.builds(
            Candidate,
            id=st.integers(1, 10_000),
            session=st.integers(1, 5),
            position=st.none() | st.integers(0, 20),
            complete=st.booleans(),
            stemmed=st.floats(0, 50),
            written=st.floats(0, 50),
        ),
        max_size=40,
        unique_by=(lambda c: c.id, lambda c: (c.session, c.position)),
    ),
    st.randoms(),
)
def test_the_order_of_candidates_does_not_matter(
    candidates: list[Candidate], chance: random.Random
) -> None:
    shuffled = candidates[:]
    chance.shuffle(shuffled)

    assert [one.id for one in rank_candidates(shuffled)] == [
        one.id for one in rank_candidates(candidates)
    ]


def test_after_the_first_ten_other_sessions_come_first() -> None:
    ranked = rank_candidates(
        [candidate(row, 100.0 - row) for row in range(1, 31)] + [candidate(99, 0.5, session=2)]
    )

    spread = spread_sessions(ranked)

    assert [one.id for one in spread[:SHOWN_BEFORE_VARIETY]] == list(range(1, 11))
    assert spread[SHOWN_BEFORE_VARIETY].id == 99
    assert sorted(one.id for one in spread) == sorted(one.id for one in ranked)


@given(st.floats(0, 1e6), st.floats(0, 1), st.booleans())
def test_scores_stay_in_their_range_and_tiers_never_mix(
    strength: float, literal: float, complete: bool
) -> None:
    ranked = rank_candidates([candidate(1, strength, complete=complete)])[0]

    assert (1 if complete else 0) <= score(ranked, literal) <= (2 if complete else 1)


@pytest.mark.parametrize(
    ("whole", "literals", "text", "expected"),
    [
        ("red blue", [], "a Red Blue thing", 1.0),
        ("red blue", [], "blue red", 0.0),
        ("user_id", ["user_id"], "the USER_ID column", 0.5),
        ("a b_c d_e", ["b_c", "d_e"], "b_c only", 0.25),
        ("word", [], "word", 0.0),
    ],
)
def test_what_stands_as_typed_is_told(
    whole: str, literals: list[str], text: str, expected: float
) -> None:
    assert literal_share(whole, literals, text) == expected

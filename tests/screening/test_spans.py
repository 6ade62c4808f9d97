"""Spans: overlapping ones become one, and what is replaced is exactly them."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from memoryd.screening.spans import Span, extend, merge, replace

SPANS = st.lists(
    st.builds(
        lambda start, length, kind: Span(start, start + length, kind),
        st.integers(0, 40),
        st.integers(1, 20),
        st.sampled_from(["a", "b"]),
    )
)


def test_what_overlaps_is_one_of_the_longest_kind() -> None:
    assert merge([Span(5, 9, "short"), Span(0, 6, "long"), Span(9, 12, "next")]) == [
        Span(0, 9, "long"),
        Span(9, 12, "next"),
    ]


def test_spans_are_replaced_by_their_kind() -> None:
    assert replace("abcdefgh", [Span(1, 3, "x"), Span(5, 8, "y")]) == "a‹secret:x›de‹secret:y›"


@given(SPANS)
def test_merged_spans_cover_the_same_and_do_not_overlap(spans: list[Span]) -> None:
    merged = merge(spans)

    covered = {position for span in spans for position in range(span.start, span.end)}
    assert {position for span in merged for position in range(span.start, span.end)} == covered
    assert all(one.end <= two.start for one, two in itertools.pairwise(merged))


def test_a_span_is_extended_over_lines_that_look_like_its_rest() -> None:
    text = "x0123456789abcdefG\n  h7Jk2LmN\\\n> Pq9RsT4u\nexport 1"

    assert extend(text, Span(0, 18, "key")) == Span(0, text.index("\nexport"), "key")


def test_a_span_is_not_extended_over_words_assignments_or_other_text() -> None:
    for following in ("export", "NAME9X=1", "h7Jk2LmN and more", "", "2024", "step2"):
        assert extend(f"x0123456789abcdefG\n{following}", Span(0, 18, "key")) == Span(0, 18, "key")


def test_a_short_span_is_not_extended() -> None:
    assert extend("hunter2\nh7Jk2LmN", Span(0, 7, "password")) == Span(0, 7, "password")

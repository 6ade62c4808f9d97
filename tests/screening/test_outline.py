"""The passes over a whole text say the same as a look at every character."""

import re

from hypothesis import given
from hypothesis import strategies as st

from memoryd.screening.outline import MIN_RUN, MIN_WRAPPED_RUN, outline
from memoryd.screening.views import join_lines

TEXTS = st.lists(
    st.sampled_from(
        ["a" * 7, "Z9_-" * 5, " ", "\n", "  \\\n> ", ".", "中", "é", "\x00", "\t", ":/", "%"]
    )
).map("".join)
RUN = re.compile(f"[A-Za-z0-9_-]{{{MIN_RUN},}}")


def runs(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in RUN.finditer(text)]


@given(TEXTS)
def test_runs_are_those_of_token_characters(text: str) -> None:
    assert outline(text).runs() == runs(text)


@given(TEXTS)
def test_offsets_are_those_of_the_text(text: str) -> None:
    drawn = outline(text)

    assert len(drawn.lowered) == len(drawn.classes) == len(text)
    assert drawn.foreign == "".join(character for character in text if not character.isascii())
    assert drawn.has_controls() == ("\x00" in text)


@given(TEXTS)
def test_joined_runs_are_the_longer_ones_of_the_joined_lines(text: str) -> None:
    drawn = outline(text)
    view = join_lines(text)

    joined = drawn.joined(drawn.runs())

    crossing = [
        (start, end)
        for start, end in runs(view.text)
        if view.crosses(start, end) and end - start >= MIN_WRAPPED_RUN
    ]
    assert (joined.runs if joined else []) == crossing


def test_lines_of_a_joined_run() -> None:
    text = "x aaaaaaaa\nbbbbbbbb\ncccccccc d"
    drawn = outline(text)
    joined = drawn.joined(drawn.runs())

    assert joined
    assert joined.runs == [(2, 26)]
    assert joined.lines(2, 26) == (0, 3)
    assert joined.lines(2, 12) == (0, 2)


def test_lone_surrogates_do_no_harm() -> None:
    assert outline("a\ud800b").foreign == "\ud800"

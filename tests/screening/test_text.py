"""screen(): what comes out is safe to keep, stays as it is when screened again, and says what was done."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memoryd.screening import TABLE_VERSION, screen
from tests.screening.benign import BENIGN, TOP_LEVEL_DOMAINS
from tests.screening.planted import TEMPLATES, plant

PACKAGE = Path(__file__).parents[2] / "memoryd"
KINDS = list(TEMPLATES)


def test_kinds_are_counted_and_shown_in_the_text() -> None:
    first, second = (plant("github", TEMPLATES["github"], seed).secret for seed in (1, 2))

    screened = screen(f"one {first} two {second}\u200b.")

    assert screened.text == "one ‹secret:github-token› two ‹secret:github-token›."
    assert screened.secrets == {"github-token": 2}
    assert screened.removed == 1


def test_a_text_without_secrets_is_given_back_itself() -> None:
    text = "nothing to see here"

    screened = screen(text)

    assert screened.text is text
    assert screened.secrets == {}
    assert screened.removed == 0


def test_the_empty_text() -> None:
    assert screen("").text == ""


@pytest.mark.parametrize("text", BENIGN)
def test_benign_text_survives(text: str) -> None:
    assert screen(text).text == text


def test_benign_lines_survive_together() -> None:
    text = "\n".join(BENIGN)

    assert screen(text).text == text


def test_a_list_of_words_is_no_wrapped_token() -> None:
    assert screen(TOP_LEVEL_DOMAINS).text == TOP_LEVEL_DOMAINS


def test_the_mark_of_a_secret_is_no_secret() -> None:
    marks = "".join(f"‹secret:{kind}› password=‹secret:{kind}› " for kind in KINDS)

    assert screen(marks).text == marks


words = st.text(st.sampled_from("abz AZ09 _-=:\"'\\n/%.,\n\t‹›密码\u200b\x00{}()<>@"), max_size=30)
texts = st.lists(
    words
    | st.sampled_from(
        ["password=", "token: ", "api_key='", "://", "https://a:", "Bearer ", "\\u0041"]
    )
    | st.builds(
        lambda kind, seed: plant(kind, TEMPLATES[kind], seed).text,
        st.sampled_from(KINDS),
        st.integers(0, 9),
    ),
    max_size=8,
).map("".join)


@settings(max_examples=200)
@given(texts | st.text())
@example("password = ‹secret:password›x9y8z7")
def test_screening_is_idempotent_and_encodes(text: str) -> None:
    once = screen(text)

    again = screen(once.text)

    assert again.text == once.text
    assert again.removed == 0
    assert once.text.encode().decode() == once.text


@settings(max_examples=200)
@given(st.sampled_from(KINDS), st.integers(0, 10**6), words, words)
def test_no_secret_survives_in_any_surroundings(
    kind: str, seed: int, before: str, after: str
) -> None:
    """Behind a space or at a line's beginning: only unmistakable tokens are found glued to a word."""
    planted = plant(kind, TEMPLATES[kind], seed)

    screened = screen(f"{before}\n{planted.text}\n{after}")

    assert planted.secret not in screened.text


def test_screened_text_is_made_in_this_room_only() -> None:
    makers = [
        path
        for path in PACKAGE.rglob("*.py")
        if re.search(r"\bScreenedText\(|cast\(\s*\"?ScreenedText", path.read_text(encoding="utf-8"))
    ]

    assert {path.parent.name for path in makers} == {"screening"}


def test_the_table_has_a_version_that_can_be_stored() -> None:
    assert isinstance(TABLE_VERSION, int)
    assert TABLE_VERSION >= 1

"""Tokens are searched where they can begin, and only there."""

import pytest

from memoryd.screening.outline import outline
from memoryd.screening.shapes import ANYWHERE, AT_BEGINNING, BEFORE_RUN
from memoryd.screening.spans import Span
from memoryd.screening.tokens import find_at, find_suspects, find_tokens
from tests.screening.planted import TOKEN_TEMPLATES, plant

GITHUB = plant("github", TOKEN_TEMPLATES["github"], 1).text
STRIPE = plant("stripe", TOKEN_TEMPLATES["stripe"], 1).text
DEEPSEEK = plant("deepseek", TOKEN_TEMPLATES["deepseek"], 1).text
SENDGRID = plant("sendgrid", TOKEN_TEMPLATES["sendgrid"], 1)


def search(text: str) -> list[Span]:
    runs = outline(text).runs()
    return find_tokens(text, runs, find_suspects(text, runs))


def test_an_unmistakable_token_is_found_glued_to_a_word() -> None:
    assert search(f"my_token{GITHUB}") == [Span(8, 8 + len(GITHUB), "github-token")]


def test_a_mistakable_token_is_found_where_a_run_begins_only() -> None:
    assert search(f"x={DEEPSEEK}") == [Span(2, 2 + len(DEEPSEEK), "platform-key")]
    assert search(f"di{DEEPSEEK}") == []


def test_a_token_behind_its_prefix() -> None:
    start = SENDGRID.text.index(SENDGRID.secret)

    assert search(SENDGRID.text) == [Span(start, len(SENDGRID.text), "sendgrid-key")]


def test_two_tokens_in_one_run_are_two() -> None:
    assert [span.kind for span in search(STRIPE + "_" + GITHUB)] == ["stripe-key", "github-token"]


def test_a_filler_before_a_token_does_not_hide_it() -> None:
    text = "ghp_" + "x" * 36 + GITHUB

    assert search(text) == [Span(40, 40 + len(GITHUB), "github-token")]


def test_a_token_is_cut_at_the_limit() -> None:
    text = plant("stripe-test", TOKEN_TEMPLATES["stripe-test"], 1).text

    assert find_at(text, 0, 60) == Span(0, 60, "stripe-key")
    assert find_at(text, 0, 12) is None


def test_words_are_no_suspects() -> None:
    text = "a_quite_long_identifier another-name-in-kebab-case SomeCamelCaseNameForAClass"

    assert find_suspects(text, outline(text).runs()) == []


@pytest.mark.parametrize("kind", TOKEN_TEMPLATES)
def test_each_token_is_one_suspect_or_behind_a_prefix(kind: str) -> None:
    """The search looks at suspects and at what stands before a run; a new row must be in reach."""
    planted = plant(kind, TOKEN_TEMPLATES[kind], 1)
    runs = outline(planted.text).runs()

    assert runs
    if kind != "fal":  # by its name
        assert find_tokens(planted.text, runs, find_suspects(planted.text, runs))


def test_no_prefix_is_in_two_places() -> None:
    assert not set(ANYWHERE) & set(AT_BEGINNING)
    assert not set(BEFORE_RUN) & (set(ANYWHERE) | set(AT_BEGINNING))

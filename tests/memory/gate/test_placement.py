"""Kind, confidence and scope of what passes the gate."""

import pytest

from memoryd.memory.gate import classify_kind, propose_scope, rate_confidence

PROJECT = "/projects/tern"


@pytest.mark.parametrize(
    ("families", "kind"),
    [
        ({"recurring", "domain"}, "procedural"),
        ({"state", "subject"}, "episodic"),
        ({"preference", "convention"}, "semantic"),
        ({"standing", "working"}, "working"),
        ({"deadline", "working"}, "episodic"),
        ({"subject"}, "semantic"),
        (set(), "semantic"),
    ],
)
def test_the_strongest_evidence_names_the_kind(families: set[str], kind: str) -> None:
    assert kind == classify_kind(families)


def test_confidence_falls_with_hedging_with_doubt_and_with_the_assistant() -> None:
    sure = rate_confidence({"preference"}, "user", sure=True)
    hedged = rate_confidence({"preference", "hedge"}, "user", sure=True)
    guessed = rate_confidence({"preference"}, "assistant", sure=True)
    doubtful = rate_confidence({"preference"}, "user", sure=False)

    assert 1 > sure > hedged > guessed > doubtful > 0


def test_nothing_is_surer_than_an_explicit_wish() -> None:
    explicit = rate_confidence({"remember"}, "user", sure=True)

    assert explicit > rate_confidence({"preference", "standing", "identity"}, "user", sure=True)


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("I prefer short answers.", "global"),
        ("My name is Pilar Ostrowska.", "global"),
        ("我喜欢简短的回答。", "global"),
        ("Bitte duze mich.", "global"),
        ("In this repo we use pnpm.", PROJECT),
        ("I prefer tabs in this project.", PROJECT),
        ("我们的主分支叫 trunk。", PROJECT),
        ("The order service listens on port 7410.", PROJECT),
    ],
)
def test_a_person_is_the_same_everywhere_and_a_project_is_itself(text: str, scope: str) -> None:
    assert scope == propose_scope(text, PROJECT)


def test_without_a_project_everything_is_global() -> None:
    assert "global" == propose_scope("In this repo we use pnpm.", None)

"""Signs, capitals in code and the place of a name tell two texts apart, whatever the tables know of the words."""

import pytest

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.pairing import read_both

NAMES = [("Ann", "Bob"), ("Alice", "Tomek"), ("the gateway", "the ledger"), ("小陶", "阿可")]
FRAMES = [
    "{x} gave {y} the keys to the office.",
    "{x} reports to {y}.",
    "{x} said {y} is wrong.",
    "{x} resigned because {y} was promoted.",
    "{x} taught {y} to weld last spring.",
    "{x} is taller than {y}.",
    "{x}'s manager is {y}.",
    "If {x} fails, {y} takes over.",
    "{x} hired {y} in May.",
    "{x}向{y}汇报。",
    "{x}把钥匙给了{y}。",
    "{x}说{y}错了。",
    "{x}比{y}高。",
    "{x}なら{y}に聞く。",
    "{x} berichtet an {y}.",
    "{x} hat {y} eingestellt.",
    "{x} a embauché {y}.",
    "{x} contrató a {y}.",
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("one", "other"), NAMES)
def test_two_that_change_places_are_another_fact(frame: str, one: str, other: str) -> None:
    first, second = frame.format(x=one, y=other), frame.format(x=other, y=one)

    assert not compare(*read_both(first, second)).merges
    assert not compare(*read_both(second, first)).merges


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("C drives the board.", "C++ drives the board."),
        ("C# drives the board.", "C drives the board."),
        ("The invariant is a<b.", "The invariant is a>b."),
        ("The check is n == 1.", "The check is n != 1."),
        ("Valid inputs lie in [0,10).", "Valid inputs lie in [0,10]."),
        ("The demo went 👍.", "The demo went 👎."),
        ("Configs live in /opt/etc/app.", "Configs live in /opt/etc/App."),
        ("Pass -v to the compiler.", "Pass -V to the compiler."),
        ("The key is called userId.", "The key is called userid."),
        ("Mails are capped at 10 MB.", "Mails are capped at 10 Mb."),
        ("The cost per step is x².", "The cost per step is x2."),
        ("The cost per step is n².", "The cost per step is n³."),
        ("The user only drinks tea at night.", "Only the user drinks tea at night."),
        ("用户只在晚上喝茶。", "只有用户在晚上喝茶。"),
        ("用户住在成都。", "用户住过成都。"),
        ("She left because he was hired.", "He was hired because she left."),
    ],
)
def test_a_sign_a_capital_or_a_place_tells_them_apart(first: str, second: str) -> None:
    assert not compare(*read_both(first, second)).merges
    assert not compare(*read_both(second, first)).merges


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The languages are Go and Rust.", "The languages are Rust and Go."),
        ("On Fridays we clean the lab.", "We clean the lab on Fridays."),
        ("Freitags putzen wir das Labor.", "Wir putzen das Labor freitags."),
        ("语言是中文和英文。", "语言是英文和中文。"),
        ("The flat has 80 m².", "The flat has 80 m2."),
        ("time zone: europe/lisbon", "Time zone: Europe/Lisbon"),
    ],
)
def test_what_may_stand_anywhere_may_move(first: str, second: str) -> None:
    assert compare(*read_both(first, second)).merges

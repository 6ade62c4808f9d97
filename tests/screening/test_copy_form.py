"""What copies share, and what makes another fact of the same letters."""

import pytest

from memoryd.memory_files.folding import fold
from memoryd.screening.copy_form import copy_form
from memoryd.store.entry_rows import content_key

OTHERS = [
    ("Pass -v to it.", "Pass -V to it."),
    ("Run rm -r there.", "Run rm -R there."),
    ("It lives in /opt/app.", "It lives in /opt/App."),
    ("The field is userId.", "The field is userid."),
    ("At most 10 MB.", "At most 10 Mb."),
    ("It costs x².", "It costs x2."),
    ("Edit App.tsx first.", "Edit app.tsx first."),
    ("Ask @Ann.", "Ask @ann."),
]
COPIES = [
    ("Use tabs.", "use  tabs"),
    ("Ｕse １ tab!", "Use 1 tab"),
    ("I like Rust.", "I like rust."),
    ("请用中文。", "请用中文"),
]


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_capitals_of_code_and_powers_are_facts(one: str, other: str) -> None:
    assert copy_form(one) != copy_form(other)
    assert content_key(one) != content_key(other)
    assert fold(one) != fold(other)


@pytest.mark.parametrize(("one", "other"), COPIES)
def test_spacing_width_and_the_capital_of_a_plain_word_are_none(one: str, other: str) -> None:
    assert content_key(one) == content_key(other)
    assert fold(one) == fold(other)


def test_a_raised_and_a_lowered_thumb_are_two_entries_of_a_file() -> None:
    assert fold("The demo: 👍") != fold("The demo: 👎")

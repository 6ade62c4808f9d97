"""Where sentences end, in seven languages and in the text that developers paste."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory.sentences import Span, find_fences, find_quotations, list_mark, split_sentences


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


SPLIT = [
    ("We use tabs. Never spaces!", ["We use tabs.", "Never spaces!"]),
    ("Use Python 3.11. It is faster.", ["Use Python 3.11.", "It is faster."]),
    ("Edit src/app.py, then run it. Done?", ["Edit src/app.py, then run it.", "Done?"]),
    ("See https://a.example/b.c?d=1. Then go.", ["See https://a.example/b.c?d=1.", "Then go."]),
    ("Dr. No met Mr. Yes. They spoke.", ["Dr. No met Mr. Yes.", "They spoke."]),
    ("Use a linter, e.g. ruff. Thanks.", ["Use a linter, e.g. ruff.", "Thanks."]),
    ("Well... maybe not. Fine.", ["Well... maybe not.", "Fine."]),
    ("Port is 7410. Draw it.", ["Port is 7410.", "Draw it."]),
    ("Bis zum 31. Mai fertig. Danke.", ["Bis zum 31. Mai fertig.", "Danke."]),
    ("Nimm z.B. Tabs. Gut.", ["Nimm z.B. Tabs.", "Gut."]),
    ("Voir p. ex. la doc. Merci.", ["Voir p. ex. la doc.", "Merci."]),
    ("¿Qué tal? Uso Linux.", ["¿Qué tal?", "Uso Linux."]),
    ("我们用 3.11 版本。以后都用它！", ["我们用 3.11 版本。", "以后都用它！"]),
    ("真的？！好的～", ["真的？！", "好的～"]),
    ("見積書は送付済みです。返事待ちです。", ["見積書は送付済みです。", "返事待ちです。"]),
    ("안녕하세요. 저는 개발자입니다.", ["안녕하세요.", "저는 개발자입니다."]),
    ("以后用 English 写 commit. 谢谢。", ["以后用 English 写 commit.", "谢谢。"]),
    ("Run `a. b` first. Then stop.", ["Run `a. b` first.", "Then stop."]),
    ('He said "Stop. Now." and left.', ['He said "Stop. Now." and left.']),
    ("“你好。再见。”他说。走了。", ["“你好。再见。”他说。", "走了。"]),
    ("- first\n- second one. And more\n", ["- first", "- second one.", "And more"]),
    ("1. one\n2. two", ["1. one", "2. two"]),
    ("no stop here\nbut a new line", ["no stop here", "but a new line"]),
    (
        "An editor wrapped this line because it would have been too\nlong for it. Next.",
        ["An editor wrapped this line because it would have been too\nlong for it.", "Next."],
    ),
    ("Before.\n```py\nx. y\n\nz\n```\nAfter.", ["Before.", "```py\nx. y\n\nz\n```", "After."]),
    ("~~~\nnever closed. at all", ["~~~\nnever closed. at all"]),
    ("Wait... What?", ["Wait...", "What?"]),
    ("", []),
    (" \n\t ", []),
]


@pytest.mark.parametrize(("text", "expected"), SPLIT)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert expected == cut(text)


@given(st.text(alphabet="aB1 .!?。！？…`\n\"'“”-#>z中あ가", max_size=200))
@settings(max_examples=300, deadline=None)
def test_spans_are_in_order_and_only_white_space_lies_between(text: str) -> None:
    position = 0
    for span in split_sentences(text):
        assert span.start < span.end
        assert not text[position : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        position = span.end

    assert not text[position:].strip()


@given(
    st.lists(st.sampled_from(["We use tabs.", "我们用空格。", "- an item", "Is it?"]), max_size=8)
)
def test_lines_are_cut_alone_as_they_are_cut_together(lines: list[str]) -> None:
    assert [piece for line in lines for piece in cut(line)] == cut("\n".join(lines))


@pytest.mark.parametrize(
    "unit",
    ["`", "“", '"', "'", "a. ", ".", "```\n", "x", "\n", "- ", " ", "1. ", "http://", "。", "a'b "],
)
def test_time_is_linear_on_hostile_text(unit: str) -> None:
    """Twenty times the text takes no more than about twenty times as long."""
    small, large = unit * (5_000 // len(unit)), unit * (100_000 // len(unit))
    split_sentences(small)
    start = time.perf_counter()
    split_sentences(small)
    middle = time.perf_counter()
    split_sentences(large)
    end = time.perf_counter()

    assert end - middle < 80 * (middle - start) + 1.5


def test_a_fence_needs_its_own_kind_of_mark_to_close() -> None:
    text = "````\n```\nstill code\n````\nprose"

    assert [Span(0, text.index("\nprose"))] == find_fences(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('say "hi there" now', ['"hi there"']),
        ("don't touch users' data", []),
        ("la frase 'uso tabs' falla", ["'uso tabs'"]),
        ('输入"记住"应该', ['"记住"']),
        ('"매일 차"라는', ['"매일 차"']),
        ("„so“ und «là» 「これ」", ["„so“", "«là»", "「これ」"]),
        ("run `a b` or ``c`d``", ["`a b`"]),
    ],
)
def test_quotations_and_inline_code_are_found(text: str, expected: list[str]) -> None:
    found = [text[span.start : span.end] for span in find_quotations(text)]

    assert expected == found[: len(expected)]


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("- x", "- "),
        ("12. x", "12. "),
        ("## x", "## "),
        ("> x", "> "),
        ("**x**", ""),
        ("-x", ""),
        ("x", ""),
    ],
)
def test_the_mark_of_a_list_is_not_part_of_its_item(line: str, mark: str) -> None:
    assert len(mark) == list_mark(line, 0, len(line))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("On ferme à 15 h. Qui a la clé ?", 2),
        ("Hm, no. The other one.", 2),
        ("See no. 5 of the list.", 1),
        ("It ends with two s. Fix the label.", 2),
        ("Das gilt z. B. montags.", 1),
        ("She called at 2 a.m. on Friday.", 1),
        ("Ask J. Mbeki about it.", 1),
    ],
)
def test_a_short_word_with_a_stop_ends_a_sentence_only_where_one_begins(
    text: str, count: int
) -> None:
    assert count == len(split_sentences(text))

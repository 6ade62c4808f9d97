"""Numbers written as nobody should: every text can be read, compared and judged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.sketching import sketch_of
from memoryd.memory.consolidation.updates import judge

WORDS = """
    0 1 9 ² ½ ٣ ４ ① 零 两 十 百 万 亿 半 조 만 천 . , : / - + % ° ' ` ( ) = # 3,4 1.5 1e5 2026-13-45 25:61 1/0 10k 2h30 5GB
    个 回 第 号 月 年 週 Montag half quarter past dozen million Uhr am not 不 没 only when port 端口 由 です 이다
"""
PIECES = st.sampled_from(WORDS.split())
TEXTS = st.tuples(st.sampled_from(["", " "]), st.lists(PIECES, min_size=1, max_size=8)).map(
    lambda drawn: drawn[0].join(drawn[1])
)


@given(TEXTS, TEXTS)
def test_any_numbers_can_be_compared(one: str, other: str) -> None:
    for text in (one, other):
        sketch_of(text, japanese=False)
    first, second, comparison = compare_texts(one, other)
    if not comparison.merges:
        judge(first, second, comparison)


@pytest.mark.parametrize(
    "text",
    [
        "时间是一百亿亿亿亿年。",
        "Budget is 99999999999999999999999999999999 million EUR.",
        "Hash 12345678901234567890123456789012 MB",
        "预算是99999999999999999999999999999万元",
        "Take 123456789012345678901234567890k rows",
        "9" * 3000 + " h",
        "9" * 3000 + " km and " + "8" * 900 + "万",
    ],
)
def test_numbers_beyond_all_measure_are_read_and_told_apart(text: str) -> None:
    other = (
        text.replace("2 MB", "3 MB")
        .replace("9 million", "8 million")
        .replace("9万", "8万")
        .replace("0k", "1k")
    )
    assert sketch_of(text, japanese=False).keys
    assert text == other or not compare_texts(text, other)[2].merges


@pytest.mark.parametrize("text", ["预算 3,4 万", "约 1,5万人", "预算是 3,4百 元。"])
def test_two_numbers_before_one_multiplier_are_read(text: str) -> None:
    assert sketch_of(text, japanese=False).keys

"""Any words in any order can be read and compared: one odd note must not cost the others their night."""

import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.lexicon import Language, lexicon
from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.reading import read

LANGUAGES: tuple[Language, ...] = ("en", "zh", "ja", "ko", "de", "fr", "es")
CONTENT = ("concept", "action", "quality")
OTHERS = [
    "Berlin",
    "8080",
    "3pm",
    "v1.2",
    "`make`",
    "“",
    ",",
    ".",
    "(",
    "—",
    "no",
    "不",
    "\n",
    "5 MB",
    "Friday",
]


@cache
def notes(language: Language) -> st.SearchStrategy[str]:
    """Words that mean something to the reader, shuffled with values and punctuation."""
    senses = lexicon(language).phrases
    grammar = sorted(word for word in senses if senses[word].role not in CONTENT)
    pools = (sorted(senses), grammar, OTHERS)
    gap = "" if language in ("zh", "ja") else " "
    word = st.sampled_from(pools).flatmap(st.sampled_from)
    return st.lists(word, min_size=1, max_size=14).map(gap.join)


def test_a_contrast_may_begin_with_a_preposition() -> None:
    rather = read("Notes go in the log rather than in email.")

    assert compare(rather, read("Notes go in the log, not in email.")).merges
    assert not compare(rather, read("Notes go in email rather than in the log.")).merges


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
def test_any_words_can_be_read_and_compared(language: Language, data: st.DataObject) -> None:
    first, second = data.draw(notes(language)), data.draw(notes(language))

    one, other = read(first), read(second)

    assert all(0 <= unit.start < unit.end <= len(first) for unit in one.units)
    assert compare(one, one).merges or not one.units
    compare(one, other)
    compare(read(first, language), read(second, language))


@pytest.mark.parametrize(
    "line",
    [
        "retry(limit=3, delay=0.5)  # 5 of 12\n",
        "我们在每周二下午三点部署支付服务，然后由小王检查日志。",
    ],
)
def test_what_is_too_long_for_a_fact_is_compared_at_once(line: str) -> None:
    text = (line * 400)[:7500]
    other = text.replace("3", "4", 1).replace("小王", "小李", 1)
    started = time.monotonic()

    assert not compare_texts(text, other)[2].merges
    assert compare_texts(text, text)[2].merges
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("报告周五交", "금요일부터 제출"),
        ("用 pnpm，也用 npm", "Ne pas utiliser pnpm au lieu de npm"),
        ("Force push: always do it", "Force-Push: nie machen"),
        ("Recommends Python 3.11+", "Python 3.11 이상"),
        ("The user never deploys on Fridays", "用户周五不部署"),
    ],
)
def test_what_is_told_in_two_languages_is_never_one(one: str, other: str) -> None:
    for a, b in ((one, other), (other, one)):
        assert compare_texts(a, b)[2].reason == "told in two languages"

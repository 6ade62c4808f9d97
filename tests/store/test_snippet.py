"""A snippet is original text around the matches, which stand in brackets."""

from hypothesis import given
from hypothesis import strategies as st

from memoryd.store.snippet import make_snippet


def test_matches_stand_in_brackets_in_any_case_and_form() -> None:
    assert (
        make_snippet("We Deployed and deploy again", ["deploy"])
        == "We [Deployed] and [deploy] again"
    )


def test_chinese_is_marked_where_it_stands() -> None:
    assert make_snippet("我们把数据库迁移了", ["数据", "据库"]) == "我们把[数据库]迁移了"
    assert make_snippet("我们把数据库迁移了", ["据库", "移了"]) == "我们把数[据库]迁[移了]"


def test_pairs_that_touch_or_overlap_are_one_match_in_any_script() -> None:
    assert make_snippet("テストです", ["テス", "スト"]) == "[テスト]です"
    assert make_snippet("ไม่มีช่องว่างระหว่าง", ["ช่", "อง", "ว่", "าง"]) == "ไม่มี[ช่องว่าง]ระห[ว่าง]"
    assert make_snippet("ab cd", ["ab", "cd"]) == "[ab] [cd]"


def test_a_word_inside_another_is_not_marked() -> None:
    assert make_snippet("the concatenated cat", ["cat"]) == "the concatenated [cat]"


def test_the_window_lies_where_most_matches_are() -> None:
    text = "alpha " + "x " * 400 + "alpha beta gamma" + " y" * 400

    shown = make_snippet(text, ["alpha", "beta", "gamma"], width=80)

    assert "[alpha] [beta] [gamma]" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_no_words_and_no_matches_give_the_beginning() -> None:
    assert make_snippet("hello there", []) == "hello there"
    assert make_snippet("hello there", ["absent"]) == "hello there"


@given(st.text(max_size=500), st.lists(st.text(max_size=8), max_size=5), st.integers(20, 300))
def test_nothing_is_invented(text: str, words: list[str], width: int) -> None:
    shown = make_snippet(text, words, width)

    plain = shown.removeprefix("…").removesuffix("…").replace("[", "").replace("]", "")
    assert plain.strip() in text.replace("[", "").replace("]", "")
    assert len(plain) <= width

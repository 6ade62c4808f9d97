"""Other readings of a text lead back to the characters they were made from."""

from hypothesis import given
from hypothesis import strategies as st

from memoryd.screening.spans import Span
from memoryd.screening.views import decode, has_escapes, join, join_lines, translate, unescape

TEXTS = st.text(st.sampled_from("abcXYZ019_-./ \t\n\\|>?n\"'%u41é中\u200b"), max_size=60)


def origin(text: str, part: str) -> str:
    """The characters of *text* that *part* of its decoded view was made from."""
    view = decode(text)
    start = view.text.index(part)
    return text[slice(*view.origin(start, start + len(part)))]


def test_escapes_of_json_and_urls_are_decoded() -> None:
    text = r"a\u0041\/\x42%43\\u0044\\\\\u0045"

    assert decode(text).text == "aA/BCDE"


def test_an_escaped_invisible_character_is_nothing() -> None:
    assert decode(r"gh\u200bp\u0000_\ufeffx").text == "ghp_x"


def test_the_origin_of_an_escape_is_all_of_it() -> None:
    text = r"x \u0041b\u0043 y"

    assert origin(text, "AbC") == r"\u0041b\u0043"
    assert origin(text, "bC") == r"b\u0043"
    assert origin(text, "A") == r"\u0041"


def test_short_escapes_are_blanked_at_equal_length() -> None:
    text = r"{\"a\":\n\"b\"}" + "\n" + r"\\\"c\\\\n"

    assert unescape(text) == '{""a"": \n""b""}\n""""c    \n'
    assert len(unescape(text)) == len(text)


def test_lines_are_joined_without_margins_and_lead_back_without_them() -> None:
    text = "key ab \\\n    cd\n> ef │\n│ gh"
    view = join_lines(text)

    assert view.text == "key abcdefgh"
    start = view.text.index("abcdefgh")
    assert text[slice(*view.origin(start, start + 8))] == "ab \\\n    cd\n> ef │\n│ gh"
    assert text[slice(*view.origin(start, start + 4))] == "ab \\\n    cd"
    assert view.back(Span(start, start + 2, "kind")) == Span(4, 6, "kind")


def test_a_view_knows_where_its_pieces_begin() -> None:
    view = join_lines("abc\ndef\nghi")

    assert view.crosses(1, 4)
    assert not view.crosses(0, 3)
    assert not view.crosses(3, 6)
    assert view.beginnings(1, 9) == [3, 6]


@given(TEXTS)
def test_joining_drops_margins_only(text: str) -> None:
    view = join_lines(text)

    assert view.text == join(line.encode("ascii", "replace").decode() for line in text.split("\n"))
    for start, (begin, end) in zip(view.starts, view.origins, strict=True):
        piece = view.text[start : start + end - begin]
        assert text[begin:end].encode("ascii", "replace").decode() == piece


@given(TEXTS)
def test_unescaping_keeps_every_character_in_its_place(text: str) -> None:
    assert len(unescape(text)) == len(text)


@given(TEXTS)
def test_what_has_no_escapes_is_decoded_to_itself(text: str) -> None:
    if not has_escapes(text):
        assert decode(text).text == text


@given(TEXTS, st.data())
def test_origins_are_ascending_and_within_the_text(text: str, data: st.DataObject) -> None:
    view = decode(text)
    if view.text:
        start = data.draw(st.integers(0, len(view.text) - 1))
        end = data.draw(st.integers(start + 1, len(view.text)))
        begin, finish = view.origin(start, end)

        assert 0 <= begin < finish <= len(text)


@given(TEXTS)
def test_translating_character_by_character_is_what_it_says(text: str) -> None:
    table = {
        character: {"a": "", "b": "xy", "é": "e"}.get(character, character) for character in text
    }
    view = translate(text, table)

    assert view.text == "".join(table[character] for character in text)

"""What a person types is text; only the few documented signs mean something."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.store.query import parse_query
from memoryd.store.store import Store
from memoryd.store.tokens import index_text
from tests.store.conftest import message, screened


def matches(store: Store, query: str, *contents: str) -> list[str]:
    """Which of the contents have all the words of the query."""
    batch = [message(text, f"{query}-{n}") for n, text in enumerate(contents)]
    store.add("claude-code", screened(batch))
    expression = parse_query(query).expression()
    if expression is None:
        return []
    sql = "select message.text from message join words on words.rowid = message.id where words match ? order by message.id"
    return [text for (text,) in store.connection.execute(sql, (expression,))]


@pytest.mark.parametrize(
    "text",
    [
        "user_id",
        "src/app/main.py",
        "me@example.com",
        "C++",
        "C#",
        "don't",
        "--dry-run",
        "foo:bar",
        "a*b",
        "f(x)",
        "x^2",
        "100%",
        "key=value",
        "NEAR(x y)",
        "数据库",
        "用Docker部署",
        "Ｆｕｌｌ",
        "東京タワー",
        "데이터베이스",
        "naïve café",
        "{json: [1]}",
        "https://example.com/a?b=c#d",
        "v1.2.3-rc.1",
        "κόσμε",
        "привет",
        "ประเทศไทย",
        "ພາສາລາວ",
        "မြန်မာ",
        "ភាសាខ្មែរ",
        "हिन्दी भाषा",
        "می‌خواهم",
    ],
)
def test_a_thing_finds_itself_inside_a_sentence(store: Store, text: str) -> None:
    sentence = f"before {text} after"

    assert matches(store, text, sentence, "something else") == [sentence]


class TestOperators:
    def test_all_words_in_any_order(self, store: Store) -> None:
        assert matches(store, "red blue", "blue and red", "only red") == ["blue and red"]

    def test_quotes_make_a_phrase(self, store: Store) -> None:
        assert matches(store, '"red blue"', "red blue", "blue red") == ["red blue"]

    def test_an_open_quote_is_a_phrase_to_the_end(self, store: Store) -> None:
        assert matches(store, '"red blue', "red blue", "blue red") == ["red blue"]

    def test_a_leading_minus_excludes(self, store: Store) -> None:
        assert matches(store, "red -blue", "red blue", "red green") == ["red green"]

    def test_a_minus_phrase_excludes(self, store: Store) -> None:
        assert matches(store, 'red -"deep blue"', "red deep blue", "red blue deep") == [
            "red blue deep"
        ]

    def test_not_in_capitals_excludes(self, store: Store) -> None:
        assert matches(store, "red NOT blue", "red blue", "red green") == ["red green"]

    def test_or_in_capitals_joins_alternatives(self, store: Store) -> None:
        contents = ("red", "blue green", "blue")

        assert matches(store, "red OR blue green", *contents) == ["red", "blue green"]

    def test_operators_in_small_letters_are_words(self, store: Store) -> None:
        assert matches(store, "this or that", "this or that", "this that") == ["this or that"]

    @pytest.mark.parametrize(
        "query", ["", " ", "-", "NOT", "OR OR", "AND", '""', "-x", "NOT x", "!!!", "\0\ud800"]
    )
    def test_a_query_of_nothing_asks_for_nothing(self, query: str) -> None:
        assert parse_query(query).expression() is None


class TestChinese:
    def test_one_and_two_characters_are_found(self, store: Store) -> None:
        contents = ("我们把数据库迁移到新集群", "今天天气很好")

        assert matches(store, "库", *contents) == [contents[0]]
        assert matches(store, "迁移", contents[0] + "!") == [contents[0], contents[0] + "!"]

    def test_a_run_is_a_phrase(self, store: Store) -> None:
        assert matches(store, "数据", "数据在这里", "据说数量不对") == ["数据在这里"]

    def test_latin_glued_to_chinese_is_free(self, store: Store) -> None:
        assert matches(store, "Redis", "用Redis做缓存") == ["用Redis做缓存"]

    def test_a_question_falls_apart_into_pairs(self) -> None:
        pieces = [term.text for term in parse_query("测试环境端口").pieces()]

        assert pieces == ["测试", "试环", "环境", "境端", "端口"]

    @pytest.mark.parametrize(
        ("query", "text"), [("ไทย", "ผมอยู่ประเทศไทยครับ"), ("ខ្មែរ", "ខ្ញុំរៀនភាសាខ្មែរនៅទីនេះ")]
    )
    def test_a_word_is_found_inside_a_sentence_without_spaces(
        self, store: Store, query: str, text: str
    ) -> None:
        assert matches(store, query, text, "別の文") == [text]

    def test_particles_alone_carry_nothing(self) -> None:
        assert [term.text for term in parse_query("端口 是 的").pieces()] == ["端口"]


@given(st.text(max_size=200))
def test_nothing_typed_is_ever_a_syntax_error(store_once: Store, text: str) -> None:
    query = parse_query(text)
    parts = [
        query.expression(),
        query.loose_expression(),
        *(piece.match for piece in query.pieces()),
    ]
    for expression in filter(None, parts):
        store_once.connection.execute(
            "select rowid from words where words match ?", (expression,)
        ).fetchall()


@given(st.text(max_size=200))
def test_index_text_keeps_every_letter_and_digit(text: str) -> None:
    def letters(value: str) -> set[str]:
        return {c for c in unicodedata.normalize("NFKC", value).casefold() if c.isalnum()}

    assert letters(text) <= letters(index_text(text))

"""Search proposes every message that may answer, and its work is bounded whatever is asked."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.model import Message, Role, Session
from memoryd.service.recall import recall
from memoryd.store import search
from memoryd.store.batches import Added
from memoryd.store.reader import Reader
from memoryd.store.records import Filters
from memoryd.store.store import Store
from tests.store.conftest import NOW, message, screened

Add = Callable[..., Added]


def texts(home: Path, query: str, filters: Filters | None = None, limit: int = 10) -> list[str]:
    with Reader(home) as reader:
        return [hit.message.text for hit in recall(reader, query, filters or Filters(), limit)]


def newest(home: Path, query: str) -> list[str]:
    with Reader(home) as reader:
        return [hit.message.text for hit in recall(reader, query, Filters(), sort="newest")]


class TestTiers:
    def test_all_words_first_then_fewer(self, add: Add, home: Path) -> None:
        add(
            message("the deadline moved"),
            message("the deadline of the release moved to Friday", session="s2"),
            message("nothing of the kind", session="s3"),
        )

        assert texts(home, "release deadline") == [
            "the deadline of the release moved to Friday",
            "the deadline moved",
        ]

    def test_scores_tell_the_tiers_apart(self, add: Add, home: Path) -> None:
        add(message("alpha beta"), message("alpha only", session="s2"))

        with Reader(home) as reader:
            scores = [hit.score for hit in recall(reader, "alpha beta", Filters())]
        assert scores[0] > 1 > scores[1]

    def test_words_match_in_other_forms(self, add: Add, home: Path) -> None:
        add(message("we were deploying services"))

        assert texts(home, "deployed service") == ["we were deploying services"]

    def test_the_form_as_written_ranks_first(self, add: Add, home: Path) -> None:
        add(
            message("the universe is large", session="s1"),
            message("the university is large", session="s2"),
        )

        assert texts(home, "university")[0] == "the university is large"

    def test_what_stands_exactly_as_typed_ranks_first(self, add: Add, home: Path) -> None:
        add(
            message("set user id in the form", session="s1"),
            message("set user_id in the form", session="s2"),
        )

        assert texts(home, "user_id")[0] == "set user_id in the form"

    def test_a_chinese_question_finds_its_answer(self, add: Add, home: Path) -> None:
        add(message("测试环境的对外端口改成了 8081"), message("今天去吃火锅", session="s2"))

        assert texts(home, "测试环境端口最后改成了多少？")[0] == "测试环境的对外端口改成了 8081"

    def test_nothing_asked_finds_nothing(self, add: Add, home: Path) -> None:
        add(message("hello"))

        assert (texts(home, ""), texts(home, "-hello"), texts(home, "absent")) == ([], [], [])

    @pytest.mark.parametrize("signs", ["🎉", "=>", "→", "👨‍👩‍👧", "!="])
    def test_signs_that_no_index_knows_are_looked_for_as_they_stand(
        self, add: Add, home: Path, signs: str
    ) -> None:
        add(message(f"a {signs} b"), message("a b"), message(f"Bash: {signs}", role="tool"))

        assert texts(home, signs) == [f"a {signs} b"]
        assert texts(home, signs, Filters(role="tool")) == [f"Bash: {signs}"]
        assert texts(home, signs, Filters(session="s2")) == []
        assert newest(home, f" {signs} ") == [f"a {signs} b"]

    def test_signs_of_a_withdrawn_message_are_not_found(self, add: Add, home: Path) -> None:
        add(message("regret 🎉", "k"))
        add(retracted=("k",))

        assert texts(home, "🎉") == []

    def test_as_many_hits_come_as_were_asked_for(self, add: Add, home: Path) -> None:
        add(*[message(f"common number {n}", session=f"s{n % 7}") for n in range(900)])

        assert len(texts(home, "common", limit=850)) == 850

    @pytest.mark.parametrize(
        "query",
        [
            "x" * 5000,
            "词" * 5000,
            " ".join(f"word{n}" for n in range(200)),
            "a " * 2500,
            '"' * 5000,
        ],
        ids=["one word", "one Chinese run", "200 words", "2,500 words", "quotes"],
    )
    def test_a_query_of_any_length_is_answered(self, add: Add, home: Path, query: str) -> None:
        add(message("word7 and 词词 and xxx"))

        found = texts(home, query)

        assert found == (
            [] if query[0] in 'x"' or query[:2] == "a " else ["word7 and 词词 and xxx"]
        )

    def test_excluded_words_stay_out_of_every_tier(self, add: Add, home: Path) -> None:
        add(message("alpha beta"), message("alpha gamma", session="s2"))

        assert texts(home, "alpha delta -beta") == ["alpha gamma"]


class TestFilters:
    @pytest.fixture(autouse=True)
    def history(self, add: Add) -> None:
        add(
            message("shared word of mine", minute=0),
            message("shared word of the assistant", role="assistant", minute=10),
            message("Bash: shared word", role="tool", minute=20),
            message("shared word elsewhere", session="s2", minute=30),
            sessions=(
                Session("claude-code", "s1", project="/one"),
                Session("claude-code", "s2", project="/two"),
            ),
        )

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (Filters(), {"mine", "assistant", "elsewhere"}),
            (Filters(project="/two"), {"elsewhere"}),
            (Filters(project="/three"), set()),
            (Filters(role="assistant"), {"assistant"}),
            (Filters(role="tool"), {"word"}),
            (Filters(session="s1"), {"mine", "assistant"}),
            (Filters(source="codex"), set()),
            (Filters(source="claude-code"), {"mine", "assistant", "elsewhere"}),
            (Filters(since=NOW + timedelta(minutes=10)), {"assistant", "elsewhere"}),
            (Filters(until=NOW + timedelta(minutes=10)), {"mine"}),
        ],
    )
    def test_only_what_passes_comes_back(
        self, home: Path, filters: Filters, expected: set[str]
    ) -> None:
        found = texts(home, "shared", filters)

        assert {text.split()[-1] for text in found} == expected


class TestBounds:
    def test_a_word_that_is_everywhere_is_ranked_among_the_newest(
        self, add: Add, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search, "CANDIDATES", 5)
        add(*[message(f"common number {n}", session=f"s{n}") for n in range(20)])

        found = texts(home, "common", limit=10)

        assert sorted(found) == sorted(f"common number {n}" for n in range(15, 20))

    def test_rare_words_widen_a_query_before_common_ones(
        self, add: Add, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search, "WIDE_BUDGET", 3)
        add(
            *[message(f"common number {n}", session=f"s{n}") for n in range(20)],
            message("a needle alone", session="n"),
        )

        assert texts(home, "common needle absent") == ["a needle alone"]

    def test_a_single_common_word_beyond_the_budget_still_answers(
        self, add: Add, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search, "WIDE_BUDGET", 3)
        add(*[message(f"common number {n}", session=f"s{n}") for n in range(20)])

        assert len(texts(home, "common absent")) == 10


def test_newest_goes_by_time_not_by_arrival(add: Add, home: Path) -> None:
    add(
        message("word late", minute=50),
        message("word early", minute=1),
        message("word between", minute=20),
    )

    assert newest(home, "word") == ["word late", "word between", "word early"]


@pytest.mark.parametrize("role", ["user", "tool"])
def test_neighbours_are_those_of_the_session_in_time(add: Add, home: Path, role: Role) -> None:
    add(
        message("first", minute=1),
        message("other session", session="s2", minute=2),
        message("third", minute=3),
        message("second", role=role, minute=2),
    )

    with Reader(home) as reader:
        assert [one.text for one in reader.neighbours(4, 1)] == ["first", "second", "third"]
        assert reader.neighbours(99, 1) == []


def test_a_reader_sees_what_is_committed_while_the_writer_is_open(
    store: Store, add: Add, home: Path
) -> None:
    add(message("visible at once"))

    assert texts(home, "visible") == ["visible at once"]


PEOPLE: tuple[Role, ...] = ("user", "assistant", "system", "tool")
MOMENTS = [None, *(NOW + timedelta(minutes=minute) for minute in range(-1, 14))]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Message]]:
    """A home with messages of six sessions of two agents, their rows intermingled, some without a time."""
    home = tmp_path_factory.mktemp("mixed")
    messages = [
        message(
            f"word number {n}",
            session=f"s{n % 6}",
            role=PEOPLE[n % 4 if n % 3 else 0],
            minute=None if n % 7 == 0 or n % 6 == 5 else n % 13,
            source="codex" if n % 6 > 3 else "claude-code",
        )
        for n in range(60)
    ]
    sessions = tuple(
        Session("codex" if n > 3 else "claude-code", f"s{n}", project=f"/p{n % 2}")
        for n in range(6)
    )
    with Store(home, lambda: NOW) as store:
        for name in ("claude-code", "codex"):
            theirs = tuple(one for one in sessions if one.source == name)
            store.add(name, screened([m for m in messages if m.source == name], sessions=theirs))
    return home, messages


@given(
    st.builds(
        Filters,
        source=st.sampled_from([None, "codex", "claude-code", "nobody"]),
        project=st.sampled_from([None, "/p0", "/p1", "/p2"]),
        role=st.sampled_from([None, *PEOPLE]),
        session=st.sampled_from([None, "s0", "s3", "s5", "s9"]),
        since=st.sampled_from(MOMENTS),
        until=st.sampled_from(MOMENTS),
    ),
    st.sampled_from(["word", "number word", "word absent"]),
)
def test_filters_let_through_exactly_what_passes(
    mixed: tuple[Path, list[Message]], filters: Filters, query: str
) -> None:
    home, messages = mixed

    def passes(one: Message) -> bool:
        return (
            filters.source in (None, one.source)
            and filters.project in (None, f"/p{int(one.session_id[1:]) % 2}")
            and filters.session in (None, one.session_id)
            and (one.role != "tool" if filters.role is None else one.role == filters.role)
            and (filters.since is None or (one.time is not None and one.time >= filters.since))
            and (filters.until is None or (one.time is not None and one.time < filters.until))
        )

    assert sorted(texts(home, query, filters, limit=100)) == sorted(
        one.text for one in messages if passes(one)
    )

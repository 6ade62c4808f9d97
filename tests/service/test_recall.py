"""Recall: search proposes, ranking decides, and what is shown is the original text."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.model import Candidate, Message
from memoryd.service.recall import Hit, recall
from memoryd.service.writer import utc_now
from memoryd.store.query import Query
from memoryd.store.reader import Reader
from memoryd.store.records import Filters
from memoryd.store.store import Store
from tests.store.conftest import message, screened

Ask = Callable[..., list[Hit]]


@pytest.fixture
def ask(home: Path) -> Iterator[Callable[..., Ask]]:
    """Fill a store with messages; what comes back asks it."""

    def fill(*messages: Message) -> Ask:
        with Store(home, utc_now) as store:
            store.add("claude-code", screened(list(messages)))

        def asking(query: str, filters: Filters | None = None, **options: object) -> list[Hit]:
            with Reader(home) as reader:
                return recall(reader, query, filters or Filters(), **options)  # type: ignore[arg-type] # limit, sort

        return asking

    yield fill


def texts(hits: list[Hit]) -> list[str]:
    return [hit.message.text for hit in hits]


def test_a_message_is_helped_by_the_company_it_keeps(ask: Callable[..., Ask]) -> None:
    """Two say the same; the one whose neighbours talk about the matter comes first."""
    asked = ask(
        message("how do we rotate the signing keys?", session="s1", minute=1),
        message("every ninety days", key="near", session="s1", minute=2, role="assistant"),
        message("the rotation job renews signing keys", session="s1", minute=3),
        message("every ninety days!", key="far", session="s2", minute=4, role="assistant"),
        message("we talk about lunch", session="s2", minute=5),
    )

    assert texts(asked("signing keys rotation every ninety days"))[0] != "every ninety days!"
    assert texts(asked("ninety days signing"))[:3].index("every ninety days") < 3


def test_what_stands_as_typed_ranks_above_its_words_apart(ask: Callable[..., Ask]) -> None:
    asked = ask(
        message("cache the user, then the id of the user id cache", session="s1"),
        message("set user_id here once and nothing more is said about that", session="s2"),
    )

    hits = asked("user_id")

    assert "user_id" in hits[0].message.text
    assert hits[0].why["literal"] == 0.5
    assert hits[1].why["literal"] == 0.0


def test_a_whole_query_found_as_typed_counts_most(ask: Callable[..., Ask]) -> None:
    asked = ask(message("port the staging", session="a"), message("Staging the port", session="b"))

    hits = asked("staging the port")

    assert (hits[0].message.session_id, hits[0].why["literal"]) == ("b", 1.0)


def test_why_holds_the_parts_of_the_score(ask: Callable[..., Ask]) -> None:
    (hit,) = ask(message("deployed to staging"))("deploy staging")

    assert set(hit.why) == {
        "all_words",
        "stemmed",
        "as_written",
        "neighbours",
        "session",
        "literal",
    }
    assert (hit.why["all_words"], hit.why["stemmed"] > 0) == (1.0, True)
    assert 1 <= hit.score <= 2


def test_a_snippet_shows_the_original_around_the_match(ask: Callable[..., Ask]) -> None:
    long = "x " * 500 + "端口是 ８０８１，Café 旁边 " + "y " * 500
    (hit,) = ask(message(long))("端口 8081")

    assert "[端口]是 ８０８１，Café 旁边" in hit.snippet.replace("[８０８１]", "８０８１")
    assert len(hit.snippet) < 300
    assert hit.message.text == long


@pytest.mark.parametrize("sort", ["relevance", "newest"])
@pytest.mark.parametrize("limit", [1, 3, 12, 50])
def test_the_limit_is_kept_and_no_hit_comes_twice(
    ask: Callable[..., Ask], limit: int, sort: str
) -> None:
    asked = ask(*[message(f"word {n}", session=f"s{n % 4}", minute=n % 60) for n in range(40)])

    hits = asked("word", limit=limit, sort=sort)

    assert len(hits) == min(limit, 40)
    assert len({hit.message.id for hit in hits}) == len(hits)


def test_after_ten_hits_other_sessions_come_first(ask: Callable[..., Ask]) -> None:
    asked = ask(
        *[message(f"needle needle needle {n}", session="talkative") for n in range(30)],
        message("one needle among much other hay in this long text", session="quiet"),
    )

    assert "quiet" in {hit.message.session_id for hit in asked("needle", limit=12)}


def test_newest_shows_times_in_order_and_only_what_has_all_words(ask: Callable[..., Ask]) -> None:
    asked = ask(
        message("alpha beta early", minute=1),
        message("alpha only", minute=9),
        message("beta alpha late", minute=5),
        message("alpha beta timeless", minute=None),
    )

    assert texts(asked("alpha beta", sort="newest")) == [
        "beta alpha late",
        "alpha beta early",
        "alpha beta timeless",
    ]


@pytest.mark.parametrize("query", ["", "   ", "-alpha", "NOT alpha", "zeppelin"])
def test_nothing_asked_or_nothing_there_is_no_hit(ask: Callable[..., Ask], query: str) -> None:
    asked = ask(message("alpha"))

    assert asked(query) == []
    assert asked(query, sort="newest") == []


def test_filters_hold_in_every_tier(ask: Callable[..., Ask]) -> None:
    asked = ask(
        message("alpha beta", session="s1"),
        message("alpha gamma", session="s2"),
        message("Bash: alpha beta", session="s2", role="tool"),
    )

    assert texts(asked("alpha beta", Filters(session="s2"))) == ["alpha gamma"]
    assert texts(asked("alpha beta", Filters(session="s2", role="tool"))) == ["Bash: alpha beta"]
    assert texts(asked("alpha beta", Filters(role="system"))) == []


def test_what_is_deleted_during_a_search_harms_nothing(ask: Callable[..., Ask], home: Path) -> None:
    ask(*[message(f"word {n}") for n in range(20)])

    class Slow(Reader):
        def candidates(self, query: Query, filters: Filters, limit: int) -> list[Candidate]:
            found = super().candidates(query, filters, limit)
            with Store(home, utc_now) as store, store.transaction() as connection:
                connection.execute("delete from message")
            return found

    with Slow(home) as reader:
        during, after = (recall(reader, "word", Filters()) for _ in range(2))

    assert (len(during), after) == (10, [])

"""The quick look of a run's check never calls an entry found that the search does not find."""

from pathlib import Path

import pytest

from memoryd.model import Entry
from memoryd.store.entry_search import EntryView, is_surely_found, match_entries
from memoryd.store.query import parse_query
from memoryd.store.reader import Reader
from tests.service.bank_helpers import ask, entries, writing

TEXTS = [
    *(f"The search page {n} listens on port 8080." for n in range(14)),
    *(f"Port of the search page {n}: 8080" for n in range(6)),
    *(f"搜索页 {n} 监听 8080 端口。" for n in range(6)),
    "Rarely said words: quixotic, zephyr",
]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Entry]]:
    home = tmp_path_factory.mktemp("home")
    with writing(home) as writer:
        for text in TEXTS:
            ask(writer, "memory.add", content=text)
    return home, entries(home)


@pytest.mark.parametrize("limit", [1, 3, 10])
@pytest.mark.parametrize("hide", [False, True])
def test_what_is_surely_found_is_among_the_matches(
    bank: tuple[Path, list[Entry]], limit: int, hide: bool
) -> None:
    home, kept = bank
    hidden = {one.id for one in kept[::3]} if hide else set()
    view, sure = EntryView("local/default", hidden=hidden), 0
    with Reader(home) as reader:
        for text in (*TEXTS, "search page", "port 8080", "页"):
            query = parse_query(text)
            matches = match_entries(reader.connection, view, query, limit)
            found = {match.entry.id for match in matches}
            for one in kept:
                if is_surely_found(reader.connection, view, query, one.id, limit):
                    sure += 1
                    assert one.id in found
    assert sure  # the quick look does answer

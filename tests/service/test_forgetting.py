"""Forgetting is for good: no byte of the home folder holds the word afterwards, and no other fact is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import UsageError
from memoryd.model import Message, Session
from memoryd.service.writer import Writer
from memoryd.store.integrity import find_damage
from tests.service.bank_helpers import ask, entries, writing
from tests.store.conftest import message, screened

WORD = "xylophonequartz"


@pytest.fixture
def writer(home: Path) -> Iterator[Writer]:
    with writing(home) as opened:
        yield opened


def say(writer: Writer, *messages: Message, **options: Any) -> None:
    writer.store.add("claude-code", screened(list(messages), **options))


def holding(home: Path) -> list[str]:
    """Names of files in the home folder that hold the word, in any case."""
    return [
        path.name
        for path in home.rglob("*")
        if path.is_file() and WORD.encode() in path.read_bytes().lower()
    ]


def remember(writer: Writer, content: str, **fields: Any) -> str:
    told: dict[str, Any] = ask(writer, "memory.add", content=content, **fields)
    return str(told["entry"]["id"])


def test_a_text_leaves_no_byte_behind(writer: Writer, home: Path) -> None:
    say(
        writer,
        message(f"the secret plan is called {WORD}", "k1"),
        message("something harmless", "k2"),
        message(f"Bash: grep {WORD}", "k3", role="tool"),
        sessions=(Session("claude-code", "s1", title=f"About {WORD.upper()}"),),
    )
    remember(writer, f"The project is called {WORD}", metadata={"note": WORD})
    remember(writer, "The port is 5432", sources=[{"quote": f"5432 for {WORD}"}])
    assert holding(home)

    told = ask(writer, "forget", match=WORD)

    assert (told["messages"], len(told["entries"])) == (2, 2)
    assert holding(home) == []
    assert find_damage(writer.store.connection) == []


def test_what_was_forgotten_does_not_come_back_with_its_transcript(writer: Writer) -> None:
    said = message(f"about {WORD}", "k1")
    say(writer, said)
    ask(writer, "forget", match=WORD)
    say(writer, said)

    assert writer.store.connection.execute("select count(*) from message").fetchone() == (0,)


def test_entries_made_of_a_session_go_with_it(writer: Writer, home: Path) -> None:
    say(writer, message("We deploy with Kamal", "k1"), message("other", "k2", session="s2"))
    remember(writer, "We deploy with Kamal", sources=[{"message_id": "1"}])
    remember(writer, "The port is 5432", sources=[{"message_id": "2"}])
    ask(writer, "forget", session="s1")

    assert [one.content for one in entries(home)] == ["The port is 5432"]
    assert writer.store.connection.execute("select count(*) from session").fetchone() == (1,)


def test_forgetting_an_input_forgets_the_merge_and_brings_the_other_inputs_back(
    writer: Writer, home: Path
) -> None:
    first = remember(writer, f"The cache is {WORD}")
    second = remember(writer, "The cache holds 100 entries")
    keeper = remember(writer, f"The cache is {WORD} and holds 100 entries", key="keeper")
    connection = writer.store.connection
    connection.execute("update entry set state = 'merged' where id in (?, ?)", (first, second))
    connection.execute(
        "update entry set merged_from = ? where id = ?", (f'["{first}", "{second}"]', keeper)
    )

    told = ask(writer, "forget", entries=[first])

    assert (set(told["entries"]), told["restored"]) == ({first, keeper}, [second])
    assert [(one.content, one.state) for one in entries(home)] == [
        ("The cache holds 100 entries", "active")
    ]
    assert holding(home) == []


def test_a_dry_run_changes_nothing(writer: Writer, home: Path) -> None:
    remember(writer, f"The project is called {WORD}")
    told = ask(writer, "forget", match=WORD, dry_run=True)

    assert (len(told["entries"]), len(entries(home))) == (1, 1)


def test_a_source_goes_whole(writer: Writer) -> None:
    say(writer, message("one", "k1"), message("two", "k2", session="s2"))
    told = ask(writer, "forget", source="claude-code")

    assert (told["messages"], told["sessions"]) == (2, 2)


@pytest.mark.parametrize("arguments", [{}, {"entries": ["e-unknown"]}])
def test_what_is_not_there_is_said(writer: Writer, arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ask(writer, "forget", **arguments)

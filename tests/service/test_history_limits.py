"""Limits of the history: off by default; the oldest messages go, what entries cite stays, and nothing comes back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.config import Config, HistoryConfig, SourcesConfig
from memoryd.model import Message
from memoryd.service.bank.pruning import prune
from memoryd.service.writer import Writer, open_writer
from memoryd.store.history_limits import used_bytes
from memoryd.store.integrity import find_damage
from tests.service.archive_helpers import Life
from tests.service.bank_helpers import ask
from tests.store.conftest import screened

NOW = datetime.now(UTC)


@contextmanager
def limited(home: Path, **limits: Any) -> Iterator[Writer]:
    config = Config(sources=SourcesConfig(discover=False), history=HistoryConfig(**limits))
    with open_writer(home, config) as writer:
        yield writer


def say(writer: Writer, days: int, count: int = 1, session: str = "s1", more: str = "") -> None:
    """Messages of so many days ago."""
    said = [
        Message(
            "claude-code",
            session,
            f"{session} {days} {n}",
            "user",
            f"day {days} {n}{more}",
            NOW - timedelta(days=days),
        )
        for n in range(count)
    ]
    writer.store.add("claude-code", screened(said, path=f"/t/{session}-{days}.jsonl"))


def left(writer: Writer) -> list[str]:
    return [
        text for (text,) in writer.store.connection.execute("select text from message order by id")
    ]


def test_history_is_kept_for_ever_by_default(home: Path) -> None:
    with limited(home) as writer:
        say(writer, 3000)
        told = ask(writer, "history.limit")

        assert (told["due"], left(writer)) == (0, ["day 3000 0"])


def test_what_is_older_goes_with_its_session_and_its_words(home: Path) -> None:
    with limited(home, keep_days=30) as writer:
        say(writer, 40, session="old")
        say(writer, 20)
        told = ask(writer, "history.limit")

        assert (told["removed"], told["reason"]) == (1, "older than 30 days")
        assert left(writer) == ["day 20 0"]
        assert writer.store.connection.execute("select native_id from session").fetchall() == [
            ("s1",)
        ]
        assert find_damage(writer.store.connection) == []


def test_reading_the_transcript_again_brings_nothing_back(home: Path) -> None:
    with limited(home, keep_days=30) as writer:
        say(writer, 40)
        ask(writer, "history.limit")
        say(writer, 40)

        assert left(writer) == []


def test_what_an_entry_cites_stays(home: Path) -> None:
    with limited(home, keep_days=30) as writer:
        say(writer, 40, 2)
        ask(writer, "memory.add", content="The port is 5432", sources=[{"message_id": "1"}])
        told = ask(writer, "history.limit")

        assert (told["removed"], told["kept_because"]) == (1, {"cited by an entry": 1})
        assert left(writer) == ["day 40 0"]


def test_the_size_of_the_database_is_kept(home: Path) -> None:
    with limited(home) as writer:
        for days in range(20, 0, -1):
            say(writer, days, 50, more=" and so on" * 200)
        limit = used_bytes(writer.store.connection) * 9 // 10
    with limited(home, max_bytes=limit) as writer:
        planned = ask(writer, "history.limit", dry_run=True)

        assert (planned["due"] > 50, planned["removed"], len(left(writer))) == (True, 0, 1000)

        for _ in range(5):
            ask(writer, "history.limit")

        assert 0 < len(left(writer)) < 900
        assert left(writer)[-1].startswith("day 1 49 ")
        assert used_bytes(writer.store.connection) <= limit


@pytest.mark.parametrize("brake", ["clock_jumped", "much"])
def test_brakes_hold_until_confirmed(home: Path, brake: str) -> None:
    with limited(home, keep_days=30) as writer:
        say(writer, 40, 1500)
        jumped = brake == "clock_jumped"
        told = ask(writer, "history.limit", clock_jumped=jumped)

        assert told["blocked"]
        assert len(left(writer)) == 1500

        told = ask(writer, "history.limit", clock_jumped=jumped, confirmed=True)

        assert (told["removed"], left(writer)) == (1500, [])


def test_the_archive_keeps_no_longer_than_the_history(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.write(1, [("user", "a"), ("user", "b")], day=0)
    life.write(2, [("user", "c"), ("user", "d")], day=8)
    life.archive(day=12)
    life.limits = HistoryConfig(keep_days=10)
    told = life.archive(day=12)

    assert (told["removed"], told["unchanged"]) == (1, 1)
    assert told["skipped"] == {"older than history is kept": 1}


def test_pruning_tells_of_the_history(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.write(1, [("user", "in March"), ("user", "long ago")])
    life.ask("ingest")
    config = replace(life.config(), history=HistoryConfig(keep_days=1))
    planned = prune(life.home, config, dry_run=True)["history"]
    done = prune(life.home, config, dry_run=False)["history"]

    assert (planned["due"], planned["removed"]) == (2, 0)
    assert (done["removed"], life.rows("*")) == (2, [])
    assert prune(life.home, life.config(), dry_run=True)["history"] == {}

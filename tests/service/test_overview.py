"""What `status` and `sources` tell: lag in bytes, what was left out, and what is wrong."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard

from memoryd.config import Config, parse_config
from memoryd.service.ingest import Ingest
from memoryd.service.night.ledger import NIGHT
from memoryd.service.overview import describe_sources, describe_status
from memoryd.service.writer import utc_now
from memoryd.sources.registry import build_sources
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.jobs import begin_job, end_job
from memoryd.store.store import Store
from tests.agents import claude_session, codex_session
from tests.sources.foreign_agents import AGENTS, create

CODEX = "019ce0d1-2189-7980-bde2-9b5c50289100"


@pytest.fixture
def config(root: Path) -> Config:
    names = {"claude-code": "claude", "codex": "codex", "hermes": "hermes"}
    tables: dict[str, Any] = {name: {"roots": [str(root / at)]} for name, at in names.items()}
    return parse_config({"sources": {"discover": False, **tables}}, "test")


@pytest.fixture
def read(home: Path, config: Config) -> Callable[[], None]:
    """Ingest everything there is."""

    def reading() -> None:
        with Store(home, utc_now) as store:
            Ingest(store, build_sources(config)).everything()

    return reading


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def row(home: Path, config: Config, name: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = describe_status(home, config)["sources"]
    (found,) = (one for one in rows if one["name"] == name)
    return found


class TestStatus:
    def test_before_anything_was_read_all_of_it_is_lag(
        self, home: Path, root: Path, config: Config
    ) -> None:
        path = write(root / "claude/p/a.jsonl", claude_session("a", [("user", "hello")]))

        described = describe_status(home, config)

        assert row(home, config, "claude-code")["lag_bytes"] == path.stat().st_size
        assert [one["name"] for one in described["sources"]] == ["claude-code"]
        assert not (home / DATABASE_NAME).exists()

    def test_a_transcript_below_the_root_of_another_agent_is_no_lag_of_that_agent(
        self, home: Path, root: Path, read: Callable[[], None]
    ) -> None:
        inside = root / "all" / "claude"
        path = write(inside / "p/a.jsonl", claude_session("a", [("user", "hello")]))
        tables = {
            "chats": {"type": "jsonl", "roots": [str(root / "all")]},
            "claude-code": {"roots": [str(inside)]},
        }
        config = parse_config({"sources": {"discover": False, **tables}}, "test")
        with Store(home, utc_now) as store:
            Ingest(store, build_sources(config)).everything()

        assert [row(home, config, name)["lag_bytes"] for name in tables] == [0, 0]
        path.write_bytes(path.read_bytes() + b"more")
        assert [row(home, config, name)["lag_bytes"] for name in tables] == [4, 4]

    def test_lag_is_what_was_appended_or_is_not_finished(
        self, home: Path, root: Path, config: Config, read: Callable[[], None]
    ) -> None:
        path = write(root / "claude/p/a.jsonl", claude_session("a", [("user", "hello")]) + b'{"ha')
        read()
        before = row(home, config, "claude-code")["lag_bytes"]
        path.write_bytes(path.read_bytes() + b'lf":1}\n')

        assert (before, row(home, config, "claude-code")["lag_bytes"]) == (4, 11)

    def test_a_compressed_twin_has_no_lag_once_it_was_read(
        self, home: Path, root: Path, config: Config, read: Callable[[], None]
    ) -> None:
        data = codex_session(CODEX, [("user", "hello " * 200)])
        path = root / f"codex/rollout-2026-03-11T00-00-00-{CODEX}.jsonl"
        write(path, data)
        read()
        write(path.with_name(path.name + ".zst"), zstandard.compress(data))
        path.unlink()

        after_compression = row(home, config, "codex")
        read()

        assert (after_compression["files"], after_compression["lag_bytes"]) == (1, 0)
        assert row(home, config, "codex")["lag_bytes"] == 0

    def test_a_compressed_transcript_lags_until_it_was_read(
        self, home: Path, root: Path, config: Config, read: Callable[[], None]
    ) -> None:
        path = root / f"codex/rollout-2026-03-11T00-00-00-{CODEX}.jsonl.zst"
        write(path, zstandard.compress(codex_session(CODEX, [("user", "hello " * 200)])))
        unread = row(home, config, "codex")["lag_bytes"]
        read()

        assert (unread, row(home, config, "codex")["lag_bytes"]) == (path.stat().st_size, 0)

    def test_a_database_has_no_lag_once_it_was_read(
        self, home: Path, root: Path, config: Config, read: Callable[[], None]
    ) -> None:
        (root / "hermes").mkdir()
        connection, agent = create("hermes", root / "hermes" / AGENTS["hermes"].file, 1)
        for _ in range(100):
            agent.step()
        connection.close()
        unread = row(home, config, "hermes")["lag_bytes"]
        read()

        assert unread > 0
        assert row(home, config, "hermes")["lag_bytes"] == 0

    def test_a_root_that_vanished_is_missing_and_keeps_its_counts(
        self, home: Path, root: Path, config: Config, read: Callable[[], None]
    ) -> None:
        path = write(root / "claude/p/a.jsonl", b'{"type":"progress"}\nnot json\n')
        read()
        path.unlink()
        path.parent.rmdir()
        path.parents[1].rmdir()

        found = row(home, config, "claude-code")

        assert (found["watch"], found["files"], found["lag_bytes"]) == ("missing", 0, 0)
        assert (found["quarantined"], found["skipped"]) == (1, {"progress": 1})

    def test_what_the_daemon_says_is_passed_on(
        self, home: Path, root: Path, config: Config
    ) -> None:
        (root / "claude").mkdir()
        daemon = {
            "pid": 7,
            "degraded": ["inotify is exhausted"],
            "watch": {str(root / "claude"): "native"},
            "jobs": [{"name": "nightly"}],
        }

        described = describe_status(home, config, daemon)

        assert (described["running"], described["pid"]) == (True, 7)
        assert described["degraded"] == ["inotify is exhausted"]
        assert described["jobs"] == [{"name": "nightly"}]
        assert described["sources"][0]["watch"] == "native"

    def test_a_database_that_cannot_be_used_is_degraded(self, home: Path, config: Config) -> None:
        (home / DATABASE_NAME).write_bytes(b"nonsense " * 1000)

        described = describe_status(home, config)

        assert described["sources"] == []
        assert "memoryd doctor" in described["degraded"][0]
        assert described["database"]["bytes"] == 9000


class TestSources:
    def test_found_ones_come_first_then_those_with_most_messages(
        self, home: Path, root: Path, config: Config, read: Callable[[], None]
    ) -> None:
        write(root / "claude/p/a.jsonl", claude_session("a", [("user", "hello")]))
        write(
            root / f"codex/rollout-2026-03-11T00-00-00-{CODEX}.jsonl",
            codex_session(CODEX, [("user", "hello"), ("assistant", "hi")]),
        )
        read()

        described = describe_sources(home, config)

        assert [(one["name"], one["found"], one["messages"]) for one in described] == [
            ("codex", True, 2),
            ("claude-code", True, 1),
            ("hermes", False, 0),
        ]
        assert described[0]["last_activity"] == "2026-03-11T00:00:04Z"

    def test_one_that_was_switched_off_is_still_told_of(
        self, home: Path, root: Path, config: Config, read: Callable[[], None]
    ) -> None:
        write(root / "claude/p/a.jsonl", claude_session("a", [("user", "hello")]))
        read()
        without = parse_config({"sources": {"discover": False}}, "test")

        assert [(one["name"], one["messages"]) for one in describe_sources(home, without)] == [
            ("claude-code", 1)
        ]

    def test_without_a_database_everything_is_zero(self, home: Path, config: Config) -> None:
        assert {one["messages"] for one in describe_sources(home, config)} == {0}


class TestNights:
    @pytest.mark.parametrize(("error", "degraded"), [("", 0), ("failed: backup", 1)])
    def test_a_failed_last_night_is_degraded(
        self, home: Path, config: Config, error: str, degraded: int
    ) -> None:
        now = utc_now()
        with Store(home, utc_now) as store, store.transaction() as connection:
            for days, outcome in ((2, "failed: embed"), (1, error)):
                began = now - timedelta(days=days)
                begin_job(connection, NIGHT, began.date(), began)
                end_job(connection, NIGHT, began.date(), began, outcome)

        described = describe_status(home, config)

        assert len(described["degraded"]) == degraded
        assert described["jobs"][0]["last_error"] == (error or None)
        assert (described["jobs"][0]["last_success"] is None) is bool(error)

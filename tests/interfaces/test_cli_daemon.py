"""`memoryd run --once`, `status` and `doctor`."""

from pathlib import Path

import pytest

from memoryd.store.connection import DATABASE_NAME
from memoryd.store.store import Store
from tests.agents import make_home
from tests.conftest import NOW
from tests.interfaces.conftest import Memoryd


class TestRunOnce:
    def test_people_read_which_agents_were_found_and_how_to_go_on(
        self, memoryd: Memoryd, user: Path
    ) -> None:
        make_home(user)

        text = memoryd("run", "--once").out.decode()

        assert "7 new messages from 2 transcripts" in text
        assert "Claude Code\t1\t5\t2026-03-01" in text
        assert "Codex\t1\t2\t2026-03-11" in text
        assert 'memoryd search "words you remember"' in text

    def test_people_read_where_was_looked_when_nothing_is_there(self, memoryd: Memoryd) -> None:
        done = memoryd("run", "--once")

        assert done.status == 0
        assert b"No agent's transcripts were found" in done.out

    def test_programs_read_the_same_as_of_ingest(self, memoryd: Memoryd, user: Path) -> None:
        make_home(user)

        answer = memoryd("run", "--once", "--json").json

        assert set(answer) >= {"files", "messages_added", "messages_seen", "quarantined", "bytes", "seconds"}  # fmt: skip
        assert answer["messages_added"] == 7


class TestStatus:
    def test_a_fresh_home_is_not_degraded(self, memoryd: Memoryd) -> None:
        done = memoryd("status", "--json")

        assert done.status == 0
        assert (done.json["running"], done.json["pid"], done.json["degraded"]) == (False, None, [])
        assert done.json["database"]["messages"] == 0
        assert set(done.json) >= {"version", "sources", "jobs", "embedding"}
        assert set(done.json["embedding"]) >= {"engine", "model", "dimension", "vectors", "pending"}

    def test_what_is_held_what_lags_and_what_was_left_out(
        self, memoryd: Memoryd, user: Path
    ) -> None:
        make_home(user)
        path = next((user / ".claude").rglob("*.jsonl"))
        path.write_bytes(path.read_bytes() + b'{"type":"progress"}\ngarbage\n')
        memoryd("run", "--once")
        path.write_bytes(path.read_bytes() + b'{"type":"user"')

        done = memoryd("status", "--json").json
        claude = next(one for one in done["sources"] if one["name"] == "claude-code")

        assert (done["database"]["messages"], done["database"]["tool_messages"]) == (7, 2)
        assert done["database"]["bytes"] > 0
        assert (claude["files"], claude["lag_bytes"], claude["quarantined"]) == (1, 14, 1)
        assert claude["skipped"] == {"progress": 1}
        assert claude["last_ingest"].endswith("Z")
        assert claude["root"] == str(user / ".claude/projects")

    def test_people_read_the_same(self, memoryd: Memoryd, user: Path) -> None:
        make_home(user)
        memoryd("run", "--once")

        text = memoryd("status").out.decode()

        assert "not running (`memoryd run` starts it)" in text
        assert "7 messages (2 of tools) in 2 sessions" in text
        assert str(user / ".claude/projects") in text

    def test_counts_of_a_source_stand_with_one_of_its_roots(
        self, memoryd: Memoryd, home: Path, user: Path
    ) -> None:
        make_home(user)
        other = user / "more"
        other.mkdir()
        (other / "x.jsonl").write_text('{"type":"progress"}\n')
        (home / "config.toml").write_text(
            f"[sources.claude-code]\nroots = ['{user}/.claude/projects', '{other}']\n"
        )
        memoryd("run", "--once")

        rows = [
            one
            for one in memoryd("status", "--json").json["sources"]
            if one["name"] == "claude-code"
        ]

        assert [row["files"] for row in rows] == [1, 1]
        assert sum(row["skipped"].get("progress", 0) for row in rows) == 1


class TestDoctor:
    def test_a_sound_home_passes(self, memoryd: Memoryd, user: Path) -> None:
        make_home(user)
        memoryd("run", "--once")

        done = memoryd("doctor", "--json")

        assert (done.status, done.json["ok"]) == (0, True)
        assert {"sqlite", "permissions", "disk space", "agents", "database"} <= {
            check["name"] for check in done.json["checks"]
        }
        assert all(set(check) == {"name", "ok", "detail", "fix"} for check in done.json["checks"])

    def test_people_read_what_to_do(self, memoryd: Memoryd) -> None:
        done = memoryd("doctor")

        assert done.status == 1  # no agent was found
        assert "✗ agents: no agent's transcripts found  → name their folders" in done.out.decode()

    @pytest.mark.usefixtures("user")
    def test_damaged_indexes_are_found_and_mended(
        self, memoryd: Memoryd, user: Path, home: Path
    ) -> None:
        make_home(user)
        memoryd("run", "--once")
        with Store(home, lambda: NOW) as store:
            store.connection.execute("delete from words_docsize")

        found, mended, again = (memoryd("doctor", *fix, "--json") for fix in ((), ("--fix",), ()))

        assert (found.status, mended.status, again.status) == (1, 0, 0)
        assert [c["fix"] for c in found.json["checks"] if not c["ok"]] == ["memoryd doctor --fix"]
        assert memoryd("search", "staging").status == 0

    def test_a_database_that_was_lost_is_told(self, memoryd: Memoryd, home: Path) -> None:
        assert memoryd("run", "--once").status == 0
        (home / DATABASE_NAME).write_bytes(b"")

        done = memoryd("doctor", "--json")

        assert done.status == 1
        (database,) = (c for c in done.json["checks"] if c["name"] == "database")
        assert "empty" in database["detail"]


def test_people_read_why_a_phase_left_something_out(memoryd: Memoryd, user: Path) -> None:
    make_home(user)
    done = memoryd("nightly")

    told = done.out.decode()
    assert "archive: done; left out: " in told
    assert "not quiet for a day" in told
    assert "{" not in told

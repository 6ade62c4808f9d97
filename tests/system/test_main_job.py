"""The main job as a new user meets it: install nothing else, run once, read what was found, search it."""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memoryd.service.writer import utc_now
from memoryd.store.integrity import find_damage
from memoryd.store.store import Store
from tests.agents import claude_session, make_home, make_turns

REPOSITORY = Path(__file__).parents[2]
PROGRAM = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"


class User:
    """A person with a home folder, some agents and memoryd."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        agents = ("CLAUDE", "CODEX", "MEMORYD", "XDG")
        self.environment: Mapping[str, str] = {
            **{k: v for k, v in os.environ.items() if not k.startswith(agents)},
            "HOME": str(folder),
        }

    def memoryd(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            env=self.environment,
            cwd=REPOSITORY,
            capture_output=True,
            check=False,
        )
        assert done.returncode == status, done.stderr.decode()
        return done.stdout.decode()


@pytest.fixture
def person(tmp_path: Path) -> User:
    return User(make_home(tmp_path))


def test_the_first_command_of_the_readme_finds_reads_tells_and_can_be_searched(
    person: User,
) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert re.search(r"memoryd run --once\n", readme)

    said = person.memoryd("run", "--once")

    assert "7 new messages from 2 transcripts" in said
    assert re.search(r"Claude Code\t1\t5\t2026", said)
    assert re.search(r"Codex\t1\t2\t2026", said)
    assert 'memoryd search "words you remember"' in said
    assert "[index]" in person.memoryd("search", "index before migration")
    assert "[索引]" in person.memoryd("search", "索引")
    hits = json.loads(person.memoryd("search", "8081", "--source", "codex", "--json"))["hits"]
    assert [hit["project"] for hit in hits] == ["/projects/site"]
    assert "8081" in person.memoryd("show", hits[0]["message_id"])


def test_reading_again_adds_nothing_and_what_is_new_is_added(person: User) -> None:
    person.memoryd("run", "--once")
    again = json.loads(person.memoryd("run", "--once", "--json"))
    transcript = next((person.folder / ".claude").rglob("*.jsonl"))
    more = claude_session("another-session", [("user", "one more question")])
    transcript.with_name("another-session.jsonl").write_bytes(more)
    copy = transcript.with_name("resumed.jsonl")
    copy.write_bytes(transcript.read_bytes())

    later = json.loads(person.memoryd("run", "--once", "--json"))

    assert (again["messages_added"], again["bytes"]) == (0, 0)
    assert (later["messages_added"], later["messages_seen"]) == (1, 6)


def test_what_agents_delete_stays(person: User) -> None:
    person.memoryd("run", "--once")
    for path in person.folder.rglob("*.jsonl"):
        path.unlink()

    assert json.loads(person.memoryd("run", "--once", "--json"))["files"] == 0
    assert "[staging]" in person.memoryd("search", "staging")


def test_another_configuration_points_elsewhere(person: User, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.jsonl").write_bytes(claude_session("elsewhere", [("user", "a far question")]))
    config = tmp_path / "other.toml"
    config.write_text(
        f"[sources]\ndiscover = false\n[sources.claude-code]\nroots = ['{elsewhere}']\n"
    )

    said = json.loads(person.memoryd("--config", str(config), "run", "--once", "--json"))

    assert (said["files"], said["messages_added"]) == (1, 1)


def test_many_readers_search_while_one_writes(person: User, tmp_path: Path) -> None:
    """20 processes ask again and again; none fails, none waits for the writer, and all is found in the end."""
    home = tmp_path / "busy"
    person.memoryd("--home", str(home), "run", "--once")
    turns = make_turns(random.Random(5), 3000)
    big = next((person.folder / ".claude").rglob("*.jsonl")).with_name("big.jsonl")
    big.write_bytes(claude_session("big", turns))
    queries = "".join(
        json.dumps({"id": n, "query": query}) + "\n"
        for n, query in enumerate(["migration", "备份", "orders index", "staging"] * 10)
    )
    reading = [sys.executable, "-c", PROGRAM, "--home", str(home), "search", "--batch"]
    writing = [sys.executable, "-c", PROGRAM, "--home", str(home), "run", "--once", "--json"]

    def start(command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            env=dict(person.environment),
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    writer = start(writing)
    readers = [start(reading) for _ in range(20)]
    answers = [reader.communicate(queries.encode()) for reader in readers]
    told, errors = writer.communicate()

    assert [(reader.returncode, error) for reader, (_, error) in zip(readers, answers, strict=True)] == [(0, b"")] * 20  # fmt: skip
    assert all(len(out.splitlines()) == 40 for out, _ in answers)
    assert (writer.returncode, json.loads(told)["messages_added"]) == (0, 4000), errors
    with Store(home, utc_now) as store:
        assert find_damage(store.connection) == []

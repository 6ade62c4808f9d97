"""`memoryd consolidate` killed at any call inside memoryd: no damage, no lost fact, and the next run ends as an undisturbed one."""

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.store.entry_rows import entry_to_json
from memoryd.store.integrity import find_damage
from tests.service.bank_helpers import ask, entries, writing
from tests.system.zygote import Zygote

Kill = Callable[
    [Path, int], int
]  # consolidate a home, killed at the Nth call (0: never); the calls made, or -1

FACTS = [
    "We deploy with Kamal",
    "We deploy using Kamal",
    "The database port is 5432",
    "The database port is now 6432",
    "The staging server is in Frankfurt",
    "我们用 Redis 做缓存",
    "我们用Redis做缓存",
    "前端用 Vue 2",
    "前端改用 Vue 3",
    "文書は日本語で書く",
    "文書は日本語で書くこと",
    "회의는 월요일 10시에 시작한다",
    "회의는 월요일 10시에 시작합니다",
]


@pytest.fixture
def bank(home: Path, tmp_path: Path) -> Path:
    """A home whose bank holds FACTS as they were given, a day between each."""
    rows = [
        {"key": f"k{day}", "content": text, "created_at": f"2026-10-{day:02}T09:00:00Z"}
        for day, text in enumerate(FACTS, start=1)
    ]
    file = tmp_path / "in.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with writing(home) as writer:
        ask(writer, "memory.import", path=str(file), raw=True)
    return home


@pytest.fixture(scope="module")
def at_call() -> Iterator[Kill]:
    """Runs in processes that may be killed at any call; see system/killing.py."""
    with Zygote(os.environ) as memoryd:

        def kill(home: Path, at: int) -> int:
            told = memoryd.ask(["--home", str(home), "consolidate", "--json"], at=at)
            assert told["status"] in (0, -signal.SIGKILL)
            return int(told["calls"]) if told["status"] == 0 else -1

        yield kill


def outcome(home: Path) -> list[tuple[str, str]]:
    return sorted((entry.content, entry.state) for entry in entries(home))


def check_kills(bank: Path, folder: Path, count: int, kill: Kill) -> None:
    """Kill a run at *count* places spread evenly over all its calls, each on a bank of its own."""
    calm = folder / "calm"
    shutil.copytree(bank, calm)
    calls = kill(calm, 0)
    expected = outcome(calm)
    before = [entry_to_json(entry) for entry in entries(bank)]
    half_done = 0
    for number in range(count):
        home = folder / str(number)
        shutil.copytree(bank, home)

        assert kill(home, 1 + calls * number // count) == -1, f"place {number}"
        with writing(home) as writer:
            assert find_damage(writer.store.connection) == [], f"place {number}"
        left = [entry_to_json(entry) for entry in entries(home)]
        assert outcome(home) == expected or left == before, (
            f"place {number}: a run is whole or nothing"
        )
        half_done += left == before
        assert kill(home, 0) > 0
        assert outcome(home) == expected, f"place {number}"
        assert {entry.content for entry in entries(home)} >= set(FACTS)
        shutil.rmtree(home)
    assert 0 < half_done <= count


def test_killed_at_any_call_a_run_is_whole_or_nothing(
    bank: Path, tmp_path: Path, at_call: Kill
) -> None:
    check_kills(bank, tmp_path, 6, at_call)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_killed_at_two_hundred_calls_a_run_is_whole_or_nothing(
    bank: Path, tmp_path: Path, at_call: Kill
) -> None:
    check_kills(bank, tmp_path, 200, at_call)

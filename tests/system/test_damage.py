"""A daemon whose database is damaged, lost or replaced says so, mends what it may mend alone, and never begins anew in silence."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memoryd.store.connection import DATABASE_NAME
from memoryd.store.pages import PAGE_BYTES, Pages
from tests.system.conftest import PROGRAM, REPOSITORY

Run = Callable[..., Any]
Eventually = Callable[..., bool]


def flip(home: Path, *names: str) -> None:
    """XOR every bit of the pages of some tables."""
    path = home / DATABASE_NAME
    with closing(sqlite3.connect(path)) as connection:
        listed = connection.execute("select name, rootpage from sqlite_schema").fetchall()
    with Pages(path) as pages:
        bad = [page for name, root in listed if name in names for page in pages.below(root)]
    data = bytearray(path.read_bytes())
    for page in bad:
        start = (page - 1) * PAGE_BYTES
        for index in range(start, start + PAGE_BYTES):
            data[index] ^= 0xFF
    path.write_bytes(data)


def command(place: Any, *words: str) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-c", PROGRAM, "--home", str(place.home), *words]
    return subprocess.run(arguments, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def degraded(place: Any) -> list[str]:
    told: list[str] = json.loads(command(place, "status", "--json").stdout)["degraded"]
    return told


@pytest.mark.parametrize("content", ["zeroblob", "randomblob"])
def test_damaged_indexes_are_mended_by_the_daemon_itself(
    place: Any, run: Run, eventually: Eventually, content: str
) -> None:
    place.say("a.jsonl", *(f"before {number}" for number in range(50)))
    daemon = run()
    assert eventually(lambda: place.count() == 50)
    daemon.end()
    with closing(sqlite3.connect(place.home / DATABASE_NAME)) as connection:
        connection.execute(f"update words_data set block = {content}(length(block))")
        connection.commit()

    daemon = run(watchdog_seconds=1.5)
    place.say("a.jsonl", "after")

    assert eventually(lambda: place.count() == 51, 30)
    assert eventually(lambda: daemon.ask("status")["damage"] is None)
    assert "damage_looked_at" in daemon.log.read_text()
    assert '"after"' in command(place, "search", "--json", "after").stdout


def test_damaged_messages_are_told_and_mended_when_a_person_asks(
    place: Any, run: Run, eventually: Eventually
) -> None:
    texts = [f"text {number} {'x' * 300}" for number in range(200)]
    place.say("a.jsonl", *texts)
    daemon = run()
    assert eventually(lambda: place.count() == 200)
    daemon.end()
    flip(place.home, "sqlite_autoindex_message_1", "message")

    daemon = run(watchdog_seconds=1.5)
    place.say("a.jsonl", "after")
    assert eventually(lambda: daemon.ask("status")["damage"], 20)
    assert any("doctor" in one for one in degraded(place))
    told = command(place, "doctor", "--fix")
    assert "stop memoryd, then memoryd doctor --fix" in told.stdout

    daemon.end()
    assert command(place, "doctor", "--fix").returncode == 0
    daemon = run()
    assert eventually(lambda: place.count() == 201, 20)
    assert daemon.ask("status")["degraded"] == []


@pytest.mark.parametrize("how", ["unlinked", "emptied"])
def test_a_database_lost_under_the_daemon_is_never_begun_anew_in_silence(
    place: Any, run: Run, eventually: Eventually, how: str
) -> None:
    place.say("a.jsonl", "one", "two")
    daemon = run()
    assert eventually(lambda: place.count() == 2)
    path = place.home / DATABASE_NAME
    if how == "unlinked":
        path.unlink()
        place.say("a.jsonl", "three")
        assert 1 == daemon.process.wait(30)
    else:
        daemon.end()
        path.write_bytes(b"")

    again = run(ready=False)
    assert 1 == again.process.wait(30)
    assert "although there was a database" in again.log.read_text()
    assert any("although there was a database" in one for one in degraded(place))
    assert not path.exists() or not path.stat().st_size

    assert command(place, "doctor", "--fix").returncode == 0
    run()
    assert eventually(lambda: place.count() >= 2)
    assert degraded(place) == []

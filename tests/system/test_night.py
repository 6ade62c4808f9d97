"""A real daemon that slept through its night has it on waking, once."""

import os
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.config import Config
from memoryd.service.night.ledger import NIGHT
from memoryd.service.night.nightly import close_night
from memoryd.service.writer import utc_now
from memoryd.store.reader import Reader


def nights(place: Any) -> list[tuple[str, str, int]]:
    """Local date, state and beginning (unix milliseconds) of every night in the ledger."""
    with Reader(place.home) as reader:
        return reader.connection.execute(
            "select local_date, state, started from job where name = ?", (NIGHT,)
        ).fetchall()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_suspended_across_its_time_the_night_runs_once_on_waking(
    place: Any, run: Callable[..., Any], eventually: Callable[..., bool]
) -> None:
    at = (utc_now().astimezone() + timedelta(minutes=2)).strftime("%H:%M")
    place.configure(f"[nightly]\nat = '{at}'\n[embedding]\nengine = 'none'\n")
    place.say("a.jsonl", "We decided to use PostgreSQL 16 for orders.")
    daemon = run()
    seed_yesterday(place.home)
    os.kill(daemon.process.pid, signal.SIGSTOP)
    time.sleep(150)

    assert len(nights(place)) == 1, (nights(place), daemon.log.read_text())

    os.kill(daemon.process.pid, signal.SIGCONT)

    assert eventually(lambda: len(nights(place)) == 2, 200), daemon.log.read_text()

    time.sleep(130)

    assert [state for _, state, _ in nights(place)] == ["done", "done"]
    assert daemon.ask("status")["jobs"][0]["last_error"] is None


def seed_yesterday(home: Path) -> None:
    """A night that went well just now, of yesterday's date: nothing is missed."""
    now = utc_now()
    day = (now.astimezone() - timedelta(days=1)).date()
    close_night(home, Config(), "n-seed", day, now, {"failed": [], "phases": {}})

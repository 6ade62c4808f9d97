"""A real daemon that slept through its night has it on waking, once."""

import os
import signal
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.config import Config
from memoryd.service.night.ledger import NIGHT
from memoryd.service.night.nightly import close_night
from memoryd.service.writer import utc_now
from memoryd.store.reader import Reader

TICK = 2  # seconds between two looks of the clock, else sixty
QUICK = (
    f"from memoryd.service.night import scheduler; scheduler.TICK_SECONDS = {TICK}; "
    "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"
)


def nights(place: Any) -> list[tuple[str, str, int]]:
    """Local date, state and beginning (unix milliseconds) of every night in the ledger."""
    with Reader(place.home) as reader:
        return reader.connection.execute(
            "select local_date, state, started from job where name = ?", (NIGHT,)
        ).fetchall()


def next_minute() -> datetime:
    """The next full minute of today that leaves time to start a daemon, however busy the machine is."""
    soon = utc_now().astimezone() + timedelta(seconds=120)
    if soon.date() != (soon - timedelta(minutes=5)).date():
        time.sleep(360)
        return next_minute()
    return soon.replace(second=0, microsecond=0)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_suspended_across_its_time_the_night_runs_once_on_waking(
    place: Any, run: Callable[..., Any], eventually: Callable[..., bool]
) -> None:
    at = next_minute()
    place.configure(f"[nightly]\nat = '{at:%H:%M}'\n[embedding]\nengine = 'none'\n")
    place.say("a.jsonl", "We decided to use PostgreSQL 16 for orders.")
    daemon = run(program=QUICK)
    seed_yesterday(place.home)
    os.kill(daemon.process.pid, signal.SIGSTOP)
    if utc_now() >= at:
        pytest.skip("the machine was too busy to start a daemon in time")

    time.sleep((at - utc_now()).total_seconds() + 3 * TICK)

    assert len(nights(place)) == 1, (nights(place), daemon.log.read_text())

    os.kill(daemon.process.pid, signal.SIGCONT)

    assert eventually(lambda: len(nights(place)) == 2, 600), daemon.log.read_text()

    time.sleep(10 * TICK)

    assert [state for _, state, _ in nights(place)] == ["done", "done"]
    assert daemon.log.read_text().count("night_started") == 1
    assert daemon.ask("status")["jobs"][0]["last_error"] is None


def seed_yesterday(home: Path) -> None:
    """A night that went well just now, of yesterday's date: nothing is missed."""
    now = utc_now()
    day = (now.astimezone() - timedelta(days=1)).date()
    close_night(home, Config(), "n-seed", day, now, {"failed": [], "phases": {}})

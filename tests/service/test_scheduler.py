"""The clock of the night starts one real night when it is due, not again when it failed a minute ago, and ends it when told."""

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryd.config import Config, NightlyConfig
from memoryd.service.night import scheduler
from memoryd.service.night.ledger import NIGHT
from memoryd.service.night.nightly import close_night
from memoryd.service.night.scheduler import NightClock
from memoryd.service.writer import utc_now
from memoryd.store.jobs import last_run
from memoryd.store.reader import Reader
from tests.service.archive_helpers import Life
from tests.service.fake_clock import FakeClock
from tests.service.test_nightly import configure


@pytest.fixture
def life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Life:
    """A life whose night is due at once."""
    monkeypatch.setattr(scheduler, "CATCH_UP_SECONDS", 0)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    life = Life(tmp_path)
    life.write(1, [("user", "hello"), ("user", "there")])
    configure(life)
    life.ask("ingest")
    return life


@pytest.fixture
def clock(life: Life) -> Iterator[NightClock]:
    made = make(life)
    yield made
    made.stop()


def make(life: Life, at: str = "00:00") -> NightClock:
    config = Config(nightly=NightlyConfig(at=at))
    return NightClock(life.home, config, life.home / "config.toml")


def test_another_hour_is_taken_from_a_new_configuration(life: Life) -> None:
    done: dict[str, Any] = {"failed": []}
    close_night(life.home, life.config(), "n-1", utc_now().astimezone().date(), utc_now(), done)
    clock = make(life, "00:00")
    clock.configure(Config(nightly=NightlyConfig(at="12:34")))

    upcoming = datetime.fromisoformat(clock.jobs()[0]["next"]).astimezone()
    assert (12, 34) == (upcoming.hour, upcoming.minute)


def look(clock: NightClock) -> Any:
    """One tick; the process that is running after it, if any."""
    clock._look()
    return clock._process


def state(life: Life) -> str:
    with Reader(life.home) as reader:
        run = last_run(reader.connection, NIGHT)
    return "" if run is None else run.state


def test_a_night_that_is_due_runs_once(life: Life, clock: NightClock) -> None:
    process = look(clock)

    assert look(clock) is process
    assert process.wait(50) == 0
    assert state(life) == "done"
    assert look(clock) is None
    assert clock.jobs()[0]["last_error"] is None
    assert clock.jobs()[0]["next"] > clock.jobs()[0]["last_success"]


def test_what_failed_is_not_tried_again_every_minute(
    life: Life, clock: NightClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    (life.home / "backups").write_text("in the way")

    assert look(clock).wait(50) == 1
    assert look(clock) is None
    assert clock.jobs()[0]["last_error"] == "failed: backup"

    (life.home / "backups").unlink()
    monkeypatch.setattr(clock, "_failed_at", time.monotonic() - scheduler.RETRY_SECONDS)

    assert look(clock).wait(50) == 0
    assert state(life) == "done"


def test_a_killed_night_goes_on_where_it_was(
    life: Life, clock: NightClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = look(clock)
    process.kill()
    process.wait()

    assert look(clock) is None

    monkeypatch.setattr(scheduler, "RETRY_SECONDS", 0)

    assert look(clock).wait(50) == 0
    assert state(life) == "done"


def test_stopping_ends_a_night_that_runs_within_two_seconds(life: Life) -> None:
    clock = make(life)
    clock.start()
    process = look(clock)
    started = time.monotonic()
    clock.stop()

    assert process.poll() is not None
    assert time.monotonic() - started < 2.5


def test_a_database_that_cannot_be_read_does_not_stop_the_clock(life: Life) -> None:
    clock = make(life)
    (life.home / "memoryd.db").write_bytes(b"not a database, whatever its name says" * 200)

    assert look(clock) is None
    assert clock.jobs() == []


def test_a_missed_night_does_not_begin_in_the_rush_of_a_start(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "CATCH_UP_SECONDS", 3600)
    noon = utc_now().astimezone().replace(hour=12, minute=0)
    FakeClock(monkeypatch, noon.astimezone(UTC))

    assert look(make(life)) is None


@pytest.mark.parametrize(("battery", "waits"), [(True, True), (False, False), (None, False)])
def test_a_missed_night_waits_for_mains_power_but_not_for_ever(
    life: Life, monkeypatch: pytest.MonkeyPatch, battery: bool | None, waits: bool
) -> None:
    fake = FakeClock(monkeypatch, utc_now())
    monkeypatch.setattr(scheduler, "on_battery", lambda: battery)
    close_night(
        life.home, life.config(), "n-1", date.fromisoformat("2026-01-01"), fake.now, {"failed": []}
    )
    clock = make(life, at="23:59")
    fake.run(days=2)

    assert clock._waits(clock._due()) is waits

    fake.run(days=2)

    assert clock._waits(clock._due()) is False


def test_another_time_zone_is_followed_at_once(
    life: Life, monkeypatch: pytest.MonkeyPatch, zone: Callable[[str], None]
) -> None:
    """03:30 in Vienna is the evening before in New York: what was done there is done for that date only."""
    fake = FakeClock(monkeypatch, utc_now().replace(year=2026, month=6, day=10, hour=1, minute=40))
    clock = make(life, at="03:30")
    zone("Europe/Vienna")

    assert clock._due().now

    close_night(
        life.home, life.config(), "n-1", date.fromisoformat("2026-06-10"), fake.now, {"failed": []}
    )

    assert not clock._due().now

    zone("America/New_York")

    assert not clock._due().now

    fake.run(hours=7)  # 04:40 in New York, of the date that Vienna has done

    assert not clock._due().now

    fake.run(hours=24)

    assert clock._due().now


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Moves this process to another time zone."""
    before = os.environ.get("TZ")

    def move(name: str) -> None:
        os.environ["TZ"] = name
        time.tzset()

    yield move
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


def test_a_bad_time_zone_stops_nothing(life: Life, zone: Callable[[str], None]) -> None:
    zone("Nowhere/At_All")
    clock = make(life)
    clock.start()
    clock.stop()

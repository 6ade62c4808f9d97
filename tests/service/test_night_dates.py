"""The clock of the night against the real ledger: one effective run for each local date, whatever clocks and zones do."""

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryd.config import Config, NightlyConfig
from memoryd.service.night import nightly
from memoryd.service.night.ledger import NIGHT
from memoryd.service.night.nightly import close_night, run_night
from memoryd.service.night.scheduler import NightClock
from memoryd.store.reader import Reader
from tests.service.archive_helpers import Life
from tests.service.fake_clock import FakeClock

LOOK = timedelta(minutes=15)


class Nights:
    """A machine whose clock looks now and then; a night that is due runs at once, and is closed in the real ledger."""

    def __init__(self, folder: Path, fake: FakeClock) -> None:
        self.life, self.fake = Life(folder), fake
        self.clock = NightClock(self.life.home, Config(nightly=NightlyConfig(at="03:30")), None)
        self.ran: list[str] = []

    def live(self, **span: float) -> None:
        """Time goes by, and the clock looks."""
        end = self.fake.now + timedelta(**span)
        while self.fake.now < end:
            self.fake.run(seconds=LOOK.total_seconds())
            due = self.clock._due()
            if due.now and not self.clock._waits(due):
                self._run()

    def _run(self) -> None:
        now = self.fake.now
        day = now.astimezone().date()
        self.ran.append(f"{day:%m-%d}")
        report: dict[str, object] = {"failed": [], "phases": {}}
        close_night(self.life.home, Config(), f"n-{len(self.ran)}", day, now, report)

    def rows(self) -> list[str]:
        """Local dates with a night in the ledger."""
        with Reader(self.life.home) as reader:
            rows = reader.connection.execute(
                "select local_date from job where name = ? and state = 'done' order by 1", (NIGHT,)
            ).fetchall()
        return [row[5:] for (row,) in rows]


Zone = Callable[[str], None]


@pytest.fixture
def zone() -> Iterator[Zone]:
    """Moves this process to another time zone."""
    before = os.environ.get("TZ")

    def move(name: str) -> None:
        os.environ["TZ"] = name
        time.tzset()

    yield move
    os.environ.pop("TZ", None)
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: Zone) -> Callable[..., Nights]:
    """A machine in Vienna at noon of a day, whose last night went well."""

    def make(year: int, month: int, day: int) -> Nights:
        zone("Europe/Vienna")
        nights = Nights(
            tmp_path, FakeClock(monkeypatch, datetime(year, month, day, 11, tzinfo=UTC))
        )
        nights._run()
        nights.ran.clear()
        return nights

    return make


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ((2026, 3, 27), ["03-28", "03-29", "03-30"]),  # 02:00 to 03:00 is missing on the 29th
        ((2026, 10, 24), ["10-25", "10-26", "10-27"]),  # 02:00 to 03:00 comes twice on the 25th
    ],
)
def test_both_changes_of_the_clock(
    begin: Callable[..., Nights], first: tuple[int, int, int], expected: list[str]
) -> None:
    nights = begin(*first)
    nights.live(days=3)

    assert nights.ran == expected
    assert nights.rows()[1:] == expected


def test_another_zone_while_it_runs(begin: Callable[..., Nights], zone: Zone) -> None:
    nights = begin(2026, 6, 10)
    nights.live(hours=18)
    zone("Asia/Tokyo")
    nights.live(hours=30)
    zone("America/New_York")
    nights.live(hours=48)

    assert len(nights.ran) == len({*nights.ran}) == len(nights.rows()) - 1
    assert nights.ran[0] == "06-11"
    assert 3 <= len(nights.ran) <= 5


def test_three_days_off_are_one_catch_up(begin: Callable[..., Nights]) -> None:
    nights = begin(2026, 6, 10)
    nights.fake.run(days=3)
    nights.live(hours=30)

    assert nights.ran == ["06-13", "06-14"]


def test_ten_years_ahead_and_back(begin: Callable[..., Nights]) -> None:
    nights = begin(2026, 6, 10)
    nights.live(hours=18)
    nights.fake.set(days=3650)
    nights.live(hours=2)
    ahead = len(nights.ran)
    nights.fake.set(days=-3650)
    nights.live(hours=48)

    assert ahead == 2
    assert nights.ran[0] == "06-11"
    assert nights.ran[2:] == ["06-12", "06-13"]
    assert len(nights.rows()) == 5


def test_the_user_hears_of_a_failed_night_once_a_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeClock(monkeypatch)
    told: list[str] = []
    monkeypatch.setattr(nightly, "tell_desktop", lambda title, text: told.append(text))
    life = Life(tmp_path)
    life.root.mkdir()
    life.ask("upkeep")
    (life.home / "backups").write_text("in the way")
    for _ in range(3):
        run_night(life.home, life.config(), scheduled=True)
        fake.run(hours=1)

    assert len(told) == 1
    assert "The night failed: backup" in told[0]

    fake.run(days=1)
    run_night(life.home, life.config(), scheduled=True)

    assert len(told) == 2

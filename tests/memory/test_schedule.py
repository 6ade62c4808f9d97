"""A night runs once for each local date: whatever the clock, the zone and the machine do."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory.schedule import Success, clock_jumped, is_due, may_wait, next_time, parse_at

VIENNA = ZoneInfo("Europe/Vienna")
AT = time(3, 30)


def simulate(
    start: datetime, hours: float, zone: ZoneInfo, *, off: tuple[datetime, datetime] | None = None
) -> list[date]:
    """Local dates of the nights that ran, looking every minute of real time; the machine may be off for a while."""
    last: Success | None = Success(start.astimezone(zone).date(), start - timedelta(hours=8))
    ran = []
    moment = start
    while moment < start + timedelta(hours=hours):
        local = moment.astimezone(zone)
        awake = off is None or not off[0] <= moment < off[1]
        if awake and is_due(local, AT, last).now:
            ran.append(local.date())
            last = Success(local.date(), moment)
        moment += timedelta(minutes=1)
    return ran


@pytest.mark.parametrize("day", [date(2026, 3, 28), date(2026, 10, 24), date(2026, 6, 1)])
def test_once_a_night_on_both_dst_changes_and_on_plain_days(day: date) -> None:
    start = datetime(day.year, day.month, day.day, 12, tzinfo=VIENNA).astimezone(UTC)

    assert simulate(start, 72, VIENNA) == [day + timedelta(days=n) for n in (1, 2, 3)]


def test_asleep_at_its_time_it_runs_on_waking() -> None:
    start = datetime(2026, 6, 1, 12, tzinfo=UTC)
    off = (datetime(2026, 6, 1, 20, tzinfo=UTC), datetime(2026, 6, 2, 9, tzinfo=UTC))

    assert simulate(start, 30, VIENNA, off=off) == [date(2026, 6, 2)]


def test_three_days_off_mean_one_catch_up() -> None:
    start = datetime(2026, 6, 1, 12, tzinfo=UTC)
    off = (datetime(2026, 6, 1, 20, tzinfo=UTC), datetime(2026, 6, 5, 9, tzinfo=UTC))

    assert simulate(start, 24 * 4, VIENNA, off=off) == [date(2026, 6, 5)]


def test_a_clock_set_ten_years_ahead_and_back_runs_nothing_twice() -> None:
    done = Success(date(2036, 6, 1), datetime(2036, 6, 1, 4, tzinfo=UTC))

    found = is_due(datetime(2026, 6, 2, 9, tzinfo=UTC), AT, done)

    assert (found.now, found.reason) == (
        False,
        "the last night ended in the future: the clock was set back",
    )


def test_who_flies_west_into_yesterday_has_had_that_night() -> None:
    moment = datetime(2026, 6, 10, 1, 40, tzinfo=UTC)
    done = Success(date(2026, 6, 10), moment)
    west = ZoneInfo("America/New_York")
    due = [is_due((moment + timedelta(hours=n)).astimezone(west), AT, done).now for n in range(36)]

    assert due.index(True) == 27  # by then 26 hours have passed


@given(st.datetimes(timezones=st.just(VIENNA)), st.times())
def test_a_date_that_is_done_is_never_due_again(local: datetime, at: time) -> None:
    done = Success(local.date(), local - timedelta(minutes=1))

    assert not is_due(local, at, done).now


def test_a_missed_night_waits_for_mains_power_but_not_for_ever() -> None:
    now = datetime(2026, 6, 4, 9, tzinfo=UTC)

    assert may_wait(now, Success(date(2026, 6, 2), now - timedelta(days=2)), busy=True)
    assert not may_wait(now, Success(date(2026, 6, 2), now - timedelta(days=2)), busy=False)
    assert not may_wait(now, Success(date(2026, 6, 1), now - timedelta(days=3)), busy=True)


def test_the_next_night_is_tomorrow_when_today_is_done() -> None:
    now = datetime(2026, 6, 4, 9, tzinfo=VIENNA)
    done = Success(now.date(), now)

    assert next_time(now, AT, done) == datetime(2026, 6, 5, 3, 30, tzinfo=VIENNA)
    assert next_time(now.replace(hour=1), AT, Success(date(2026, 6, 3), now)) == now.replace(
        hour=3, minute=30
    )
    assert next_time(now, AT, None) == now


@pytest.mark.parametrize(
    ("text", "expected"), [("03:30", time(3, 30)), ("4", time(4, 0)), ("23:59", time(23, 59))]
)
def test_times_of_day_are_read(text: str, expected: time) -> None:
    assert parse_at(text) == expected


@pytest.mark.parametrize("text", ["", "25:00", "03:60", "noon"])
def test_what_is_no_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_at(text)


@pytest.mark.parametrize(
    ("moved", "running", "expected"),
    [
        (timedelta(days=-2), None, True),
        (timedelta(hours=-2), None, False),
        (timedelta(days=20), None, False),
        (timedelta(days=3650), None, True),
        (timedelta(days=2), timedelta(minutes=1), True),
        (timedelta(days=2), timedelta(days=2), False),
    ],
)
def test_jumps_of_more_than_a_day_are_seen(
    moved: timedelta, running: timedelta | None, expected: bool
) -> None:
    seen = datetime(2026, 6, 4, 9, tzinfo=UTC)

    assert clock_jumped(seen + moved, seen, running) is expected
    assert not clock_jumped(seen, None, None)

"""When a nightly job is due. Pure: the ledger's last success and the local time in, yes or no with the reason out.

Wall-clock schedulers miss nights (suspend), run twice (DST) or never (a clock step); a ledger by local date does not.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

OVERDUE = timedelta(hours=26)
PATIENCE = timedelta(
    days=3
)  # a missed night waits so long at most for mains power and an idle machine


@dataclass(frozen=True, slots=True)
class Success:
    """A night that went well: for which local date, and when it ended."""

    local_date: date
    finished: datetime


@dataclass(frozen=True, slots=True)
class Due:
    """Whether to run now. *catch_up*: the night was missed, so it may wait for a good moment."""

    now: bool
    reason: str
    catch_up: bool = False


def is_due(local_now: datetime, at: time, last: Success | None) -> Due:
    """Should the night of this local date run?

    Args:
        local_now: the local time, with its zone.
        at: local time of day from which a night is due.
        last: the last night that went well.
    """
    if last is not None and last.finished > local_now:
        return Due(now=False, reason="the last night ended in the future: the clock was set back")
    if last is not None and last.local_date >= local_now.date():  # later: the user flew west
        return Due(now=False, reason="this date is done")
    if last is not None and local_now - last.finished > OVERDUE:
        return Due(now=True, reason="the last success is more than 26 hours old", catch_up=True)
    if local_now.time() >= at:
        late = local_now - local_now.replace(
            hour=at.hour, minute=at.minute, second=0, microsecond=0
        )
        return Due(now=True, reason="its time has come", catch_up=late > timedelta(hours=1))
    return Due(now=False, reason="its time has not come")


def may_wait(local_now: datetime, last: Success | None, *, busy: bool) -> bool:
    """May a missed night wait for a better moment (mains power, an idle machine)?"""
    return busy and last is not None and local_now - last.finished < PATIENCE


def next_time(local_now: datetime, at: time, last: Success | None) -> datetime:
    """When the next night is due, in local time."""
    today = local_now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    done_today = last is not None and last.local_date >= local_now.date()
    if done_today or (last is None and local_now > today):
        return today + timedelta(days=1) if done_today else local_now
    return max(today, local_now)


def parse_at(text: str) -> time:
    """A time of day like 03:30.

    Raises:
        ValueError: it is none.
    """
    hour, _, minute = text.partition(":")
    return time(int(hour), int(minute or "0"))


def clock_jumped(local_now: datetime, seen: datetime | None, running: timedelta | None) -> bool:
    """Did the clock move by more than a day against what was seen?

    Args:
        seen: the latest time the database has seen; a clock before it by more than a day jumped back.
        running: monotonic time since *seen*, if this process saw it; None: it did not.
    """
    if seen is None:
        return False
    moved = local_now - seen
    if moved < -timedelta(days=1):
        return True
    if running is not None:
        return abs(moved - running) > timedelta(days=1)
    return moved > timedelta(days=400)

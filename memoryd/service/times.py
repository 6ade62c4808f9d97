"""Times as people type them."""

import re
from datetime import datetime, timedelta

_AGE = re.compile(r"(\d+)\s*([hdwm])", re.IGNORECASE)
_UNITS = {
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "m": timedelta(days=30),
}


def parse_moment(text: str, now: datetime | None = None) -> datetime:
    """Read `2026-11-30`, `2026-11-30 14:00`, RFC 3339, or an age like `7d` before *now*; without a zone it is local.

    Raises:
        ValueError: none of these.
    """
    now = now or datetime.now().astimezone()
    age = _AGE.fullmatch(text.strip())
    if age:
        try:
            return now - int(age[1]) * _UNITS[age[2].lower()]
        except OverflowError as error:
            raise ValueError(text) from error
    moment = datetime.fromisoformat(text.strip())
    return moment if moment.tzinfo else moment.astimezone()

"""May the clock be trusted? Forgetting by rule waits while it seems to have jumped by more than a day.

The last reading that was trusted stays in the database. While it disagrees with the clock every night finds so anew; the clock
set right again, or a person who confirms, ends that.
"""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.errors import StoreError
from memoryd.memory.schedule import clock_jumped
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.reader import Reader
from memoryd.store.settings import get_setting, put_setting

TRUSTED = "clock_trusted"
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Reading:
    """The clock at one moment.

    Attributes:
        wall: ISO 8601, UTC.
        boot: which run of the machine this is; empty if it cannot be told.
        seconds: since the machine was started, sleep included; nobody sets this clock.
    """

    wall: str
    boot: str
    seconds: float


def read_clock() -> Reading:
    """Both clocks, now."""
    boot, seconds = "", 0.0
    with suppress(OSError, AttributeError):  # other systems have no such clock or no such file
        boot = BOOT_ID.read_text(encoding="ascii").strip()
        seconds = time.clock_gettime(time.CLOCK_BOOTTIME)
    return Reading(utc_now().isoformat(), boot, seconds)


def has_jumped(home: Path) -> bool:
    """Did the clock move by more than a day against the last reading that was trusted?"""
    try:
        with Reader(home) as reader:
            kept = get_setting(reader.connection, TRUSTED)
    except StoreError:  # no database yet, or one of another version: nothing to disagree with
        return False
    if kept is None:
        return False
    before, now = Reading(**json.loads(kept)), read_clock()
    same_boot = bool(now.boot) and now.boot == before.boot
    running = timedelta(seconds=now.seconds - before.seconds) if same_boot else None
    return clock_jumped(
        datetime.fromisoformat(now.wall), datetime.fromisoformat(before.wall), running
    )


def trust(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Take the clock as it stands for right."""
    with writer.store.transaction() as connection:
        put_setting(connection, TRUSTED, json.dumps(asdict(read_clock())))
    return {}

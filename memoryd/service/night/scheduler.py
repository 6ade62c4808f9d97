"""The clock of the night: APScheduler looks every minute, the ledger decides, a process of its own does the work.

Nothing is pickled and nothing is remembered here: after a suspend, a clock step or a restart the next look finds what is due.
"""

import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from apscheduler.schedulers.background import BackgroundScheduler

from memoryd.config import Config
from memoryd.errors import MemorydError
from memoryd.memory.schedule import Due, Success, is_due, may_wait, next_time, parse_at
from memoryd.service.night.ledger import NIGHT, describe_jobs
from memoryd.service.resources import on_battery
from memoryd.service.writer import utc_now
from memoryd.store.jobs import last_success
from memoryd.store.reader import Reader

TICK_SECONDS = 60
CATCH_UP_SECONDS = 180  # a missed night does not begin in the rush of a start
RETRY_SECONDS = 3600.0  # what failed or was killed would fail again in a minute
STOP_SECONDS = 2.0

log = structlog.get_logger()


class NightClock:
    """Starts `memoryd nightly` when it is due. One at a time."""

    def __init__(self, home: Path, config: Config, config_path: Path | None) -> None:
        self._home = home
        self._at = parse_at(config.nightly.at)
        self._config_path = config_path
        self._process: subprocess.Popen[bytes] | None = None
        self._started = utc_now()
        self._failed_at = -RETRY_SECONDS
        self._clock = BackgroundScheduler(
            timezone="UTC",
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )

    def start(self) -> None:
        """Begin to look."""
        self._clock.add_job(self._look, "interval", seconds=TICK_SECONDS, id="tick")
        self._clock.start()

    def configure(self, config: Config) -> None:
        """Look for another hour from now on; the night itself reads the configuration anew."""
        self._at = parse_at(config.nightly.at)

    def stop(self) -> None:
        """Stop looking, and end a night that runs; the next goes on where it was."""
        with suppress(Exception):  # APScheduler complains of a scheduler that never ran
            self._clock.shutdown(wait=False)
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _look(self) -> None:
        """Begin the night if it is due. Nothing that goes wrong here may stop the clock."""
        time.tzset()  # the user may have travelled
        if self._process is not None:
            if self._process.poll() is None:
                return
            if self._process.returncode:
                self._failed_at = time.monotonic()
            self._process = None
        if time.monotonic() - self._failed_at < RETRY_SECONDS:
            return
        try:
            due = self._due()
        except MemorydError as error:
            log.warning("schedule_unreadable", error=str(error))
            return
        if due.now and not self._waits(due):
            log.info("night_started", reason=due.reason)
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                self._command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )

    def _command(self) -> list[str]:
        config = ["--config", str(self._config_path)] if self._config_path else []
        return [
            sys.executable,
            "-P",
            "-m",
            "memoryd",
            "--home",
            str(self._home),
            *config,
            "nightly",
            "--scheduled",
            "--json",
        ]

    def _due(self) -> Due:
        return is_due(utc_now().astimezone(), self._at, self._last())

    def _last(self) -> Success | None:
        with Reader(self._home) as reader:
            # A success of tomorrow or later is from a time when the clock was wrong.
            run = last_success(reader.connection, NIGHT, utc_now() + timedelta(days=1))
        return (
            None if run is None or run.finished is None else Success(run.local_date, run.finished)
        )

    def _waits(self, due: Due) -> bool:
        now = utc_now()
        if not due.catch_up:
            return False
        if (now - self._started).total_seconds() < CATCH_UP_SECONDS:
            return True
        return may_wait(now.astimezone(), self._last(), busy=bool(on_battery()))

    def jobs(self) -> list[Mapping[str, Any]]:
        """The night for `status`: last success, next, last error."""
        try:
            with Reader(self._home) as reader:
                described = describe_jobs(reader)
            following = next_time(utc_now().astimezone(), self._at, self._last())
        except MemorydError:
            return []
        upcoming = following.astimezone(utc_now().tzinfo).strftime("%Y-%m-%dT%H:%M:%SZ")
        empty = {"name": NIGHT, "last_success": None, "next": None, "last_error": None}
        return [one | {"next": upcoming} for one in described or [empty]]

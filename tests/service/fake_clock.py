"""A clock of the tests' own, in place of the one clock of the shell (`writer.utc_now`)."""

import importlib
import pkgutil
import sys
from datetime import UTC, datetime, timedelta

import pytest

import memoryd.service
from memoryd.service import clock

START = datetime(2026, 6, 1, 1, 30, tzinfo=UTC)


class FakeClock:
    """Tells every service what time it is; the machine's other clock runs along unless told otherwise."""

    def __init__(self, patch: pytest.MonkeyPatch, now: datetime = START) -> None:
        self.now = now
        self.boot, self.seconds = "boot-1", 1000.0
        # All of them first: a module imported later would keep this clock for ever.
        for module in pkgutil.walk_packages(memoryd.service.__path__, "memoryd.service."):
            importlib.import_module(module.name)
        for name, loaded in list(sys.modules.items()):
            if name.startswith("memoryd.") and hasattr(loaded, "utc_now"):
                patch.setattr(loaded, "utc_now", lambda: self.now)
        patch.setattr(clock, "read_clock", self._read)

    def _read(self) -> clock.Reading:
        return clock.Reading(self.now.isoformat(), self.boot, self.seconds)

    def run(self, **span: float) -> None:
        """Time goes by."""
        self.now += timedelta(**span)
        self.seconds += timedelta(**span).total_seconds()

    def set_to(self, moment: datetime) -> None:
        """Time goes by until then."""
        self.run(seconds=(moment - self.now).total_seconds())

    def set(self, **span: float) -> None:
        """Somebody sets the clock forward (or back)."""
        self.now += timedelta(**span)

    def restart(self) -> None:
        """The machine is started anew."""
        self.boot, self.seconds = f"{self.boot}'", 10.0

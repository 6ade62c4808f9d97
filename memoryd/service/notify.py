"""Tells the service manager how we are. Source: sd_notify(3); without a manager nothing happens."""

import os
import socket
import time
from collections.abc import MutableMapping
from contextlib import suppress

DEFAULT_BEAT_SECONDS = 20.0  # without a watchdog: how often the daemon looks after itself


class Notifier:
    """The way to systemd's notification socket, or to nowhere (a terminal, launchd)."""

    def __init__(self, environ: MutableMapping[str, str]) -> None:
        """Take the manager's variables out of *environ*: our children must not speak for us."""
        self._address = environ.pop("NOTIFY_SOCKET", "")
        period = environ.pop("WATCHDOG_USEC", "")
        meant = environ.pop("WATCHDOG_PID", "") in {"", str(os.getpid())}
        self._period_seconds = int(period) / 1e6 if period.isdigit() and meant else 0.0

    @property
    def has_manager(self) -> bool:
        """Did a service manager start us?"""
        return bool(self._address)

    @property
    def beat_seconds(self) -> float:
        """How often the main loop must come round: thrice in a watchdog period, one of which may be missed."""
        wanted = self._period_seconds / 3 or DEFAULT_BEAT_SECONDS
        return min(wanted, DEFAULT_BEAT_SECONDS)

    def ready(self, status: str) -> None:
        self._send(READY="1", STATUS=status)

    def status(self, status: str) -> None:
        self._send(STATUS=status)

    def alive(self, status: str) -> None:
        """Feed the watchdog: only after real progress was seen."""
        self._send(WATCHDOG="1", STATUS=status)

    def reloading(self) -> None:
        """A new configuration is being read; `ready` ends that. Source: sd_notify(3), RELOADING=1."""
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self._send(RELOADING="1", MONOTONIC_USEC=str(now))

    def stopping(self) -> None:
        self._send(STOPPING="1", STATUS="stopping")

    def extend(self, seconds: float) -> None:
        """Ask for more time to start (a migration runs)."""
        self._send(EXTEND_TIMEOUT_USEC=str(int(seconds * 1e6)))

    def _send(self, **fields: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        text = "\n".join(f"{key}={value}" for key, value in fields.items())
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.settimeout(1)  # a manager that hangs must not hang us
            sender.sendto(text.encode(), address)

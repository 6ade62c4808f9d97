"""Signals become flags that the main loop reads; a handler does nothing else.

An Event would not do: its lock may be held by the main loop at the moment when the handler, which runs in
the same thread, wants it. A byte through a pair of sockets wakes the loop without any lock.
"""

import faulthandler
import os
import select
import signal
import socket
from contextlib import suppress
from types import FrameType

EXIT_SECONDS = 3.0  # from the first SIGTERM to the end, whatever the process is doing


class Signals:
    """What was asked from outside: to end (TERM, INT), to read the configuration (HUP), to tell (USR1)."""

    def __init__(self) -> None:
        self.terminating = False
        self._reload = False
        self._report = False
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)

    def install(self) -> None:
        """Handle signals from now on; call from the main thread."""
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_terminate)
        signal.signal(signal.SIGHUP, self._on_reload)
        signal.signal(signal.SIGUSR1, self._on_report)
        faulthandler.enable()  # SIGABRT, by which a watchdog kills, shows where everybody was
        faulthandler.register(signal.SIGUSR1, chain=True)

    def wait(self, seconds: float) -> None:
        """Sleep until a signal, a `wake` or the end of *seconds*."""
        select.select([self._reader], [], [], seconds)
        with suppress(BlockingIOError):
            while self._reader.recv(4096):
                pass

    def wake(self) -> None:
        """End the current `wait`, from any thread."""
        with suppress(BlockingIOError):  # full: it wakes anyway
            self._writer.send(b"\0")

    def take_reload(self) -> bool:
        """Was a new reading of the configuration asked for since the last call?"""
        wanted, self._reload = self._reload, False
        return wanted

    def take_report(self) -> bool:
        """Were the counters asked for since the last call?"""
        wanted, self._report = self._report, False
        return wanted

    def _on_terminate(self, number: int, frame: FrameType | None) -> None:
        if self.terminating:
            os._exit(0)  # asked twice: at once; what is committed is safe
        self.terminating = True
        faulthandler.dump_traceback_later(EXIT_SECONDS, exit=True)

    def _on_reload(self, number: int, frame: FrameType | None) -> None:
        self._reload = True

    def _on_report(self, number: int, frame: FrameType | None) -> None:
        self._report = True

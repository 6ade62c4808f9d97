"""Proof that file events still arrive: touch a watched file, and expect to be told."""

import os
import time
from contextlib import suppress
from pathlib import Path

from watchdog.events import (
    FileAttribEvent,
    FileModifiedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.api import BaseObserver

TOUCH_SECONDS = 30.0  # between two proofs
PATIENCE_SECONDS = 4.0  # FSEvents is told after up to two seconds


class Canary(FileSystemEventHandler):
    """A file in a private folder that only memoryd touches."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "touched"
        self._touched = 0.0
        self._heard = 0.0
        with suppress(OSError):  # without it (a full disk) there is no proof, and no alarm either
            folder.mkdir(mode=0o700, exist_ok=True)
            self._file.touch(mode=0o600)

    def settle(self, observer: BaseObserver) -> None:
        """Have *observer* watch the canary too, and wait for its first proof."""
        observer.schedule(
            self, str(self._file.parent), event_filter=[FileAttribEvent, FileModifiedEvent]
        )
        self._touch()

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._heard = time.monotonic()

    def sings(self) -> bool:
        """Did the last touch arrive (or may it still)? Touches again when that is due."""
        now = time.monotonic()
        if self._heard < self._touched:
            return now - self._touched < PATIENCE_SECONDS
        if now - self._touched >= TOUCH_SECONDS:
            self._touch()
        return True

    def _touch(self) -> None:
        self._touched = time.monotonic()
        try:
            os.utime(self._file)
        except OSError:
            self._heard = self._touched  # nothing was touched: nothing to hear

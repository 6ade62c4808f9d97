"""Coalesces the hints of a watcher: many events about a path become one call, soon but not at once.

Memory is bounded: too many different paths at a time become one request for a full scan. While nothing
is dirty the thread sleeps without waking.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memoryd.sources.base import Source

DEBOUNCE_SECONDS = 0.2  # a path is handed on when it was quiet for so long,
LATENCY_SECONDS = 0.6  # or when its first event is so old: a stream of appends must not starve it
STEP_SECONDS = 0.1  # how often a non-empty set is looked at
CAPACITY = 10_000  # paths; about 3 MB


@dataclass(slots=True)
class _Mark:
    first: float
    last: float


class DirtyPaths:
    """Hands every marked path to *on_dirty* after its debounce, from one thread of its own.

    Both callbacks may block: what arrives meanwhile coalesces here.
    """

    def __init__(
        self,
        on_dirty: Callable[[Source, Path], None],
        on_rescan: Callable[[str], None],
        capacity: int = CAPACITY,
    ) -> None:
        self._on_dirty = on_dirty
        self._on_rescan = on_rescan
        self._capacity = capacity
        self._marks: dict[tuple[Source, str], _Mark] = {}
        self._rescan: str | None = None
        self._changed = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="memoryd-dirty", daemon=True)
        self.marked = 0
        self.failures = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Drop what is pending; the scan at the next start finds it."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=1)

    def mark(self, source: Source, path: str) -> None:
        """Note that something happened to *path*; cheap enough for every event of a storm."""
        now = time.monotonic()
        with self._changed:
            self.marked += 1
            mark = self._marks.get((source, path))
            if mark is not None:
                mark.last = now
                return
            if len(self._marks) >= self._capacity:
                self._marks.clear()
                self._rescan = "more changes at once than are kept apart"
            else:
                self._marks[source, path] = _Mark(now, now)
            self._changed.notify()

    def request_rescan(self, reason: str) -> None:
        """Ask for a full scan, once, however often this is called before it starts."""
        with self._changed:
            self._rescan = self._rescan or reason
            self._changed.notify()

    def _run(self) -> None:
        while (step := self._next_step()) is not None:
            rescan, paths = step
            try:
                if rescan is not None:
                    self._on_rescan(rescan)
                for source, path in paths:
                    self._on_dirty(source, Path(path))
            except Exception:  # noqa: BLE001 - a failing callback must not end the watching
                self.failures += 1
                self.request_rescan("a change could not be handed on")
                time.sleep(DEBOUNCE_SECONDS)

    def _next_step(self) -> tuple[str | None, list[tuple[Source, str]]] | None:
        """Wait until something is due; None when stopping."""
        with self._changed:
            while not self._stopping:
                rescan, self._rescan = self._rescan, None
                due = self._take_due(time.monotonic())
                if rescan is not None or due:
                    return rescan, due
                self._changed.wait(STEP_SECONDS if self._marks else None)
            return None

    def _take_due(self, now: float) -> list[tuple[Source, str]]:
        due = [
            key
            for key, mark in self._marks.items()
            if now - mark.last >= DEBOUNCE_SECONDS or now - mark.first >= LATENCY_SECONDS
        ]
        for key in due:
            del self._marks[key]
        return due

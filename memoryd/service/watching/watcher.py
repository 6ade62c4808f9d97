"""Watches the roots of all sources and says which transcripts may have changed.

An event is only a hint, the periodic scan is the truth: whatever can be lost (an overflow, a rebuild, a
folder that came back) ends in a request for a scan. What cannot be watched is polled and reported. A
handler does nothing but mark a path, and cannot raise: an exception in it would end the observer.
"""

import errno
import logging
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from memoryd.counting import counted
from memoryd.service.watching.canary import Canary
from memoryd.service.watching.coverage import advice, uncovered, watched_inodes
from memoryd.service.watching.dirty import DirtyPaths
from memoryd.service.watching.filesystem import silent_kind
from memoryd.service.watching.poller import Polled, Poller
from memoryd.service.watching.roots import RootState, RootView, locate
from memoryd.sources.base import Source

SUPERVISE_SECONDS = 5.0  # whatever dies is rebuilt within twice this
SETTLE_SECONDS = 0.5  # what the watch of a new folder may take to appear
RETRY_SECONDS = 600.0  # how often what had to be polled is tried natively again

# Opening and reading are left out: memoryd's own reads must not wake it.
INTERESTING: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirMovedEvent,
]
OVERFLOW_LOGGER = "watchdog.observers.inotify_c"
OVERFLOW_MESSAGE = "Inotify queue overflowed"


class Watcher:
    """Keeps an observer over all roots alive, and polls what it cannot cover.

    *on_dirty* gets a transcript, or a folder below which everything may have changed, always under the
    root's configured name. *on_rescan* gets the reason why everything should be looked at. Both are
    called from one thread of the watcher and may block.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        on_dirty: Callable[[Source, Path], None],
        on_rescan: Callable[[str], None],
        canary_folder: Path,
    ) -> None:
        self._roots = [(source, root) for source in sources for root in source.roots]
        self._dirty = DirtyPaths(on_dirty, on_rescan)
        self._poller = Poller(
            self._note_polled, lambda: self._dirty.request_rescan("polling began")
        )
        self._canary = Canary(canary_folder)
        self._lost_events = _LostEvents(self._note_loss)
        self._observer: BaseObserver | None = None
        self._views: list[RootView | None] = []
        self._watched: list[RootState] = []
        self._states: tuple[RootState, ...] = ()
        self._coverage_doubtful = False
        self._retry_at = float("inf")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name="memoryd-watcher", daemon=True)
        self._rebuilds = 0
        self._failures = 0
        self._last_round = time.monotonic()

    def start(self) -> None:
        """Begin to watch; a scan that starts after this misses nothing."""
        # A folder that appears together with its parent is added twice: harmless, but watchdog 7.1 warns with
        # a text of megabytes (it prints every watch it has), once for each such folder.
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        logger = logging.getLogger(OVERFLOW_LOGGER)
        logger.setLevel(logging.WARNING)
        logger.addHandler(self._lost_events)
        self._dirty.start()
        self._poller.start()
        self._build()
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=1)
        logging.getLogger(OVERFLOW_LOGGER).removeHandler(self._lost_events)
        self._tear_down()
        self._poller.stop()
        self._dirty.stop()

    @property
    def states(self) -> tuple[RootState, ...]:
        """How every root is watched now."""
        return self._states

    @property
    def degraded(self) -> tuple[str, ...]:
        """One line for each root that is polled; a root that is not there is no fault."""
        polled = (state for state in self._states if state.watch == "polling")
        return tuple(f"{state.root} is polled: {state.reason}" for state in polled)

    @property
    def silent_seconds(self) -> float:
        """How long ago the supervisor last completed a round; it is stuck if this exceeds a minute."""
        return time.monotonic() - self._last_round

    @property
    def counters(self) -> dict[str, int]:
        """What happened since the start, for `status`, the log and the tests."""
        return {
            "events": self._dirty.marked,
            "rebuilds": self._rebuilds,
            "failures": self._failures + self._dirty.failures,
            "looks": self._poller.looks,
        }

    def _supervise(self) -> None:
        while not self._stop.wait(SUPERVISE_SECONDS):
            try:
                self._round()
            except Exception:  # noqa: BLE001 - the supervisor outlives whatever it supervises
                self._failures += 1
            else:
                self._last_round = time.monotonic()

    def _round(self) -> None:
        reason = self._trouble()
        if reason is not None:
            self._rebuilds += 1
            self._tear_down()
            self._build()
            self._dirty.request_rescan(reason)
        elif self._coverage_doubtful:
            self._check_coverage()

    def _trouble(self) -> str | None:
        """Why everything should be built anew; None if all is well."""
        places = [view.place if view else None for view in self._views]
        if places != [locate(root) for _, root in self._roots]:
            return "a root appeared, vanished or was replaced"
        if time.monotonic() >= self._retry_at:
            return "trying again to watch what is polled"
        if self._observer is None:
            return None
        if not all(thread.is_alive() for thread in _threads(self._observer)):
            return "a watching thread died"
        return None if self._canary.sings() else "events stopped arriving"

    def _tear_down(self) -> None:
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            if observer.is_alive():
                observer.join(timeout=1)

    def _build(self) -> None:
        failure = self._start_observer()
        self._views = [self._view(source, root) for source, root in self._roots]
        self._watched = [
            self._watch_root(source, root, view, failure)
            for (source, root), view in zip(self._roots, self._views, strict=True)
        ]
        self._check_coverage()

    @staticmethod
    def _view(source: Source, root: Path) -> RootView | None:
        place = locate(root)
        return None if place is None else RootView(source, root, place)

    def _start_observer(self) -> str:
        """Start an observer and its canary; returns why that failed, or nothing."""
        try:
            self._observer = Observer()
            self._observer.start()
            self._canary.settle(self._observer)
        except OSError as error:
            self._tear_down()
            return advice(error)
        return ""

    def _watch_root(
        self, source: Source, root: Path, view: RootView | None, failure: str
    ) -> RootState:
        if view is None:
            return RootState(source.name, str(root), "missing", "not there")
        kind = silent_kind(view.place.real)
        if kind is not None:
            failure = f"{kind} does not announce changes made elsewhere"
        failure = failure or self._schedule(view)
        return RootState(source.name, str(root), "polling" if failure else "native", failure)

    def _schedule(self, view: RootView) -> str:
        """Watch one root natively; returns why that failed, or nothing."""
        if self._observer is None:
            return "no observer"
        try:
            self._observer.schedule(
                _Handler(self, view),
                str(view.place.folder),
                recursive=view.place.is_folder,
                event_filter=INTERESTING,
            )
        except OSError as error:
            return advice(error)
        except RuntimeError as error:  # FSEvents: this very folder is watched already
            return str(error)
        return ""

    def _check_coverage(self) -> None:
        """Decide what to poll: roots without a watch, and folders that a watched root's events leave out."""
        self._coverage_doubtful = False
        holes = self._holes()
        if any(holes) and not self._stop.wait(SETTLE_SECONDS):
            holes = self._holes()
        self._states = tuple(map(_with_holes, self._watched, holes))
        polled = [
            Polled(view, folder)
            for view, state, missed in zip(self._views, self._watched, holes, strict=True)
            if view is not None
            for folder in ([view.place.real] if state.watch == "polling" else missed)
        ]
        limited = any("limit" in state.reason for state in self._states)
        self._retry_at = time.monotonic() + RETRY_SECONDS if limited else float("inf")
        self._poller.watch(polled)

    def _holes(self) -> list[list[Path]]:
        """For each root, the folders that should be watched natively and are not."""
        watched = watched_inodes()
        return [
            uncovered(view.place.real, watched)
            if watched is not None and view and view.place.is_folder and state.watch == "native"
            else []
            for view, state in zip(self._views, self._watched, strict=True)
        ]

    def note(self, view: RootView, event: FileSystemEvent) -> None:
        """Mark what an event is about; never raises."""
        for path in filter(None, (os.fsdecode(event.src_path), os.fsdecode(event.dest_path))):
            self._note(self._note_folder if event.is_directory else self._note_file, view, path)

    def _note_polled(self, view: RootView, path: str) -> None:
        self._note(self._note_file, view, path)

    def _note(self, mark: Callable[[RootView, str], None], view: RootView, path: str) -> None:
        try:
            mark(view, path)
        except Exception:  # noqa: BLE001 - it would end the thread that watches; the scan finds the file
            self._failures += 1
            self._dirty.request_rescan("an event could not be handled")

    def _note_file(self, view: RootView, path: str) -> None:
        transcript = view.transcript(path)
        if transcript is not None:
            self._dirty.mark(view.source, transcript)

    def _note_folder(self, view: RootView, path: str) -> None:
        named = view.named(path)
        if named is not None:
            self._coverage_doubtful = True
            self._dirty.mark(view.source, named)

    def _note_loss(self) -> None:
        self._coverage_doubtful = True
        self._dirty.request_rescan("events were lost")


class _Handler(FileSystemEventHandler):
    def __init__(self, watcher: Watcher, view: RootView) -> None:
        self._watcher = watcher
        self._view = view

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._watcher.note(self._view, event)


class _LostEvents(logging.Handler):
    """Hears of lost events where watchdog tells of them: in its log, and nowhere else."""

    def __init__(self, on_loss: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._on_loss = on_loss

    def emit(self, record: logging.LogRecord) -> None:
        if str(record.msg).startswith(OVERFLOW_MESSAGE):
            self._on_loss()


def _threads(observer: BaseObserver) -> Iterator[threading.Thread]:
    """Every thread whose death means deafness."""
    yield observer
    yield from observer.emitters
    reader = getattr(observer, "_inotify_fd", None)  # Linux: no public way to see that it died
    if isinstance(reader, threading.Thread):
        yield reader


def _with_holes(state: RootState, holes: list[Path]) -> RootState:
    if not holes:
        return state
    reason = f"{counted(len(holes), 'folder')} below it: {advice(OSError(errno.ENOSPC, ''))}"
    return RootState(state.source, state.root, "polling", reason)

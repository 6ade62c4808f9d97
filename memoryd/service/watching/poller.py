"""Watches by looking: for folders whose changes no event announces (limits reached, network file systems).

One thread; it sleeps without waking while there is nothing to poll, and otherwise spends at most about one
percent of a processor: the more files, the longer the pause. It knows size, times and inode, no content.
"""

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from memoryd.service.watching.roots import RootView

POLL_SECONDS = 2.0  # the shortest pause between two looks
PAUSE_PER_LOOK = 100  # a look of 50 ms is followed by a pause of 5 s


@dataclass(frozen=True, slots=True)
class Polled:
    """A folder to look through, with everything below it."""

    view: RootView
    folder: Path


class Poller:
    """Calls *on_change* with every path below the polled folders that appeared or changed.

    The first look at a folder only learns what is there; *on_learned* follows, and a scan that begins
    then misses nothing.
    """

    def __init__(
        self, on_change: Callable[[RootView, str], None], on_learned: Callable[[], None]
    ) -> None:
        self._on_change = on_change
        self._on_learned = on_learned
        self._folders: frozenset[Polled] = frozenset()
        self._known: dict[Polled, dict[str, int]] = {}
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="memoryd-poller", daemon=True)
        self.looks = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=1)

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def watch(self, folders: Collection[Polled]) -> None:
        """Poll exactly these from now on."""
        if frozenset(folders) != self._folders:
            self._folders = frozenset(folders)
            self._wake.set()

    def _run(self) -> None:
        pause: float | None = None
        while True:
            self._wake.wait(pause)
            self._wake.clear()
            if self._stopping:
                return
            started = time.monotonic()
            self._look(self._folders)
            seconds = time.monotonic() - started
            pause = max(POLL_SECONDS, PAUSE_PER_LOOK * seconds) if self._folders else None

    def _look(self, folders: frozenset[Polled]) -> None:
        before, self._known = self._known, {}
        for polled in folders:
            self._known[polled] = found = dict(signatures(polled.folder))
            known = before.get(polled, found)
            for path, signature in found.items():
                if known.get(path) != signature:
                    self._on_change(polled.view, path)
        self.looks += 1
        if not folders <= before.keys():
            self._on_learned()


def signatures(folder: Path) -> Iterator[tuple[str, int]]:
    """Every file below *folder* and a number that changes whenever the file does.

    Folders that cannot be read are left out; symlinked folders are not followed.
    """
    waiting = [str(folder)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.is_file():
                    yield entry.path, signature_of(entry.stat())
            except OSError:  # gone meanwhile
                continue


def signature_of(found: os.stat_result) -> int:
    """A number that changes whenever the file is written or replaced, even if its mtime is set back."""
    return hash((found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino))

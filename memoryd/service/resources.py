"""What the daemon uses, what is left, and how it steps back behind everything else on the machine."""

import ctypes
import gc
import os
import platform
import resource
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memoryd.service.home import BALLAST_NAME

NICE = 10
IOPRIO_SET = {"x86_64": 251, "aarch64": 30, "riscv64": 30, "i686": 289, "armv7l": 314}
IOPRIO_BEST_EFFORT_LOWEST = 2 << 13 | 7  # class 2, level 7; class 3 (idle) may starve for minutes

_MANY_OBJECTS = 100_000  # made before the collector looks for cycles; 700 are usual
BALLAST_BYTES = 16 * 1024 * 1024  # what a prune and its checkpoint need when nothing else is left
LOW_BYTES = 64 * 1024 * 1024  # less free space than this: stop growing
PLENTY_BYTES = 256 * 1024 * 1024  # this much again: go on (the gap keeps it from flickering)


@dataclass(frozen=True, slots=True)
class Resources:
    """A moment of the daemon and its disk.

    Attributes:
        load: runnable processes for each processor, over the last minute; None where it is hidden.
        on_battery: None where it is not known.
    """

    rss_bytes: int
    descriptors: int
    threads: int
    disk_free_bytes: int
    wal_bytes: int
    load: float | None
    on_battery: bool | None


def measure(home: Path, database: Path) -> Resources:
    """Look at this process, its home's disk and the machine."""
    return Resources(
        rss_bytes=resident_bytes(),
        descriptors=len(os.listdir("/dev/fd")) - 1,  # noqa: PTH208 - one of them is this listing's
        threads=threading.active_count(),
        disk_free_bytes=shutil.disk_usage(home).free,
        wal_bytes=_size(Path(f"{database}-wal")),
        load=load(),
        on_battery=on_battery(),
    )


def resident_bytes() -> int:
    """Memory in use now; on macOS, which does not tell that cheaply, the most there ever was."""
    if sys.platform == "linux":
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def load() -> float | None:
    """Runnable processes for each processor, over the last minute; None in a sandbox that hides it."""
    with suppress(OSError):
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    return None


def on_battery(supplies: Path = Path("/sys/class/power_supply")) -> bool | None:
    """Does the machine run on battery? None where there is no mains supply to ask."""
    with suppress(OSError):
        mains = [
            supply
            for supply in supplies.iterdir()
            if (supply / "type").read_text(encoding="ascii").strip() == "Mains"
        ]
        online = [(supply / "online").read_text(encoding="ascii").strip() for supply in mains]
        return "1" not in online if online else None
    return None


def step_back() -> None:
    """Let everything else on the machine go first: processor and disk."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))
    number = IOPRIO_SET.get(platform.machine())
    if sys.platform == "linux" and number is not None:
        ctypes.CDLL(None).syscall(
            number, 1, 0, IOPRIO_BEST_EFFORT_LOWEST
        )  # 1: a process, 0: this one


@contextmanager
def few_collections() -> Iterator[None]:
    """Let much be made that stays (thousands of readings): the collector would go through all of it again and again."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def give_back_memory() -> None:
    """Return what a big piece of work left behind to the system (glibc keeps it otherwise)."""
    gc.collect()
    with suppress(AttributeError, OSError):  # another C library has no such function
        ctypes.CDLL(None).malloc_trim(0)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class Ballast:
    """Space kept back for the day the disk is full: even deleting needs some to write its log.

    `full` turns true when space runs out, and false again only when there is plenty.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / BALLAST_NAME
        self.full = False

    def balance(self) -> None:
        """Give the ballast up when space is short, take it back when there is plenty."""
        free = shutil.disk_usage(self._path.parent).free
        if free < LOW_BYTES:
            self.full = True
            self._path.unlink(missing_ok=True)
        elif free >= PLENTY_BYTES:
            self.full = False
            self._fill()

    def _fill(self) -> None:
        if _size(self._path) >= BALLAST_BYTES:
            return
        try:
            with self._path.open("wb") as file:
                for _ in range(
                    BALLAST_BYTES // 65536
                ):  # random: a compressing file system keeps it too
                    file.write(os.urandom(65536))
        except OSError:
            self._path.unlink(missing_ok=True)

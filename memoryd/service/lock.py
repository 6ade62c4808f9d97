"""The writer's lock: whoever holds it is the only process that writes to a home.

The kernel's lock on the open file is the truth, so a crash leaves nothing behind that could be stale. The
file is never unlinked: removing it would let a second process lock a new file under the same name. The
pid inside is information for people, never evidence.
"""

import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from memoryd.errors import HeldError, RetryError
from memoryd.service.home import LOCK_NAME

PAUSE_SECONDS = 0.05  # between two looks at a held lock
ATTEMPTS = 100  # how often the file may be swapped between opening and locking it


class WriterLock:
    """An exclusive lock on a home, held from `acquire` until `release` or the end of the process."""

    def __init__(self, home: Path) -> None:
        self.path = home / LOCK_NAME
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock, or say at once who has it.

        Raises:
            HeldError: another process writes to this home; the message names its pid.
            RetryError: the lock file cannot be opened or locked.
        """
        for _ in range(ATTEMPTS):
            descriptor = self._lock_file()
            if _same_file(descriptor, self.path):
                self._descriptor = descriptor
                _write_pid(descriptor)
                return
            os.close(descriptor)  # unlinked or replaced before we had it: lock the one that counts
        raise RetryError(f"{self.path} is being replaced all the time")

    def acquire_patiently(self, seconds: float, is_hopeless: Callable[[], bool]) -> None:
        """Take the lock, waiting for a command that has it just now.

        Args:
            is_hopeless: asked while it is held; true ends the waiting (another daemon has it).

        Raises:
            HeldError, RetryError: as for `acquire`.
        """
        deadline = time.monotonic() + seconds
        while True:
            try:
                self.acquire()
            except HeldError:
                if time.monotonic() >= deadline or is_hopeless():
                    raise
                time.sleep(PAUSE_SECONDS)
            else:
                return

    def _lock_file(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            descriptor = os.open(self.path, flags, 0o600)
        except OSError as error:
            raise RetryError(f"cannot open {self.path}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = _read_pid(descriptor)
            os.close(descriptor)
            raise HeldError(
                f"another memoryd ({holder}) is writing to {self.path.parent}"
            ) from error
        except OSError as error:
            os.close(descriptor)
            raise RetryError(f"cannot lock {self.path}: {error.strerror}") from error
        return descriptor

    def still_held(self) -> bool:
        """Is the file we locked still the one under the lock's name? If not, another may have locked that."""
        return self._descriptor is not None and _same_file(self._descriptor, self.path)

    def release(self) -> None:
        """Give the lock back; the file stays."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _same_file(descriptor: int, path: Path) -> bool:
    try:
        named = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    ours = os.fstat(descriptor)
    return (ours.st_dev, ours.st_ino) == (named.st_dev, named.st_ino)


def _write_pid(descriptor: int) -> None:
    with suppress(OSError):  # a full disk costs the pid, not the lock
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)


def _read_pid(descriptor: int) -> str:
    """The holder as it is told to people; it may not have written its pid yet."""
    text = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
    return f"pid {text}" if text.isdigit() else "pid unknown"

"""A root as configured, where it really lies, and how paths found there map back to its configured name."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from memoryd.sources.base import Source

WatchMode = Literal["native", "polling", "missing"]


@dataclass(frozen=True, slots=True)
class RootState:
    """How one root of a source is watched, and why not natively."""

    source: str
    root: str
    watch: WatchMode
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a root really lies; another value means that a watch points at the wrong thing."""

    real: Path
    device: int
    inode: int
    is_folder: bool

    @property
    def folder(self) -> Path:
        """What to watch: for a root that is a file its folder, because a file may be replaced."""
        return self.real if self.is_folder else self.real.parent


def locate(root: Path) -> Place | None:
    """Resolve every symlink on the way to *root*; None if nothing is there."""
    try:
        real = root.resolve()
        found = real.stat()
    except (OSError, RuntimeError):  # RuntimeError: a loop of symlinks
        return None
    return Place(real, found.st_dev, found.st_ino, real.is_dir())


class RootView:
    """One root of a source, seen from where it really lies."""

    def __init__(self, source: Source, root: Path, place: Place) -> None:
        self.source = source
        self.place = place
        self._root = str(root)
        self._real = str(place.real)
        # An agent that streams appends to one file: the same answer thousands of times.
        self._transcript = lru_cache(maxsize=256)(self._find_transcript)

    def transcript(self, path: str) -> str | None:
        """The transcript that a real *path* belongs to, under the root's configured name; None if none."""
        return self._transcript(path)

    def named(self, path: str) -> str | None:
        """A real *path* under the root's configured name; None if it lies elsewhere."""
        rest = path.removeprefix(self._real)
        if len(rest) == len(path) or (self.place.is_folder and rest and rest[0] != "/"):
            return None
        return self._root + rest  # of a root that is a file, the rest may be "-wal" or ".zst"

    def _find_transcript(self, path: str) -> str | None:
        named = self.named(path)
        found = None if named is None else self.source.transcript(Path(named))
        return None if found is None else str(found)

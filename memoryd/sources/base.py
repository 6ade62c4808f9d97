"""What every source is: where an agent keeps transcripts, and how they become messages.

A source returns values; it never sees the store. It holds no state between reads: what it must remember
travels in `Cursor.state`, committed together with the messages it explains.
"""

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from memoryd.model import Batch, Cursor


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Ceilings of one read, so that memory stays bounded on any file.

    Attributes:
        line_bytes: a longer line is not decoded: its head and tail are kept as text.
        batch_bytes: a batch is handed out after about this many consumed bytes.
        tool_output_chars: a tool result keeps this many characters.
        decompressed_bytes: a compressed transcript is read no further than this.
    """

    line_bytes: int = 16 * 1024 * 1024
    batch_bytes: int = 4 * 1024 * 1024
    tool_output_chars: int = 2000
    decompressed_bytes: int = 2 * 1024 * 1024 * 1024


class Source(ABC):
    """An agent's transcripts.

    Attributes:
        name: the source's name in the configuration and in every answer, e.g. "claude-code".
        title: the agent's name for people, e.g. "Claude Code".
        names_tell: a file's name alone says that it is this agent's (no other agent uses such names).
    """

    name: str
    title: str
    names_tell: ClassVar[bool] = False

    def __init__(self, roots: Sequence[Path] = (), limits: ReadLimits | None = None) -> None:
        self.limits = limits or ReadLimits()
        self.roots = tuple(roots) or tuple(self.default_roots(os.environ, Path.home()))

    @classmethod
    @abstractmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Where this agent keeps transcripts on this platform; the folders need not exist."""

    @abstractmethod
    def transcript(self, path: Path) -> Path | None:
        """The transcript that *path* belongs to (often itself), or None if it is not ours.

        Judged by name alone, no file is opened: file events (a `-wal`, a `.zst` twin) are mapped with it.
        """

    @abstractmethod
    def recognises(self, head: bytes) -> bool:
        """Does a file that begins with *head* (up to 64 KiB) hold this agent's records?"""

    @abstractmethod
    def read(self, path: Path, cursor: Cursor | None) -> Iterator[Batch]:
        """Yield what is new in the transcript since *cursor*, in durable steps.

        Raises:
            SourceError: the file cannot be read (it may be gone; that is not a loss of rows).
        """

    def cleanup_days(self, root: Path) -> float | None:
        """After how many days without a change the agent deletes a transcript below *root*; None: never, as far as is known."""
        return None

    def is_copy(self, path: Path) -> bool:
        """Is this, by its name, a copy that the agent makes of its transcripts, and no transcript itself?"""
        return False

    def companions(self, path: Path) -> Sequence[Path]:
        """Other files that the transcript consists of: it cannot be read without, and changes with them."""
        return ()

    def logical(self, path: Path) -> str:
        """The name under which the cursor of *path* is kept; compressed twins share one."""
        return str(path)

    def discover(self, root: Path) -> Iterator[Path]:
        """Every transcript below *root* (itself, if it is a file), each once; links below it are not followed."""
        try:
            mode = root.stat().st_mode
        except OSError:  # absent, or not ours to look into
            return
        if not stat.S_ISDIR(mode):
            if self.transcript(root) is not None:
                yield root
            return
        seen: set[Path] = set()
        for path in _files_below(str(root)):
            found = self.transcript(Path(path))
            if found is not None and found not in seen:
                seen.add(found)
                yield found


def _files_below(folder: str) -> Iterator[str]:
    """Everything below a folder but folders and links, in order of name; a folder that cannot be read has nothing."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda one: one.name)
    except OSError:
        return
    inner = []
    for entry in entries:  # the kind comes with the name: no further question to the disk
        if entry.is_dir(follow_symlinks=False):
            inner.append(entry.path)
        elif not entry.is_symlink():
            yield entry.path
    for path in inner:
        yield from _files_below(path)

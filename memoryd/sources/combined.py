"""An agent that keeps conversations in several forms, one after the other or at once: one source, several parts.

Each part reads the files whose names it knows; the keys of a conversation are the same in all of them, so that
what was moved from one form into another meets itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from memoryd.errors import SourceError
from memoryd.model import Batch, Cursor
from memoryd.sources.base import ReadLimits, Source
from memoryd.sources.files import open_regular

_HEAD_BYTES = 64 * 1024


class CombinedSource(Source):
    """Several sources under one name.

    Attributes:
        parts: their classes; of two that know a file the first has it.
    """

    parts: ClassVar[tuple[type[Source], ...]]

    def __init__(self, roots: Sequence[Path] = (), limits: ReadLimits | None = None) -> None:
        """Prepare the parts: each has its own default roots, or all those given."""
        super().__init__(roots, limits)
        self._parts = [part(roots, self.limits) for part in self.parts]

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The roots of all parts."""
        found = (root for part in cls.parts for root in part.default_roots(environ, home))
        return list(dict.fromkeys(found))

    def transcript(self, path: Path) -> Path | None:
        """The transcript of the first part that knows *path*."""
        found = (part.transcript(path) for part in self._parts)
        return next((transcript for transcript in found if transcript is not None), None)

    def recognises(self, head: bytes) -> bool:
        """Does a part?"""
        return any(part.recognises(head) for part in self._parts)

    def cleanup_days(self, root: Path) -> float | None:
        """That of the first part which deletes."""
        found = (part.cleanup_days(root) for part in self._parts)
        return next((days for days in found if days is not None), None)

    def is_copy(self, path: Path) -> bool:
        """Does a part say so?"""
        return any(part.is_copy(path) for part in self._parts)

    def companions(self, path: Path) -> Sequence[Path]:
        """Those of the part that reads *path*."""
        return self._part(path).companions(path)

    def logical(self, path: Path) -> str:
        """The name that the reading part gives."""
        return self._part(path).logical(path)

    def discover(self, root: Path) -> Iterator[Path]:
        """What every part finds, each transcript once."""
        seen: set[Path] = set()
        owners = [part for part in self._parts if root in part.roots]
        for part in owners or self._parts:
            for path in part.discover(root):
                if path not in seen:
                    seen.add(path)
                    yield path

    def read(self, path: Path, cursor: Cursor | None) -> Iterator[Batch]:
        """Let the right part read; see `Source.read`."""
        return self._part(path).read(path, cursor)

    def _part(self, path: Path) -> Source:
        """The part that reads *path*: by its name, else (a file given by hand) by its content."""
        for part in self._parts:
            if part.transcript(path) is not None:
                return part
        try:
            with open_regular(path) as file:
                head = file.read(_HEAD_BYTES) or b""
        except SourceError:
            head = b""
        return next((part for part in self._parts if part.recognises(head)), self._parts[0])

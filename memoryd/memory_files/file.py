"""A memory file as it was read: its path and its bytes."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from memoryd.memory_files.units import decode


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A memory file.

    Attributes:
        data: its bytes; None when the agent expects the file and it is missing.
    """

    path: Path
    data: bytes | None

    @property
    def text(self) -> str:
        """The decoded text; every byte survives `units.encode`."""
        return decode(self.data or b"")

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes in hexadecimal, "" for a missing file."""
        return "" if self.data is None else sha256(self.data).hexdigest()

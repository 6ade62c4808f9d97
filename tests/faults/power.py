"""Images of the disk after a power loss, rebuilt from what the injector wrote down of every call.

Model: what a sync of a file finished is there; of what was written to it afterwards nothing, all, or any part. Names
(creations, renames, removals) are there in their order up to some call, and at least up to the last sync of a folder;
that is what journaling file systems give, and no more.
"""

import random
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HEADER = struct.Struct("=16sQQQII")
EXCHANGE = 2  # of renameat2
SECTOR = 512


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call."""

    op: str
    inode: int
    offset: int
    path: str
    other: str
    data: bytes


@dataclass(slots=True)
class File:
    """A file: what was on the disk at the start, and every change of it with its number."""

    start: bytes
    changes: list[tuple[int, Call]] = field(default_factory=list)

    def content(self, at: int, keep: str, chance: random.Random) -> bytes:
        """Its bytes if the power fails before call *at*; of what was not synced *keep* "none", "all" or "some"."""
        last = max((n for n, call in self.changes if call.op == "sync" and n < at), default=-1)
        data = bytearray(self.start)
        for number, call in self.changes:
            if number >= at:
                break
            durable = number < last or keep == "all"
            if durable or (keep == "some" and chance.random() < 0.5):
                _apply(data, call, None if durable else chance)
        return bytes(data)


def _apply(data: bytearray, call: Call, chance: random.Random | None) -> None:
    """Change *data* as the call does; with *chance* a write may reach the disk by some sectors only."""
    if call.op == "truncate":
        del data[call.offset :]
        data.extend(bytes(call.offset - len(data)))
    elif call.op == "write":
        length = len(call.data)
        if chance is not None and chance.random() < 0.3:
            length = min(length, chance.randrange(length + SECTOR) // SECTOR * SECTOR)
        data.extend(bytes(max(0, call.offset - len(data))))
        data[call.offset : call.offset + length] = call.data[:length]


def read_record(path: Path) -> list[Call]:
    """All calls, in order."""
    data, calls, at = path.read_bytes(), [], 0
    while at < len(data):
        op, inode, offset, length, one, two = HEADER.unpack_from(data, at)
        at += HEADER.size
        name, other = data[at : at + one].decode(), data[at + one : at + one + two].decode()
        at += one + two
        op = op.rstrip(b"\0").decode()
        held = length if op == "write" else 0
        calls.append(Call(op, inode, offset, name, other, data[at : at + held]))
        at += held
    return calls


class Disk:
    """A folder before the recorded calls, and the calls."""

    def __init__(
        self,
        folder: Path,
        calls: list[Call],
        names: Mapping[Path, int],
        starts: Mapping[Path, bytes],
    ) -> None:
        """Args: names, starts: path -> inode and bytes of every file in the folder as it was at the start."""
        self.folder, self.calls = folder, calls
        self._start: dict[str, File] = {}
        by_inode: dict[int, File] = {}
        for path, inode in names.items():
            file = by_inode.setdefault(inode, File(starts[path]))
            self._start[str(path)] = file
        self._creations: dict[int, File] = {}
        for number, call in enumerate(calls):
            if call.op == "create":
                by_inode[call.inode] = self._creations[number] = File(b"")
            elif call.inode in by_inode and call.op in {"write", "truncate", "sync"}:
                by_inode[call.inode].changes.append((number, call))

    def marks(self, at: int) -> int:
        """How many commands had been answered before call *at*."""
        return sum(call.op == "mark" for call in self.calls[:at])

    def image(self, at: int, names: str, data: str, seed: int) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of every file that is there after a power loss before call *at*.

        Args:
            names, data: of what was not synced "none", "all" or "some" reached the disk.
        """
        chance = random.Random(seed)
        for path, file in self._names(at, names, chance).items():
            if not path.endswith("-shm"):  # an index in memory, made anew
                yield path, file.content(at, data, chance)

    def _names(self, at: int, keep: str, chance: random.Random) -> dict[str, File]:
        folders = {str(Path(call.path).parent) for call in self.calls if call.path} | {
            str(self.folder)
        }
        synced = [n for n, c in enumerate(self.calls[:at]) if c.op == "sync" and c.path in folders]
        least = synced[-1] if synced else 0
        end = {"none": least, "all": at, "some": chance.randint(least, at)}[keep]
        found = dict(self._start)
        for number, call in enumerate(self.calls[:end]):
            if call.op == "create":
                found[call.path] = self._creations[number]
            elif call.op == "rename" and call.path in found:
                gone = found.pop(call.path)
                if call.offset == EXCHANGE:
                    found[call.path] = found[call.other]
                found[call.other] = gone
            elif call.op == "link" and call.path in found:
                found[call.other] = found[call.path]
            elif call.op == "unlink":
                found.pop(call.path, None)
        return found


def write_image(image: Iterator[tuple[str, bytes]], folder: Path) -> None:
    """Lay the files of an image out again."""
    for path, data in image:
        place = Path(path)
        if place.is_relative_to(folder):
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            place.write_bytes(data)
            place.chmod(0o600)

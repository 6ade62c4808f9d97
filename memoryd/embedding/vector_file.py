"""Packed vectors of one model in a file, mapped into memory for search.

The file is a cache: the truth are the vectors in the database, from which it can be written again.
Row numbers are the caller's; rows never written read as erased. Mapped pages belong to the page
cache, so searching 100,000 vectors adds next to nothing to the private memory of a process.

One process writes; the file never shrinks in place, since that would kill readers of the mapping.
"""

import hashlib
import mmap
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from memoryd.embedding.base import EmbeddingModel
from memoryd.embedding.packing import check_packed, packed_size
from memoryd.errors import EmbeddingError

_HEAD = struct.Struct("<8sI32s20x")
_MAGIC = b"mdvec\0\0\1"
_BLOCK_ROWS = 1024


class VectorFile:
    """An open file of packed vectors. Use as a context manager, or call `close`."""

    def __init__(self, path: Path, model: EmbeddingModel, *, write: bool = False) -> None:
        """Open, and with *write* create it (mode 0600) if it is missing.

        Raises:
            EmbeddingError: it cannot be opened, or holds vectors of another model.
        """
        self._size = packed_size(model.dimension)
        self._dimension = model.dimension
        head = _HEAD.pack(_MAGIC, model.dimension, _key(model))
        flags = os.O_RDWR | os.O_CREAT if write else os.O_RDONLY
        try:
            self._descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise EmbeddingError(f"cannot open {path}: {error}") from error
        found = os.pread(self._descriptor, _HEAD.size, 0)
        if write and not found:
            os.pwrite(self._descriptor, head, 0)
        elif found != head:
            self.close()
            raise EmbeddingError(f"{path} holds vectors of another model: write it again")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._descriptor)

    @property
    def rows(self) -> int:
        """Whole rows in the file, erased ones included."""
        return max(0, os.fstat(self._descriptor).st_size - _HEAD.size) // self._size

    def write(self, first_row: int, blobs: Sequence[bytes]) -> None:
        """Put packed vectors at consecutive rows, durably.

        Raises:
            EmbeddingError: one of them is not a packed vector of this dimension.
            OSError: the disk.
        """
        for blob in blobs:
            check_packed(blob, self._dimension)
        self._write_at(first_row, b"".join(blobs))
        os.fsync(self._descriptor)

    def erase(self, rows: Iterable[int]) -> None:
        """Overwrite rows with zeros, durably: they match nothing, and nothing can be guessed from them."""
        for row in rows:
            if row < self.rows:
                self._write_at(row, bytes(self._size))
        os.fsync(self._descriptor)

    def blocks(self) -> Iterator[memoryview]:
        """All rows in order, as `nearest` takes them; what is written meanwhile may be missing."""
        rows = self.rows
        if not rows:
            return
        end = _HEAD.size + rows * self._size
        mapped = memoryview(mmap.mmap(self._descriptor, end, prot=mmap.PROT_READ))
        step = _BLOCK_ROWS * self._size
        for start in range(_HEAD.size, end, step):
            yield mapped[start : min(start + step, end)]

    def _write_at(self, row: int, data: bytes) -> None:
        position = _HEAD.size + row * self._size
        view = memoryview(data)
        while view:
            written = os.pwrite(self._descriptor, view, position)
            view, position = view[written:], position + written


def _key(model: EmbeddingModel) -> bytes:
    text = "\0".join((model.engine, model.model, model.revision, str(model.dimension)))
    return hashlib.sha256(text.encode()).digest()

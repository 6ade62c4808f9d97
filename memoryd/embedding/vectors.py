"""Arithmetic on packed vectors. Imports numpy, so only who really searches or compares imports this.

With two threads of OpenBLAS a search of 100,000 takes 65 ms while another process is busy, for the
threads wait for each other; with one it takes 11 ms, busy or not. So there is one, unless the
environment says otherwise or numpy was imported before.

Packed rows lie one after the other in any bytes-like object; a ROW is its number in that order.
"""

import os
from collections.abc import Iterable, Sequence
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

from memoryd.embedding.packing import SCALE_BYTES, check_packed, packed_size
from memoryd.errors import EmbeddingError

_BLOCK_ROWS = 1024  # 2 MB as float32 at 512 dimensions: stays in the cache of small machines
_LARGEST = 127


def check_vectors(vectors: NDArray[Any], count: int, dimension: int) -> NDArray[np.float32]:
    """Return what an engine made as float32 (count, dimension) of unit length.

    Raises:
        EmbeddingError: another shape, NaN or infinity, or a vector without direction.
    """
    if vectors.shape != (count, dimension):
        raise EmbeddingError(
            f"the engine returned vectors of shape {vectors.shape} instead of {(count, dimension)}"
        )
    exact = vectors.astype(np.float64)
    if not np.isfinite(exact).all():
        raise EmbeddingError("the engine returned NaN or infinity")
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    if not (lengths > 1e-6).all():  # noqa: PLR2004 - below this float32 noise decides the direction
        raise EmbeddingError("the engine returned a vector of zero length")
    unit: NDArray[np.float32] = (exact / lengths).astype(np.float32)
    return unit


def pack(vectors: NDArray[np.float32]) -> list[bytes]:
    """Pack vectors (n, d), any length but zero, into d + 4 bytes each.

    The scale is the inverse length of the rounded values, not the rounding step, so that what
    comes back has unit length; the sine of the angle lost is at most sqrt(d) / 254.
    """
    peaks = np.abs(vectors).max(axis=1, keepdims=True)
    values = np.rint(vectors * (_LARGEST / peaks)).astype(np.int8)
    rows = np.empty(len(vectors), _row_type(vectors.shape[1]))
    rows["values"] = values
    rows["scale"] = 1 / np.linalg.norm(values.astype(np.float32), axis=1)
    return [row.tobytes() for row in rows]


def unpack(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """Unpack into float32 (n, dimension), unit length.

    Raises:
        EmbeddingError: one of them is not a packed vector of this dimension.
    """
    for blob in blobs:
        check_packed(blob, dimension)
    rows = _rows(b"".join(blobs), dimension)
    return _scaled(rows)


def nearest(
    query: bytes,
    blocks: Iterable[bytes | memoryview],
    k: int,
    wanted: bytes | bytearray | None = None,
) -> list[tuple[int, float]]:
    """Find the rows most similar to a query, exactly.

    Args:
        query: one packed vector.
        blocks: packed rows in order, each block whole rows; only one is unpacked at a time, and
            4 bytes a row are kept.
        k: at most so many.
        wanted: one byte for each row; a row whose byte is zero, or that has none, is never returned.

    Returns:
        (row, cosine), best first, ties by lower row; erased rows are left out.

    Raises:
        EmbeddingError: the query or a block is not of whole packed vectors.
    """
    dimension = len(query) - SCALE_BYTES
    direction = unpack([query], dimension)[0]
    scores = _scores(direction, blocks)
    if wanted is not None:
        flags = np.zeros(len(scores), dtype=np.bool_)
        given = np.frombuffer(wanted, dtype=np.uint8)[: len(scores)]
        flags[: len(given)] = given != 0
        scores[~flags] = -np.inf
    best = _best(scores, k)
    return [(int(row), float(scores[row])) for row in best]


def _row_type(dimension: int) -> np.dtype[Any]:
    return np.dtype([("scale", "<f4"), ("values", "i1", (dimension,))])


def _rows(block: bytes | memoryview, dimension: int) -> NDArray[Any]:
    size = packed_size(dimension)
    if len(block) % size:
        raise EmbeddingError(f"{len(block)} bytes are not whole packed vectors of {size} bytes")
    return np.frombuffer(block, dtype=_row_type(dimension))


def _scaled(rows: NDArray[Any]) -> NDArray[np.float32]:
    vectors: NDArray[np.float32] = rows["values"].astype(np.float32)
    vectors *= rows["scale"][:, None]
    return vectors


def _scores(
    direction: NDArray[np.float32], blocks: Iterable[bytes | memoryview]
) -> NDArray[np.float32]:
    """Cosine of each row with *direction*; -inf for erased rows."""
    buffer = np.empty((_BLOCK_ROWS, len(direction)), dtype=np.float32)
    parts = [np.empty(0, dtype=np.float32)]
    for block in blocks:
        rows = _rows(block, len(direction))
        for start in range(0, len(rows), _BLOCK_ROWS):
            part = rows[start : start + _BLOCK_ROWS]
            unpacked = buffer[: len(part)]
            np.copyto(unpacked, part["values"])
            scale = part["scale"]
            parts.append(np.where(scale > 0, unpacked @ direction * scale, -np.inf))
    return np.concatenate(parts)


def _best(scores: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    count = min(k, int(np.count_nonzero(scores > -np.inf)))
    if count <= 0:
        return np.empty(0, dtype=np.intp)
    limit = np.partition(scores, len(scores) - count)[len(scores) - count]
    candidates = np.flatnonzero(scores >= limit)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:count]

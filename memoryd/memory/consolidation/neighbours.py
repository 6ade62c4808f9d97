"""Which entries lie near each other as vectors: exact up to a size, beyond it within cells of like vectors.

The cells are those of an inverted file (Jegou, Douze & Schmid 2011, without its compression): k-means over a sample finds
their centres, and each row is compared with the rows of the cells nearest to its own. No chance in it: the sample is
every nth row.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EXACT = 50_000  # rows; up to here every row is compared with every other
_PRODUCTS = 4_000_000  # cosines in memory at a time: 16 MB
_PROBED = 24  # cells a row is compared with, its own among them
_SAMPLED = 64  # rows for each centre
_ROUNDS = 4  # of k-means


def propose_by_vectors(
    ids: Sequence[str],
    vectors: Mapping[str, Any],
    neighbours: int,
    min_cosine: float,
    exact: int = _EXACT,
) -> "list[array[int]]":
    """Return, for each entry, its nearest neighbours among those before it, and those that have it for one.

    Args:
        ids: of the entries, in the order they are numbered by; those without a vector are left out.
        vectors: id -> float16 or float32 (d,), unit length.
        neighbours: at most so many for each entry.
        min_cosine: nearest neighbours below this are not proposed.
        exact: of more rows than this, only those of like cells are compared.
    """
    import numpy as np  # noqa: PLC0415 - only with vectors, and never when the command line starts

    found = [array("I") for _ in ids]
    rows = [i for i, entry_id in enumerate(ids) if entry_id in vectors]
    if len(rows) < 2:  # noqa: PLR2004 - a pair
        return found
    matrix = np.asarray([vectors[ids[i]] for i in rows])
    everything = np.arange(len(rows))
    cells = [(everything, everything)] if len(rows) <= exact else _cells(matrix)
    for members, others in cells:
        for mine, near in _nearest(matrix, members, others, neighbours, min_cosine):
            for j in near:
                found[rows[max(j, mine)]].append(rows[min(j, mine)])
    return found


def _nearest(
    matrix: "NDArray[np.floating[Any]]",
    members: "NDArray[np.intp]",
    others: "NDArray[np.intp]",
    neighbours: int,
    min_cosine: float,
) -> Iterator[tuple[int, list[int]]]:
    """Yield each member with its nearest among *others*."""
    import numpy as np  # noqa: PLC0415

    facing = (matrix if len(others) == len(matrix) else matrix[others]).astype(np.float32)
    step = max(1, _PRODUCTS // len(others))
    for start in range(0, len(members), step):
        block = members[start : start + step]
        products = matrix[block].astype(np.float32) @ facing.T
        for row, mine in zip(products, block.tolist(), strict=True):
            row[others == mine] = -1.0
            near = np.flatnonzero(row >= min_cosine)
            if len(near) > neighbours:
                near = near[np.argpartition(-row[near], neighbours - 1)[:neighbours]]
            yield mine, others[near].tolist()


def _cells(
    matrix: "NDArray[np.floating[Any]]",
) -> Iterator[tuple["NDArray[np.intp]", "NDArray[np.intp]"]]:
    """Yield each cell: its rows, and the rows of the cells nearest to it, itself included."""
    import numpy as np  # noqa: PLC0415

    count = int(len(matrix) ** 0.5)
    sample = matrix[:: max(1, len(matrix) // (count * _SAMPLED))].astype(np.float32)
    centres = sample[:: max(1, len(sample) // count)][:count].copy()
    for _ in range(_ROUNDS):
        owners = _closest(sample, centres)
        for cell in range(count):
            mine = sample[owners == cell]
            if len(mine):
                centre = mine.sum(axis=0)
                centres[cell] = centre / max(float(np.linalg.norm(centre)), 1e-9)
    owners = _closest(matrix, centres)
    order = np.argsort(owners, kind="stable")
    borders = np.searchsorted(owners[order], np.arange(count + 1))
    rows = [order[borders[cell] : borders[cell + 1]] for cell in range(count)]
    for cell, near in enumerate(np.argsort(-(centres @ centres.T), axis=1)[:, :_PROBED]):
        if len(rows[cell]):
            yield rows[cell], np.sort(np.concatenate([rows[other] for other in near]))


def _closest(
    matrix: "NDArray[np.floating[Any]]", centres: "NDArray[np.float32]"
) -> "NDArray[np.intp]":
    """The number of each row's nearest centre."""
    import numpy as np  # noqa: PLC0415

    step = max(1, _PRODUCTS // len(centres))
    parts = [
        np.argmax(matrix[start : start + step].astype(np.float32) @ centres.T, axis=1)
        for start in range(0, len(matrix), step)
    ]
    return np.concatenate(parts)

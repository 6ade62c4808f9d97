"""Of the proposed pairs those that are near enough to be compared: each entry meets its most similar partners only."""

import heapq
from array import array
from collections.abc import Iterable, Iterator, Sequence

from memoryd.memory.consolidation.candidates import Sketch

EXACT = 2.0  # above every similarity: copies join first
_NEAR = 0.4  # of the shorter entry's units must be shared before two entries are compared
_MOST_ALONE = 4  # units that only one of two texts has, on both sides
_TWO_VALUES = 2
_BEST = 16  # partners an entry is compared with, the most similar ones


def nearest(
    sketches: Sequence[Sketch], proposed: Iterable[tuple[int, set[int]]]
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that are near enough: copies, and of the others the best ones of each entry, in order."""
    count = len(sketches)
    sizes = array("I", (len(set(sketch.keys)) for sketch in sketches))
    best: list[list[tuple[float, int]]] = [[] for _ in sketches]  # heaps, the worst on top
    kept: set[int] = set()  # i * count + j
    for j, partners in proposed:
        mine = frozenset(sketches[j].keys)  # a hundred thousand sets at a time would take 70 MB
        for i in partners:
            pair = i * count + j
            if sketches[i].plain == sketches[j].plain:
                score = EXACT
                kept.add(pair)
            else:
                least = min(sizes[j], sizes[i])
                score = len(mine.intersection(sketches[i].keys)) / least if least else 0.0
                if score < _NEAR or not _may_matter(sketches[i], sketches[j], mine):
                    continue
            for n in (i, j):
                _push(best[n], (score, -pair))
    kept.update(-pair for heap in best for _, pair in heap)
    del best, sizes
    yield from (divmod(pair, count) for pair in sorted(kept))


def _push(heap: list[tuple[float, int]], item: tuple[float, int]) -> None:
    """Keep the best partners only; of equals those that come first."""
    if len(heap) < _BEST:
        heapq.heappush(heap, item)
    elif item > heap[0]:
        heapq.heapreplace(heap, item)


def _may_matter(a: Sketch, b: Sketch, keys_b: frozenset[str]) -> bool:
    """Can one hold the other, or replace one value of it? Not if much, or two values, or the language, differ."""
    if a.language and b.language and a.language != b.language:
        return False
    keys_a = frozenset(a.keys)
    only_a, only_b = keys_a - keys_b, keys_b - keys_a
    if min(len(only_a), len(only_b)) > _MOST_ALONE:
        return False
    return min(len(only_a.intersection(a.values)), len(only_b.intersection(b.values))) < _TWO_VALUES

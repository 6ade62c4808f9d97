"""Of the proposed pairs those that are near enough to be compared: each entry meets its most similar partners only."""

import heapq
from array import array
from collections.abc import Iterable, Iterator, Sequence

from memoryd.memory.consolidation.candidates import Sketch
from memoryd.memory.consolidation.lexicon import UNSPACED

EXACT = 2.0  # above every similarity: copies join first
_NEAR = 0.5  # of the shorter entry's units must be shared before two entries are compared
_FRAME = 3  # times what two texts share is the longer one at most, if neither lies in the other
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
        one = sketches[j]
        mine = frozenset(one.keys)  # of all at a time they would take 70 MB
        for i in partners:
            other, pair = sketches[i], i * count + j
            if other.plain == one.plain:
                score = EXACT
                kept.add(pair)
            else:
                if not _may_replace(other, one, mine):
                    continue
                shared, least = len(mine.intersection(other.keys)), min(sizes[j], sizes[i])
                score = shared / least if least else 0.0
                if score < _NEAR or least - shared > _MOST_ALONE:
                    continue
                if shared < least and shared * _FRAME < max(sizes[j], sizes[i]):
                    continue
                if _differ_by_label(other, one):
                    continue
            _push(best[i], (score, -pair))
            _push(best[j], (score, -pair))
    kept.update(-pair for heap in best for _, pair in heap)
    del best, sizes
    yield from (divmod(pair, count) for pair in sorted(kept))


def _push(heap: list[tuple[float, int]], item: tuple[float, int]) -> None:
    """Keep the best partners only; of equals those that come first."""
    if len(heap) < _BEST:
        heapq.heappush(heap, item)
    elif item > heap[0]:
        heapq.heapreplace(heap, item)


def _may_replace(a: Sketch, b: Sketch, keys_b: frozenset[str]) -> bool:
    """Can one hold the other, or replace one value of it? Not if two values of each, or the language, differ."""
    if a.language != b.language and _are_translations(a, b):
        return False
    if len(keys_b.intersection(a.values)) > len(a.values) - _TWO_VALUES:
        return True
    return sum(value not in a.keys for value in b.values) < _TWO_VALUES


def _are_translations(a: Sketch, b: Sketch) -> bool:
    """Are two texts in different languages surely no texts in one? See `pairing.read_both`."""
    both = {a.language, b.language}
    return (a.sure and b.sure) or bool(UNSPACED & both and both != {"ja", "zh"})


def _differ_by_label(a: Sketch, b: Sketch) -> bool:
    """Job 10242 runs at night, job 10243 is slow: do they speak of two of a kind? `updates` would keep them apart."""
    if not a.labels or not b.labels or a.language != b.language:
        return False
    return set(a.labels).isdisjoint(b.labels)

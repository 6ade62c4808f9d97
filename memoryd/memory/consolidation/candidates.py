"""Which pairs of entries are worth a comparison. Proposes only: every pair goes through the guards.

Three nets, united: exact matches of the folded text or of all units; MinHash bands over shingles of units and
characters (one-permutation hashing: Li, Owen & Zhang 2012; banding: Leskovec et al.); and a prefix filter (Chaudhuri,
Ganti & Kaushik 2006): an entry meets those that share one of its rarest units, so that a short text finds the long
one that contains it. Vector neighbours (`neighbours`) may be added. No net is wider than a constant for each entry.
"""

import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memoryd.memory.consolidation.lexicon import Language

_BINS = 32
_ROWS = 2
_RARE = 4  # rarest units an entry is looked up by
_WIDEST = 48  # entries behind one key; a key shared by more says too little
_SMALL = 120  # up to here every pair is compared
_MASK = 0xFFFFFFFF
_EMPTY = _MASK  # no feature of any text falls into the bin


@dataclass(frozen=True, slots=True)
class Sketch:
    """What the nets need of one entry.

    Attributes:
        plain: its text without signs at the end; equal for copies.
        keys: of its units, in order.
        values: those of its quantities, names and identifiers.
        labels: those of its values that say which of many things it speaks of (job 10242), if nothing was changed.
        language: what it was read in; *sure*: its words leave no doubt.
        signature: the smallest hashes of its shingles (`minhash`).
    """

    plain: str
    keys: tuple[str, ...]
    values: tuple[str, ...]
    labels: tuple[str, ...]
    language: Language
    sure: bool
    signature: "array[int]"


def side_by_side(sketches: Sequence[Sketch]) -> list[int]:
    """Give an order in which entries that share most of their words are near each other; copies by their first place.

    Whoever goes through the pairs in this order meets the same texts again soon, and need not read them twice.
    """
    count = Counter(key for one in sketches for key in set(one.keys))
    told = [sorted(set(one.keys), key=lambda key: (-count[key], key)) for one in sketches]
    return sorted(range(len(sketches)), key=lambda n: (told[n], sketches[n].plain, n))


def propose(sketches: Sequence[Sketch]) -> Iterator[tuple[int, set[int]]]:
    """Yield, entry by entry, which of those before it may say the same or speak of the same thing.

    Never all pairs at once: of a hundred thousand entries they are millions.
    """
    if len(sketches) > _SMALL:
        yield from _meetings(sketches)
        return
    for i, one in enumerate(sketches):
        yield i, {j for j in range(i) if _touches(sketches[j], one)}


def _touches(a: Sketch, b: Sketch) -> bool:
    return a.plain == b.plain or not set(a.keys).isdisjoint(b.keys)


def _meetings(sketches: Sequence[Sketch]) -> Iterator[tuple[int, set[int]]]:
    """Let every entry meet those before it in its buckets; all buckets lie in one row of numbers."""
    row = array("I")
    places = [array("I") for _ in sketches]  # for each of its buckets: whom it meets, row[n:m]
    for bucket in _buckets(sketches):
        first, wide = len(row), len(bucket) > _WIDEST
        row.extend(bucket)
        for place, i in enumerate(bucket[1:], first + 1):
            places[i].extend((place - 1 if wide else first, place))
    for i, mine in enumerate(places):
        met: set[int] = set()
        for k in range(0, len(mine), 2):
            met.update(row[mine[k] : mine[k + 1]])
        yield i, met


def _buckets(sketches: Sequence[Sketch]) -> Iterator[list[int]]:
    """Yield entries that may meet, in order; of a wide bucket (exact copies) only neighbours do."""
    exact: dict[object, list[int]] = defaultdict(list)
    for i, one in enumerate(sketches):
        exact[one.plain].append(i)
        exact[one.keys].append(i)
    yield from (bucket for bucket in exact.values() if len(bucket) > 1)
    yield from _bands(sketches)
    yield from _rare_keys(sketches)


def _bands(sketches: Sequence[Sketch]) -> Iterator[list[int]]:
    """Yield, band by band, the entries whose signatures agree in it; one band is in memory at a time."""
    for band in range(0, _BINS, _ROWS):
        found: dict[int, list[int]] = defaultdict(list)
        for i, one in enumerate(sketches):
            first, second = one.signature[band : band + _ROWS]
            found[first << 33 | second].append(i)
        yield from (bucket for bucket in found.values() if 1 < len(bucket) <= _WIDEST)


def shingles(plain: str, keys: Sequence[str]) -> Iterator[str]:
    """Yield units, pairs of neighbouring ones and, for unspaced scripts, character trigrams."""
    yield from keys
    for first, second in pairwise(keys):
        yield first + " " + second
    if not plain.isascii():
        for k in range(len(plain) - 2):
            yield plain[k : k + 3]


def minhash(features: Iterable[str]) -> list[int]:
    """Sketch a set: the smallest hash in each of 32 bins; an empty bin borrows from the next full one."""
    bins = [_EMPTY] * _BINS
    for feature in features:
        value = zlib.crc32(feature.encode()) * 2654435761 & _MASK  # spread: Knuth's multiplier
        place = value % _BINS
        if value < bins[place]:  # noqa: PLR1730 - min() takes twice as long
            bins[place] = value
    if min(bins) == _EMPTY:
        return bins
    for place in range(_BINS - 1, -1, -1):
        if bins[place] == _EMPTY:
            full = next(
                bins[(place + step) % _BINS]
                for step in range(1, _BINS)
                if bins[(place + step) % _BINS] != _EMPTY
            )
            bins[place] = full
    return bins


def _rare_keys(sketches: Sequence[Sketch]) -> Iterator[list[int]]:
    """Yield an entry with those that hold one of its rarest units, or a pair of them if single ones are common."""
    postings: dict[str, list[int]] = defaultdict(list)
    for i, one in enumerate(sketches):
        for key in set(one.keys):
            postings[key].append(i)
    yield from (bucket for bucket in postings.values() if 1 < len(bucket) <= _WIDEST)
    common = {key for key, bucket in postings.items() if len(bucket) > _WIDEST}
    combined: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, one in enumerate(sketches):
        rare = sorted(set(one.keys) & common, key=lambda key: (len(postings[key]), key))[:_RARE]
        for n, first in enumerate(rare):
            for second in rare[:n]:
                combined[(second, first)].append(i)
    yield from (bucket for bucket in combined.values() if 1 < len(bucket) <= _WIDEST)

"""Groups of entries that say the same, without chains: complete linkage under cannot-link.

Two groups join only if every pair across them was compared and found to merge. Pairs are taken best first and ties
are broken by id, so the result does not depend on the order of the input (agglomerative, bounded in size).
"""

from collections.abc import Iterable, Mapping


def cluster(
    scores: Mapping[tuple[str, str], float], pinned: frozenset[str], max_size: int
) -> tuple[list[tuple[str, ...]], list[tuple[str, str]]]:
    """Group ids by pairs that may merge.

    Args:
        scores: (a, b) with a < b -> similarity, for every pair that may merge; any other pair must not.
        pinned: no group holds two of them.
        max_size: no group grows beyond it.

    Returns:
        The groups of two and more, each sorted, and the pairs that only *max_size* kept apart.
    """
    group_of: dict[str, frozenset[str]] = {}
    refused: list[tuple[str, str]] = []
    for (a, b), _ in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
        left = group_of.get(a, frozenset((a,)))
        right = group_of.get(b, frozenset((b,)))
        if (
            left == right
            or len((left | right) & pinned) > 1
            or not _all_linked(left, right, scores)
        ):
            continue
        if len(left) + len(right) > max_size:
            refused.append((a, b))
            continue
        joined = left | right
        for member in joined:
            group_of[member] = joined
    return sorted({tuple(sorted(group)) for group in group_of.values()}), refused


def _all_linked(
    left: Iterable[str], right: Iterable[str], scores: Mapping[tuple[str, str], float]
) -> bool:
    return all(((a, b) if a < b else (b, a)) in scores for a in left for b in right)

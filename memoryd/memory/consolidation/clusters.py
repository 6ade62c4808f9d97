"""Groups of entries that say the same, without chains: complete linkage under cannot-link.

Two groups join only if every pair across them was compared and found to merge. Of the pairs those come first that most
others may join (a text between two that do not fit together goes with the larger side), then the most similar ones; ties
are broken by the words and the id, so the result does not depend on the order of the input (agglomerative, bounded in size).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping


def cluster(
    scores: Mapping[tuple[str, str], float],
    pinned: frozenset[str],
    max_size: int,
    words: Mapping[str, str],
) -> tuple[list[tuple[str, ...]], list[tuple[str, str]]]:
    """Group ids by pairs that may merge.

    Args:
        scores: (a, b) with a < b -> similarity, for every pair that may merge; any other pair must not.
        pinned: no group holds two of them.
        max_size: no group grows beyond it.
        words: id -> text, for ties: the ids of the same texts differ from bank to bank.

    Returns:
        The groups of two and more, each sorted, and the pairs that only *max_size* kept apart.
    """
    group_of: dict[str, frozenset[str]] = {}
    refused: list[tuple[str, str]] = []
    for a, b in _in_turn(scores, words):
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


def _in_turn(
    scores: Mapping[tuple[str, str], float], words: Mapping[str, str]
) -> list[tuple[str, str]]:
    linked: dict[str, set[str]] = defaultdict(set)
    for a, b in scores:
        linked[a].add(b)
        linked[b].add(a)

    def turn(pair: tuple[str, str]) -> tuple[object, ...]:
        a, b = pair
        shared = len(linked[a] & linked[b])
        first, second = sorted(((words[a], a), (words[b], b)))
        return -shared, -scores[pair], first, second

    return sorted(scores, key=turn)


def _all_linked(
    left: Iterable[str], right: Iterable[str], scores: Mapping[tuple[str, str], float]
) -> bool:
    return all(((a, b) if a < b else (b, a)) in scores for a in left for b in right)

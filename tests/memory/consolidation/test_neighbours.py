"""Vectors propose the nearest: exactly, or within cells of like vectors where there are many."""

import numpy as np
import pytest
from numpy.typing import NDArray

from memoryd.memory.consolidation.neighbours import propose_by_vectors


def make_vectors(count: int, dimension: int = 64) -> dict[str, NDArray[np.float32]]:
    """Vectors around topics of about ten each."""
    chance = np.random.default_rng(7)
    topics = chance.standard_normal((max(1, count // 10), dimension))
    rows = topics[chance.integers(0, len(topics), count)]
    rows = rows + 0.5 * chance.standard_normal((count, dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return {f"{number:05}": row for number, row in enumerate(rows.astype(np.float32))}


def pairs(vectors: dict[str, NDArray[np.float32]], exact: int) -> set[tuple[int, int]]:
    found = propose_by_vectors(sorted(vectors), vectors, 8, 0.6, exact)
    return {(i, j) for i, partners in enumerate(found) for j in partners}


def test_cells_find_nearly_all_of_what_an_exact_search_finds() -> None:
    vectors = make_vectors(6000)
    exact, by_cells = pairs(vectors, 6000), pairs(vectors, 1000)

    assert len(exact) > 10_000
    assert len(exact & by_cells) >= 0.9 * len(
        exact
    )  # of vectors of texts, which are less random, 0.997
    assert by_cells == pairs(vectors, 1000)  # no chance in it


@pytest.mark.parametrize("exact", [1000, 10])
def test_only_what_is_near_is_proposed_each_pair_by_its_later_entry(exact: int) -> None:
    vectors = make_vectors(300)
    ids = sorted(vectors)
    found = pairs(vectors, exact)

    assert found
    assert all(i > j for i, j in found)
    assert all(vectors[ids[i]] @ vectors[ids[j]] >= 0.6 - 1e-5 for i, j in found)


def test_half_precision_proposes_the_same() -> None:
    vectors = make_vectors(300)
    halves = {name: row.astype(np.float16) for name, row in vectors.items()}
    exact, rounded = pairs(vectors, 1000), pairs(halves, 1000)  # type: ignore[arg-type] # half the digits

    assert len(exact ^ rounded) <= 0.02 * len(exact)


def test_equal_vectors_and_entries_without_one() -> None:
    row = np.full(4, 0.5, np.float32)

    assert pairs({"00000": row}, 1) == set()
    found = propose_by_vectors(["a", "b", "c", "d"], {"a": row, "c": row, "d": row}, 8, 0.6, 1)
    assert [set(one) for one in found] == [set(), set(), {0}, {0, 2}]

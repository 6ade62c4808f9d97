"""Packed vectors without numpy: lengths, broken ones, and the cosine of two."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.embedding import cosine, packed_size
from memoryd.embedding.golden import GOLDEN_TEXTS, check_golden
from memoryd.embedding.packing import check_packed, split_packed
from memoryd.errors import EmbeddingError


def make_packed(values: list[int]) -> bytes:
    length = math.sqrt(sum(value * value for value in values))
    return struct.pack(f"<f{len(values)}b", 1 / length, *values)


DIRECTIONS = st.lists(st.integers(-127, 127), min_size=8, max_size=8).filter(any)


@given(DIRECTIONS)
def test_a_vector_is_its_own_nearest(values: list[int]) -> None:
    vector = make_packed(values)

    assert 1.0 == pytest.approx(cosine(vector, vector), abs=1e-6)


@given(DIRECTIONS, DIRECTIONS)
def test_cosine_is_symmetric_and_bounded(left: list[int], right: list[int]) -> None:
    one, two = make_packed(left), make_packed(right)

    assert cosine(one, two) == cosine(two, one)
    assert -1.000001 < cosine(one, two) < 1.000001


def test_cosine_of_known_directions() -> None:
    east, north, west = make_packed([5, 0]), make_packed([0, 9]), make_packed([-3, 0])

    assert 0.0 == cosine(east, north)
    assert -1.0 == pytest.approx(cosine(east, west))
    assert math.sqrt(0.5) == pytest.approx(cosine(east, make_packed([7, 7])))


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_a_scale_that_gives_no_direction_is_refused(scale: float) -> None:
    with pytest.raises(EmbeddingError, match="no direction"):
        check_packed(struct.pack("<f2b", scale, 1, 2), 2)


@pytest.mark.parametrize("size", [0, 3, 4, 67, 69, 136])
def test_another_length_is_refused_never_read_as_zeros(size: int) -> None:
    with pytest.raises(EmbeddingError, match="68"):
        check_packed(bytes(size), 64)


def test_vectors_of_different_dimension_are_not_compared() -> None:
    with pytest.raises(EmbeddingError):
        cosine(make_packed([1, 2]), make_packed([1, 2, 3]))


@given(st.lists(DIRECTIONS, max_size=5))
def test_joined_vectors_are_split_as_they_were(directions: list[list[int]]) -> None:
    blobs = [make_packed(values) for values in directions]

    assert blobs == split_packed(b"".join(blobs), len(blobs), 8)


def test_too_few_and_too_many_vectors_are_refused() -> None:
    blob = make_packed([1, 2])
    for count in (0, 1, 3):
        with pytest.raises(EmbeddingError, match=f"not {count} packed vectors"):
            split_packed(blob * 2, count, 2)


def test_size_of_a_packed_vector() -> None:
    assert len(make_packed([1] * 512)) == packed_size(512)


def test_golden_vectors_may_wobble_but_not_drift() -> None:
    stored = [make_packed([100, 10, 0])] * len(GOLDEN_TEXTS)

    check_golden(stored, [make_packed([101, 12, 3])] * 3)
    with pytest.raises(EmbeddingError, match="drifted"):
        check_golden(stored, [*stored[:2], make_packed([100, 40, 0])])


def test_golden_vectors_of_another_dimension_are_drift() -> None:
    with pytest.raises(EmbeddingError):
        check_golden([make_packed([1, 2])] * 3, [make_packed([1, 2, 3])] * 3)

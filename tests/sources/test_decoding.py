"""Salvaging lines: every whole record comes out, every other byte is accounted for, in bounded time."""

import time
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.sources.decoding import decode_document, decode_whole, salvage

RECORDS = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant"]), "text": st.text(max_size=20)},
    optional={
        "message": st.fixed_dictionaries({"content": st.lists(st.integers(-9, 9), max_size=3)})
    },
)


def records(line: bytes) -> list[Any]:
    return [part.record for part in salvage(line) if not part.reason]


@given(
    st.lists(RECORDS, min_size=1, max_size=5), st.sampled_from([b"", b" ", b"\0\0", b"\r", b"\t"])
)
def test_glued_records_all_come_out(made: list[Any], between: bytes) -> None:
    assert made == records(between.join(map(orjson.dumps, made)))


@given(RECORDS, RECORDS, st.integers(1, 200))
def test_a_cut_off_record_hides_nothing_behind_it(cut: Any, whole: Any, length: int) -> None:
    data = orjson.dumps(cut)
    line = data[: min(length, len(data) - 1)] + orjson.dumps(whole)

    assert whole in records(line)


@given(st.binary(max_size=80))
def test_every_byte_is_in_at_most_one_part_and_only_blanks_are_in_none(line: bytes) -> None:
    covered = bytearray(len(line))
    for part in salvage(line):
        for place in range(part.start, part.end):
            covered[place] += 1

    assert max(covered, default=0) <= 1
    assert not line.removeprefix(b"\xef\xbb\xbf") or all(
        line[place : place + 1] in b" \t\r\n\x0b\x0c\0" or covered[place]
        for place in range(3, len(line))
    )


@pytest.mark.parametrize(
    "line",
    [
        b'{"' * 100_000,
        b'{"a":' * 100_000,
        (b'{"a":' * 900 + b"x") * 100,
        b"[" * 500_000,
        b'{"a":"' + b'\\"' * 250_000,
        b'{"a":1}x' * 50_000,
        b'{"z":[' + b'{"a":{"b":{"c":[1,2,3]}}},' * 20_000,
        b'{"a":[' * 100_000,
        b'{"a":"x{"a":"x' * 30_000,
    ],
    ids=range(9),
)
def test_hostile_lines_cost_little_time(line: bytes) -> None:
    started = time.perf_counter()
    salvage(line)

    assert time.perf_counter() - started < 5


def test_a_splice_behind_thousands_of_inner_objects_is_found() -> None:
    cut = b'{"type":"user","items":[' + b'{"a":{"b":1}},' * 20_000
    whole = {"type": "user", "text": "found"}

    assert [whole] == records(cut + orjson.dumps(whole))


def test_a_tail_of_several_records_is_whole_only_with_all_of_them() -> None:
    assert decode_whole(b'{"a":1}{"b":2}') == [{"a": 1}, {"b": 2}]
    assert decode_whole(b'{"a":1}{"b":') is None
    assert decode_whole(b'{"a":"\\ud800"}') == [{"a": "�"}]


def test_surrogates_are_replaced_at_any_depth() -> None:
    assert records(b'{"a":["\\ud800",{"\\udc00":1}]}') == [{"a": ["�", {"�": 1}]}]


@pytest.mark.parametrize("data", [b'{"a":NaN', b"", b"nope", b'{"a":' * 5000 + b"1" + b"}" * 5000])
def test_a_document_that_is_none_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        decode_document(data)


def test_a_document_is_read_as_leniently_as_a_record() -> None:
    assert decode_document(b'\xef\xbb\xbf{"a":"\\ud83d","b":"caf\xe9"}') == {"a": "�", "b": "caf�"}

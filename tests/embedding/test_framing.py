"""Frames over real pipes: whole, in pieces, too late, or no frames at all."""

import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.embedding.framing import Channel


@pytest.fixture
def pipes() -> Iterator[tuple[Channel, Channel]]:
    there, back = os.pipe(), os.pipe()
    yield Channel(there[0], back[1]), Channel(back[0], there[1])
    for descriptor in (*there, *back):
        try:
            os.close(descriptor)
        except OSError:  # closed by the test
            continue


HEADERS = st.dictionaries(st.text(max_size=5), st.lists(st.text(max_size=20), max_size=5))


@given(HEADERS, st.binary(max_size=300))
def test_a_frame_arrives_as_it_was_sent(header: dict[str, Any], payload: bytes) -> None:
    read, write = os.pipe()
    channel = Channel(read, write)
    channel.send(header, payload)
    received = channel.receive(1)
    os.close(read)
    os.close(write)

    assert (header, payload) == received


def test_a_frame_larger_than_the_pipe_arrives(pipes: tuple[Channel, Channel]) -> None:
    ours, theirs = pipes
    payload = os.urandom(1_000_000)
    sender = threading.Thread(target=ours.send, args=({"n": 1}, payload, 10))
    sender.start()

    assert ({"n": 1}, payload) == theirs.receive(10)
    sender.join()


def test_frames_do_not_run_into_each_other(pipes: tuple[Channel, Channel]) -> None:
    ours, theirs = pipes
    for number in range(50):
        ours.send({"n": number}, bytes(number))

    assert [({"n": number}, bytes(number)) for number in range(50)] == [
        theirs.receive(1) for _ in range(50)
    ]
    assert not theirs.has_news()


def test_a_frame_in_single_bytes_arrives_despite_timeouts() -> None:
    read, write = os.pipe()
    scratch, sink = os.pipe()
    Channel(scratch, sink).send({"a": "中"}, b"xyz")
    frame = os.read(scratch, 1000)
    channel = Channel(read, write)
    for byte in frame[:-1]:
        os.write(write, bytes([byte]))
        with pytest.raises(TimeoutError):
            channel.receive(0)
    os.write(write, frame[-1:])
    received = channel.receive(0)
    for descriptor in (read, write, scratch, sink):
        os.close(descriptor)

    assert ({"a": "中"}, b"xyz") == received


def test_a_reader_that_does_not_read_is_not_waited_for(pipes: tuple[Channel, Channel]) -> None:
    ours, _ = pipes
    with pytest.raises(TimeoutError):
        ours.send({}, bytes(1_000_000), seconds=0.1)


@given(st.binary(min_size=1, max_size=40).filter(lambda noise: noise[:1] != b"m"))
def test_what_is_no_frame_is_noticed_at_its_first_bytes(noise: bytes) -> None:
    read, write = os.pipe()
    channel = Channel(read, write)
    os.write(write, noise)
    try:
        with pytest.raises(ValueError, match="not a frame"):
            channel.receive(1)
    finally:
        os.close(read)
        os.close(write)


def test_an_end_in_the_middle_of_a_frame_is_an_end() -> None:
    read, write = os.pipe()
    channel = Channel(read, write)
    os.write(write, b"mdE1\x05")
    os.close(write)

    assert channel.has_news()
    with pytest.raises(EOFError):
        channel.receive(1)
    os.close(read)

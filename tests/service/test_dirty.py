"""Many events about a path become one call, soon; too many paths become one scan."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.service.watching.dirty import DEBOUNCE_SECONDS, LATENCY_SECONDS, DirtyPaths
from memoryd.sources.base import Source

Eventually = Callable[..., bool]


class Calls:
    def __init__(self) -> None:
        self.paths: list[str] = []
        self.times: list[float] = []
        self.reasons: list[str] = []
        self.broken = 0

    def on_dirty(self, source: Source, path: Path) -> None:
        if self.broken:
            self.broken -= 1
            raise RuntimeError("cannot take it")
        self.paths.append(str(path))
        self.times.append(time.monotonic())

    def on_rescan(self, reason: str) -> None:
        self.reasons.append(reason)


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def dirty(calls: Calls) -> Iterator[DirtyPaths]:
    paths = DirtyPaths(calls.on_dirty, calls.on_rescan, capacity=10)
    paths.start()
    yield paths
    paths.stop()


@pytest.fixture
def source(notes: Callable[..., Source], root: Path) -> Source:
    return notes(root)


def test_a_burst_becomes_one_call_after_the_debounce(
    dirty: DirtyPaths, calls: Calls, source: Source, eventually: Eventually
) -> None:
    started = time.monotonic()
    for _ in range(1000):
        dirty.mark(source, "a")
        dirty.mark(source, "b")

    assert eventually(lambda: len(calls.paths) == 2)
    time.sleep(2 * DEBOUNCE_SECONDS)
    assert ["a", "b"] == sorted(calls.paths)
    assert calls.times[0] - started >= DEBOUNCE_SECONDS
    assert 2000 == dirty.marked


def test_an_unending_stream_is_handed_on_within_the_latency(
    dirty: DirtyPaths, calls: Calls, source: Source
) -> None:
    started = time.monotonic()
    while time.monotonic() - started < LATENCY_SECONDS + 0.4:
        dirty.mark(source, "a")
        time.sleep(0.01)

    assert calls.times[0] - started < LATENCY_SECONDS + 0.3


def test_more_paths_than_are_kept_become_one_rescan(
    dirty: DirtyPaths, calls: Calls, source: Source, eventually: Eventually
) -> None:
    for number in range(11):
        dirty.mark(source, str(number))

    assert eventually(lambda: calls.reasons)
    assert 1 == len(calls.reasons)


def test_requests_for_a_rescan_coalesce_while_one_is_being_handed_on(
    calls: Calls, eventually: Eventually
) -> None:
    entered, leave = threading.Event(), threading.Event()

    def slow_rescan(reason: str) -> None:
        calls.reasons.append(reason)
        entered.set()
        leave.wait(5)

    dirty = DirtyPaths(calls.on_dirty, slow_rescan)
    dirty.start()
    dirty.request_rescan("first")
    assert entered.wait(5)
    for number in range(20):
        dirty.request_rescan(f"again {number}")
    leave.set()

    assert eventually(lambda: len(calls.reasons) == 2)
    time.sleep(0.2)
    assert ["first", "again 0"] == calls.reasons
    dirty.stop()


def test_a_failing_callback_costs_a_rescan_and_not_the_thread(
    dirty: DirtyPaths, calls: Calls, source: Source, eventually: Eventually
) -> None:
    calls.broken = 1
    dirty.mark(source, "a")
    assert eventually(lambda: calls.reasons == ["a change could not be handed on"])

    dirty.mark(source, "b")

    assert eventually(lambda: calls.paths == ["b"])
    assert 1 == dirty.failures


def test_a_blocked_receiver_makes_events_coalesce_and_not_pile_up(
    calls: Calls, source: Source, eventually: Eventually
) -> None:
    entered, leave = threading.Event(), threading.Event()

    def blocked(source: Source, path: Path) -> None:
        calls.paths.append(str(path))
        entered.set()
        leave.wait(5)

    dirty = DirtyPaths(blocked, calls.on_rescan, capacity=10)
    dirty.start()
    dirty.mark(source, "a")
    assert entered.wait(5)
    for number in range(1000):
        dirty.mark(source, str(number % 5))

    assert 5 >= len(dirty._marks)
    leave.set()
    assert eventually(lambda: len(calls.paths) == 6)
    dirty.stop()


def test_an_idle_set_does_not_wake(dirty: DirtyPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    def look(now: float) -> list[tuple[Source, str]]:
        looks.append(now)
        return []

    monkeypatch.setattr(dirty, "_take_due", look)
    time.sleep(0.5)

    assert [] == looks

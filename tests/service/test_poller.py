"""What no event announces is found by looking, at a bounded price."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.service.watching import poller as module
from memoryd.service.watching.poller import Polled, Poller, signatures
from memoryd.service.watching.roots import RootView, locate
from memoryd.sources.base import Source

Eventually = Callable[..., bool]


class Found:
    def __init__(self) -> None:
        self.paths: list[str] = []
        self.learned = 0

    def on_change(self, view: RootView, path: str) -> None:
        self.paths.append(Path(path).name)

    def on_learned(self) -> None:
        self.learned += 1


@pytest.fixture
def found() -> Found:
    return Found()


@pytest.fixture
def polled(root: Path, notes: Callable[..., Source]) -> Polled:
    place = locate(root)
    assert place is not None
    return Polled(RootView(notes(root), root, place), root)


@pytest.fixture
def poller(found: Found, monkeypatch: pytest.MonkeyPatch) -> Iterator[Poller]:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.05)
    one = Poller(found.on_change, found.on_learned)
    one.start()
    yield one
    one.stop()
    assert not one.is_alive()


def test_changes_after_the_first_look_are_told(
    poller: Poller, polled: Polled, root: Path, found: Found, eventually: Eventually
) -> None:
    (root / "old.jsonl").write_text("1")
    poller.watch([polled])
    assert eventually(lambda: found.learned)
    assert [] == found.paths

    (root / "deep").mkdir()
    (root / "deep" / "new.jsonl").write_text("1")
    assert eventually(lambda: found.paths == ["new.jsonl"])
    with (root / "old.jsonl").open("a") as file:
        file.write("2")
    assert eventually(lambda: found.paths == ["new.jsonl", "old.jsonl"])
    looks = poller.looks
    assert eventually(lambda: poller.looks > looks + 2)
    assert 2 == len(found.paths)


def test_a_rewrite_that_keeps_size_and_time_is_seen(
    poller: Poller, polled: Polled, root: Path, found: Found, eventually: Eventually
) -> None:
    path = root / "a.jsonl"
    path.write_text("1")
    before = path.stat()
    poller.watch([polled])
    assert eventually(lambda: found.learned)

    path.write_text("2")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert eventually(lambda: found.paths == ["a.jsonl"])


def test_an_outage_is_not_an_end(
    poller: Poller, polled: Polled, root: Path, found: Found, eventually: Eventually
) -> None:
    (root / "a.jsonl").write_text("1")
    poller.watch([polled])
    assert eventually(lambda: found.learned)

    root.rename(root.with_name("away"))
    looks = poller.looks
    assert eventually(lambda: poller.looks > looks + 2)
    root.with_name("away").rename(root)

    assert eventually(lambda: "a.jsonl" in found.paths)


def test_nothing_to_poll_costs_nothing(
    poller: Poller, polled: Polled, found: Found, eventually: Eventually
) -> None:
    poller.watch([polled])
    assert eventually(lambda: found.learned)
    poller.watch([])
    time.sleep(0.2)
    looks = poller.looks

    time.sleep(0.3)

    assert looks == poller.looks


def test_unreadable_and_looping_folders_are_left_out(root: Path) -> None:
    (root / "a.jsonl").touch()
    (root / "loop").symlink_to(root)
    (root / "dangling.jsonl").symlink_to(root / "nowhere")
    os.mkfifo(root / "fifo.jsonl")

    assert [str(root / "a.jsonl")] == [path for path, _ in signatures(root)]
    assert [] == list(signatures(root / "missing"))

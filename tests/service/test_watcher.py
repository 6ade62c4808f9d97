"""Whatever happens to the roots and to watchdog's threads, changes are told or a scan is asked for."""

import logging
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.service.watching import watcher as module
from memoryd.service.watching.watcher import OVERFLOW_LOGGER, Watcher
from memoryd.sources.base import Source

Eventually = Callable[..., bool]


class Told:
    def __init__(self) -> None:
        self.paths: list[str] = []
        self.reasons: list[str] = []

    def on_dirty(self, source: Source, path: Path) -> None:
        self.paths.append(str(path))

    def on_rescan(self, reason: str) -> None:
        self.reasons.append(reason)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def start(
    tmp_path: Path, told: Told, notes: Callable[..., Source], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Watcher]]:
    monkeypatch.setattr(module, "SUPERVISE_SECONDS", 0.2)
    started: list[Watcher] = []

    def make(*roots: Path) -> Watcher:
        one = Watcher([notes(*roots)], told.on_dirty, told.on_rescan, tmp_path / "canary")
        started.append(one)
        one.start()
        return one

    yield make
    for one in started:
        one.stop()


def modes(watcher: Watcher) -> list[str]:
    return [state.watch for state in watcher.states]


def append(path: Path, text: str = "line\n") -> None:
    with path.open("a") as file:
        file.write(text)


def test_appends_creations_and_atomic_saves_are_told(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    append(root / "old.jsonl")
    watcher = start(root)

    append(root / "old.jsonl")
    (root / "ignored.txt").touch()
    (root / "tmp").write_text("x")
    (root / "tmp").rename(root / "saved.jsonl")
    (root / "twin.jsonl.zst").touch()
    (root / "state.db-wal").touch()

    expected = {str(root / name) for name in ("old.jsonl", "saved.jsonl", "twin.jsonl", "state.db")}
    assert eventually(lambda: expected == set(told.paths))
    assert ["native"] == modes(watcher)
    assert () == watcher.degraded


def test_an_append_is_told_within_a_second(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    start(root)
    append(root / "a.jsonl")
    assert eventually(lambda: told.paths)
    time.sleep(0.3)
    told.paths.clear()

    started = time.monotonic()
    append(root / "a.jsonl")
    assert eventually(lambda: told.paths)

    assert time.monotonic() - started < 0.8


def test_a_root_that_is_a_symlink_is_watched_and_told_under_its_own_name(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    link = root.with_name("link")
    link.symlink_to(root)
    start(link)

    (root / "deep").mkdir()
    append(root / "deep" / "a.jsonl")

    assert eventually(lambda: str(link / "deep" / "a.jsonl") in told.paths)
    assert not any(path.startswith(str(root)) for path in told.paths)


def test_a_retargeted_symlink_is_followed(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    other = root.with_name("other")
    other.mkdir()
    link = root.with_name("link")
    link.symlink_to(root)
    watcher = start(link)

    link.unlink()
    link.symlink_to(other)
    assert eventually(lambda: told.reasons)
    assert ["native"] == modes(watcher)
    append(other / "new.jsonl")
    append(root / "old.jsonl")

    assert eventually(lambda: str(link / "new.jsonl") in told.paths)
    time.sleep(0.5)
    assert str(link / "old.jsonl") not in told.paths


def test_a_root_that_appears_later_is_picked_up(
    start: Callable[..., Watcher], tmp_path: Path, told: Told, eventually: Eventually
) -> None:
    root = tmp_path / "not" / "yet"
    watcher = start(root)
    assert ["missing"] == modes(watcher)
    assert () == watcher.degraded

    root.mkdir(parents=True)
    append(root / "first.jsonl")
    assert eventually(lambda: told.reasons)
    assert ["native"] == modes(watcher)
    append(root / "second.jsonl")

    assert eventually(lambda: str(root / "second.jsonl") in told.paths)


def test_a_root_deleted_and_made_anew_is_watched_again(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    watcher = start(root)
    shutil.rmtree(root)
    assert eventually(lambda: modes(watcher) == ["missing"])

    root.mkdir()
    assert eventually(lambda: modes(watcher) == ["native"])
    append(root / "a.jsonl")

    assert eventually(lambda: str(root / "a.jsonl") in told.paths)
    assert 2 <= len(told.reasons)


def test_a_root_replaced_between_two_looks_is_noticed(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    start(root)
    root.rename(root.with_name("renamed"))
    root.mkdir()
    assert eventually(lambda: told.reasons)
    time.sleep(0.3)
    told.paths.clear()

    append(root.with_name("renamed") / "elsewhere.jsonl")
    append(root / "a.jsonl")

    assert eventually(lambda: told.paths == [str(root / "a.jsonl")])


def test_a_root_that_is_a_file_is_watched_with_its_sidecars(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    real = root / "state.db"
    real.touch()
    link = root.with_name("link.db")
    link.symlink_to(real)
    start(real, link)

    append(root / "state.db-wal")
    append(root / "neighbour.jsonl")

    assert eventually(lambda: {str(real), str(link)} == set(told.paths))


def test_moved_and_new_folders_are_handed_on_as_a_whole(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    start(root)
    outside = root.with_name("outside") / "deep"
    outside.mkdir(parents=True)
    append(outside / "a.jsonl")

    outside.parent.rename(root / "inside")

    assert eventually(lambda: str(root / "inside") in told.paths)
    append(root / "inside" / "deep" / "a.jsonl")
    assert eventually(lambda: str(root / "inside" / "deep" / "a.jsonl") in told.paths)


def test_a_thousand_new_folders_with_an_instant_write_are_all_told(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    start(root)
    expected = set()
    for number in range(200):
        folder = root / str(number) / "b" / "c"
        folder.mkdir(parents=True)
        append(folder / "a.jsonl")
        expected.add(folder / "a.jsonl")

    def covered(path: Path) -> bool:
        return any(str(parent) in told.paths for parent in (path, *path.parents))

    assert eventually(lambda: all(covered(path) for path in expected), 10)


def test_reading_a_transcript_wakes_nobody(
    start: Callable[..., Watcher], root: Path, told: Told
) -> None:
    for number in range(200):
        append(root / f"{number}.jsonl")
    watcher = start(root)
    time.sleep(0.3)
    before = watcher.counters["events"]

    for path in root.iterdir():
        path.read_bytes()
    time.sleep(0.5)

    assert before == watcher.counters["events"]
    assert [] == told.paths


def kill_observer(watcher: Watcher) -> None:
    observer = watcher._observer
    assert observer is not None
    observer.event_queue.put(("not", "an event"))  # its dispatch raises, and the thread ends


def kill_emitter(watcher: Watcher) -> None:
    assert watcher._observer is not None
    for emitter in watcher._observer.emitters:
        emitter.stop()


def kill_reader(watcher: Watcher) -> None:
    watcher._observer._inotify_fd.stop()  # type: ignore[union-attr]  # Linux only


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.skipif(sys.platform != "linux", reason="kills threads of the inotify observer")
@pytest.mark.parametrize("kill", [kill_observer, kill_emitter, kill_reader])
def test_a_dead_thread_is_rebuilt_and_a_scan_follows(
    start: Callable[..., Watcher],
    root: Path,
    told: Told,
    eventually: Eventually,
    kill: Callable[[Watcher], None],
) -> None:
    watcher = start(root)

    kill(watcher)

    assert eventually(lambda: "a watching thread died" in told.reasons)
    append(root / "a.jsonl")
    assert eventually(lambda: str(root / "a.jsonl") in told.paths)
    assert 1 == watcher.counters["rebuilds"]


def test_a_deaf_observer_whose_threads_live_is_found_by_the_canary(
    start: Callable[..., Watcher],
    root: Path,
    told: Told,
    eventually: Eventually,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memoryd.service.watching.canary.TOUCH_SECONDS", 0.1)
    monkeypatch.setattr("memoryd.service.watching.canary.PATIENCE_SECONDS", 0.5)
    watcher = start(root)
    time.sleep(1)
    assert 0 == watcher.counters["rebuilds"]
    observer = watcher._observer
    assert observer is not None
    observer._handlers.clear()

    assert eventually(lambda: "events stopped arriving" in told.reasons)
    append(root / "a.jsonl")
    assert eventually(lambda: str(root / "a.jsonl") in told.paths)


def fail_at(name: str, watcher: Watcher) -> None:
    """Give the first source of the watcher a fault that one file brings out."""
    source = watcher._roots[0][0]
    right = source.transcript

    def broken(path: Path) -> Path | None:
        if path.name == name:
            raise RuntimeError("a source with a fault")
        return right(path)

    source.transcript = broken  # type: ignore[method-assign]  # a source with a fault


def test_an_exception_in_a_handler_does_not_end_the_watching(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    watcher = start(root)
    fail_at("bad.jsonl", watcher)
    append(root / "bad.jsonl")
    assert eventually(lambda: told.reasons)
    append(root / "good.jsonl")

    assert eventually(lambda: str(root / "good.jsonl") in told.paths)
    assert 0 == watcher.counters["rebuilds"]
    assert 0 < watcher.counters["failures"]


def test_an_exception_while_polling_does_not_end_the_polling(
    start: Callable[..., Watcher],
    root: Path,
    told: Told,
    eventually: Eventually,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "silent_kind", lambda path: "nfs4")
    monkeypatch.setattr("memoryd.service.watching.poller.POLL_SECONDS", 0.1)
    watcher = start(root)
    assert eventually(lambda: told.reasons == ["polling began"])
    fail_at("bad.jsonl", watcher)
    append(root / "bad.jsonl")
    assert eventually(lambda: "an event could not be handled" in told.reasons)
    append(root / "good.jsonl")

    assert eventually(lambda: str(root / "good.jsonl") in told.paths)
    assert watcher._poller.is_alive()


def test_lost_events_that_watchdog_only_logs_cause_a_scan(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    watcher = start(root)
    logger = logging.getLogger(OVERFLOW_LOGGER)

    logger.warning("something else")
    logger.warning("Inotify queue overflowed; filesystem events were lost")

    assert eventually(lambda: told.reasons == ["events were lost"])
    watcher.stop()
    assert [] == logger.handlers


def test_a_network_file_system_is_polled_and_said_so(
    start: Callable[..., Watcher],
    root: Path,
    told: Told,
    eventually: Eventually,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "silent_kind", lambda path: "nfs4")
    monkeypatch.setattr("memoryd.service.watching.poller.POLL_SECONDS", 0.1)
    watcher = start(root)
    assert eventually(lambda: told.reasons == ["polling began"])

    append(root / "a.jsonl")

    assert eventually(lambda: told.paths == [str(root / "a.jsonl")])
    assert ["polling"] == modes(watcher)
    assert (f"{root} is polled: nfs4 does not announce changes made elsewhere",) == watcher.degraded


def test_stopping_ends_every_thread_and_closes_every_file(
    start: Callable[..., Watcher], root: Path, eventually: Eventually
) -> None:
    def descriptors() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    start(root).stop()
    before = descriptors()
    for _ in range(5):
        watcher = start(root)
        watcher.stop()
        assert not watcher._thread.is_alive()
        assert not watcher._poller.is_alive()

    assert eventually(lambda: before == descriptors())


def test_random_histories_of_a_tree_end_with_every_file_told(
    start: Callable[..., Watcher], root: Path, told: Told, eventually: Eventually
) -> None:
    """Whatever is written last into each file is covered by a call or a scan that comes after it."""
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    start(root)
    last: dict[Path, int] = {}
    for step in range(300):
        folders = [root, *(p for p in root.rglob("*") if p.is_dir())]
        folder = chance.choice(folders)
        if chance.random() < 0.2:
            (folder / f"d{step}").mkdir()
        elif chance.random() < 0.1 and folder != root and folder.exists():
            folder.rename(root / f"m{step}")
        else:
            append(folder / f"{chance.randrange(5)}.jsonl")
        time.sleep(chance.random() * 0.004)
    time.sleep(0.1)
    for path in root.rglob("*.jsonl"):
        told_before = len(told.paths)
        last[path] = told_before
        append(path)

    def all_told() -> bool:
        return all(str(path) in told.paths[before:] for path, before in last.items())

    assert eventually(all_told, 10)

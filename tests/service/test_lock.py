"""One writer, by the kernel's lock: never by a pid file or a file's age."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memoryd.errors import HeldError, RetryError
from memoryd.service.lock import WriterLock

HOLD = """
import sys, time
from pathlib import Path
from memoryd.errors import HeldError
from memoryd.service.lock import WriterLock
sys.stdin.readline()
try:
    WriterLock(Path(sys.argv[1])).acquire()
except HeldError as error:
    print("held", error, flush=True)
else:
    print("won", flush=True)
    sys.stdin.readline()
"""


def starter(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def say(process: subprocess.Popen[str], line: str = "go\n") -> None:
    assert process.stdin is not None
    process.stdin.write(line)
    process.stdin.flush()


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_of_fifty_parallel_starters_exactly_one_wins(tmp_path: Path) -> None:
    starters = [starter(tmp_path) for _ in range(50)]
    try:
        for process in starters:
            say(process)
        answers = [answer(process) for process in starters]
        winners = [p for p, said in zip(starters, answers, strict=True) if said == "won"]

        assert 1 == len(winners)
        assert 49 == sum("held another memoryd" in said for said in answers)
        late = starter(tmp_path)
        starters.append(late)
        say(late)
        assert f"held another memoryd (pid {winners[0].pid})" in answer(late)
    finally:
        for process in starters:
            process.kill()
            process.communicate()


def test_a_killed_holder_leaves_nothing_stale(tmp_path: Path) -> None:
    process = starter(tmp_path)
    say(process)
    assert "won" == answer(process)
    with pytest.raises(HeldError):
        WriterLock(tmp_path).acquire()

    process.send_signal(signal.SIGKILL)
    process.communicate()

    with WriterLock(tmp_path) as lock:
        assert lock.still_held()


def test_a_second_lock_in_the_same_process_is_held_too(tmp_path: Path) -> None:
    with WriterLock(tmp_path), pytest.raises(HeldError, match=str(os.getpid())) as caught:
        WriterLock(tmp_path).acquire()

    assert 3 == caught.value.exit_status


def test_the_file_stays_when_the_lock_is_released(tmp_path: Path) -> None:
    with WriterLock(tmp_path) as lock:
        inode = lock.path.stat().st_ino

    assert inode == lock.path.stat().st_ino
    assert not lock.still_held()


@pytest.mark.parametrize("replaced", [False, True])
def test_an_unlinked_or_replaced_file_is_noticed(tmp_path: Path, replaced: bool) -> None:
    with WriterLock(tmp_path) as lock:
        assert lock.still_held()

        lock.path.unlink()
        if replaced:
            lock.path.touch()

        assert not lock.still_held()


def test_a_file_swapped_between_opening_and_locking_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = WriterLock(tmp_path)
    real = lock._lock_file
    swaps = iter([True, True, False])

    def swap_after_locking() -> int:
        descriptor = real()
        if next(swaps):
            lock.path.unlink()
        return descriptor

    monkeypatch.setattr(lock, "_lock_file", swap_after_locking)
    with lock:
        assert lock.still_held()


def test_a_lock_name_that_is_a_symlink_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("precious")
    (tmp_path / "memoryd.lock").symlink_to(tmp_path / "target")

    with pytest.raises(RetryError, match="cannot open"):
        WriterLock(tmp_path).acquire()

    assert "precious" == (tmp_path / "target").read_text()


def test_threads_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    won = []

    def start() -> None:
        try:
            lock = WriterLock(tmp_path)
            lock.acquire()
            won.append(lock)
        except HeldError:
            pass

    threads = [threading.Thread(target=start) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 1 == len(won)
    won[0].release()


def test_the_lock_is_not_inherited_by_children(tmp_path: Path) -> None:
    with WriterLock(tmp_path):
        child = subprocess.Popen(["sleep", "30"], close_fds=False)
    try:
        with WriterLock(tmp_path) as lock:
            assert lock.still_held()
    finally:
        child.kill()
        child.wait()

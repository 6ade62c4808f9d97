"""The faults of docs/reliability.md that concern the daemon: rows 29, 33-38 and 66-68, and kills at random moments.

A small dose runs always, the full one with `slow`.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from memoryd.store.connection import open_reader, open_writer
from memoryd.store.reader import Reader

Run = Callable[..., Any]
Eventually = Callable[..., bool]
slow = pytest.mark.slow


@contextmanager
def writing_lock(home: Path) -> Iterator[None]:
    """Another process's transaction, by the SQLite library that memoryd uses.

    (A second library in this process would drop the first one's locks whenever it closes the file.)
    """
    with closing(open_writer(home / "memoryd.db")) as other:
        other.execute("begin immediate")
        yield
        other.execute("rollback")


@pytest.mark.timeout(300)
@slow
def test_row_29_events_lost_while_stopped_are_found_by_the_scan(
    place: Any, run: Run, eventually: Eventually
) -> None:
    """More events than the kernel keeps: 16,384 by default."""
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    daemon = run()
    daemon.process.send_signal(signal.SIGSTOP)
    count = limit + 1000
    for number in range(count):  # neighbours must differ: equal events become one
        place.say(f"{number % 100}.jsonl", str(number))
    place.say("last/of/all.jsonl", "its folders were never announced")
    daemon.process.send_signal(signal.SIGCONT)

    assert eventually(lambda: place.count() == count + 1, 100)
    assert "events were lost" == daemon.ask("status")["rescans"]["reason"]


def test_row_33_reading_does_not_make_work(place: Any, run: Run, eventually: Eventually) -> None:
    for number in range(200):
        place.say(f"{number}.jsonl", "one")
    daemon = run()
    assert eventually(lambda: place.count() == 200)
    time.sleep(1)

    before = daemon.ask("status")
    time.sleep(2)
    after = daemon.ask("status")

    assert before["watcher"]["events"] == after["watcher"]["events"]
    assert before["writer"]["done"] == after["writer"]["done"]


@pytest.mark.timeout(200)
@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=slow)])
def test_row_34_a_storm_of_writes_is_coalesced(
    place: Any, run: Run, eventually: Eventually, seconds: float
) -> None:
    daemon = run()
    program = (
        "import os, sys, time; f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND);"
        "end = time.monotonic() + float(sys.argv[2]); n = 0\n"
        "while time.monotonic() < end:\n"
        '    os.write(f, b\'{"role": "user", "text": "%d", "id": "%d"}\\n\' % (n, n)); n += 1\n'
        "    n % 200 or time.sleep(0.01)\n"
        "print(n)"
    )
    arguments = [str(place.root / "storm.jsonl"), str(seconds)]
    writer = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True
    )
    peak, waiting = 0.0, 0
    while writer.poll() is None:
        state = daemon.ask("status")
        peak = max(peak, state["resources"]["rss_bytes"] / 2**20)
        waiting = max(waiting, state["writer"]["waiting"])
        time.sleep(0.2)
    written = int(writer.communicate()[0])

    assert eventually(lambda: place.count() == written, 60)
    assert peak < 200
    assert waiting < 10


@pytest.mark.timeout(200)
@slow
def test_row_35_a_locked_database_delays_and_drops_nothing(
    place: Any, run: Run, eventually: Eventually
) -> None:
    daemon = run()
    with writing_lock(place.home):
        for number in range(50):
            place.say(f"{number}.jsonl", "while it was locked")
        assert eventually(lambda: daemon.ask("status")["degraded"], 30)
        time.sleep(30)
        assert 0 == place.count()

    assert eventually(lambda: place.count() == 50, 70)
    assert eventually(lambda: daemon.ask("status")["degraded"] == [])


def test_row_66_sigterm_while_the_database_is_locked_ends_in_time(place: Any, run: Run) -> None:
    daemon = run()
    with writing_lock(place.home):
        place.say("a.jsonl", "waits for the lock")
        time.sleep(0.7)
        status, seconds = daemon.end()

    assert (0, True) == (status, seconds < 3.3)
    assert "stopped_in_the_middle" in daemon.log.read_text()


@pytest.mark.timeout(400)
@slow
@pytest.mark.parametrize("seed", range(40))
def test_row_66_sigterm_in_every_phase(place: Any, run: Run, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(500):
        place.say(f"{number}.jsonl", *(f"text {index}" for index in range(30)))
    daemon = run(ready=False)
    time.sleep(chance.random() * 4)

    status, seconds = daemon.end()

    assert seconds < 3.3
    assert status in {0, -signal.SIGTERM}, daemon.log.read_text()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seconds", [1, pytest.param(30, marks=slow)])
def test_row_36_a_long_reader_makes_the_log_grow_and_then_shrink(
    place: Any, run: Run, eventually: Eventually, seconds: float
) -> None:
    daemon = run(watchdog_seconds=1.5)
    wal = place.home / "memoryd.db-wal"
    place.say("a.jsonl", "x")
    assert eventually(lambda: place.count() == 1)
    with closing(open_reader(place.home / "memoryd.db")) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from message").fetchone()
        for number in range(200):
            place.say("a.jsonl", *(f"{number} {index} " + "word " * 50 for index in range(10)))
        assert eventually(lambda: place.count() == 2001)
        time.sleep(seconds)
        grown = wal.stat().st_size
        assert 1 == reader.execute("select count(*) from message").fetchone()[0]

    assert grown > 1024 * 1024
    assert eventually(lambda: wal.stat().st_size == 0, 20)
    assert [] == daemon.ask("status")["degraded"]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("readers", [4, pytest.param(20, marks=slow)])
def test_row_37_readers_see_only_whole_states(
    place: Any, run: Run, eventually: Eventually, readers: int
) -> None:
    run()
    assert eventually(lambda: place.count() == 0)
    done = threading.Event()
    failures: list[str] = []

    def read() -> None:
        last = 0
        while not done.is_set():
            try:
                with Reader(place.home) as reader:
                    now = int(reader.counts()["messages"])
            except Exception as error:
                failures.append(repr(error))
                return
            if now < last:
                failures.append(f"{now} after {last}")
            last = now

    threads = [threading.Thread(target=read) for _ in range(readers)]
    for thread in threads:
        thread.start()
    for number in range(100):
        place.say(f"{number % 7}.jsonl", *(f"{number} {index}" for index in range(10)))
        time.sleep(0.01)
    assert eventually(lambda: place.count() == 1000, 30)
    done.set()
    for thread in threads:
        thread.join()

    assert [] == failures


# Like `memoryd run`, but one command of it hangs.
HANGING = """
import sys, time
from pathlib import Path
from memoryd.service import commands, daemon
daemon.STUCK_SECONDS = 0.5
commands.COMMANDS["hang"] = lambda writer, arguments, tell: time.sleep(3)
sys.exit(daemon.run_daemon(Path(sys.argv[2]), None))
"""


def test_row_67_a_hanging_writer_starves_the_watchdog_and_a_living_one_feeds_it(
    place: Any, run: Run
) -> None:
    daemon = run(watchdog_seconds=0.9, program=HANGING)
    threading.Thread(target=lambda: daemon.ask("hang"), daemon=True).start()
    time.sleep(1.0)
    before = sum("WATCHDOG" in one for one in daemon.hear())
    time.sleep(1.2)
    during = sum("WATCHDOG" in one for one in daemon.hear())
    time.sleep(2.0)
    after = sum("WATCHDOG" in one for one in daemon.hear())

    assert before == during
    assert after > during


# Like `memoryd run`, but one command of it is one statement that takes seconds, as the check of a very large database does.
TOILING = """
import sys, time
from pathlib import Path
from memoryd.service import commands, daemon
daemon.STUCK_SECONDS = 0.5
def toil(writer, arguments, tell):
    until = time.monotonic() + 4
    writer.store.connection.create_function("late", 0, lambda: time.monotonic() > until)
    count = "with recursive n(i) as (select 1 union all select i + 1 from n where i % 9999 or not late()) select max(i) from n"
    return writer.store.connection.execute(count).fetchone()[0]
commands.COMMANDS["toil"] = toil
sys.exit(daemon.run_daemon(Path(sys.argv[2]), None))
"""


def test_row_67_a_long_statement_is_not_taken_for_a_hang(place: Any, run: Run) -> None:
    daemon = run(watchdog_seconds=0.9, program=TOILING)
    counted: list[int] = []
    toil = threading.Thread(target=lambda: counted.append(daemon.ask("toil")))
    toil.start()
    time.sleep(1.0)
    before = sum("WATCHDOG" in one for one in daemon.hear())
    time.sleep(2.0)
    during = sum("WATCHDOG" in one for one in daemon.hear())
    toil.join()

    assert during > before
    assert counted[0] > 9999


@pytest.mark.timeout(600)
@pytest.mark.parametrize("cycles", [100, pytest.param(10_000, marks=slow)])
def test_row_68_rotation_leaks_neither_descriptors_nor_threads(
    place: Any, run: Run, eventually: Eventually, cycles: int
) -> None:
    daemon = run()
    place.say("a.jsonl", "first")
    assert eventually(lambda: place.count() == 1)
    before = daemon.ask("status")["resources"]
    for cycle in range(cycles):
        place.say("a.jsonl", f"{cycle}")
        (place.root / "a.jsonl").rename(place.root / f"a-{cycle % 5}.old.jsonl")
        if cycle % 10 == 0:
            folder = place.root / f"d{cycle}"
            folder.mkdir()
            place.say(f"d{cycle}/b.jsonl", f"{cycle}")
            (folder / "b.jsonl").unlink()
            folder.rmdir()
        time.sleep(0.002)
    time.sleep(2)
    after = daemon.ask("status")["resources"]

    assert abs(after["descriptors"] - before["descriptors"]) <= 3
    assert after["threads"] == before["threads"]
    assert after["rss_bytes"] - before["rss_bytes"] < 40 * 2**20


@pytest.mark.timeout(300)
@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=slow)])
def test_kills_at_random_moments_lose_nothing_and_double_nothing(
    place: Any, run: Run, eventually: Eventually, rounds: int
) -> None:
    chance = random.Random(rounds)
    said = 0
    for _ in range(rounds):
        daemon = run(ready=False)
        until = time.monotonic() + 0.4 + chance.random()
        while time.monotonic() < until:
            place.say(f"{chance.randrange(20)}.jsonl", f"text {said}")
            said += 1
            time.sleep(0.003)
        daemon.end(signal.SIGKILL)
    run()

    assert eventually(lambda: place.count() == said, 30)
    with closing(open_reader(place.home / "memoryd.db")) as database:
        assert [("ok",)] == database.execute("pragma integrity_check").fetchall()


@pytest.mark.timeout(120)
def test_row_38_of_many_daemons_started_at_once_one_runs(
    place: Any, run: Run, eventually: Eventually
) -> None:
    daemons = [run(ready=False) for _ in range(5)]

    assert eventually(lambda: sum(one.process.poll() == 3 for one in daemons) == 4, 60)
    (survivor,) = [one for one in daemons if one.process.poll() is None]
    assert survivor.wait_told("READY"), (
        survivor.log.read_text()
    )  # the others left before it listened
    assert survivor.process.pid == survivor.ask("status")["pid"]
    assert os.getpid() != survivor.process.pid

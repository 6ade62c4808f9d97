"""Start, work, reload, stop: seen from outside, as a service manager and a user see it."""

import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memoryd.service.client import NoDaemonError, request
from memoryd.service.lock import WriterLock
from tests.system.conftest import PROGRAM

Run = Callable[..., Any]
Eventually = Callable[..., bool]


def test_a_new_line_is_found_within_a_second(place: Any, run: Run, eventually: Eventually) -> None:
    place.say("a.jsonl", "before the start")
    run()
    assert eventually(lambda: place.count() == 1)

    delays = []
    for number in range(5):
        started = time.monotonic()
        place.say("a.jsonl", f"line {number}")
        assert eventually(lambda expected=number + 2: place.count() == expected)
        delays.append(time.monotonic() - started)

    assert sorted(delays)[2] < 1.0


def test_ready_comes_once_and_stopping_comes_last(place: Any, run: Run) -> None:
    daemon = run()
    status, seconds = daemon.end()

    told = daemon.hear()
    assert (0, True) == (status, seconds < 3)
    assert 1 == sum("READY" in one for one in told)
    assert "STOPPING" in told[-1]
    assert "watching 1 folder" in next(one["STATUS"] for one in told if "READY" in one)


def test_everything_in_the_home_is_private_while_it_runs(place: Any, run: Run) -> None:
    place.say("a.jsonl", "one")
    (place.home / "config.toml").chmod(0o644)
    place.home.chmod(0o755)
    previous = os.umask(0)
    try:
        run()
    finally:
        os.umask(previous)
    time.sleep(0.5)

    log = place.home / "log.txt"  # the test's own
    paths = [place.home, *(path for path in place.home.rglob("*") if path != log)]
    assert [] == [str(p) for p in paths if stat.S_IMODE(p.lstat().st_mode) & 0o077]
    assert {"memoryd.db", "memoryd.lock", "memoryd.ballast"} <= {path.name for path in paths}
    assert "home_was_open" in log.read_text()


@pytest.mark.parametrize("seed", range(3))
def test_sigterm_at_any_moment_ends_within_three_seconds(place: Any, run: Run, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(300):
        place.say(f"{number}.jsonl", *(f"text {index}" for index in range(20)))
    daemon = run(ready=False)
    time.sleep(0.3 + chance.random() * 1.5)

    status, seconds = daemon.end()

    assert seconds < 3.3
    assert status in {0, -signal.SIGTERM}  # the second: before it could handle signals


def test_a_second_sigterm_ends_at_once(place: Any, run: Run) -> None:
    daemon = run()
    daemon.process.send_signal(signal.SIGSTOP)
    daemon.process.send_signal(signal.SIGTERM)
    daemon.process.send_signal(signal.SIGINT)
    started = time.monotonic()
    daemon.process.send_signal(signal.SIGCONT)

    assert 0 == daemon.process.wait(5)
    assert time.monotonic() - started < 1


def test_a_valid_configuration_is_taken_and_a_broken_one_refused(
    place: Any, run: Run, eventually: Eventually
) -> None:
    daemon = run()
    other = place.root.with_name("other")
    other.mkdir()
    place.configure(f"[sources.more]\ntype = 'jsonl'\nroots = ['{other}']\n")
    daemon.process.send_signal(signal.SIGHUP)
    assert eventually(lambda: str(other) in daemon.ask("status")["watch"])

    place.configure("[nightly]\nwhen = 3\n")
    daemon.process.send_signal(signal.SIGHUP)
    assert eventually(lambda: daemon.ask("status")["config_error"])
    state = daemon.ask("status")
    assert "nightly.when" in state["config_error"]
    assert state["config_error"] in state["degraded"]
    assert str(other) in state["watch"]
    place.say("a.jsonl", "still working")
    assert eventually(lambda: place.count() == 1)

    place.configure()
    daemon.process.send_signal(signal.SIGHUP)
    assert eventually(lambda: daemon.ask("status")["config_error"] is None)
    assert [] == daemon.ask("status")["degraded"]


def test_a_reload_is_told_to_the_manager_and_names_what_changed(
    place: Any, run: Run, eventually: Eventually
) -> None:
    daemon = run(program=PROGRAM)
    place.configure(
        "[nightly]\nat = '23:59'\n[embedding]\nengine = 'none'\n[files]\napprove = ['hermes']\n"
    )
    daemon.process.send_signal(signal.SIGHUP)

    assert eventually(lambda: "config_reloaded" in daemon.log.read_text())
    assert daemon.wait_told("RELOADING")
    assert eventually(lambda: "READY" in daemon.hear()[-1] or "WATCHDOG" in daemon.hear()[-1])
    reloading = next(one for one in daemon.told if "RELOADING" in one)
    assert int(reloading["MONOTONIC_USEC"]) > 0
    log = daemon.log.read_text()
    assert "nightly.at, embedding.engine, files.approve" in log
    assert "memoryd service install" in log  # the one thing that needs more than a reload
    night = datetime.fromisoformat(daemon.ask("status")["jobs"][0]["next"]).astimezone()
    assert (23, 59) == (night.hour, night.minute)


def test_a_broken_configuration_at_the_start_ends_with_78(place: Any, run: Run) -> None:
    place.configure("[nightly]\nat = 3\n")

    daemon = run(ready=False)

    assert 78 == daemon.process.wait(20)
    assert "nightly.at" in daemon.log.read_text()
    assert not (place.home / "memoryd.db").exists()


def test_sigusr1_tells_stacks_and_counters_and_changes_nothing(
    place: Any, run: Run, eventually: Eventually
) -> None:
    daemon = run()
    daemon.process.send_signal(signal.SIGUSR1)

    assert eventually(
        lambda: "memoryd-writer" in daemon.log.read_text() or "worker.py" in daemon.log.read_text()
    )
    assert eventually(lambda: "reported" in daemon.log.read_text())
    assert daemon.ask("status")["pid"] == daemon.process.pid


def test_a_command_that_ends_soon_is_waited_for(place: Any, run: Run) -> None:
    with WriterLock(place.home):
        daemon = run(ready=False)
        time.sleep(2.5)
        assert daemon.process.poll() is None

    assert daemon.wait_told("READY")


def test_a_second_daemon_is_refused_with_the_pid_of_the_first(place: Any, run: Run) -> None:
    first = run()

    second = run(ready=False)

    assert 3 == second.process.wait(20)
    assert f"pid {first.process.pid}" in second.log.read_text()
    assert first.process.poll() is None


def test_a_killed_daemon_leaves_nothing_that_hinders_the_next(
    place: Any, run: Run, eventually: Eventually
) -> None:
    first = run()
    place.say("a.jsonl", "one")
    first.end(signal.SIGKILL)
    with pytest.raises(NoDaemonError):
        request(place.home, "status")

    run()

    assert eventually(lambda: place.count() == 1)


def test_a_command_goes_through_the_daemon_and_works_without_it(
    place: Any, run: Run, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    place.say("../outside/x.jsonl", "from outside")
    daemon = run()
    command = [sys.executable, "-c", "import sys; from memoryd.interfaces.cli import main; main()"]
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    answer = daemon.ask("ingest", {"paths": [str(outside)], "source": "chats"})
    status = subprocess.run(
        [*command, "--home", str(place.home), "status", "--json"],
        env=environ,
        capture_output=True,
        check=False,
    )

    assert 1 == answer["messages_added"]
    assert 0 == status.returncode, status.stdout
    assert b'"running": true' in status.stdout


def test_the_watchdog_is_fed_while_all_is_well(place: Any, run: Run) -> None:
    daemon = run(watchdog_seconds=1.5)
    time.sleep(2)

    assert 3 <= sum("WATCHDOG" in one for one in daemon.hear())


def test_a_removed_lock_file_ends_the_daemon_before_it_writes_again(place: Any, run: Run) -> None:
    daemon = run()
    (place.home / "memoryd.lock").unlink()
    place.say("a.jsonl", "after the lock was lost")

    assert 3 == daemon.process.wait(30)
    assert 0 == place.count()


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
@pytest.mark.parametrize("how", ["unlinked", "replaced"])
def test_a_database_that_is_not_ours_any_more_is_not_written_to(
    place: Any, run: Run, how: str, ending: str
) -> None:
    daemon = run()
    database = place.home / f"memoryd.db{ending}"
    if how == "replaced":
        (place.home / "other").write_bytes(database.read_bytes())
        (place.home / "other").rename(database)
    else:
        database.unlink()
    place.say("a.jsonl", "into nothing?")

    assert 1 == daemon.process.wait(30)
    assert f"memoryd.db{ending} was deleted or replaced" in daemon.log.read_text()


def test_a_removed_socket_is_made_anew(place: Any, run: Run, eventually: Eventually) -> None:
    daemon = run(watchdog_seconds=1.5)
    from memoryd.service.address import find_address  # noqa: PLC0415 - only here

    find_address(place.home).unlink()

    assert eventually(lambda: answers(place.home))
    assert daemon.process.poll() is None


def answers(home: Path) -> bool:
    try:
        return bool(request(home, "status", timeout=5))
    except NoDaemonError:
        return False

"""Rows of the fault matrix (docs/reliability.md) about the disk, the database's bytes, and two at once, on real processes."""

import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import HeldError, RetryError
from memoryd.service.commands import carry_out
from memoryd.service.doctor import examine
from memoryd.service.lock import WriterLock
from memoryd.service.recall import recall
from memoryd.service.writer import open_writer
from memoryd.store import connection
from memoryd.store.reader import Reader
from memoryd.store.records import Filters
from tests.faults import oracle
from tests.faults.injector import WHY_NOT, Fault, Memoryd
from tests.faults.scenes import Place as Folder
from tests.faults.scenes import remembered, runner

Run = Callable[..., Any]
Eventually = Callable[..., bool]
slow = pytest.mark.slow
injected = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
PROGRAM = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"
REPOSITORY = Path(__file__).parents[2]


def env_of(fault: Fault) -> list[str]:
    """The words before a command that arm a fault in it."""
    return ["env", *(f"{name}={value}" for name, value in fault.environ().items())]


def memoryd(home: Path, *words: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "--home", str(home), *words],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


@injected
@pytest.mark.timeout(120)
@pytest.mark.parametrize("mode", ["eio", "enospc"])
@pytest.mark.parametrize("calls", ["sync", "write"])
def test_rows_5_and_9_a_daemon_that_meets_a_failing_disk_tries_again(
    place: Any, run: Run, eventually: Eventually, mode: str, calls: str
) -> None:
    """The failing call comes while it works: its start is over when the log is written to."""
    fault = Fault(
        str(place.home / "memoryd.db-wal"), 6 if calls == "write" else 3, mode, calls=calls
    )
    assert 0 == memoryd(place.home, "ingest").returncode  # a start that fails ends with 75
    for number in range(5):
        place.say(f"{number}.jsonl", *(f"{number} {index}" for index in range(20)))
    daemon = run(before=env_of(fault), ready=False)

    assert eventually(lambda: place.count() == 100, 40), daemon.log.read_text()
    place.say("later.jsonl", "and it goes on")
    assert eventually(lambda: place.count() == 101, 20)
    assert eventually(lambda: daemon.ask("status")["degraded"] == [])
    daemon.end()
    assert [] == oracle.judge_database(place.home)
    assert "Traceback" not in daemon.log.read_text()


@injected
def test_row_8_a_log_that_cannot_be_written_stops_nothing(
    place: Any, eventually: Eventually
) -> None:
    place.say("a.jsonl", "while the log's disk is full")
    fault = Fault("/logs/", 1, "enospc", sticky=True)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "--home", str(place.home), "run"],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **fault.environ()},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert eventually(lambda: place.count() == 1, 20)
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(10)


def test_row_10_a_limit_of_file_size_is_a_full_disk(place: Any) -> None:
    place.say("a.jsonl", "one")
    assert 0 == memoryd(place.home, "ingest").returncode
    place.say("b.jsonl", *("many words " * 40 + str(number) for number in range(500)))
    size = (place.home / "memoryd.db").stat().st_size

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 4096, size + 4096))

    limited = memoryd(place.home, "ingest", preexec_fn=limit)

    assert 75 == limited.returncode, limited.stderr
    assert "Traceback" not in limited.stderr
    assert 1 == place.count()
    assert 0 == memoryd(place.home, "ingest").returncode
    assert 501 == place.count()
    assert [] == oracle.judge_database(place.home)


def test_row_11_a_quota_of_pages_moves_no_cursor_and_passes(place: Any) -> None:
    place.say("a.jsonl", "one")
    config = _config(place.home)
    carry_out(place.home, config, "ingest", {})
    place.say("b.jsonl", *("many words " * 40 + str(number) for number in range(500)))
    with WriterLock(place.home), open_writer(place.home, config) as writer:
        pages = writer.store.connection.execute("pragma page_count").fetchone()[0]
        writer.store.connection.execute(f"pragma max_page_count={pages + 3}")
        with pytest.raises(RetryError, match="full"):
            writer.scanner.ingest.everything()
        assert 1 == place.count()
        writer.store.connection.execute("pragma max_page_count=1073741823")
        assert 500 == writer.scanner.ingest.everything().added
    assert [] == oracle.judge_database(place.home)


def _config(home: Path) -> Any:
    from memoryd.config import load_config  # noqa: PLC0415 - only here

    return load_config(home / "config.toml")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [12, pytest.param(200, marks=slow)])
def test_row_42_a_flipped_byte_is_told_or_harmless_and_never_a_fresh_start(
    place: Any, tmp_path: Path, count: int
) -> None:
    """Header, tables, indexes and full-text indexes: anywhere, all bits of one byte or of a run of them."""
    for number in range(4):
        place.say(f"{number}.jsonl", *(f"w{number}{index:04}x said" for index in range(100)))
    config = _config(place.home)
    carry_out(place.home, config, "ingest", {})
    whole = (place.home / "memoryd.db").read_bytes()
    chance = random.Random(42)
    for number in range(count):
        damaged = bytearray(whole)
        header = number % 6 == 0
        at = chance.randrange(100 if header else len(whole))
        for offset in range(at, min(len(whole), at + chance.choice((1, 1, 64, 4096)))):
            damaged[offset] ^= 0xFF
        home = tmp_path / f"damaged-{number}"
        shutil.copytree(place.home, home)
        (home / "memoryd.db").write_bytes(damaged)

        checks = examine(home, config)
        done = memoryd(home, "ingest")

        assert "Traceback" not in done.stderr
        told = [one for one in checks if not one.ok] or done.returncode
        held = _messages(home)
        assert told or held == 400, (at, held)
        if done.returncode == 0 and held is not None:
            assert held == 400, (at, "it began anew without a word")
        shutil.rmtree(home)


def _messages(home: Path) -> int | None:
    """How many messages there are; None where that cannot be told."""
    try:
        with closing(sqlite3.connect(home / "memoryd.db")) as database:
            return int(database.execute("select count(*) from message").fetchone()[0])
    except sqlite3.Error:
        return None


@pytest.mark.parametrize(
    ("version", "fixed"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 46, 1), False),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 53, 4), True),
    ],
)
def test_row_46_an_old_sqlite_is_named_and_one_connection_writes(
    place: Any, monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...], fixed: bool
) -> None:
    monkeypatch.setattr("memoryd.service.doctor.sqlite_version", lambda: version)
    assert fixed == connection.wal_verdict(version)[0]

    (told,) = [one for one in examine(place.home, _config(place.home)) if one.name == "sqlite"]

    assert ".".join(map(str, version)) in told.detail
    assert fixed != ("one writer only" in told.detail)
    with WriterLock(place.home), pytest.raises(HeldError), WriterLock(place.home):
        pytest.fail("two may write")


@injected
@pytest.mark.timeout(400)
def test_row_49_consolidations_at_once_come_to_what_one_comes_to(tmp_path: Path) -> None:
    """Each plans on its own; what another has changed meanwhile is left alone, and nothing is merged twice."""
    with Memoryd(tmp_path) as run:
        folder = Folder(tmp_path / "user").make()
        remembered(folder, runner(run, folder))
        alone = folder.copy(tmp_path / "alone")
        runner(run, alone)("consolidate")
    at_once = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "--home", str(folder.home), *words],
            env={**os.environ, **folder.environ, "HOME": str(tmp_path)},
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for words in (("consolidate",), ("consolidate",), ("consolidate",))
    ]
    said = [one.communicate(timeout=300) for one in at_once]

    assert all(b"Traceback" not in errors for _, errors in said)
    assert {one.returncode for one in at_once} <= {0, 3}, said
    assert _memory(folder) >= _memory(alone)
    assert [] == oracle.judge_database(folder.home)
    assert [] == oracle.judge_modes(folder.home)


def _memory(folder: Folder) -> set[tuple[Any, ...]]:
    return set(oracle.rows(folder.home, "select content, state from entry where state = 'active'"))


SIGNS = ['"', "'", "*", "(", ")", "NEAR(", " AND ", " OR ", " NOT ", ":", "^", "-", "+", "\0", ";--", "{a b}: ", "select ", "drop table message", "%", "_", "\\", "💥", "备份", "words", "é", "\ud800"]  # fmt: skip


def queries(count: int) -> Iterator[str]:
    """What nobody should type, in any order."""
    chance = random.Random(61)
    for _ in range(count):
        yield "".join(chance.choice(SIGNS) for _ in range(chance.randint(0, 25)))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=slow)])
def test_row_61_no_query_is_an_error_a_write_or_slow(place: Any, count: int) -> None:
    for number in range(10):
        place.say(
            f"{number}.jsonl", *(f"backup {number} words {index} 备份" for index in range(50))
        )
    carry_out(place.home, _config(place.home), "ingest", {})
    before = (place.home / "memoryd.db").read_bytes()
    seconds = []
    with Reader(place.home) as reader:
        changes = reader.connection.total_changes
        for query in queries(count):
            started = time.thread_time()
            recall(reader, query, Filters())
            seconds.append(time.thread_time() - started)
        assert changes == reader.connection.total_changes

    assert before == (place.home / "memoryd.db").read_bytes()
    assert sorted(seconds)[len(seconds) * 99 // 100] < 0.05  # of processor time


def test_a_killed_restore_is_no_fresh_start(place: Any) -> None:
    """At no call of it is the database gone: who starts then has the old one or the new one."""
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    place.say("a.jsonl", "before")
    assert 0 == memoryd(place.home, "ingest").returncode
    assert 0 == memoryd(place.home, "backup", str(place.root / "kept.db")).returncode
    home = place.home
    for at in range(1, 60):
        done = memoryd(
            home,
            "restore",
            str(place.root / "kept.db"),
            env={
                **os.environ,
                **Fault(str(home), at, "kill", calls="rename,link,unlink").environ(),
            },
        )
        assert 1 == place.count(), at
        if done.returncode == 0:
            break
    assert at > 1
    assert re.search(r"before-restore-\d{8}-\d{6}-\d{6}$", done.stdout.strip())

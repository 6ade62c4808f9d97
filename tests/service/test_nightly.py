"""A night: every phase has its row, does no harm twice, and fails alone; a killed night comes to the same end."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import MemorydError
from memoryd.memory.schedule import Success, is_due, parse_at
from memoryd.service.backups import generations
from memoryd.service.bank.pruning import prune
from memoryd.service.client import request
from memoryd.service.night import nightly
from memoryd.service.night.ledger import NIGHT
from memoryd.service.night.nightly import (
    PHASES,
    PLANNED,
    Night,
    PhaseLimitError,
    close_night,
    limited_time,
    run_night,
)
from memoryd.service.overview import describe_status
from memoryd.service.writer import open_writer, utc_now
from memoryd.store.copies import verify_copy
from memoryd.store.jobs import done_on, job_names, last_run, last_success
from memoryd.store.reader import Reader
from memoryd.store.runs import get_run, list_runs
from tests.service.archive_helpers import Life
from tests.service.bank_helpers import entries
from tests.service.fake_clock import FakeClock
from tests.system.zygote import Zygote

SAID = [
    ("user", "We decided to use PostgreSQL 16 for the orders service."),
    ("assistant", "Noted."),
    ("user", "Always run `make lint` before you commit."),
    ("tool", "make lint", "ok"),
    ("user", "请记住：部署之前先备份数据库。"),
    ("user", "The staging server listens on port 8081."),
    ("user", "Remember: the staging server listens on port 8082 now."),
]


@pytest.fixture
def life(tmp_path: Path) -> Life:
    life = Life(tmp_path)
    life.write(1, SAID)
    life.write(2, [*SAID[:3], ("user", "I prefer tabs over spaces in Go code.")])
    return life


def night_of(life: Life, **options: Any) -> dict[str, Any]:
    return run_night(life.home, life.config(), **options)


def ledger(life: Life) -> dict[str, str]:
    """State of the last run of every job."""
    with Reader(life.home) as reader:
        runs = {name: last_run(reader.connection, name) for name in job_names(reader.connection)}
    return {name: run.state for name, run in runs.items() if run is not None}


def memory(home: Path) -> list[tuple[Any, ...]]:
    """What memory holds, but for ids and times of making."""
    content = {one.id: one.content for one in entries(home)}
    return sorted(
        (
            one.content,
            one.state,
            one.kind,
            one.scope,
            one.pinned,
            tuple(sorted(content.get(part, part) for part in one.merged_from)),
            content.get(one.superseded_by or "", ""),
            tuple(sorted(source.quote or "" for source in one.sources)),
        )
        for one in entries(home)
    )


def test_every_phase_has_its_row_and_the_night_its_report(life: Life) -> None:
    told = night_of(life)
    with Reader(life.home) as reader:
        run = next(one for one in list_runs(reader.connection) if one.kind == NIGHT)

    assert told["failed"] == []
    assert list(told["phases"]) == list(PHASES)
    assert ledger(life) == dict.fromkeys([NIGHT, *(f"{NIGHT}.{name}" for name in PHASES)], "done")
    assert (run.id, run.state, dict(run.report)) == (told["run"], "done", told)
    assert told["phases"]["ingest"]["messages_added"] == 12
    assert told["phases"]["archive"]["archived"] == 2
    verify_copy(generations(life.home)[0])


def test_a_second_night_changes_nothing(life: Life) -> None:
    night_of(life)
    before, rows = memory(life.home), life.rows("*")
    told = night_of(life)

    assert memory(life.home) == before
    assert life.rows("*") == rows
    assert told["phases"]["archive"]["archived"] == 0
    assert told["phases"]["extract"]["messages"] == 0


@pytest.mark.parametrize("name", PHASES)
def test_every_phase_can_be_repeated(life: Life, name: str) -> None:
    night_of(life)
    night = Night(life.home, life.config(), utc_now().date(), "n-again", dry_run=False)
    before, rows = memory(life.home), life.rows("*")
    for _ in range(2):
        PHASES[name](night)

    assert (memory(life.home), life.rows("*")) == (before, rows)


def test_a_night_without_news_leaves_little_behind(life: Life, tmp_path: Path) -> None:
    """Thousands of pairs are kept apart every night; a year of that would be larger than the history."""
    services = [f"{a}{b}" for a in "abcdefghij" for b in ("ron", "lex", "tum", "vik", "zor", "dal")]
    lines = [
        {"content": f"The {one} service listens on port {5000 + n}"}
        for n, one in enumerate(services)
    ]
    (tmp_path / "facts.jsonl").write_text("\n".join(map(json.dumps, lines)))
    life.ask("memory.import", path=str(tmp_path / "facts.jsonl"), raw=True)
    night_of(life)
    told = night_of(life)
    with Reader(life.home) as reader:
        sizes = [len(json.dumps(run.report)) for run in list_runs(reader.connection, 3)]

    assert told["phases"]["consolidate"]["vetoes"] > 500
    assert sum(sizes) < 20_000


def test_a_scheduled_night_leaves_out_what_is_done(life: Life) -> None:
    night_of(life, scheduled=True)
    told = night_of(life, scheduled=True)

    assert all("skipped" in one for one in told["phases"].values())


def files_of(home: Path) -> dict[Path, bytes]:
    """Every file but the lock's and those that SQLite makes for its readers."""
    left_out = ("-shm", "-wal", ".lock")
    return {
        path: path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith(left_out)
    }


def test_a_dry_run_changes_no_byte(life: Life) -> None:
    night_of(life)
    before = files_of(life.home)
    told = night_of(life, dry_run=True)

    assert (told["run"], tuple(told["phases"])) == (None, PLANNED)
    assert files_of(life.home) == before


def test_a_phase_that_fails_neither_stops_nor_hides_the_rest(life: Life) -> None:
    (life.home / "backups").write_text("in the way")
    (life.home / "archive").write_text("in the way")
    told = night_of(life)
    states = ledger(life)
    status = describe_status(life.home, life.config())

    assert told["failed"] == ["backup"]
    assert told["phases"]["archive"]["errors"]
    assert states[f"{NIGHT}.backup"] == states[NIGHT] == "failed"
    assert states[f"{NIGHT}.integrity"] == "done"
    assert [one for one in status["degraded"] if "failed: backup" in one]

    (life.home / "backups").unlink()
    told = night_of(life, scheduled=True)

    assert "skipped" in told["phases"]["ingest"]
    assert (told["failed"], ledger(life)[NIGHT]) == ([], "done")
    assert describe_status(life.home, life.config())["degraded"] == []


def _broken(night: Night) -> Mapping[str, Any]:
    raise KeyError("a fault of ours")


def _endless(night: Night) -> Mapping[str, Any]:
    time.sleep(30)
    return {}


@pytest.mark.parametrize(
    ("phase", "said"), [(_broken, "KeyError"), (_endless, "took more than 0.3 s")]
)
def test_neither_a_fault_of_ours_nor_a_hang_stops_the_night(
    life: Life, monkeypatch: pytest.MonkeyPatch, phase: nightly.Phase, said: str
) -> None:
    night_of(life)
    monkeypatch.setattr(nightly, "PHASE_SECONDS", 0.3)
    monkeypatch.setattr(nightly, "PHASES", {"ingest": phase, "upkeep": PHASES["upkeep"]})
    told = night_of(life)

    assert said in told["phases"]["ingest"]["error"]
    assert (told["failed"], "error" in told["phases"]["upkeep"]) == (["ingest"], False)


def test_a_limit_of_time_ends_with_what_it_limits() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with limited_time(0.05):
        pass
    time.sleep(0.1)
    with pytest.raises(PhaseLimitError), limited_time(0.05):
        time.sleep(5)

    assert signal.getsignal(signal.SIGALRM) == before


def test_a_report_of_any_size_is_kept_by_a_running_daemon_too(life: Life) -> None:
    configure(life)
    report = {"failed": [], "phases": {"x": {"words": ["ein langer Bericht"] * 200_000}}}
    with subprocess.Popen(
        [*PROGRAM, "--home", str(life.home), "run"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stderr=subprocess.DEVNULL,
    ) as daemon:
        wait_for(life.home)
        close_night(life.home, life.config(), "n-long", utc_now().date(), utc_now(), report)
        daemon.terminate()
    with Reader(life.home) as reader:
        kept = get_run(reader.connection, "n-long")

    assert kept is not None
    assert kept.report == report
    assert not list(life.home.glob("memoryd.plan-*"))


def wait_for(home: Path) -> None:
    """Until a daemon answers."""
    for _ in range(400):
        try:
            request(home, "status", {})
        except MemorydError:
            time.sleep(0.05)
        else:
            return


def test_what_killed_processes_left_goes_after_a_day(life: Life) -> None:
    night_of(life)
    home = life.home
    left = [
        home / "memoryd.plan-c-1.json",
        home / ".memoryd.db.restored",
        home / "backups/.memoryd-x.db.fresh",
        home / "backups/.memoryd-x.db.fresh-journal",
    ]
    for path in left:
        path.write_text("half")
    night_of(life)
    assert all(path.exists() for path in left)  # somebody may be at work on them

    yesterday = time.time() - 90_000
    for path in left:
        os.utime(path, (yesterday, yesterday))
    night_of(life)

    assert not any(path.exists() for path in left)


def test_what_comes_behind_a_phase_that_failed_is_run_again(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A night whose ingest failed has extracted nothing: its second attempt must."""

    def fail(night: Night) -> Mapping[str, Any]:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setitem(PHASES, "ingest", fail)
        assert night_of(life, scheduled=True)["failed"] == ["ingest"]
        again = night_of(life, scheduled=True)["phases"]
    assert again["extract"]["skipped"] == nightly.DONE  # it fails still: nothing new to do

    done = night_of(life, scheduled=True)["phases"]

    assert not any(told.get("skipped") == nightly.DONE for told in done.values())
    assert memory(life.home)
    assert all("skipped" in told for told in night_of(life, scheduled=True)["phases"].values())


def test_damage_is_told_and_indexes_are_mended(life: Life) -> None:
    night_of(life)
    with open_writer(life.home, life.config()) as writer:
        writer.store.connection.execute("insert into words(rowid, text) values (999999, 'ghost')")
    told = night_of(life)

    assert told["phases"]["integrity"]["reindexed"] > 0
    assert told["failed"] == []


class TestClock:
    """Forgetting by rule waits while the clock is not to be trusted."""

    @pytest.fixture
    def clock(self, monkeypatch: pytest.MonkeyPatch) -> FakeClock:
        return FakeClock(monkeypatch)

    @pytest.fixture
    def old(self, tmp_path: Path, clock: FakeClock) -> Life:
        """A life with one entry that is due in sixty days."""
        life = Life(tmp_path)
        life.root.mkdir()
        life.ask("memory.add", content="The port is 5432")
        night_of(life)
        return life

    def states(self, life: Life) -> list[str]:
        return [one.state for one in entries(life.home) if one.content == "The port is 5432"]

    def test_time_that_went_by_forgets(self, old: Life, clock: FakeClock) -> None:
        clock.run(days=70)
        night_of(old)

        assert self.states(old) == ["archived"]

    @pytest.mark.parametrize("restarted", [False, True])
    def test_ten_years_ahead_forget_nothing_however_many_nights(
        self, old: Life, clock: FakeClock, restarted: bool
    ) -> None:
        clock.set(days=3650)
        if restarted:
            clock.restart()
        for _ in range(3):
            told = night_of(old)
            clock.run(days=1)

        assert self.states(old) == ["active"]
        assert "jumped" in str(told["phases"]["retention"]["blocked"])

    def test_and_back_again_all_goes_on_as_if_nothing_had_been(
        self, old: Life, clock: FakeClock
    ) -> None:
        clock.set(days=3650)
        night_of(old)
        clock.set(days=-3650)
        clock.run(days=70)
        told = night_of(old)

        assert told["phases"]["retention"]["blocked"] == {}
        assert self.states(old) == ["archived"]

    def test_a_person_can_confirm_that_the_clock_is_right(
        self, old: Life, clock: FakeClock
    ) -> None:
        clock.set(days=70)
        assert prune(old.home, old.config(), dry_run=False)["blocked"]
        prune(old.home, old.config(), dry_run=False, confirmed=True)
        clock.run(days=1)

        assert self.states(old) == ["archived"]
        assert night_of(old)["phases"]["retention"]["blocked"] == {}

    def test_a_night_of_a_wrong_year_does_not_stand_for_those_to_come(
        self, old: Life, clock: FakeClock
    ) -> None:
        clock.set(days=3650)
        night_of(old)
        clock.set(days=-3650)
        clock.run(days=1)
        with Reader(old.home) as reader:
            last = last_success(reader.connection, NIGHT, clock.now + timedelta(days=1))

        assert last is not None and last.finished is not None
        assert is_due(
            clock.now.astimezone(), parse_at("00:00"), Success(last.local_date, last.finished)
        ).now

    def test_each_local_date_has_one_row(self, old: Life, clock: FakeClock) -> None:
        for _ in range(3):
            night_of(old, scheduled=True)
        clock.run(days=1)
        night_of(old, scheduled=True)
        with Reader(old.home) as reader:
            rows = reader.connection.execute(
                "select count(*) from job where name = ?", (NIGHT,)
            ).fetchone()

            assert done_on(reader.connection, NIGHT, clock.now.astimezone().date())
            assert rows == (2,)


PROGRAM = (sys.executable, "-P", "-m", "memoryd")


def start_night(life: Life) -> "subprocess.Popen[bytes]":
    command = [*PROGRAM, "--home", str(life.home), "nightly", "--scheduled", "--json"]
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def configure(life: Life) -> None:
    """For a process of its own: the same configuration, and no embedding, which has tests of its own."""
    (life.home / "config.toml").write_text(
        f"[sources]\ndiscover = false\n[sources.claude-code]\nroots = ['{life.root}']\n[embedding]\nengine = 'none'\n"
    )


Kill = Callable[[Life, int], int]  # a night, killed somewhere in so much of 1000; how it ended


def converge(folder: Path, count: int, seed: int, kill: Kill) -> None:
    """Nights that were killed, and then one that was not, come to what an undisturbed night comes to."""
    chance = random.Random(seed)
    calm = new_life(folder / "calm")
    kill(calm, 0)
    for number in range(count):
        life = new_life(folder / str(number))
        for _ in range(chance.randrange(1, 3)):
            kill(life, chance.randrange(1, 1000))
        status = kill(life, 0)

        assert status == 0, f"seed {seed}, number {number}"
        assert memory(life.home) == memory(calm.home), f"seed {seed}, number {number}"
        assert texts(life) == texts(calm)
        assert set(ledger(life).values()) == {"done"}
        assert {copy.path.name for copy in life.copies()} == {c.path.name for c in calm.copies()}
        assert 1 <= len(generations(life.home)) <= 3
        for copy in generations(life.home):
            verify_copy(copy)


def new_life(folder: Path) -> Life:
    folder.mkdir()
    life = Life(folder)
    life.write(1, SAID)
    life.write(2, [*SAID[:3], ("user", "I prefer tabs over spaces in Go code.")])
    configure(life)
    return life


def texts(life: Life) -> list[tuple[Any, ...]]:
    return sorted(life.rows("hex(identity)", "text"))


@pytest.fixture(scope="module")
def at_any_call() -> Iterator[Kill]:
    """Nights in a process that may be killed at any call inside memoryd; see system/killing.py."""
    with Zygote(os.environ) as memoryd:
        calls = 0

        def kill(life: Life, part: int) -> int:
            nonlocal calls
            arguments = ["--home", str(life.home), "nightly", "--scheduled", "--json"]
            told = memoryd.ask(arguments, at=max(1, calls * part // 1000) if part else 0)
            calls = max(calls, told["calls"])
            return int(told["status"])

        yield kill


def after_any_time() -> Kill:
    """Nights in real processes, killed after any time."""
    longest = 0.0

    def kill(life: Life, part: int) -> int:
        nonlocal longest
        started = time.monotonic()
        process = start_night(life)
        if part:
            time.sleep(longest * part / 1000)
            process.kill()
        process.communicate(timeout=900)  # others may be busy
        longest = max(longest, time.monotonic() - started)
        return process.returncode

    return kill


def test_nights_killed_anywhere_come_to_the_same_end(tmp_path: Path, at_any_call: Kill) -> None:
    converge(tmp_path, 6, 20261130, at_any_call)


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
def test_two_hundred_nights_killed_at_any_call_come_to_the_same_end(
    tmp_path: Path, at_any_call: Kill
) -> None:
    converge(tmp_path, 200, 7, at_any_call)


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
def test_nights_killed_after_any_time_come_to_the_same_end(tmp_path: Path) -> None:
    converge(tmp_path, 60, 11, after_any_time())


def test_a_night_gives_way_at_once(tmp_path: Path) -> None:
    life = new_life(tmp_path / "one")
    process = start_night(life)
    time.sleep(1.0)
    started = time.monotonic()
    process.terminate()
    process.communicate(timeout=20)

    assert time.monotonic() - started < 2.0


def test_without_any_agent_and_any_database_a_night_is_a_night(tmp_path: Path) -> None:
    life = Life(tmp_path)

    assert night_of(life)["failed"] == []

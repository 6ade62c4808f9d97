"""The daemon under twenty writers, a search every 100 ms, a night every five minutes, memory adds, and random kill -9.

    python bench/soak.py --minutes 60 --write docs

Everything is real: processes, files, signals. In the end what memoryd holds is compared with what was said, and what the
daemon used with itself (`soak_figures`). Prints one JSON document; exit status 1 if a claim is broken. Linux only.
"""

import argparse
import json
import os
import random
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY))

from bench.soak_agents import KINDS, Agent  # noqa: E402
from bench.soak_checks import broken, was_read  # noqa: E402
from bench.soak_figures import FIGURES, Sample, draw, sample, table, trend  # noqa: E402
from memoryd.errors import MemorydError  # noqa: E402
from memoryd.service.client import NoDaemonError, request  # noqa: E402
from memoryd.service.recall import recall  # noqa: E402
from memoryd.store.reader import Reader  # noqa: E402
from memoryd.store.records import Filters  # noqa: E402
from tests.sources.foreign_agents import AGENTS, create  # noqa: E402

DATABASES = ("hermes", "opencode", "goose")
PROGRAM = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"
START_SECONDS = 60.0  # a daemon that was killed must listen again in less


@dataclass(frozen=True, slots=True)
class Plan:
    """How hard, and how long; seconds."""

    seconds: float
    seed: int
    writers: int = 20
    pause: float = 1.5  # of a writer between two things, on average
    search_every: float = 0.1
    night_every: float = 300.0
    add_every: float = 4.0
    sample_every: float = 5.0
    rescan: float = 60.0
    kill_period: float = 900.0  # its first third: a kill every few seconds; then peace
    kill_pauses: tuple[float, float] = (2.0, 25.0)
    engine: str = "auto"  # of vectors


@dataclass(slots=True)
class Log:
    """What happened, for the report and the checks."""

    kills: list[float] = field(default_factory=list)
    nights: list[float] = field(default_factory=list)
    night_seconds: list[float] = field(default_factory=list)
    nights_failed: list[str] = field(default_factory=list)
    deaths: list[str] = field(default_factory=list)
    search_ms: list[float] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    added: list[str] = field(default_factory=list)


class Soak:
    """A home, a daemon with something that starts it anew, and everybody who uses it."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder, self.plan = folder, plan
        self.home, self.root = folder / "home", folder / "chats"
        self.log = Log()
        self._chance = random.Random(plan.seed)
        self._stop = threading.Event()
        self._ended = threading.Event()  # the daemon's life too
        self._began = time.monotonic()
        self._daemon: subprocess.Popen[bytes] | None = None
        self._born = 0.0
        self._killed = False
        self._threads: list[threading.Thread] = []
        self.agents = [
            Agent(KINDS[number % len(KINDS)], number, self.root, plan.seed, self._was_read)
            for number in range(plan.writers - len(DATABASES))
        ]
        self._configure()

    def _configure(self) -> None:
        self.home.mkdir(mode=0o700)
        tables = [
            f"[sources.{kind.source}]\nroots = ['{self.root / kind.source}']\n" for kind in KINDS
        ]
        tables[-1] += "type = 'jsonl'\n"
        for name in DATABASES:
            (self.root / name).mkdir(parents=True)
            tables.append(f"[sources.{name}]\nroots = ['{self.root / name}']\n")
        (self.home / "config.toml").write_text(
            f"[sources]\ndiscover = false\n{''.join(tables)}[ingest]\nrescan_seconds = {self.plan.rescan}\n"
            f"[embedding]\nengine = '{self.plan.engine}'\n"
        )

    @property
    def now(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    def _was_read(self, source: str, path: Path) -> bool:
        return was_read(self.home, source, path)

    def command(self, *words: str) -> list[str]:
        """`memoryd` with our home."""
        return [sys.executable, "-c", PROGRAM, "--home", str(self.home), *words]

    def run(self, *words: str, timeout: float = 1800) -> subprocess.CompletedProcess[str]:
        """A command to its end; one that does not end in time has failed."""
        command, environ = self.command(*words), self._environ()
        try:
            return subprocess.run(
                command, env=environ, capture_output=True, text=True, timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, -1, "", f"not done in {timeout:.0f} s")

    def _environ(self) -> dict[str, str]:
        return {**os.environ, "HOME": str(self.folder), "PYTHONPATH": str(REPOSITORY)}

    def live(self) -> dict[str, Any]:
        """The whole run; the report."""
        self._start(self._keep_running)
        self._wait_for_daemon()
        databases = [self._play(number, name) for number, name in enumerate(DATABASES)]
        for agent in self.agents:
            self._start(partial(agent.live, self._stop, self.plan.pause))
        for actor in (self._search, self._add, self._sleep_at_night, self._kill, self._measure):
            self._start(actor)
        time.sleep(self.plan.seconds)
        self._stop.set()
        for database in databases:
            database.terminate()
            database.wait(30)
        for thread in self._threads[1:]:
            thread.join(600)
        violations = [*self.log.complaints, *self._last_checks()]
        self._ended.set()
        self._threads[0].join(60)
        return self._report(violations)

    def _start(self, actor: Callable[[], None]) -> None:
        def act() -> None:
            try:
                actor()
            except Exception as error:  # noqa: BLE001 - whatever it is, the run has failed
                self.log.complaints.append(f"{getattr(actor, '__name__', 'actor')}: {error!r}")

        thread = threading.Thread(target=act, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _play(self, number: int, name: str) -> subprocess.Popen[bytes]:
        """An agent that keeps a database, in a process of its own."""
        path = self.root / name / AGENTS[name].file
        create(name, path, number)[0].close()
        words = ["-m", "tests.sources.foreign_agents", name, str(path), str(number), "10000000"]
        command = [sys.executable, *words, str(self.plan.pause)]
        return subprocess.Popen(command, cwd=REPOSITORY, env=self._environ())

    def _keep_running(self) -> None:
        """What a service manager does: start the daemon whenever it is not there."""
        while not self._ended.is_set():
            with (self.folder / "daemon.log").open("ab") as log:
                self._born = time.monotonic()
                self._daemon = subprocess.Popen(
                    self.command("run"), env=self._environ(), stdout=log, stderr=log
                )
            while self._daemon.poll() is None and not self._ended.wait(0.05):
                pass
            if self._ended.is_set():
                self._daemon.terminate()
                if (status := self._daemon.wait(30)) != 0:
                    self.log.complaints.append(f"the daemon ended with {status} when asked to end")
                return
            if not self._killed:
                self.log.deaths.append(f"{self.now:.0f} s: exit {self._daemon.returncode}")
            self._killed = False
            time.sleep(0.3)

    def _wait_for_daemon(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                request(self.home, "status", timeout=10)
            except MemorydError:
                time.sleep(0.1)
            else:
                return
        self.log.complaints.append(f"{self.now:.0f} s: no daemon for {START_SECONDS} s")

    def _kill(self) -> None:
        pauses, period = self.plan.kill_pauses, self.plan.kill_period
        while not self._stop.wait(self._chance.uniform(*pauses)):
            if self.now % period < period / 3 and self._daemon is not None:
                self._killed = True
                self.log.kills.append(self.now)
                self._daemon.kill()
                self._wait_for_daemon()

    def _measure(self) -> None:
        while not self._stop.wait(self.plan.sample_every):
            daemon = self._daemon
            if daemon is not None and daemon.poll() is None:
                seen = sample(daemon.pid, self.home, self.now, time.monotonic() - self._born)
                self.log.samples += [] if seen is None else [seen]

    def _search(self) -> None:
        """Look for what was said: found once at most, and what was found stays."""
        chance, found = random.Random(self.plan.seed), set[str]()
        while not self._stop.wait(self.plan.search_every):
            agent = chance.choice(self.agents)
            if not agent.tokens:
                continue
            token = chance.choice(agent.tokens)
            started = time.perf_counter()
            with Reader(self.home) as reader:
                hits = recall(reader, token, Filters(), limit=5)
            self.log.search_ms.append(1000 * (time.perf_counter() - started))
            count = sum(token in hit.message.text for hit in hits)
            if count > 1 or (token in found and not count):
                self.log.complaints.append(f"{self.now:.0f} s: {token} is found {count} times")
            found |= {token} if count else set()

    def _add(self) -> None:
        """Add to memory until it is acknowledged; every tenth by a process of its own, which may have to take the lock."""
        number = 0
        while not self._stop.wait(self.plan.add_every):
            number += 1
            text = f"The tape of project quartz-{number:05} stands on shelf {self._chance.randrange(10**5)}."
            while not self._stop.is_set() and not self._add_once(text, alone=number % 10 == 0):
                time.sleep(0.2)

    def _add_once(self, text: str, *, alone: bool) -> bool:
        try:
            if alone:
                done = self.run("memory", "add", "--json", text).returncode == 0
            else:
                done = bool(request(self.home, "memory.add", {"content": text}, timeout=60))
        except (MemorydError, NoDaemonError):
            return False
        self.log.added += [text] if done else []
        return done

    def _sleep_at_night(self) -> None:
        while not self._stop.wait(self.plan.night_every):
            began, kills = self.now, len(self.log.kills)
            self.log.nights.append(began)
            done = self.run("nightly", "--json")
            self.log.night_seconds.append(self.now - began)
            if done.returncode == 0:
                continue
            said = f"{began:.0f} s: exit {done.returncode}: {_failures(done)}"
            if len(self.log.kills) == kills:  # nobody was killed meanwhile
                self.log.complaints.append(f"a night failed without a kill: {said}")
            self.log.nights_failed.append(said)

    def _last_checks(self) -> list[str]:
        """When everybody is silent: let the daemon come to rest, then look."""
        deadline = time.monotonic() + 3 * self.plan.rescan + 60
        while (found := broken(self)) and time.monotonic() < deadline:
            time.sleep(1)
        night = self.run("nightly", "--json")
        if night.returncode:
            found.append(f"the last night failed: {_failures(night)}")
        found += self._ask_doctor()
        return found + [
            f"{path} is open to others"
            for path in self.home.rglob("*")
            if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077
            and path.name != "config.toml"
        ]  # fmt: skip

    def _ask_doctor(self) -> list[str]:
        done = self.run("doctor", "--json")
        try:
            checks = json.loads(done.stdout)["checks"]
        except (ValueError, KeyError):
            return [f"the doctor says nothing: {done.stderr[-300:]}"]
        return [
            f"doctor: {check['name']}: {check['detail']}"
            for check in checks
            if not check["ok"] and check["name"] != "disk space"
        ]

    def _report(self, violations: list[str]) -> dict[str, Any]:
        trends = {name: trend(self.log.samples, figure) for name, figure in FIGURES.items()}
        violations += [
            f"{FIGURES[name].title} has grown by {found.drift:.2f}"
            for name, found in trends.items()
            if found is not None and not found.flat
        ]
        times = sorted(self.log.search_ms)
        done = sum((agent.done for agent in self.agents), Counter[str]())
        return {
            "seconds": round(self.now),
            "seed": self.plan.seed,
            "writers": self.plan.writers,
            "written": dict(done),
            "messages": sum(agent.said.total() for agent in self.agents),
            "memory_adds": len(self.log.added),
            "kills": len(self.log.kills),
            "nights": len(self.log.nights),
            "nights_killed": len(self.log.nights_failed),
            "night_seconds_most": round(max(self.log.night_seconds, default=0.0), 1),
            "searches": len(times),
            "search_ms": [round(times[int(len(times) * share)], 1) for share in (0.5, 0.95, 0.99)]
            if times
            else [],
            "deaths": self.log.deaths,
            "trends": {name: asdict(found) for name, found in trends.items() if found},
            "violations": violations,
        }


def _failures(done: subprocess.CompletedProcess[str]) -> str:
    try:
        phases = json.loads(done.stdout)["phases"]
    except (ValueError, KeyError):
        return (done.stderr or done.stdout)[-300:]
    return "; ".join(f"{name}: {one['error']}" for name, one in phases.items() if one.get("error"))


def soak(folder: Path, plan: Plan) -> tuple[dict[str, Any], Log]:
    """Run a plan in an empty folder."""
    one = Soak(folder, plan)
    return one.live(), one.log


def main() -> int:
    """Run, print, and write the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--night", type=float, default=300.0, help="seconds between two nights")
    parser.add_argument("--write", type=Path, help="folder for soak.svg")
    parser.add_argument("--keep", type=Path, help="an empty folder to work in, kept afterwards")
    options = parser.parse_args()
    plan = Plan(
        options.minutes * 60, options.seed, night_every=options.night, kill_period=options.minutes * 15
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        report, log = soak(options.keep or Path(folder), plan)
    print(json.dumps(report, indent=1))
    print(table(log.samples), file=sys.stderr)
    if options.write:
        plot = draw(log.samples, log.kills, log.nights)
        (options.write / "soak.svg").write_text(plot, encoding="utf-8")
    return 1 if report["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())

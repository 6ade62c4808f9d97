"""A simulated year: one user, thirty messages a day, facts that change, repeat and expire, and a night after every day.

    python bench/simulated_year.py [--days 365] [--write docs]

Everything is real but the clock: transcripts are written, nights read, extract, consolidate, forget, check and back up. What is
true at any time is known, so that the claims can be checked: see `Year.check`. July has no nights at all.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.year_figures import QUOTA, Month, check, draw, table, table_row
from memoryd.config import Config, EmbeddingConfig, RetentionConfig, SourceConfig, SourcesConfig
from memoryd.service.bank.pruning import prune
from memoryd.service.bank.search import answer_search, search_memory
from memoryd.service.night.nightly import PHASES, Night, run_night
from memoryd.store.bank import list_entries
from memoryd.store.history_limits import used_bytes
from memoryd.store.reader import Reader
from tests.service.fake_clock import FakeClock

START = datetime(2027, 1, 1, 9, 0, tzinfo=UTC)
IDLE_MONTH = 7  # without any maintenance
GRACE_DAYS = 7  # what is new is not forgotten
DUE_DAYS = 90  # a fact used or confirmed within so many days must be there
QUESTIONS = 40
SHORT = ("ingest", "extract", "consolidate", "retention")  # what a short night is about
DEPTH = 5  # an answer counts among so many hits
FIRST = (
    "amber azure basalt birch cedar cobalt copper coral ember fern flint garnet ginger granite hazel helium indigo ivory jade juniper "
    "kelp lemon lilac linen maple nickel olive opal pearl pepper plum quartz saffron sage silver topaz umber velvet walnut willow"
)
SECOND = (
    "badger beaver bison crane cricket dingo falcon ferret finch gecko heron ibex jackal koala lemur lynx "
    "marmot marten mole newt ocelot osprey otter owl panda pelican puffin quail raven robin salmon seal "
    "shrew sparrow stoat tapir toad vole walrus wren"
)
TEAMS = "billing catalog checkout delivery identity insight ledger logistics pricing search support wallet"
CHATTER = (
    "Can you look at this stack trace?", "Thanks, that works.", "Let me try it again.", "What does this warning mean?",
    "今天先这样吧。", "Hm, it is still red.", "Show me the diff, please.", "再试一次。",
)  # fmt: skip


@dataclass(slots=True)
class Fact:
    """Something that is true of a service.

    Attributes:
        told: when it was last said.
        kept: when it was last used, or said again; None: it was only said once.
    """

    name: str
    attribute: str
    value: str
    told: datetime
    kept: datetime | None = None

    def sentence(self) -> str:
        """How the user says it."""
        if self.attribute == "port":
            return f"Remember: the {self.name} service listens on port {self.value}."
        if self.attribute == "team":
            return f"Remember: the {self.name} service is owned by the {self.value} team."
        return f"请记住：{self.name} 服务的端口是 {self.value}。"

    def question(self) -> str:
        """How it is asked for."""
        return {
            "port": f"which port does the {self.name} service listen on",
            "team": f"which team owns the {self.name} service",
            "端口": f"{self.name} 服务 端口",
        }[self.attribute]

    def is_in(self, content: str) -> bool:
        """Does an entry say it?"""
        return self.name in content and self.value in content


class Year:
    """The user, his agent's transcripts, and memoryd."""

    def __init__(
        self,
        folder: Path,
        clock: FakeClock,
        *,
        quota: int = QUOTA,
        whole: bool = True,
        seed: int = 1,
    ) -> None:
        """Prepare; *whole* nights also archive, check and back up."""
        self.home, self.root = folder / "home", folder / "chats"
        self.home.mkdir(mode=0o700)
        self.root.mkdir()
        self.clock = clock
        self.chance = random.Random(seed)
        names = [f"{first}-{second}" for first in FIRST.split() for second in SECOND.split()]
        subjects = [
            (name, kind)
            for name in names
            for kind in ("team", self.chance.choice(("port", "端口")))
        ]
        self.chance.shuffle(subjects)
        self.subjects = iter(subjects)
        self.facts: list[Fact] = []
        self.months: list[Month] = []
        self.whole = whole
        self.asked_to_confirm = 0
        self.over_quota = 0
        self.history_bytes = 0
        self.config = Config(
            sources=SourcesConfig(
                discover=False,
                by_name={"chats": SourceConfig(type="jsonl", roots=(str(self.root),))},
            ),
            retention=RetentionConfig(quota=quota),
            embedding=EmbeddingConfig(engine="none"),
        )

    def live(self, days: int) -> None:
        """Day after day, with a night after each but in the idle month."""
        seconds = []
        for day in range(days):
            self.clock.set_to(START + timedelta(days=day))
            today = self.clock.now
            self._talk(day)
            self._use()
            if today.month != IDLE_MONTH:
                seconds.append(self._sleep())
            if (today + timedelta(days=1)).month != today.month or day == days - 1:
                self.months.append(self._measure(len(self.months) + 1, seconds))
                print(table_row(self.months[-1]), flush=True)
                seconds = []

    def _talk(self, day: int) -> None:
        """Thirty messages: six new facts, three changed, three repeated; chatter, answers, tools."""
        said = [fact.sentence() for fact in (*self._new(6), *self._changed(3), *self._repeated(3))]
        said += self.chance.choices(CHATTER, k=6)
        self.chance.shuffle(said)
        records = [("user", text) for text in said]
        records += [("assistant", f"Done with step {n} of day {day}.") for n in range(6)]
        records += [
            ("tool", f"make step-{n}: {'ok ' * self.chance.randrange(5, 60)}") for n in range(6)
        ]
        path = self.root / f"day-{day:03}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for number, (role, text) in enumerate(records):
                self.clock.run(minutes=10)
                self.history_bytes += len(text.encode())
                record = {
                    "role": role,
                    "text": text,
                    "session": path.stem,
                    "id": f"{day}-{number}",
                    "time": self.clock.now.isoformat(),
                }
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        written = self.clock.now.timestamp()
        os.utime(path, (written, written))

    def _new(self, count: int) -> Iterator[Fact]:
        for _ in range(count):
            name, attribute = next(self.subjects)
            fact = Fact(name, attribute, self._value(attribute), self.clock.now)
            self.facts.append(fact)
            yield fact

    def _value(self, attribute: str, other_than: str = "") -> str:
        while True:
            port = str(self.chance.randrange(1024, 65000))
            value = self.chance.choice(TEAMS.split()) if attribute == "team" else port
            if value != other_than:
                return value

    def _changed(self, count: int) -> Iterator[Fact]:
        """Facts of the last two months get another value."""
        for fact in self._some(count, days=60):
            fact.value, fact.told = self._value(fact.attribute, fact.value), self.clock.now
            fact.kept = None
            yield fact

    def _repeated(self, count: int) -> Iterator[Fact]:
        for fact in self._some(count, days=60):
            fact.told = fact.kept = self.clock.now
            yield fact

    def _some(self, count: int, days: int) -> list[Fact]:
        known = [fact for fact in self.facts if self.clock.now - fact.told < timedelta(days=days)]
        return self.chance.sample(known, min(count, len(known)))

    def _use(self) -> None:
        """The user's agent looks a few things up; mostly the same forty all year."""
        core = self.facts[:QUESTIONS]
        for fact in [*self.chance.sample(core, min(4, len(core))), *self._some(1, days=30)]:
            asked = {
                "query": fact.question(),
                "session": f"day {self.clock.now:%j}",
                "limit": DEPTH,
            }
            answer = (
                search_memory(self.home, self.config, asked) if self._has_memory() else {"hits": []}
            )
            if any(fact.is_in(hit["entry"]["content"]) for hit in answer["hits"]):
                fact.kept = self.clock.now

    def _has_memory(self) -> bool:
        return (self.home / "memoryd.db").exists()

    def _sleep(self) -> float:
        """A night; when it asks, the user says yes the next morning."""
        self.clock.set_to(self.clock.now.replace(hour=3, minute=30) + timedelta(days=1))
        started = time.perf_counter()
        pruned = self._run_night()["retention"]
        self.over_quota = sum(pruned["over_quota"].values())
        if pruned["blocked"]:
            self.asked_to_confirm += 1
            prune(self.home, self.config, dry_run=False, confirmed=True)
        return time.perf_counter() - started

    def _run_night(self) -> Mapping[str, Any]:
        """What each phase tells."""
        if not self.whole:
            night = Night(self.home, self.config, self.clock.now.date(), "n-short", dry_run=False)
            return {name: PHASES[name](night) for name in SHORT}
        report = run_night(self.home, self.config, scheduled=True)
        if report["failed"]:
            raise RuntimeError(f"the night of {report['local_date']} failed: {report['phases']}")
        phases: Mapping[str, Any] = report["phases"]
        return phases

    def _measure(self, number: int, seconds: Sequence[float]) -> Month:
        now = self.clock.now
        with Reader(self.home) as reader:
            entries = list_entries(reader.connection, "local/default", states=())
            used = used_bytes(reader.connection)
        active = [entry.content for entry in entries if entry.state == "active"]
        read = self._read_until()
        due = [
            fact
            for fact in self.facts
            if fact.kept and now - fact.kept < timedelta(days=DUE_DAYS) and fact.told <= read
        ]
        told = sum(now - fact.told < timedelta(days=GRACE_DAYS) for fact in self.facts)
        return Month(
            number,
            fresh=told,
            active=len(active),
            archived=sum(entry.state == "archived" for entry in entries),
            answered=self._ask(),
            due=len(due),
            missing=[
                fact.sentence() for fact in due if not any(fact.is_in(text) for text in active)
            ],
            history_bytes=self.history_bytes,
            database_bytes=used,
            asked_to_confirm=self.asked_to_confirm,
            over_quota=self.over_quota,
            night_seconds=sum(seconds) / len(seconds) if seconds else 0.0,
        )

    def _read_until(self) -> datetime:
        """What was said after the last night nobody has read yet."""
        with Reader(self.home) as reader:
            last = reader.connection.execute("select max(time) from message").fetchone()[0]
        return datetime.fromtimestamp((last or 0) / 1000, UTC)

    def _ask(self) -> float:
        """The fixed questions; asking them is no use of memory. The share that is answered with what is true now."""
        core = self.facts[:QUESTIONS]
        found = 0
        for fact in core:
            answer = answer_search(
                self.home, self.config, {"query": fact.question(), "limit": DEPTH}, None
            )
            found += any(fact.is_in(hit["entry"]["content"]) for hit in answer["hits"])
        return found / len(core)


def simulate(folder: Path, days: int, **options: Any) -> list[Month]:
    """Live so many days; what was measured at the end of each month."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setattr(os, "nice", lambda step: 0)  # every night would lower our own priority
        year = Year(folder, FakeClock(patch, START), **options)
        year.live(days)
    return year.months


def main() -> int:
    """Simulate, print, and write the table and the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--write", type=Path, help="folder for simulated_year.svg")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        months = simulate(Path(folder), arguments.days)
    print(table(months))
    print(f"\n{arguments.days} days in {time.perf_counter() - started:.0f} s")
    broken = check(months)
    print("\n".join(broken) or "every claim holds")
    if arguments.write:
        (arguments.write / "simulated_year.svg").write_text(draw(months), encoding="utf-8")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

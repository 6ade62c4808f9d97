"""Everything at once: transcripts grow, tear, rotate, shrink, vanish; memory is used; anything may be killed or fail at any call.

The oracle is a few sets: what stood in a transcript when a reading ended well *must* be there for ever, what was ever
written *may* be; what was added to memory and answered must be known, in whatever state. A restore takes the oracle back
to the backup.
"""

import atexit
import json
import shutil
import sqlite3
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.faults import oracle
from tests.faults.injector import MODES, WHY_NOT, Ending, Fault, Memoryd
from tests.faults.scenes import HAND, SECRETS, Place
from tests.faults.sweeping import ALLOWED

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

NAMES = st.sampled_from(["a", "b", "c"])
# Nothing in half of all cases; else what fails, where, and whether it goes on failing.
FAULTS = st.none() | st.tuples(st.sampled_from(MODES), st.integers(1, 220), st.booleans())
ADDED = ["Port 8081 belongs to staging", "Ada likes tabs", "The library closes at nine", "Go 1.24 builds the router", "Prod runs in Oslo"]  # fmt: skip


@cache
def zygote() -> Memoryd:
    """One for all examples."""
    folder = Path(tempfile.mkdtemp(prefix="memoryd-stateful-"))
    running = Memoryd(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(running.close)
    return running


@dataclass
class Known:
    """The oracle: texts by the native id of their message, and texts of entries."""

    must: dict[str, str] = field(default_factory=dict)
    entries: set[str] = field(default_factory=set)

    def copy(self) -> "Known":
        return Known(dict(self.must), set(self.entries))


class Everything(RuleBasedStateMachine):
    """One user, his agents and memoryd."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="memoryd-stateful-"))
        self.place = Place(self.folder / "user").make()
        self.count = 0
        self.may: dict[str, str] = {}
        self.known = Known()
        self.at_backup: Known | None = None

    def run(self, fault: tuple[str, int, bool] | None, *words: str) -> Ending:
        mode, at, sticky = fault or ("", 0, False)
        ended = zygote()(
            ["--home", str(self.place.home), *words],
            Fault(str(self.place.folder), at, mode, sticky),
            environ=self.place.environ,
        )
        assert "Traceback" not in ended.said, (words, ended)
        assert fault is None or ended.calls < at or ended.status in ALLOWED[mode] | {0}, ended
        begun = (
            "nothing ingested yet" not in ended.said
        )  # a command may come before the first transcript
        assert fault is not None or ended.status in {0, 2} or not begun, (words, ended)
        return ended

    def path(self, name: str) -> Path:
        return self.place.chats / f"{name}.jsonl"

    def lines(self, count: int) -> bytes:
        """New records, none like another."""
        written = b""
        for _ in range(count):
            self.count += 1
            record = {
                "session": "s",
                "id": f"m{self.count}",
                "role": ("user", "assistant", "tool")[self.count % 3],
                "text": f"w{self.count:05d}x said",
            }
            self.may[f"m{self.count}"] = record["text"]
            written += json.dumps(record).encode() + b"\n"
        return written

    @rule(name=NAMES, count=st.integers(1, 20))
    def append(self, name: str, count: int) -> None:
        with self.path(name).open("ab") as file:
            file.write(self.lines(count))

    @rule(name=NAMES, share=st.floats(0.1, 0.9))
    def tear(self, name: str, share: float) -> None:
        """A record that is not finished; the next append is glued to it."""
        with self.path(name).open("ab") as file:
            line = self.lines(1)
            file.write(line[: int(len(line) * share)])

    @rule(name=NAMES)
    def spoil(self, name: str) -> None:
        with self.path(name).open("ab") as file:
            file.write(b'\xff\x00 no record\n{"half": \n')

    @rule(name=NAMES)
    def rotate(self, name: str) -> None:
        if self.path(name).exists():
            self.count += 1
            self.path(name).rename(self.path(f"{name}-{self.count}"))

    @rule(name=NAMES, count=st.integers(0, 5))
    def rewrite(self, name: str, count: int) -> None:
        self.path(name).write_bytes(self.lines(count))

    @rule(name=NAMES, count=st.integers(1, 5))
    def save_atomically(self, name: str, count: int) -> None:
        old = self.path(name).read_bytes() if self.path(name).exists() else b""
        fresh = self.place.chats / ".fresh"
        fresh.write_bytes(
            old + (b"" if old.endswith(b"\n") or not old else b"\n") + self.lines(count)
        )
        fresh.rename(self.path(name))

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        self.path(name).unlink(missing_ok=True)

    @rule(fault=FAULTS)
    def ingest(self, fault: Any) -> None:
        if self.run(fault, "ingest").status == 0:
            self.note_read()
            self.check()

    @rule(text=st.sampled_from(ADDED), number=st.integers(1, 99), fault=FAULTS)
    def add(self, text: str, number: int, fault: Any) -> None:
        if self.run(fault, "memory", "add", f"{text}, case {number}").status == 0:
            self.known.entries.add(f"{text}, case {number}")

    @precondition(lambda self: self.known.entries)
    @rule(how=st.sampled_from(["pin", "feedback"]), fault=FAULTS, data=st.data())
    def judge(self, how: str, fault: Any, data: st.DataObject) -> None:
        rows = oracle.rows(self.place.home, "select id from entry order by id")
        (chosen,) = data.draw(st.sampled_from(rows))
        self.run(fault, "memory", how, str(chosen), *(["--right"] if how == "feedback" else []))

    @rule(what=st.sampled_from(["consolidate", "prune"]), fault=FAULTS)
    def tidy(self, what: str, fault: Any) -> None:
        self.run(fault, what)

    @rule(fault=FAULTS)
    def sync_file(self, fault: Any) -> None:
        self.run(fault, "files", "sync", "--write", str(self.place.memory))

    @precondition(lambda self: (self.place.home / "memoryd.db").exists())
    @rule(fault=FAULTS)
    def undo(self, fault: Any) -> None:
        try:
            runs = oracle.rows(
                self.place.home, "select id from run where kind = 'consolidate' and state = 'done'"
            )
        except sqlite3.OperationalError:  # a start that was killed left no tables
            return
        if runs:
            self.run(fault, "undo", str(runs[-1][0]))

    @rule(fault=FAULTS)
    def backup(self, fault: Any) -> None:
        before = self.backups()
        if self.run(fault, "backup").status == 0 or self.backups() != before:
            self.at_backup = self.known.copy()

    def backups(self) -> list[Path]:
        return sorted((self.place.home / "backups").glob("memoryd-*.db"))

    @precondition(lambda self: self.at_backup is not None)
    @rule(fault=FAULTS)
    def restore(self, fault: Any) -> None:
        assert self.at_backup is not None
        source = self.backups()[-1]
        self.run(fault, "restore", str(source))
        if self.run(None, "restore", str(source)).status == 0:
            self.known = self.at_backup.copy()

    @precondition(lambda self: self.known.must)
    @rule(data=st.data())
    def search(self, data: st.DataObject) -> None:
        spoken = {key: text for key, text in self.known.must.items() if int(key[1:]) % 3 != 2}
        if spoken:
            key = data.draw(st.sampled_from(sorted(spoken)))
            assert self.run(None, "search", spoken[key].split()[0]).status == 0, key

    def note_read(self) -> None:
        """What stands in the transcripts now, and was read."""
        for path in self.place.chats.glob("*.jsonl"):
            for one in oracle.read_transcript(path.read_bytes())[0]:
                self.known.must[one.native_id] = one.text

    def check(self) -> None:
        """After a reading that ended well."""
        held = oracle.rows(
            self.place.home, "select native_id, text from message where withdrawn = 0"
        )
        assert max(Counter(key for key, _ in held).values(), default=1) == 1
        assert dict(held).items() <= self.may.items()
        assert self.known.must.items() <= dict(held).items()
        entries = {text for (text,) in oracle.rows(self.place.home, "select content from entry")}
        assert self.known.entries <= entries
        assert oracle.judge_database(self.place.home) == []
        assert oracle.judge_modes(self.place.home) == []
        assert oracle.judge_secrets(self.place.home, SECRETS) == []
        assert HAND.strip() in self.place.memory.read_text()

    def teardown(self) -> None:
        """In the end everything heals."""
        self.run(None, "ingest")
        self.note_read()
        self.check()
        shutil.rmtree(self.folder)


BUSY = [HealthCheck.too_slow, HealthCheck.data_too_large]


def explore(examples: int, steps: int) -> None:
    how = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        suppress_health_check=BUSY,
    )
    run_state_machine_as_test(Everything, settings=how)


@pytest.mark.timeout(600)
def test_whatever_happens_in_whatever_order() -> None:
    explore(3, 14)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_whatever_happens_in_whatever_order_for_long() -> None:
    explore(60, 50)

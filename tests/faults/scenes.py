"""The ways through memoryd that faults are injected into: a user's folder, a command, and what must come of it.

A `Scene` makes a folder once (what was there before), and says which command is faulted and how its outcome is told.
"""

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryd.store.connection import APPLICATION_ID
from memoryd.store.schema import HISTORY, INDEXES
from tests.faults import oracle
from tests.faults.injector import Fault, Memoryd

MASKED = {  # two shapes: a token, an assignment
    "ghp_" + "R3dW0lf" * 5 + "x": "‹secret:github-token›",
    "hunter2-Vk81-planted": "‹secret:password›",
}
SECRETS = tuple(MASKED)
HAND = "<!-- my own notes: keep them -->\nWritten by hand, never to be touched.\n"
TOPICS = ("orders", "billing", "staging", "search", "router", "invoice", "library", "garden")
FACTS = [
    "Always run `make lint` before you commit to the orders repository.",
    "We decided to use PostgreSQL 16 for the billing service.",
    "The staging server listens on port 8081.",
    "Remember: the staging server listens on port 8082 now.",
    "请记住：部署之前先备份数据库。",
    "I prefer tabs over spaces in Go code.",
]
TWINS = [
    "The backup of host-1 runs every night at 02:11.",
    "Backups of host-1 run at 02:11 every night.",
    "The backup of host-2 runs every night at 02:12.",
    "Backups of host-2 run at 02:12 every night.",
]


class Place:
    """A user's folder: transcripts, one memory file of Hermes, and memoryd's home."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.chats = folder / "chats"
        self.hermes = folder / "hermes"
        self.memory = self.hermes / "memories" / "MEMORY.md"

    def make(self) -> "Place":
        self.home.mkdir(parents=True, mode=0o700)
        self.chats.mkdir()
        self.memory.parent.mkdir(parents=True, mode=0o700)
        for path in (self.folder, self.hermes):
            path.chmod(0o700)
        self.memory.write_text("\n§\n".join([HAND.strip(), *TWINS, "Specht stands in rack 7."]))
        config = f"""[sources]
discover = false
[sources.chats]
type = "jsonl"
roots = ["{self.chats}"]
[embedding]
engine = "none"
[files]
approve = ["{self.memory}"]
"""
        path = self.home / "config.toml"
        path.write_text(config)
        path.chmod(0o600)
        return self

    def copy(self, folder: Path) -> "Place":
        """The same at the same path: *folder* is where copies are put, one after another."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder, folder, symlinks=True)
        return Place(folder)

    @property
    def environ(self) -> dict[str, str]:
        return {"HERMES_HOME": str(self.hermes)}

    def say(self, name: str, first: int, count: int, seed: int = 0) -> None:
        """Append messages to a transcript: numbered marks, some facts, secrets, tools, damage."""
        chance = random.Random(f"{name} {first} {seed}")
        with (self.chats / name).open("ab") as file:
            for number in range(first, first + count):
                text = (
                    f"w{number:05d}x about {chance.choice(TOPICS)}: "
                    + "and so on " * (number % 7)
                    + "."
                )
                if number % 5 == 0:
                    text = f"{FACTS[number // 5 % len(FACTS)]} w{number:05d}x"
                role = ("user", "assistant", "user", "tool")[number % 4]
                record = {"session": name, "id": f"{name}:{number}", "role": role, "text": text}
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
                if number % 9 == 4:
                    file.write(b'{"torn": "w\xff\x00\n')

    def tell_secrets(self, name: str) -> None:
        """A transcript whose texts hold secrets; it is not compared word by word."""
        with (self.folder / "chats" / name).open("a") as file:
            for number, text in enumerate((f"use {SECRETS[0]} for it", f"password={SECRETS[1]}")):
                record = {"session": name, "id": f"{name}:{number}", "role": "user", "text": text}
                file.write(json.dumps(record) + "\n")

    def outcome(self) -> dict[str, Any]:
        """Everything that must come out the same, however often it was begun."""
        found: dict[str, Any] = {"memory": self.memory.read_bytes()}
        database = self.home / "memoryd.db"
        if not database.exists() or database.stat().st_size == 0:
            return found
        with oracle.opened(self.home) as opened:
            for name, sql in OUTCOMES.items():
                try:
                    found[name] = opened.execute(sql).fetchall()
                except sqlite3.OperationalError as error:  # of an older schema, or a fresh file
                    found[name] = str(error)
        return found


OUTCOMES = {
    "messages": "select hex(identity), role, text, withdrawn, position from message order by 1",
    "ledger": "select path, offset, ingested, quarantined, messages from transcript order by 1",
    "rejects": "select start, end, reason, head from reject order by 1, 2, 3",
    "entries": "select content, state, kind, scope, origin, pinned from entry order by 1, 2, 3",
    "successors": "select content, (select content from entry as b where b.id = entry.superseded_by) from entry order by 1",
    "apart": "select hex(content_key), (select count(*) from apart) from apart_text order by 1",
    "schema": "select type, name, sql from sqlite_master where name not like 'sqlite_stat%' order by 1, 2",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """One way through memoryd.

    Attributes:
        rows: of the fault matrix, for the table of docs/reliability.md.
        prepare: makes what was there before; by undisturbed commands.
        command: what is faulted, and what a user or the next start does once more afterwards.
        judge: what else must hold: right after the fault, and (True) once the command was done again.
    """

    name: str
    rows: str
    prepare: Callable[[Place, "Run"], None]
    command: Callable[[Place], Sequence[str]]
    judge: Callable[[Place, bool], list[str]] = field(default=lambda place, healed: [])


Run = Callable[..., None]


def runner(memoryd: Memoryd, place: Place, journal: str = "wal") -> Run:
    """Undisturbed commands of a place, each of which must go well."""

    def run(*arguments: str) -> None:
        ended = memoryd(
            ["--home", str(place.home), *arguments],
            Fault(str(place.folder)),
            journal=journal,
            environ=place.environ,
        )
        assert ended.status == 0, (arguments, ended)

    return run


def grown(place: Place, run: Run) -> None:
    """Half of everything was read; the other half waits."""
    place.say("a.jsonl", 0, 30)
    place.say("b.jsonl", 1000, 12)
    run("ingest")
    place.say("a.jsonl", 30, 40)
    place.say("c.jsonl", 2000, 30)
    place.tell_secrets("secret.jsonl")
    with (place.chats / "b.jsonl").open("ab") as file:
        file.write(b'{"session": "b.jsonl", "id": "half", "role": "us')


def evening(place: Place, run: Run) -> None:
    """The same, with a memory file that was read and consolidated before."""
    run("files", "sync", str(place.memory))
    run("consolidate")
    grown(place, run)


def remembered(place: Place, run: Run) -> None:
    """A bank with entries, a history, and a memory file in step with it."""
    place.say("a.jsonl", 0, 12)
    run("ingest")
    for text in (*TWINS, *FACTS):
        run("memory", "add", text)
    run("files", "sync", str(place.memory))


def saved(place: Place, run: Run) -> None:
    remembered(place, run)
    run("backup")
    run("backup", str(place.folder / "kept.db"))
    run("memory", "add", "The library closes at nine on Thursdays.")


def merged(place: Place, run: Run) -> None:
    remembered(place, run)
    run("consolidate")


def forgettable(place: Place, run: Run) -> None:
    remembered(place, run)
    run("memory", "add", "Frau Kurz keeps the blue parasol.")
    path = place.chats / "d.jsonl"
    record = {"session": "d", "id": "d:1", "role": "user", "text": "the blue parasol w09999x again"}
    path.write_text(json.dumps(record) + "\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    run("ingest")
    run("nightly")


def of_schema_1(place: Place, run: Run) -> None:
    """A database as the first release made it, with the history of today in it."""
    place.say("a.jsonl", 0, 30)
    run("ingest")
    database, today = place.home / "memoryd.db", place.folder / "today.db"
    database.rename(today)
    database.touch(mode=0o600)
    with closing(sqlite3.connect(database, isolation_level=None)) as old:
        old.executescript(HISTORY + INDEXES)
        old.execute("attach ? as today", (str(today),))
        tables = "select name from main.sqlite_master where type = 'table' and sql not like 'create virtual%'"
        for (name,) in old.execute(tables).fetchall():
            columns = ", ".join(row[1] for row in old.execute(f"pragma main.table_info({name})"))
            old.execute(f"delete from main.{name}")
            old.execute(f"insert into main.{name} ({columns}) select {columns} from today.{name}")
        old.execute("create table _sqlite_migrations as select * from today._sqlite_migrations where name = 'm001_history'")  # fmt: skip
        old.execute(f"pragma application_id={APPLICATION_ID}")
        old.execute("pragma user_version=1")
    today.unlink()
    place.say("a.jsonl", 30, 3)


def judge_read(place: Place, healed: bool) -> list[str]:
    return oracle.judge_history(place.home, place.chats, MASKED) if healed else []


def judge_file(place: Place, healed: bool) -> list[str]:
    """Hand text is there, and the file holds whole entries only (I6)."""
    text = place.memory.read_text()
    return [] if HAND.strip() in text else ["the memory file lost what was written by hand"]


def judge_backups(place: Place, healed: bool) -> list[str]:
    """Every file that counts as a backup is whole, and there is one (I5)."""
    found = sorted((place.home / "backups").glob("memoryd-*.db"))
    wrong = [] if found else ["no backup is left"]
    for path in found:
        try:
            with oracle.opened(path.parent, path.name) as copy:
                bad = [row for (row,) in copy.execute("pragma integrity_check") if row != "ok"]
                count = copy.execute("select count(*) from message").fetchone()[0]
            wrong += [f"backup {path.name}: {row}" for row in bad]
            wrong += [] if count else [f"backup {path.name} is empty"]
        except sqlite3.Error as error:
            wrong.append(f"backup {path.name}: {error}")
    return wrong


def judge_forgotten(place: Place, healed: bool) -> list[str]:
    """Once it is done no byte of it is left."""
    return oracle.judge_secrets(place.home, ("blue parasol",)) if healed else []


def last_run(place: Place) -> str:
    """The id of the consolidation that went well."""
    sql = "select id from run where kind = 'consolidate' order by started desc limit 1"
    return str(oracle.rows(place.home, sql)[0][0])


def _in_home(*words: str) -> Callable[[Place], Sequence[str]]:
    return lambda place: words


SCENES = (
    Scene("first start", "2–6, 9", lambda place, run: place.say("a.jsonl", 0, 40), _in_home("run", "--once"), judge_read),
    Scene("ingest", "2–6, 9", grown, _in_home("ingest"), judge_read),
    Scene("bank write", "2–6, 9", remembered, _in_home("memory", "add", "Aldersgate is the code name of the new router.")),
    Scene("memory file", "4, 7, 9", remembered, lambda place: ["memory", "add", "--file", str(place.memory), "Herr Lang keeps the keys."], judge_file),
    Scene("compaction", "4, 7, 47", remembered, lambda place: ["files", "compact", str(place.memory), "--target-percent", "10"], judge_file),
    Scene("consolidation", "2–6, 47", remembered, _in_home("consolidate")),
    Scene("undo", "2–6, 53", merged, lambda place: ["undo", last_run(place)]),
    Scene("night", "2–6, 47", evening, _in_home("nightly", "--scheduled"), judge_read),
    Scene("backup", "44", saved, _in_home("backup"), judge_backups),
    Scene("restore", "44", saved, lambda place: ["restore", str(place.folder / "kept.db")], judge_backups),
    Scene("migration", "45", of_schema_1, _in_home("ingest"), judge_read),
    Scene("forget", "2–6, 58", forgettable, _in_home("forget", "--match", "blue parasol"), judge_forgotten),
)  # fmt: skip

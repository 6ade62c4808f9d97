"""What must be true after any fault, judged without a line of memoryd: Python's own SQLite, JSON and file calls.

Every claim is told in words; an empty list means that it holds. The database is looked at in a copy, so that looking
changes nothing of what a crash left behind.
"""

import json
import re
import shutil
import sqlite3
import stat
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MARK = re.compile(r"w\d{5}x")  # each message of ours holds one such word, which stands nowhere else
PROSE, TOOLS = ("words", "stems"), ("tools",)


@dataclass(frozen=True, slots=True)
class Said:
    """One message as its transcript's line has it."""

    session: str
    native_id: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """The bytes of one transcript: those of whole records, of damaged lines, and of a tail that is not finished."""

    whole: int
    damaged: int
    pending: int


def read_transcript(data: bytes) -> tuple[list[Said], Ledger]:
    """Read a transcript line by line, as slowly and plainly as can be."""
    said: list[Said] = []
    whole = damaged = 0
    *lines, tail = data.split(b"\n")
    for line in lines:
        found = _read_line(line)
        if found is None and line.strip():
            damaged += len(line)
            whole += 1  # its end
            continue
        whole += len(line) + 1
        said += [] if found is None else [found]
    last = _read_line(tail)  # a whole object needs no newline (decision 14)
    if last is not None:
        return [*said, last], Ledger(whole + len(tail), damaged, 0)
    return said, Ledger(whole, damaged, len(tail))


def _read_line(line: bytes) -> Said | None:
    try:
        record = json.loads(line)
        return Said(record["session"], record["id"], record["role"], record["text"])
    except (ValueError, KeyError, TypeError):
        return None


@contextmanager
def opened(home: Path, name: str = "memoryd.db") -> Iterator[sqlite3.Connection]:
    """A copy of the database with what lies beside it, as a crash left them."""
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("", "-wal", "-journal"):
            path = home / f"{name}{ending}"
            if path.exists():
                shutil.copy(path, Path(folder, f"x.db{ending}"))
        with closing(sqlite3.connect(Path(folder, "x.db"), isolation_level=None)) as database:
            yield database


def judge_database(home: Path, secrets: tuple[str, ...] = ()) -> list[str]:
    """Pages, keys, full-text indexes and ledger are in order (I4, I5)."""
    if not (home / "memoryd.db").exists() or (home / "memoryd.db").stat().st_size == 0:
        return []
    try:
        with opened(home) as database:
            return [*_structure(database), *_indexes(database), *_sums(database)]
    except sqlite3.Error as error:
        return [f"database: {error}"]


def _structure(database: sqlite3.Connection) -> Iterator[str]:
    yield from (f"pages: {row}" for (row,) in database.execute("pragma integrity_check") if row != "ok")  # fmt: skip
    yield from (f"dangling: {row}" for row in database.execute("pragma foreign_key_check"))


def _tables(database: sqlite3.Connection) -> set[str]:
    return {name for (name,) in database.execute("select name from sqlite_master")}


def _indexes(database: sqlite3.Connection) -> Iterator[str]:
    tables = _tables(database)
    if "message" not in tables:
        return
    rows = database.execute("select id, role, text from message where withdrawn = 0").fetchall()
    for name in (*PROSE, *TOOLS):
        database.execute(f"insert into {name}({name}) values ('integrity-check')")
        mine = {row: text for row, role, text in rows if (role == "tool") == (name in TOOLS)}
        yield from _one_index(database, name, mine)
    if "entry" not in tables:
        return
    entries = dict(database.execute("select row, content from entry").fetchall())
    for name in ("entry_words", "entry_stems"):
        database.execute(f"insert into {name}({name}) values ('integrity-check')")
        yield from _one_index(database, name, entries)


def _one_index(database: sqlite3.Connection, name: str, texts: Mapping[int, str]) -> Iterator[str]:
    """The index holds these rows, no more and no less, and finds each of ours by its word."""
    held = {row for (row,) in database.execute(f"select id from {name}_docsize")}
    if held != set(texts):
        yield f"{name}: lacks {set(texts) - held}, holds {held - set(texts)} too many"
    for row, text in texts.items():
        for mark in MARK.findall(text):
            found = database.execute(f"select rowid from {name} where {name} match ?", (mark,))
            expected = {one for one, other in texts.items() if mark in other}
            if {one for (one,) in found} != expected:
                yield f"{name}: {mark} of row {row} is not found where it is"


def _sums(database: sqlite3.Connection) -> Iterator[str]:
    tables = _tables(database)
    if "transcript" in tables:
        sql = "select path from transcript where ingested + quarantined <> offset or offset > size"
        yield from (f"ledger of {path} does not add up" for (path,) in database.execute(sql))
    if "session" in tables:
        sql = "select native_id from session where messages <> (select count(*) from message where session_id = session.id and withdrawn = 0)"
        yield from (f"session {one} counts wrong" for (one,) in database.execute(sql))


def judge_history(home: Path, root: Path, masked: Mapping[str, str]) -> list[str]:
    """What the transcripts say is in the database, each once, and every byte is accounted for (I2, I3, I4).

    Args:
        masked: planted secret -> what stands in its place.
    """
    expected: Counter[Said] = Counter()
    ledgers: dict[str, tuple[int, int]] = {}
    for path in sorted(root.rglob("*.jsonl")):
        data = path.read_bytes()
        ledger = read_transcript(data)[1]
        for secret, mask in masked.items():
            data = data.replace(secret.encode(), mask.encode())
        said = read_transcript(data)[0]
        expected.update(dict.fromkeys(said, 1))
        ledgers[str(path)] = (ledger.whole, ledger.damaged)
    with opened(home) as database:
        held = Counter(
            Said(*row)
            for row in database.execute(
                "select session.native_id, message.native_id, role, text from message "
                "join session on session.id = session_id where withdrawn = 0"
            )
        )
        kept = {
            path: (ingested, quarantined)
            for path, ingested, quarantined in database.execute(
                "select path, ingested, quarantined from transcript"
            )
        }
    return [
        *(f"lost: {one}" for one in expected - held),
        *(f"not said, or twice: {one}" for one in held - expected),
        *(f"ledger of {path}: {kept.get(path)} instead of {found}" for path, found in ledgers.items() if kept.get(path) != found),
    ]  # fmt: skip


def judge_modes(home: Path) -> list[str]:
    """Nobody else can look inside (I7)."""
    wrong = []
    for path in (home, *home.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & 0o077:
            wrong.append(f"{path} has mode {mode:03o}")
    return wrong


def judge_secrets(folder: Path, secrets: tuple[str, ...]) -> list[str]:
    """No byte of the folder tells a planted secret (I11)."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            found += [f"{path} tells {one!r}" for one in secrets if one.encode() in data]
    return found


def judge_leftovers(folder: Path) -> list[str]:
    """Nothing half-made stays beside a memory file once it was written again.

    What a killed process left in memoryd's own folder goes after a day, with the night.
    """
    return [f"{path} was left behind" for path in folder.rglob(".memoryd-*.tmp*")]


def rows(home: Path, sql: str) -> list[tuple[Any, ...]]:
    """Rows of the database as they stand."""
    with opened(home) as database:
        return database.execute(sql).fetchall()

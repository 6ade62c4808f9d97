"""Whatever of the database is damaged, what is readable stays, the rest comes back, and the bad file is kept."""

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from memoryd.errors import StoreError
from memoryd.service.backups import generations, renew
from memoryd.service.doctor import Check, examine
from memoryd.service.overview import describe_status
from memoryd.service.repair import repair
from memoryd.service.writer import utc_now
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.pages import PAGE_BYTES, Pages
from memoryd.store.reader import Reader
from memoryd.store.store import Store
from tests.service.archive_helpers import SESSION, Life
from tests.service.bank_helpers import entries, writing

Said = Counter[tuple[str, str, str]]
SESSIONS, TURNS, FACTS = 6, 40, 30


@pytest.fixture
def life(tmp_path: Path) -> Life:
    """Some megabytes of everything, the longest texts on chains of pages, and a backup of all but the last fact."""
    life = Life(tmp_path)
    for number in range(SESSIONS):
        life.write(
            number, [("user", f"{number} {turn} 部署 {'x' * 9 * turn**2}") for turn in range(TURNS)]
        )
    life.ask("ingest")
    for number in range(FACTS):
        life.ask("memory.add", content=f"The tape quartz-{number:03} stands on shelf {number * 7}.")
    life.ask("backup")
    life.ask("memory.add", content="The tape quartz-999 stands on shelf 1.")
    return life  # fmt: skip


def expected() -> Said:
    return Counter(
        (f"{SESSION}{number}", "user", f"{number} {turn} 部署 {'x' * 9 * turn**2}".strip())
        for number in range(SESSIONS)
        for turn in range(TURNS)
    )


def said(life: Life) -> Said:
    with Reader(life.home) as reader:
        rows = reader.connection.execute(
            "select session.native_id, role, text from message join session on session.id = session_id where withdrawn = 0"
        )
        return Counter((session, role, text.strip()) for session, role, text in rows)


def facts(life: Life) -> set[str]:
    return {one.content for one in entries(life.home)}


def pages_of(life: Life, *names: str) -> list[int]:
    """The pages of tables and indexes, from 0."""
    path = life.home / DATABASE_NAME
    sql = f"select rootpage from sqlite_schema where name in ({','.join('?' * len(names))})"
    with closing(sqlite3.connect(path)) as connection:
        roots = [root for (root,) in connection.execute(sql, names)]
    with Pages(path) as pages:
        return [number - 1 for root in roots for number in pages.below(root)]


def flip(life: Life, pages: list[int], length: int = PAGE_BYTES) -> None:
    """XOR every bit of some pages."""
    path = life.home / DATABASE_NAME
    data = bytearray(path.read_bytes())
    for page in pages:
        start = page * PAGE_BYTES
        data[start : start + length] = bytes(one ^ 0xFF for one in data[start : start + length])
    path.write_bytes(data)


def random_pages(life: Life, seed: int) -> list[int]:
    count = (life.home / DATABASE_NAME).stat().st_size // PAGE_BYTES
    return random.Random(seed).sample(range(1, count), count // 5)


def flip_some(life: Life, seed: int) -> None:
    flip(life, random_pages(life, seed))


Break = Callable[[Life], object]
BREAKS: dict[str, Break] = {
    "the header": lambda life: flip(life, [0], 100),
    "the whole first page": lambda life: flip(life, [0]),
    "the pointer map": lambda life: flip(life, [1]),
    "half of the messages": lambda life: flip(life, pages_of(life, "message")[::2]),
    "all of the messages": lambda life: flip(life, pages_of(life, "message")),
    "sessions and sources": lambda life: flip(life, pages_of(life, "session", "source")),
    "the ledger": lambda life: flip(life, pages_of(life, "transcript")),
    "an index": lambda life: flip(life, pages_of(life, "sqlite_autoindex_message_1")),
    "settings": lambda life: flip(life, pages_of(life, "setting")),
    "the end": lambda life: os.truncate(life.home / DATABASE_NAME, 60 * PAGE_BYTES),
    "everything": lambda life: (life.home / DATABASE_NAME).write_bytes(b"\xff" * 100_000),
    "all bytes": lambda life: (life.home / DATABASE_NAME).write_bytes(b""),
    "the file itself": lambda life: (life.home / DATABASE_NAME).unlink(),
    **{f"a fifth of all pages, {seed}": partial(flip_some, seed=seed) for seed in range(4)},
}  # fmt: skip


UNREADABLE = {"the header", "the whole first page", "everything", "all bytes", "the file itself"}


def look(life: Life, *, fix: bool = False) -> dict[str, Check]:
    checks = examine(life.home, life.config(), fix)
    return {check.name: check for check in checks if not check.name.startswith("cleanup")}


@pytest.mark.parametrize("backup", [True, False], ids=["with a backup", "without"])
@pytest.mark.parametrize("broken", BREAKS)
def test_what_was_said_is_there_again_and_nothing_twice(
    life: Life, broken: str, backup: bool
) -> None:
    if not backup:
        for path in generations(life.home):
            path.unlink()
    BREAKS[broken](life)
    before = (life.home / DATABASE_NAME).read_bytes() if broken != "the file itself" else b""

    found = [check for check in look(life).values() if not check.ok]
    assert {check.fix for check in found} == {"memoryd doctor --fix"}
    if broken in UNREADABLE:
        assert describe_status(life.home, life.config())["degraded"]
    after = (life.home / DATABASE_NAME).read_bytes() if broken != "the file itself" else b""
    assert before == after  # looking changes nothing

    mended = look(life, fix=True)
    assert all(check.ok for check in mended.values()), mended
    assert all(check.ok for check in look(life).values())
    life.ask("ingest")

    assert expected() == said(life)
    assert life.ask("integrity")["damage"] == []
    if backup:
        assert {f"The tape quartz-{n:03} stands on shelf {n * 7}." for n in range(FACTS)} <= facts(
            life
        )
    kept = list(life.home.glob("memoryd.db.damaged-*"))
    assert before in [path.read_bytes() for path in kept] or broken == "the file itself"
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
    assert not (life.home / "memoryd.repair").exists()  # fmt: skip


@pytest.mark.parametrize(
    "broken", ["the header", "the whole first page", "the pointer map", "the ledger", "an index"]
)
def test_what_only_memory_knows_survives_damage_elsewhere(life: Life, broken: str) -> None:
    """Said after the backup, and in no transcript."""
    before = facts(life)
    ids = life.rows("id", "text")
    BREAKS[broken](life)
    look(life, fix=True)

    assert before == facts(life)
    assert ids == life.rows("id", "text")  # ids are cited: they stay
    with Reader(life.home) as reader:
        assert reader.connection.execute("select count(*) from event").fetchone()[0] == FACTS + 1  # fmt: skip


def die_after_commit(life: Life, key: str, value: str) -> None:
    """Commit a setting in a process that dies without closing the database: it stands in the log only."""
    pid = os.fork()
    if pid == 0:
        store = Store(life.home, utc_now)
        with store.transaction() as connection:
            connection.execute("insert into setting values (?, ?)", (key, value))
        os._exit(0)
    os.waitpid(pid, 0)


def test_what_the_log_holds_is_salvaged_too(life: Life) -> None:
    """The last commits stand in the write-ahead log only, when a process was killed."""
    die_after_commit(life, "in the log", "only")
    assert (life.home / f"{DATABASE_NAME}-wal").stat().st_size > 0
    flip(life, [0])
    look(life, fix=True)

    with Reader(life.home) as reader:
        assert ("only",) in reader.connection.execute("select value from setting").fetchall()


def test_indexes_of_messages_and_of_entries_are_made_anew_where_they_are(life: Life) -> None:
    before = life.rows("*"), facts(life)
    flip(life, pages_of(life, "words_data", "entry_stems_data", "tools_docsize"))

    assert look(life)["full-text indexes"].fix == "memoryd doctor --fix"
    mended = look(life, fix=True)

    assert all(check.ok for check in mended.values()), mended
    assert before == (life.rows("*"), facts(life))


def test_a_repair_names_no_old_file_where_there_was_none(life: Life) -> None:
    for path in life.home.glob(f"{DATABASE_NAME}*"):
        path.unlink()
    told = repair(life.home, life.config())

    assert told.kept_aside is None
    assert "old file" not in told.describe()
    assert "could not be read" not in told.describe()


@pytest.mark.parametrize("how", ["unlinked", "emptied"])
def test_a_lost_database_is_never_begun_anew_unasked(life: Life, how: str) -> None:
    path = life.home / DATABASE_NAME
    path.unlink() if how == "unlinked" else path.write_bytes(b"")
    for path in generations(life.home):
        path.unlink()

    with pytest.raises(StoreError, match="doctor --fix"):
        life.ask("ingest")
    with pytest.raises(StoreError, match="doctor --fix"):
        said(life)
    assert "doctor --fix" in describe_status(life.home, life.config())["degraded"][0]
    assert not path.exists() or not path.stat().st_size


def test_a_log_that_was_deleted_is_told_until_somebody_took_note(life: Life) -> None:
    die_after_commit(life, "soon", "lost")
    (life.home / f"{DATABASE_NAME}-wal").unlink()
    life.ask("ingest")

    assert "write-ahead log was deleted" in describe_status(life.home, life.config())["degraded"][0]
    assert not look(life)["write-ahead log"].ok
    assert look(life, fix=True)["write-ahead log"].ok
    assert describe_status(life.home, life.config())["degraded"] == []


def test_a_killed_writer_and_a_clean_end_raise_no_alarm(life: Life) -> None:
    pid = os.fork()
    if pid == 0:
        store = Store(life.home, utc_now)
        os._exit(int(store.path.stat().st_size == 0))
    os.waitpid(pid, 0)
    life.ask("ingest")

    assert describe_status(life.home, life.config())["degraded"] == []


def test_what_was_put_aside_goes_when_something_is_forgotten_for_good(life: Life) -> None:
    flip(life, [0])
    look(life, fix=True)
    assert list(life.home.glob("memoryd.db.damaged-*"))
    with writing(life.home) as writer:
        renew(writer)

    assert not list(life.home.glob("memoryd.db.damaged-*"))

"""Reading an agent's database changes not one byte of it, wherever it lies and whoever has it open."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.errors import SourceError
from memoryd.sources import sqlite as reader
from memoryd.sources.foreign import database_facts
from memoryd.sources.hermes import Hermes
from memoryd.sources.sqlite import open_database
from tests.sources.contract import harvest
from tests.sources.foreign_agents import AGENTS, create
from tests.sources.test_live_databases import database_of, source_of

ROOT = Path(__file__).parents[2]
LARGEST = 1 << 20
NOBODY = 65534


def prints(folder: Path) -> dict[str, str]:
    """A hash of every file but the index of a WAL, which every reader of it touches."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


def filled(name: str, folder: Path, *, steps: int = 40) -> tuple[Path, sqlite3.Connection]:
    path = database_of(name, folder)
    connection, agent = create(name, path, 5)
    for _ in range(steps):
        agent.step()
    return path, connection


def left_by_a_crash(name: str, folder: Path) -> Path:
    """A database with a WAL that no process has open and no index beside it."""
    path, connection = filled(name, folder / "living")
    crashed = database_of(name, folder / "crashed")
    for ending in ("", "-wal"):
        shutil.copy(f"{path}{ending}", f"{crashed}{ending}")
    connection.close()
    return crashed


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", AGENTS)
def test_with_no_writer_nothing_is_changed_and_nothing_is_left(tmp_path: Path, name: str) -> None:
    path, connection = filled(name, tmp_path)
    connection.close()
    before, names = prints(tmp_path), sorted(path.parent.iterdir())
    source = source_of(name, tmp_path)
    found = harvest(source, path)
    harvest(source, path, found)

    assert len(found.messages) > 5
    assert before == prints(tmp_path)
    assert names == sorted(path.parent.iterdir())


@pytest.mark.parametrize("name", AGENTS)
def test_beside_a_writer_that_waits_nothing_is_changed(tmp_path: Path, name: str) -> None:
    path, connection = filled(name, tmp_path)
    before = prints(tmp_path)
    found = harvest(source_of(name, tmp_path), path)

    assert len(found.messages) > 5
    assert before == prints(tmp_path)
    assert connection.execute("pragma journal_mode").fetchone()[0] in ("wal", "delete")
    connection.close()


def test_a_wal_left_by_a_crash_is_read_and_not_changed(tmp_path: Path) -> None:
    path = left_by_a_crash("hermes", tmp_path)
    before = prints(path.parent)

    assert all(one.exists() for one in Hermes([tmp_path]).companions(path))
    assert len(harvest(Hermes([tmp_path]), path).messages) > 5
    assert before == prints(path.parent)


READ_AS_NOBODY = """
import os, sys
from pathlib import Path
from memoryd.sources.foreign import database_facts
from memoryd.sources.hermes import Hermes
os.setgid(65534); os.setuid(65534)
path = Path(sys.argv[1])
try:
    (path.parent / "probe").touch()
    sys.exit("the folder can be written")
except PermissionError:
    pass
print(sum(len(batch.messages) for batch in Hermes([path.parent]).read(path, None)))
"""


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user"
)
@pytest.mark.parametrize("crashed", [False, True])
def test_in_a_folder_that_cannot_be_written(open_folder: Path, *, crashed: bool) -> None:
    """Another user's real permissions: without a WAL nothing is needed, with one a private copy is read."""
    if crashed:
        path = left_by_a_crash("hermes", open_folder)
    else:
        path, connection = filled("hermes", open_folder)
        connection.close()
    for place in (path.parent, *path.parent.iterdir()):
        place.chmod(0o555 if place.is_dir() else 0o444)
    before, names = prints(path.parent), sorted(path.parent.iterdir())
    child = subprocess.run(
        [sys.executable, "-c", READ_AS_NOBODY, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert child.stderr == ""
    assert int(child.stdout) == len(harvest(Hermes([path.parent]), path).messages) > 5
    assert before == prints(path.parent)
    assert crashed or names == sorted(path.parent.iterdir())


def test_the_private_copy_is_closed_to_others_and_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a closed folder does to SQLite is played here; the test above proves it with real permissions."""
    path = left_by_a_crash("hermes", tmp_path)
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    really = sqlite3.connect

    def refuse(database: str, **options: object) -> sqlite3.Connection:
        if "mode=ro" in database:
            raise sqlite3.OperationalError("unable to open database file")
        return really(database, **options)  # type: ignore[call-overload,no-any-return]  # passed on as it came

    monkeypatch.setattr(sqlite3, "connect", refuse)
    with open_database(path, LARGEST) as database:
        (folder,) = copies.iterdir()

        assert database.access == "copy"
        assert folder.stat().st_mode & 0o777 == 0o700
        assert [row["id"] for row in database.records("sessions", ["id"], {})]
    assert [] == list(copies.iterdir())


@pytest.mark.parametrize(
    ("wal", "open_writer", "access"),
    [
        (True, False, "immutable"),
        (True, True, "shared"),
        (False, False, "shared"),
        (False, True, "shared"),
    ],
)
def test_how_a_database_is_opened(
    tmp_path: Path, *, wal: bool, open_writer: bool, access: str
) -> None:
    path = tmp_path / "a ?#%.db"  # every character that means something in a URI
    writer = sqlite3.connect(path)
    if wal:
        writer.execute("pragma journal_mode=wal")
    writer.execute("create table t (x)")
    writer.commit()
    if not open_writer:
        writer.close()
    with open_database(path, LARGEST) as database:
        assert database.access == access
        assert database.columns("t") == {"x"}
    if open_writer:
        writer.close()


def test_what_was_read_while_the_file_changed_is_void(tmp_path: Path) -> None:
    path, connection = filled("hermes", tmp_path)
    connection.close()
    with open_database(path, LARGEST) as database:
        other = sqlite3.connect(path)
        other.execute("insert into sessions(id) values ('new')")
        other.commit()
        other.close()

        with pytest.raises(reader.ChangedError):
            database.check()


def test_every_commit_shows_also_where_size_and_time_of_the_wal_stand_still(tmp_path: Path) -> None:
    """A WAL that begins anew is written over from its start: the same size, and perhaps the same tick."""
    path = tmp_path / "state.db"
    db = sqlite3.connect(path)
    db.execute("pragma journal_mode=wal")
    db.execute("create table t (x)")
    db.executemany("insert into t values (?)", [(number,) for number in range(2000)])
    db.commit()
    db.execute("pragma wal_checkpoint(restart)")
    wal = Path(f"{path}-wal")
    seen, times = set(), wal.stat().st_mtime_ns
    for number in range(5):
        db.execute("update t set x = x + 1 where rowid = ?", (number + 1,))
        db.commit()
        os.utime(wal, ns=(times, times))
        seen.add((wal.stat().st_size, wal.stat().st_mtime_ns, database_facts(path).fingerprint))

    assert 1 == len({(size, time) for size, time, _ in seen})
    assert 5 == len(seen)
    db.close()


def test_a_busy_database_is_an_error_of_its_own_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "BUSY_SECONDS", 0.01)
    monkeypatch.setattr(reader, "_PAUSE", 0.001)
    path = database_of("zed", tmp_path)
    connection, agent = create("zed", path, 3)
    for _ in range(60):
        agent.step()
    connection.execute("begin exclusive")
    source = source_of("zed", tmp_path)

    with pytest.raises(SourceError, match=r"threads\.db"):
        harvest(source, path)
    connection.rollback()
    assert len(harvest(source, path).messages) > 3
    connection.close()


@pytest.mark.parametrize("data", [b"no database at all" * 100, b"SQLite format 3\0" + bytes(84)])
def test_what_is_no_database_is_an_error_that_names_it(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(data)

    with pytest.raises(SourceError, match=r"state\.db"):
        list(Hermes([tmp_path]).read(path, None))


def test_an_empty_file_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "state.db").touch()

    assert [] == list(Hermes([tmp_path]).read(tmp_path / "state.db", None))


@pytest.mark.parametrize("what", ["link", "pipe", "nothing"])
def test_only_regular_files_are_opened(tmp_path: Path, what: str) -> None:
    path = tmp_path / "state.db"
    if what == "link":
        real, connection = filled("hermes", tmp_path / "real")
        connection.close()
        path.symlink_to(real)
    elif what == "pipe":
        os.mkfifo(path)

    with pytest.raises(SourceError, match=r"state\.db"):
        list(Hermes([tmp_path]).read(path, None))

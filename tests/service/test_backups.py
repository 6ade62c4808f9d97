"""A copy is whole or not there; a good one is never replaced by a bad one; the way back works, and keeps what was there."""

import stat
from pathlib import Path

import pytest

from memoryd.errors import HeldError, RetryError, StoreError, UsageError
from memoryd.service.backups import GENERATIONS, generations, renew, restore
from memoryd.service.lock import WriterLock
from memoryd.service.writer import open_writer
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.copies import verify_copy
from memoryd.store.reader import Reader
from tests.service.archive_helpers import Life
from tests.service.bank_helpers import entries


@pytest.fixture
def life(tmp_path: Path) -> Life:
    life = Life(tmp_path)
    life.write(1, [("user", "hello"), ("user", "部署之前先备份")])
    life.ask("ingest")
    life.ask("memory.add", content="The port is 5432")
    return life


def damage(path: Path) -> None:
    """Overwrite pages in the middle of a file."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 3)
        file.write(b"\x5a" * 20_000)


def test_three_generations_are_kept_private_and_whole(life: Life) -> None:
    for _ in range(GENERATIONS + 2):
        life.ask("backup")
    kept = generations(life.home)

    assert len(kept) == GENERATIONS
    assert kept == sorted(kept, reverse=True)
    for path in kept:
        verify_copy(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {path.name for path in kept[0].parent.iterdir()} == {path.name for path in kept}


def test_restoring_brings_everything_back_and_keeps_what_was_there(life: Life) -> None:
    told = life.ask("backup")
    before = life.rows("*")
    life.ask("memory.add", content="Said after the backup")
    done = restore(life.home, Path(told["path"]))

    assert life.rows("*") == before
    assert [one.content for one in entries(life.home)] == ["The port is 5432"]
    assert Path(done["kept_aside"]).exists()
    assert life.ask("integrity")["damage"] == []
    assert life.ask("ingest")["messages_added"] == 0


def test_the_way_back_from_a_lost_database(life: Life) -> None:
    told = life.ask("backup")
    before = life.rows("*")
    for path in life.home.glob(f"{DATABASE_NAME}*"):
        path.unlink()
    restore(life.home, Path(told["path"]))

    assert life.rows("*") == before


def test_what_two_restores_put_aside_are_two_files(life: Life) -> None:
    copy = Path(life.ask("backup")["path"])
    aside = {restore(life.home, copy)["kept_aside"] for _ in range(3)}

    assert len(aside) == 3
    assert all(Path(name).stat().st_size for name in aside)


def test_the_journal_of_a_killed_copy_is_not_played_into_the_next(life: Life) -> None:
    for ending in ("", "-journal", "-wal"):
        (life.home / f".kept.db.fresh{ending}").write_bytes(b"left behind" * 1000)

    life.ask("backup", path=str(life.home / "kept.db"))

    verify_copy(life.home / "kept.db")
    assert not list(life.home.glob(".kept.db.fresh*"))


@pytest.mark.parametrize("what", ["damaged", "cut", "empty", "foreign", "missing"])
def test_a_bad_copy_is_not_put_in_place(life: Life, tmp_path: Path, what: str) -> None:
    copy = Path(life.ask("backup")["path"])
    if what == "damaged":
        damage(copy)
    elif what == "cut":
        copy.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
    elif what == "empty":
        copy.write_bytes(b"")
    elif what == "foreign":
        copy.write_bytes(b"SQLite format 3\0 but not really" * 100)
    else:
        copy.unlink()
    before = life.rows("*")
    # What was never a database is the wrong file; the others were backups once.
    with pytest.raises(UsageError if what in ("empty", "foreign", "missing") else StoreError):
        restore(life.home, copy)

    assert life.rows("*") == before
    assert not list(life.home.glob("*before-restore*"))


@pytest.mark.parametrize("path", ["/etc/passwd", "/dev/null", "/", "/proc/self/mem"])
def test_what_is_no_database_is_a_wrong_name(life: Life, path: str) -> None:
    with pytest.raises(UsageError, match=path):
        restore(life.home, Path(path))


@pytest.mark.parametrize("path", ["/proc/x/y", "/proc/y", "/etc/passwd/x.db", "/nowhere/x.db"])
def test_where_no_file_can_be_a_copy_cannot_be_made(life: Life, path: str) -> None:
    with pytest.raises(UsageError, match=path[:12]):
        life.ask("backup", path=path)


def test_a_damaged_database_makes_no_backup_and_leaves_the_good_one(life: Life) -> None:
    good = Path(life.ask("backup")["path"])
    life.write(2, [("user", f"{n} {'x' * 500}") for n in range(300)])
    life.ask("ingest")
    damage(life.home / DATABASE_NAME)
    with pytest.raises((StoreError, RetryError)):
        life.ask("backup")

    assert generations(life.home) == [good]
    verify_copy(good)


def test_a_backup_that_was_cut_off_leaves_nothing_that_counts(life: Life) -> None:
    good = Path(life.ask("backup")["path"])
    half = good.with_name(f".{good.name}.fresh")
    half.write_bytes(good.read_bytes()[:5000])

    assert generations(life.home) == [good]

    life.ask("backup")

    assert len(generations(life.home)) == 2


def test_nobody_restores_under_a_running_writer(life: Life) -> None:
    copy = Path(life.ask("backup")["path"])
    with WriterLock(life.home), pytest.raises(HeldError):
        restore(life.home, copy)


def test_a_named_copy_goes_where_it_should_and_replaces_nothing(life: Life, tmp_path: Path) -> None:
    target = tmp_path / "mine.db"
    told = life.ask("backup", path=str(target))

    assert (told["path"], generations(life.home)) == (str(target), [])

    with pytest.raises(UsageError, match="exists already"):
        life.ask("backup", path=str(target))
    with pytest.raises(UsageError, match="is not a folder"):
        life.ask("backup", path=str(tmp_path / "nowhere" / "x.db"))


def test_copies_are_made_while_others_read(life: Life) -> None:
    with Reader(life.home) as reader:
        reader.connection.execute("select * from message").fetchone()
        verify_copy(Path(life.ask("backup")["path"]))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_renewing_leaves_one_new_copy_of_those_there_were(life: Life, count: int) -> None:
    for _ in range(count):
        life.ask("backup")
    old = generations(life.home)
    with open_writer(life.home, life.config()) as writer:
        went = renew(writer)

    assert went == count
    assert len(generations(life.home)) == min(count, 1)
    assert not set(old) & set(generations(life.home))

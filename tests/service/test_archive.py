"""Every transcript that is quiet has a screened copy, once, within the limit; what an agent rewrites is not lost."""

import json
import sqlite3
import stat
import sys
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
import zstandard

from memoryd.config import SourceConfig
from memoryd.errors import SourceError
from memoryd.service.history.archive import Archive, archive_transcripts
from memoryd.service.history.packing import reading, rewrite
from tests.agents import make_turns
from tests.service.archive_helpers import SESSION, WRITTEN, Life, date, records, unpacked
from tests.service.test_forgetting import WORD

KEY = "sk-ant-api03-" + "Zx81qLmN0pRs72TuVw" * 4
TURNS = [
    ("user", "Where is the port set?"),
    ("tool", "grep port", "port = 5432"),
    ("assistant", "In x"),
]


@pytest.fixture
def life(tmp_path: Path) -> Life:
    return Life(tmp_path)


def test_a_copy_is_the_transcript(life: Life) -> None:
    path = life.write(1, TURNS)
    told = life.archive()
    (copy,) = life.copies()

    assert (told["archived"], told["bytes"]) == (1, path.stat().st_size)
    assert unpacked(copy) == path.read_bytes()
    assert (copy.source, copy.logical, copy.older) == ("claude-code", str(path), False)


def test_copies_are_private(life: Life) -> None:
    life.write(1, TURNS)
    life.archive()

    for path in (life.home / "archive").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_a_secret_is_in_no_copy_and_every_line_still_parses(life: Life) -> None:
    path = life.write(1, [*TURNS, ("tool", f"export KEY={KEY}", f"KEY={KEY}"), ("user", "谢谢")])
    told = life.archive()
    (copy,) = life.copies()
    before, after = records(path.read_bytes()), records(unpacked(copy))

    assert KEY.encode() not in unpacked(copy)
    assert told["secrets_replaced"] >= 2
    assert [one["uuid"] for one in after] == [one["uuid"] for one in before]


@pytest.mark.parametrize(("day", "archived"), [(0.9, 0), (1.1, 1)])
def test_a_transcript_waits_until_it_is_quiet_for_a_day(
    life: Life, day: float, archived: int
) -> None:
    life.write(1, TURNS)

    assert life.archive(day=day)["archived"] == archived


def test_what_did_not_change_is_not_copied_again(life: Life) -> None:
    life.write(1, TURNS)
    life.archive()
    inode = life.copies()[0].path.stat().st_ino
    told = life.archive()

    assert (told["archived"], told["unchanged"]) == (0, 1)
    assert life.copies()[0].path.stat().st_ino == inode


def test_a_transcript_that_grew_has_one_copy_the_newer(life: Life) -> None:
    life.write(1, TURNS)
    life.archive()
    path = life.write(1, [*TURNS, ("user", "and now?")], day=3)
    life.archive()

    assert [unpacked(copy) for copy in life.copies()] == [path.read_bytes()]


def test_a_transcript_that_was_rewritten_keeps_both_copies(life: Life) -> None:
    before = life.write(1, TURNS).read_bytes()
    life.archive()
    after = life.write(1, [("user", "All is new"), *TURNS], day=3).read_bytes()
    life.archive()
    told = life.archive()

    assert [(unpacked(copy), copy.older) for copy in life.copies()] == [
        (before, True),
        (after, False),
    ]
    assert {copy.logical for copy in life.copies()} == {life.copies()[0].logical}
    assert told["archived"] == 0


def test_the_limit_holds_and_the_newest_stay(life: Life) -> None:
    for number in range(6):
        life.write(number, [("user", f"{number} {unique}") for unique in range(200)], day=number)
    whole = life.archive(day=20)["archive_bytes"]
    told = life.archive(day=20, max_bytes=whole // 2)
    left = [copy.logical for copy in life.copies()]

    assert told["archive_bytes"] <= whole // 2
    assert told["removed"] == 6 - len(left)
    assert (
        left
        == [str(life.root / "-work-shop" / f"{SESSION}{n}.jsonl") for n in range(6)][-len(left) :]
    )


def test_what_does_not_fit_is_not_packed_night_after_night(life: Life) -> None:
    for number in range(6):
        life.write(number, make_turns(Random(number), 300), day=number)
    limit = life.archive(day=20)["archive_bytes"] // 2
    life.archive(day=20, max_bytes=limit)
    inodes = {copy.path.stat().st_ino for copy in life.copies()}
    life.archive(day=20, max_bytes=limit)

    assert {copy.path.stat().st_ino for copy in life.copies()} == inodes


def test_without_room_nothing_is_kept(life: Life) -> None:
    life.write(1, TURNS)
    life.archive()
    told = life.archive(max_bytes=0)

    assert (told["removed"], told["archive_bytes"], life.copies()) == (1, 0, [])


def test_forgetting_while_a_copy_is_made_undoes_the_copy(life: Life) -> None:
    life.write(1, TURNS)
    asked: list[str] = []

    def refused(source: str, path: str) -> bool:
        asked.append(path)
        return len(asked) > 1

    archive_transcripts(life.home, life.config(), refused, WRITTEN + timedelta(days=9))

    assert life.copies() == []


def test_databases_are_left_out_and_counted(tmp_path: Path) -> None:
    folder = tmp_path / "hermes"
    folder.mkdir()
    with sqlite3.connect(folder / "state.db") as database:
        database.execute("create table messages (id integer)")
    database.close()
    date(folder / "state.db", 0)
    life = Life(tmp_path, hermes=SourceConfig(roots=(str(folder),)))

    assert life.archive()["skipped"] == {"database": 1}


def test_a_document_is_copied_with_what_belongs_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "vibe/logs/session/session_20260101_ab"
    folder.mkdir(parents=True)
    turn = {"role": "user", "content": "Where is it?", "message_id": "m1"}
    (folder / "messages.jsonl").write_text(json.dumps(turn) + "\n")
    (folder / "meta.json").write_text(json.dumps({"session_id": "s-9", "title": KEY}))
    for path in folder.iterdir():
        date(path, 0)
    life = Life(tmp_path, **{"mistral-vibe": SourceConfig(roots=(str(tmp_path / "vibe"),))})
    life.archive()
    (copy,) = life.copies()
    with Archive(life.home).unpacked(copy) as path:
        meta = json.loads(path.with_name("meta.json").read_text())

    assert (meta["session_id"], KEY in meta["title"]) == ("s-9", False)
    assert not list(life.home.glob("memoryd.unpacked-*"))
    assert copy.size() > copy.path.stat().st_size

    copy.delete()

    assert [path for path in (life.home / "archive").rglob("*") if path.is_file()] == []


def test_one_that_cannot_be_read_costs_only_itself(life: Life) -> None:
    life.write(1, TURNS)
    life.write(2, TURNS).chmod(0)
    told = life.archive()

    assert told["archived"] + len(told["errors"]) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_one_whose_name_is_no_text_costs_only_itself(life: Life) -> None:
    path = life.write(1, TURNS)
    life.write(2, TURNS).rename(path.with_name("caf\udce9.jsonl"))
    told = life.archive()

    assert (told["archived"], len(told["errors"])) == (1, 1)
    assert "caf\\udce9" in told["errors"][0]


def test_compressed_transcripts_are_copied_under_their_plain_name(life: Life) -> None:
    path = life.write(1, TURNS)
    data = path.read_bytes()
    twin = path.with_name(path.name + ".zst")
    twin.write_bytes(zstandard.ZstdCompressor().compress(data))
    path.unlink()
    date(twin, 0)
    life.archive()

    assert [(copy.logical, unpacked(copy)) for copy in life.copies()] == [(str(path), data)]


def test_a_line_that_is_too_long_is_left_out_and_counted(life: Life) -> None:
    path = life.write(1, TURNS)
    long = b'{"x": "' + b"y" * (17 * 1024 * 1024) + b'"}\n'
    path.write_bytes(path.read_bytes() + long + path.read_bytes())
    date(path, 0)

    assert life.archive()["lines_dropped"] == 1
    assert unpacked(life.copies()[0]) == path.read_bytes().replace(long, b"")


def test_damaged_lines_stay_as_they_are(life: Life) -> None:
    path = life.write(1, TURNS)
    path.write_bytes(path.read_bytes() + b'half a lin\n{"a": 1}{"b": 2}\nno end')
    date(path, 0)
    life.archive()

    assert unpacked(life.copies()[0]) == path.read_bytes()


def test_lines_are_taken_out_of_a_copy(life: Life) -> None:
    path = life.write(1, [*TURNS, ("user", f"about {WORD}")])
    life.archive()
    (copy,) = life.copies()
    dated = copy.path.stat().st_mtime_ns
    gone = rewrite(copy.path, lambda line: WORD.encode() not in line)

    assert gone == 1
    assert unpacked(copy) == b"".join(path.read_bytes().splitlines(keepends=True)[:-1])
    assert copy.path.stat().st_mtime_ns == dated


def test_a_damaged_copy_is_told(life: Life) -> None:
    life.write(1, TURNS)
    life.archive()
    (copy,) = life.copies()
    data = bytearray(copy.path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    copy.path.write_bytes(data)
    with pytest.raises(SourceError, match="damaged"), reading(copy.path) as stream:
        while stream.read(1 << 20):
            pass


@pytest.mark.parametrize("name", ["..", ".", "a/b", "../../x", "é.ü"])
def test_no_name_of_a_source_leads_out_of_the_archive(tmp_path: Path, name: str) -> None:
    archive = Archive(tmp_path)
    place = archive.place(name, "/../../etc/x.jsonl")
    place.parent.mkdir(parents=True)
    place.touch()

    assert place.resolve().is_relative_to(tmp_path / "archive")
    assert [(copy.source, copy.logical) for copy in archive.copies()] == [(name, "/etc/x.jsonl")]


def test_an_archive_that_is_not_there_is_empty(tmp_path: Path) -> None:
    archive = Archive(tmp_path)

    assert (list(archive.copies()), archive.bytes()) == ([], 0)

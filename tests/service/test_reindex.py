"""Reading everything again with today's readers: nothing twice, nothing lost, every id stays."""

import json
import shutil
from pathlib import Path

import pytest

from memoryd.config import SourceConfig
from memoryd.errors import DamageError, UsageError
from memoryd.service.history.reindex import match_origins
from memoryd.service.repair import repair
from memoryd.store.rereading import Origin
from tests.service.archive_helpers import Life, date
from tests.service.bank_helpers import entries
from tests.service.test_forgetting import WORD

LONG = "x".join(str(number) for number in range(2000))
TURNS = [("user", "Where is the port set?"), ("tool", "cat config", LONG), ("assistant", "In x")]


@pytest.fixture
def life(tmp_path: Path) -> Life:
    life = Life(tmp_path)
    life.write(1, TURNS)
    life.write(2, [("user", "部署之前先备份数据库"), ("tool", "ls", "short")])
    return life


def test_reading_again_changes_nothing(life: Life) -> None:
    life.ask("ingest")
    before = life.rows("*")
    told = life.ask("reindex")

    assert (told["files"], told["messages_added"], told["messages_updated"]) == (2, 0, 0)
    assert life.rows("*") == before


@pytest.mark.parametrize("gone", [False, True])
def test_another_reader_says_it_in_the_same_rows(life: Life, gone: bool) -> None:
    life.ask("ingest")
    before = life.rows("id", "length(text)")
    if gone:
        life.archive()
        shutil.rmtree(life.root)
    told = life.ask("reindex", config=life.config(tool_output_chars=5000))
    after = life.rows("id", "length(text)")

    assert (told["messages_added"], told["messages_updated"]) == (0, 1)
    assert told["from_archive"] == (2 if gone else 0)
    assert [row for row, _ in after] == [row for row, _ in before]
    assert max(length for _, length in after) > max(length for _, length in before)


def test_a_transcript_that_a_person_named_is_read_again_too(life: Life, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere" / "1.jsonl"
    path.parent.mkdir()
    shutil.move(next(life.root.rglob("*.jsonl")), path)
    life.ask("ingest", paths=[str(path)])
    told = life.ask("reindex", config=life.config(tool_output_chars=5000))

    assert (told["files"], told["messages_added"] > 0) == (2, True)
    assert path.exists()


def test_what_was_updated_is_found_by_its_new_words_only(life: Life) -> None:
    life.ask("ingest")
    told = life.ask("reindex", config=life.config(tool_output_chars=100))

    assert told["messages_updated"] == 1
    assert life.ask("integrity")["damage"] == []


def test_a_lost_database_comes_back_from_the_archive(life: Life) -> None:
    life.ask("ingest")
    before = {row[0] for row in life.rows("identity")}
    life.archive()
    shutil.rmtree(life.root)
    for path in life.home.glob("memoryd.db*"):
        path.unlink()
    with pytest.raises(DamageError):  # never a silent fresh start
        life.ask("reindex")
    repair(life.home, life.config())
    life.ask("reindex")

    assert {row[0] for row in life.rows("identity")} == before


def test_entries_keep_what_they_cite(life: Life) -> None:
    life.ask("ingest")
    row, *_ = life.rows("id", "text")[0]
    life.ask("memory.add", content="The port is set in x", sources=[{"message_id": str(row)}])
    life.archive()
    shutil.rmtree(life.root)
    life.ask("reindex", config=life.config(tool_output_chars=10))

    assert entries(life.home)[0].sources[0].message_id == str(row)
    assert life.rows("id", "text")[0][:2] == (row, "Where is the port set?")


def test_a_transcript_that_was_shortened_loses_nothing(life: Life) -> None:
    life.ask("ingest")
    before = life.rows("id", "text")
    life.archive()
    life.write(1, TURNS[:1], day=5)
    life.archive(day=9)
    life.ask("reindex")

    assert life.rows("id", "text") == before


def test_records_without_an_id_are_met_again_by_where_they_stand(tmp_path: Path) -> None:
    life = Life(tmp_path, notes=SourceConfig(type="jsonl", roots=(str(tmp_path / "notes"),)))
    path = tmp_path / "notes" / "a.jsonl"
    path.parent.mkdir()
    lines = [
        {"role": "tool", "text": f"{n} {LONG}", "session": "s", "time": 1.78e9 + n}
        for n in range(9)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    date(path, 0)
    life.ask("ingest")
    before = life.rows("id", "length(text)")
    told = life.ask("reindex", config=life.config(tool_output_chars=300))
    after = life.rows("id", "length(text)")

    assert len(after) == len(before) == 9
    assert told["messages_added"] == 0


def test_what_was_forgotten_stays_forgotten(life: Life) -> None:
    life.write(3, [("user", f"about {WORD}"), ("user", "harmless")])
    life.ask("ingest")
    life.archive()
    life.ask("forget", match=WORD)
    life.ask("reindex", config=life.config(tool_output_chars=100))

    assert [text for (text,) in life.rows("text") if WORD in text] == []


def test_one_agent_can_be_named(life: Life) -> None:
    assert life.ask("reindex", source="claude-code")["messages_added"] == 7
    with pytest.raises(UsageError):
        life.ask("reindex", source="nobody")


def test_what_a_killed_process_unpacked_goes(life: Life) -> None:
    left = life.home / "memoryd.unpacked-x" / "y"
    left.mkdir(parents=True)
    life.ask("reindex")

    assert not left.exists()


def origin(
    session: str = "s", role: str = "tool", time: int | None = 1, start: int | None = 0
) -> Origin:
    return Origin(session, role, time, start)


@pytest.mark.parametrize(
    ("orphans", "news", "names"),
    [
        ({b"a": origin()}, {b"b": origin()}, {b"a": b"b"}),
        ({b"a": origin(start=5)}, {b"b": origin(start=9)}, {b"a": b"b"}),
        ({b"a": origin(start=5)}, {b"b": origin(start=9, time=2)}, {}),
        ({b"a": origin(time=None, start=5)}, {b"b": origin(time=None, start=9)}, {}),
        ({b"a": origin()}, {b"b": origin(role="user")}, {}),
        ({b"a": origin(), b"b": origin()}, {b"c": origin()}, {}),
        (
            {b"a": origin(start=1), b"b": origin(start=2)},
            {b"c": origin(start=2), b"d": origin(start=3)},
            {b"b": b"c", b"a": b"d"},
        ),
    ],
)
def test_only_what_is_certain_is_matched(
    orphans: dict[bytes, Origin], news: dict[bytes, Origin], names: dict[bytes, bytes]
) -> None:
    assert match_origins(orphans, news) == names

"""What holds for every source that reads an agent's database: what changed is found, at the price of what changed."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.model import Batch
from memoryd.sources import databases
from memoryd.sources.base import ReadLimits
from memoryd.sources.crush import Crush
from memoryd.sources.goose import Goose, GooseDatabase
from memoryd.sources.hermes import Hermes
from memoryd.sources.opencode import OpenCode
from memoryd.sources.sqlite import Database
from tests.sources.contract import Harvest, harvest
from tests.sources.foreign_agents import CrushAgent, GooseAgent, HermesAgent, OpenCodeAgent

START = 1_780_000_000


def goose(folder: Path, sessions: int, messages: int) -> sqlite3.Connection:
    """A database with many sessions."""
    db = sqlite3.connect(folder / "sessions.db")
    db.execute("pragma journal_mode=wal")
    db.execute("pragma synchronous=off")
    db.executescript(GooseAgent.schema)
    db.executemany(
        "insert into sessions(id, name, working_dir) values (?, 'n', '/w')",
        [(f"s{number:05}",) for number in range(sessions)],
    )
    for number in range(sessions):
        say(db, f"s{number:05}", *[f"message {number} {place}" for place in range(messages)])
    return db


def say(db: sqlite3.Connection, session: str, *texts: str) -> None:
    db.executemany(
        "insert into messages(session_id, role, content_json, created_timestamp) values (?, 'user', ?, ?)",
        [(session, json.dumps([{"type": "text", "text": text}]), START) for text in texts],
    )
    db.commit()


def messages(batches: Iterator[Batch]) -> list[str]:
    return [message.text for batch in batches for message in batch.messages]


def test_a_new_message_costs_one_message_and_not_a_reading_of_all(tmp_path: Path) -> None:
    db = goose(tmp_path, 600, 5)
    source, path = Goose([tmp_path]), tmp_path / "sessions.db"
    found = harvest(source, path)
    say(db, "s00007", "the new one")

    assert 3000 == len(found.messages)
    assert ["the new one"] == messages(source.read(path, found.cursor))
    db.close()


def test_a_long_session_is_read_on_and_not_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = goose(tmp_path, 1, 3000)
    source, path = Goose([tmp_path]), tmp_path / "sessions.db"
    found = harvest(source, path)
    fetched: list[object] = []
    really = Database._fetch

    def count(self: Database, sql: str, key: tuple[object, ...], table: str) -> object:
        fetched.append(key)
        return really(self, sql, key, table)

    monkeypatch.setattr(Database, "_fetch", count)
    say(db, "s00000", "the new one")

    assert ["the new one"] == messages(source.read(path, found.cursor))
    assert len(fetched) < 5
    db.close()


def test_an_old_row_changed_in_place_is_found_when_its_turn_comes(tmp_path: Path) -> None:
    """No clock moves, no row is added, and the session is not among those that changed last."""
    db = goose(tmp_path, 1000, 1)
    source, path = Goose([tmp_path]), tmp_path / "sessions.db"
    found = harvest(source, path)
    db.execute("update messages set session_id = 's00500' where id = 1")
    db.commit()
    passes = 0
    while list(source.read(path, found.cursor)):
        harvest(source, path, found)
        passes += 1
        assert passes < 10

    assert ["message 500 0", "message 0 0"] == [
        m.text for m in found.messages.values() if m.session_id == "s00500"
    ]
    db.close()


def test_the_state_stays_small_with_ten_thousand_sessions(tmp_path: Path) -> None:
    db = goose(tmp_path, 10_000, 1)
    found = harvest(Goose([tmp_path]), tmp_path / "sessions.db")
    assert found.cursor is not None

    assert 10_000 == len(found.messages)
    assert len(json.dumps(dict(found.cursor.state))) < 400_000
    db.close()


def test_reading_can_stop_after_any_batch(tmp_path: Path) -> None:
    db = goose(tmp_path, 40, 10)
    db.close()
    source, path = Goose([tmp_path], ReadLimits(batch_bytes=3000)), tmp_path / "sessions.db"
    found, stops = Harvest(), 0
    while True:
        batch = next(iter(source.read(path, found.cursor)), None)
        if batch is None:
            break
        found.take(batch)
        stops += 1

    assert stops > 10
    assert harvest(source, path).texts == found.texts


def test_a_pending_reading_shows_as_pending_bytes(tmp_path: Path) -> None:
    db = goose(tmp_path, 40, 10)
    db.close()
    source = Goose([tmp_path], ReadLimits(batch_bytes=3000))
    first, *_, last = source.read(tmp_path / "sessions.db", None)

    assert (0, True) == (first.cursor.offset, first.cursor.size > 0)
    assert last.cursor.offset == last.cursor.size


def test_a_database_that_shrinks_begins_its_ledger_anew(tmp_path: Path) -> None:
    db = goose(tmp_path, 200, 20)
    source, path = Goose([tmp_path]), tmp_path / "sessions.db"
    db.execute("pragma wal_checkpoint(truncate)")
    found = harvest(source, path)
    db.execute("delete from messages where session_id > 's00003'")
    db.commit()
    db.execute("vacuum")
    db.execute("pragma wal_checkpoint(truncate)")
    harvest(source, path, found)  # checks the ledger

    assert 4000 == len(found.messages)  # what an agent deletes stays in the history
    db.close()


@pytest.mark.parametrize(
    "content",
    [None, b"\xff\xfe\x00", "not json", "[1, null, {}]", 7, "{}", '[{"type":"text","text":3}]'],
)
def test_an_odd_row_costs_only_itself(tmp_path: Path, content: object) -> None:
    db = sqlite3.connect(tmp_path / "sessions.db")
    db.execute("create table sessions (id, working_dir, session_type)")
    db.execute(
        "create table messages (id integer primary key, session_id, role, content_json, created_timestamp)"
    )
    good = json.dumps([{"type": "text", "text": "good"}])
    rows = [(good, 1), (content, float("nan")), (content, "soon"), (good, None), (content, 10**18)]
    db.executemany(
        "insert into messages(session_id, role, content_json, created_timestamp) values ('s', 'user', ?, ?)",
        rows,
    )
    db.commit()
    db.close()
    found = harvest(Goose([tmp_path]), tmp_path / "sessions.db")

    assert ["good", "good"] == [m.text for m in found.messages.values()]


def test_columns_may_be_missing_and_tables_too(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "sessions.db")
    db.execute("create table messages (session_id text, role text, content_json text)")
    db.execute(
        "insert into messages values ('s', 'user', ?)",
        (json.dumps([{"type": "text", "text": "here"}]),),
    )
    db.commit()
    source, path = Goose([tmp_path]), tmp_path / "sessions.db"
    found = harvest(source, path)
    db.execute(
        "insert into messages values ('s', 'user', ?)",
        (json.dumps([{"type": "text", "text": "there"}]),),
    )
    db.commit()
    harvest(source, path, found)

    assert ["here", "there"] == [m.text for m in found.messages.values()]
    db.execute("drop table messages")
    db.commit()
    harvest(source, path, found)
    assert 2 == len(found.messages)
    db.close()


def test_a_view_in_the_place_of_a_table_is_never_asked(tmp_path: Path) -> None:
    """A planted database may count for ever behind a view."""
    db = sqlite3.connect(tmp_path / "sessions.db")
    db.execute(
        "create view messages as with recursive n(id, session_id, role, content_json) as "
        "(select 1, 's', 'user', '' union all select id + 1, 's', 'user', '' from n) select * from n"
    )
    db.commit()
    db.close()

    assert {} == harvest(Goose([tmp_path]), tmp_path / "sessions.db").messages


def test_a_row_too_large_is_rejected_and_the_next_one_read(tmp_path: Path) -> None:
    db = goose(tmp_path, 1, 0)
    say(db, "s00000", "before", "x" * 500_000, "behind")
    found = harvest(Goose([tmp_path], ReadLimits(line_bytes=100_000)), tmp_path / "sessions.db")

    assert ["before", "behind"] == [m.text for m in found.messages.values()]
    assert [(0, 0, "unreadable row: string or blob too big")] == found.rejects
    db.close()


def test_a_damaged_page_costs_what_is_on_it(tmp_path: Path) -> None:
    db = goose(tmp_path, 3, 400)
    db.execute("pragma journal_mode=delete")
    db.close()
    path = tmp_path / "sessions.db"
    data = bytearray(path.read_bytes())
    place = data.rfind(b"message 1 200")
    page = place - place % 4096
    data[page : page + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    found = harvest(Goose([tmp_path]), path)

    assert len(found.messages) > 900
    assert found.rejects


def test_lone_surrogates_and_bad_bytes_become_text_that_can_be_stored(tmp_path: Path) -> None:
    db = goose(tmp_path, 1, 0)
    db.execute(
        "insert into messages(session_id, role, content_json, created_timestamp) values ('s00000', 'user', ?, 1)",
        ('[{"type":"text","text":"half \\ud83d emoji"}]',),
    )
    db.execute(
        "insert into messages(session_id, role, content_json, created_timestamp) "
        "values ('s00000', 'user', cast(? as text), 2)",
        (b'[{"type":"text","text":"bad \xe6\x87 bytes"}]',),
    )
    db.commit()
    found = harvest(Goose([tmp_path]), tmp_path / "sessions.db")

    assert ["half � emoji", "bad � bytes"] == [m.text for m in found.messages.values()]
    db.close()


def test_a_deep_value_is_rejected(tmp_path: Path) -> None:
    db = goose(tmp_path, 1, 1)
    db.execute(
        "insert into messages(session_id, role, content_json, created_timestamp, metadata_json) values ('s00000', 'user', ?, 1, ?)",
        ("[" * 200_000, '{"a":' * 100_000),
    )
    db.commit()

    assert 1 == len(harvest(Goose([tmp_path]), tmp_path / "sessions.db").messages)
    db.close()


def test_a_read_transaction_never_stays_open(tmp_path: Path) -> None:
    """While a batch is being stored, the agent can checkpoint its WAL to the end."""
    db = goose(tmp_path, 40, 10)
    for _ in GooseDatabase([tmp_path], ReadLimits(batch_bytes=3000)).read(
        tmp_path / "sessions.db", None
    ):
        say(db, "s00001", "more")
        busy, _, _ = db.execute("pragma wal_checkpoint(truncate)").fetchone()

        assert busy == 0
    db.close()


def test_rewound_rows_are_taken_back_and_come_again(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "state.db")
    db.executescript(HermesAgent.schema)
    db.execute("insert into sessions(id) values ('s')")
    for place in range(4):
        db.execute(
            "insert into messages(session_id, role, content, timestamp) values ('s', 'user', ?, ?)",
            (f"m{place}", START + place),
        )
    db.commit()
    source, path = Hermes([tmp_path]), tmp_path / "state.db"
    found = harvest(source, path)
    db.execute("update messages set active = 0 where content in ('m2', 'm3')")
    db.commit()
    harvest(source, path, found)

    assert ["m0", "m1"] == [m.text for m in found.messages.values()]
    db.execute("update messages set active = 1")
    db.commit()
    harvest(source, path, found)
    assert {"m0", "m1", "m2", "m3"} == {m.text for m in found.messages.values()}
    db.close()


def test_a_part_that_streams_in_an_old_session_of_many_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is too large to measure its content, but the session is among those that changed last."""
    monkeypatch.setattr("memoryd.sources.sqlite._SMALL_BYTES", 0)
    db = sqlite3.connect(tmp_path / "opencode.db")
    db.execute("pragma synchronous=off")
    db.executescript(OpenCodeAgent.schema)
    for number in range(700):
        db.execute(
            "insert into session values (?, 'p', null, '/w', 'T', 1, 1)", (f"ses_{number:04}",)
        )
        db.execute(
            'insert into message values (?, ?, 1, 1, \'{"role":"assistant"}\')',
            (f"msg_{number:04}", f"ses_{number:04}"),
        )
        db.execute(
            "insert into part values (?, ?, ?, 1, 1, ?)",
            (f"prt_{number:04}", f"msg_{number:04}", f"ses_{number:04}", part("begin")),
        )
    db.commit()
    source, path = OpenCode([tmp_path]), tmp_path / "opencode.db"
    found = harvest(source, path)
    db.execute("insert into part values ('prt_new', 'msg_0600', 'ses_0600', 5, 5, ?)", (part("a"),))
    db.commit()
    harvest(source, path, found)
    for moment, text in enumerate(["a b", "a b c", "a b c d"]):
        db.execute(
            "update part set data = ?, time_updated = ? where id = 'prt_new'",
            (part(text), 6 + moment),
        )
        db.commit()
        harvest(source, path, found)

        assert text == found.messages["prt_new"].text
    db.close()


def test_a_row_with_an_old_time_is_found_although_the_clock_stands(tmp_path: Path) -> None:
    """An import, or a clock that was set back."""
    db = sqlite3.connect(tmp_path / "opencode.db")
    db.executescript(OpenCodeAgent.schema)
    db.execute("insert into session values ('s', 'p', null, '/w', 'T', 1, 1)")
    db.execute("insert into message values ('m', 's', 1, 1, '{\"role\":\"user\"}')")
    db.execute("insert into part values ('late', 'm', 's', 9, 9, ?)", (part("late"),))
    db.commit()
    source, path = OpenCode([tmp_path]), tmp_path / "opencode.db"
    found = harvest(source, path)
    db.execute("insert into part values ('early', 'm', 's', 5, 5, ?)", (part("early"),))
    db.commit()
    harvest(source, path, found)

    assert {"late", "early"} == set(found.messages)
    db.close()


def part(text: str) -> str:
    return json.dumps({"type": "text", "text": text})


def test_in_a_large_database_a_change_that_moves_no_clock_shows_by_its_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Crush: a row is written over within the second in which it was read."""
    monkeypatch.setattr("memoryd.sources.sqlite._SMALL_BYTES", 0)
    db = sqlite3.connect(tmp_path / "crush.db")
    db.executescript(CrushAgent.schema)
    add = "insert into messages(id, session_id, role, parts, created_at, updated_at) values (?, ?, 'user', ?, 7, 7)"
    for number in range(100):
        db.execute(add, (str(number), f"s{number:03}", parts(f"text {number}")))
    db.commit()
    source, path = Crush([tmp_path]), tmp_path / "crush.db"
    found = harvest(source, path)
    db.execute(add, ("new", "s050", parts("a")))
    db.commit()
    harvest(source, path, found)
    for text in ("a b", "a b c", "a b c d"):
        db.execute("update messages set parts = ? where id = 'new'", (parts(text),))
        db.commit()
        new = messages(source.read(path, found.cursor))
        harvest(source, path, found)

        assert text in new
        assert len(new) <= 2
    db.close()


def parts(text: str) -> str:
    return json.dumps([{"type": "text", "data": {"text": text}}])


def test_the_limits_of_a_pass_fit_each_other() -> None:
    assert databases._HOT <= databases._RECENT < databases._LARGE_SLICE < databases._SLICE

"""Forgetting is for good: no byte of the home folder holds the word afterwards, and no other fact is lost."""

import json
import re
import shutil
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from memoryd.config import EmbeddingConfig
from memoryd.errors import UsageError
from memoryd.model import Message, Session
from memoryd.service.backups import generations
from memoryd.service.bank.consolidation import consolidate
from memoryd.service.night.nightly import run_night
from memoryd.service.writer import Writer
from memoryd.store.copies import verify_copy
from memoryd.store.integrity import find_damage
from tests.agents import claude_session
from tests.service.archive_helpers import SESSION, Life, date, unpacked
from tests.service.bank_helpers import ask, entries, writing
from tests.store.conftest import message, screened

WORD = "xylophonequartz"
BASE64 = [b64encode(b" " * shift + WORD.encode()).lower()[4:-4] for shift in range(3)]


@pytest.fixture
def writer(home: Path) -> Iterator[Writer]:
    with writing(home) as opened:
        yield opened


def say(writer: Writer, *messages: Message, **options: Any) -> None:
    writer.store.add("claude-code", screened(list(messages), **options))


def holding(home: Path) -> list[str]:
    """Names of files in the home folder that hold the word, in any case, packed or in base64."""
    return [path.name for path in home.rglob("*") if path.is_file() and _holds(path)]


def _holds(path: Path) -> bool:
    data = path.read_bytes()
    if path.suffix == ".zst":
        data += zstandard.ZstdDecompressor().stream_reader(data).read()
    return any(one in data.lower() for one in (WORD.encode(), *BASE64))


def remember(writer: Writer, content: str, **fields: Any) -> str:
    told: dict[str, Any] = ask(writer, "memory.add", content=content, **fields)
    return str(told["entry"]["id"])


def test_a_text_leaves_no_byte_behind(writer: Writer, home: Path) -> None:
    say(
        writer,
        message(f"the secret plan is called {WORD}", "k1"),
        message("something harmless", "k2"),
        message(f"Bash: grep {WORD}", "k3", role="tool"),
        sessions=(Session("claude-code", "s1", title=f"About {WORD.upper()}"),),
    )
    remember(writer, f"The project is called {WORD}", metadata={"note": WORD})
    remember(writer, "The port is 5432", sources=[{"quote": f"5432 for {WORD}"}])
    assert holding(home)

    told = ask(writer, "forget", match=WORD)

    assert (told["messages"], len(told["entries"])) == (2, 2)
    assert holding(home) == []
    assert find_damage(writer.store.connection) == []


def test_what_was_forgotten_does_not_come_back_with_its_transcript(writer: Writer) -> None:
    said = message(f"about {WORD}", "k1")
    say(writer, said)
    ask(writer, "forget", match=WORD)
    say(writer, said)

    assert writer.store.connection.execute("select count(*) from message").fetchone() == (0,)


def test_entries_made_of_a_session_go_with_it(writer: Writer, home: Path) -> None:
    say(writer, message("We deploy with Kamal", "k1"), message("other", "k2", session="s2"))
    remember(writer, "We deploy with Kamal", sources=[{"message_id": "1"}])
    remember(writer, "The port is 5432", sources=[{"message_id": "2"}])
    ask(writer, "forget", session="s1")

    assert [one.content for one in entries(home)] == ["The port is 5432"]
    assert writer.store.connection.execute("select count(*) from session").fetchone() == (1,)


def test_forgetting_an_input_forgets_the_merge_and_brings_the_other_inputs_back(
    writer: Writer, home: Path
) -> None:
    first = remember(writer, f"The cache is {WORD}")
    second = remember(writer, "The cache holds 100 entries")
    keeper = remember(writer, f"The cache is {WORD} and holds 100 entries", key="keeper")
    connection = writer.store.connection
    connection.execute("update entry set state = 'merged' where id in (?, ?)", (first, second))
    connection.execute(
        "update entry set merged_from = ? where id = ?", (f'["{first}", "{second}"]', keeper)
    )

    told = ask(writer, "forget", entries=[first])

    assert (set(told["entries"]), told["restored"]) == ({first, keeper}, [second])
    assert [(one.content, one.state) for one in entries(home)] == [
        ("The cache holds 100 entries", "active")
    ]
    assert holding(home) == []


def test_what_an_entry_once_said_goes_with_its_history(writer: Writer, home: Path) -> None:
    old = remember(writer, f"The project is called {WORD}")
    ask(writer, "memory.change", id=old, how="replace", text="The project has no name")
    ask(writer, "forget", match=WORD)

    assert holding(home) == []
    assert [one.content for one in entries(home)] == ["The project has no name"]


def test_what_a_reader_and_a_report_noted_goes(writer: Writer, home: Path) -> None:
    connection = writer.store.connection
    say(writer, message("harmless", "k1"))
    state = {"_sessions": {"s1": {"title": f"About {WORD}", "project": "/projects"}}, "turn": "t1"}
    connection.execute("update transcript set state = ?", (json.dumps(state),))
    kept = b64encode(f"# Notes\n\n{WORD}".encode()).decode()
    report = {
        "before": kept,
        "after": b64encode(b"# Notes, all of them").decode(),
        "note": f"a {WORD}",
    }
    connection.execute(
        "insert into run values ('f-1', 'compact', null, 0, 0, 'done', ?)", (json.dumps(report),)
    )
    connection.execute(
        "insert into job values ('nightly.extract', '2026-11-30', 0, 0, 'failed', ?)",
        (f"KeyError: {WORD}",),
    )
    ask(writer, "forget", match=WORD.upper())

    left = json.loads(connection.execute("select report from run").fetchone()[0])
    known = json.loads(connection.execute("select state from transcript").fetchone()[0])

    assert holding(home) == []
    assert left == report | {"before": "", "note": ""}
    assert known == {"_sessions": {"s1": {"title": "", "project": "/projects"}}, "turn": "t1"}


@pytest.fixture
def life(tmp_path: Path) -> Life:
    """Three sessions: one speaks of the word, one has it where no message shows it, one is harmless."""
    life = Life(tmp_path)
    life.write(
        1, [("user", f"we build {WORD}"), ("tool", f"ls {WORD}", f"{WORD}.py"), ("user", "done")]
    )
    life.write(2, [("tool", "cat big", "x" * 1500 + f" {WORD} " + "y" * 1500), ("user", "so long")])
    life.write(3, [("user", "harmless"), ("assistant", "indeed")])
    life.ask("ingest")
    return life


def leave_copies_everywhere(life: Life) -> None:
    """Everything that a long life leaves behind in a home folder."""
    life.archive()
    life.embedding = EmbeddingConfig(engine="embedded")
    for number in range(4):
        life.ask("backup")
        life.ask(
            "memory.add",
            content=f"The plan for part {number} is {WORD}",
            scope=f"/projects/{number}",
        )
    life.ask("memory.add", content="The port is 5432")
    night = run_night(life.home, life.config())
    life.embedding = EmbeddingConfig(engine="none")
    assert night["failed"] == []
    consolidate(life.home, life.config(), None, dry_run=False)
    for name in (
        "memoryd.plan-c-1.json",
        "memoryd.db.before-restore-1",
        "memoryd.db.before-restore-1-wal",
    ):
        (life.home / name).write_text(f"left: {WORD}")
    (life.home / "memoryd.unpacked-1").mkdir()
    (life.home / "memoryd.unpacked-1" / "a.jsonl").write_text(WORD)
    copy = life.copies()[0].path
    shutil.copy(copy, copy.with_name(f".{copy.name}.fresh"))
    shutil.copy(copy, copy.with_name(f"{copy.name.removesuffix('.zst')}.~1764518400000000000.zst"))


def test_no_copy_of_any_kind_holds_the_text(life: Life) -> None:
    leave_copies_everywhere(life)
    kinds = {re.sub(r"[\d-]+", "", name) for name in holding(life.home)}
    told = life.ask("forget", match=WORD)

    assert len(kinds) >= 7, kinds
    assert holding(life.home) == []
    assert told["lines_deleted"] == 7
    assert (told["backups_deleted"], len(generations(life.home))) == (3, 1)
    verify_copy(generations(life.home)[0])
    assert any(b"harmless" in unpacked(copy) for copy in life.copies())
    assert [one.content for one in entries(life.home)] == ["The port is 5432"]


def test_what_holds_it_still_is_named(life: Life) -> None:
    told = life.ask("forget", match=WORD)

    assert [Path(path).name for path in told["transcripts_left"]] == [
        f"{SESSION}1.jsonl",
        f"{SESSION}2.jsonl",
    ]
    assert told["names_left"] == []

    told = life.ask("forget", session=f"{SESSION}3")

    assert [Path(path).name for path in told["transcripts_left"]] == [f"{SESSION}3.jsonl"]


def test_names_that_hold_the_text_stay_and_are_told(writer: Writer) -> None:
    session = Session("claude-code", "s1", project=f"/srv/{WORD}", branch=f"fix-{WORD}")
    say(writer, message("harmless", "k1"), sessions=(session,))
    remember(writer, "The port is 5432", scope=f"/srv/{WORD}")
    told = ask(writer, "forget", match=WORD)
    branch, project = writer.store.connection.execute(
        "select branch, project from session"
    ).fetchone()

    assert told["names_left"] == [f"/srv/{WORD}"]
    assert (branch, project) == (None, f"/srv/{WORD}")


def test_no_night_after_it_brings_the_text_back(life: Life) -> None:
    leave_copies_everywhere(life)
    life.ask("forget", match=WORD)
    for number in (1, 2, 4):
        path = life.root / "-work-shop" / f"{SESSION}{number}.jsonl"
        turns = [("user", "later"), ("user", "a quiet day")]
        with path.open("ab") as file:
            file.write(claude_session(f"{SESSION}{number + 4}", turns))
        date(path, 3)
    for _ in range(2):
        run_night(life.home, life.config())
        life.archive(day=20)
    life.ask("reindex", config=life.config(tool_output_chars=9000))

    assert holding(life.home) == []
    assert life.rows("count(*)", "sum(text = 'later')") == [(12, 3)]


def test_a_text_that_was_never_copied_is_not_copied_later(life: Life) -> None:
    life.ask("forget", match=WORD)
    told = life.archive()

    assert told["skipped"] == {"something in it was forgotten": 2}
    assert holding(life.home) == []


def test_a_forgotten_session_has_no_copy_and_gets_none(life: Life) -> None:
    life.archive()
    told = life.ask("forget", session=f"{SESSION}3")

    assert told["copies_deleted"] == 1
    assert life.archive()["skipped"] == {"something in it was forgotten": 1}
    assert len(life.copies()) == 2


def test_a_resumed_session_that_repeats_a_forgotten_one_has_no_copy(life: Life) -> None:
    first = life.root / "-work-shop" / f"{SESSION}3.jsonl"
    resumed = first.with_name(f"{SESSION}9.jsonl")
    repeated = first.read_bytes().replace(f"{SESSION}3".encode(), f"{SESSION}9".encode())
    resumed.write_bytes(
        repeated + claude_session(f"{SESSION}9", [("user", "and more"), ("user", "!")])
    )
    date(resumed, 0)
    life.ask("ingest")
    life.archive()
    told = life.ask("forget", session=f"{SESSION}3")

    assert told["copies_deleted"] == 2
    assert not any(b"harmless" in unpacked(copy) for copy in life.copies())


def test_a_forgotten_source_has_no_copy(life: Life) -> None:
    life.archive()
    told = life.ask("forget", source="claude-code")

    assert (told["copies_deleted"], life.copies()) == (3, [])
    assert life.archive()["archived"] == 0


def test_entries_that_retention_removes_leave_backups_alone(life: Life) -> None:
    life.ask("backup")
    told = life.ask("memory.add", content="The port is 5432")
    life.ask("forget", entries=[told["entry"]["id"]], by_rule=True)

    assert len(generations(life.home)) == 1
    assert entries(life.home) == []


def test_a_dry_run_changes_nothing(writer: Writer, home: Path) -> None:
    remember(writer, f"The project is called {WORD}")
    told = ask(writer, "forget", match=WORD, dry_run=True)

    assert (len(told["entries"]), len(entries(home))) == (1, 1)


def test_a_source_goes_whole(writer: Writer) -> None:
    say(writer, message("one", "k1"), message("two", "k2", session="s2"))
    told = ask(writer, "forget", source="claude-code")

    assert (told["messages"], told["sessions"]) == (2, 2)


@pytest.mark.parametrize("arguments", [{}, {"entries": ["e-unknown"]}])
def test_what_is_not_there_is_said(writer: Writer, arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ask(writer, "forget", **arguments)

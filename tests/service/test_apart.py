"""A person's no is remembered: what an undone run did is not done again, until a text changes or the person allows it."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import StoreError, UsageError
from memoryd.model import Entry
from memoryd.service.bank.apart import kept_apart
from memoryd.service.bank.changes import Changes, write_changes
from memoryd.service.bank.groups import Group
from memoryd.service.bank.review import waiting
from memoryd.service.doctor import examine
from memoryd.service.night.nightly import run_night
from memoryd.service.writer import utc_now
from memoryd.store.connection import APPLICATION_ID, DATABASE_NAME
from memoryd.store.integrity import find_damage
from memoryd.store.reader import Reader
from memoryd.store.runs import get_run, list_runs
from memoryd.store.schema import BANK, BANK_INDEXES, HISTORY, INDEXES, JOBS, SCHEMA_VERSION, VECTORS
from tests.conftest import NOW
from tests.memory.consolidation.made_banks import make_bank
from tests.memory.consolidation.test_settling import night
from tests.service.bank_helpers import ask, entries, writing
from tests.service.test_consolidation import CONFIG, active, entries_of, export, put, run, undo

KAMAL = ("We deploy with Kamal", "We deploy using Kamal")
PORTS = ("The database port is 5432", "The database port is now 6432")
TEXTS = (*KAMAL, *PORTS, "The staging server is in Frankfurt")
NOTHING: tuple[list[Any], ...] = ([], [], [], [])


@pytest.fixture
def bank(home: Path) -> Path:
    """A home with TEXTS, a day between each; e-0 and e-1 say the same, e-3 replaces e-2."""
    days = [NOW - timedelta(days=9 - n) for n in range(len(TEXTS))]
    put(home, [Entry(f"e-{n}", text, days[n], days[n]) for n, text in enumerate(TEXTS)])
    return home


def done(report: dict[str, Any]) -> tuple[list[Any], ...]:
    return tuple(report[part] for part in ("merges", "supersedes", "conflicts", "held_back"))


def told(report: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    return {
        one["apart"]: (one["a"], one["b"], one["reason"])
        for one in report["vetoes"]
        if "apart" in one
    }


def change(home: Path, **arguments: Any) -> None:
    with writing(home) as writer:
        ask(writer, "memory.change", **arguments)


def approve(home: Path, name: str, decision: str = "approve") -> str:
    with writing(home) as writer:
        answer: str = ask(writer, "review", id=name, decision=decision)["done"]
    return answer


def rows(home: Path, table: str) -> int:
    with Reader(home) as reader:
        count: int = reader.connection.execute(f"select count(*) from {table}").fetchone()[0]
    return count


def waits(home: Path) -> list[str]:
    with Reader(home) as reader:
        return [one["id"] for one in waiting(reader)]


def test_what_was_undone_is_not_done_again_and_is_told(bank: Path) -> None:
    before = export(bank)
    first = run(bank)
    assert (len(first["merges"]), len(first["supersedes"])) == (1, 1)
    answer = undo(bank, first["run"])
    assert answer["kept_apart"] == ["apart-1", "apart-2"]

    for dry_run in (True, False, False):
        again = run(bank, dry_run=dry_run)
        assert (done(again), export(bank)) == (NOTHING, before)
        assert told(again) == {
            "apart-1": ("e-0", "e-1", "you undid this merge"),
            "apart-2": ("e-2", "e-3", "you undid this replacement"),
        }


def test_the_night_does_not_do_it_either(bank: Path) -> None:
    undo(bank, run(bank)["run"])
    report = run_night(bank, CONFIG, dry_run=False)

    assert done(report["phases"]["consolidate"]) == NOTHING
    assert active(bank) == sorted(TEXTS)


def test_a_chain_of_replacements_is_not_shortened_instead(home: Path) -> None:
    with writing(home) as writer:
        for day in range(1, 7):
            said = f"2026-10-0{day}T09:00:00Z"
            ask(writer, "memory.add", content=f"The database port is {day}432", created_at=said)
    undo(home, run(home)["run"])

    assert done(run(home)) == NOTHING
    with writing(home) as writer:
        ask(writer, "memory.add", content="The database port is now 9432")
    assert len(run(home)["supersedes"]) == 6  # what is said since then is a new question


class TestWhatItHangsOn:
    """The texts, whoever says them; nothing else about the entries."""

    @pytest.fixture(autouse=True)
    def _undone(self, bank: Path) -> None:
        undo(bank, run(bank)["run"])

    @pytest.mark.parametrize("entry", ["e-0", "e-1"])
    def test_a_changed_text_is_a_new_question(self, bank: Path, entry: str) -> None:
        change(bank, id=entry, how="replace", text="Kamal is what we deploy with")
        planned = run(bank, dry_run=True)

        assert [entries_of(one) for one in planned["merges"]] == [{"e-0", "e-1"}]
        assert list(told(planned)) == ["apart-2"]
        with Reader(bank) as reader:
            assert [one["id"] for one in kept_apart(reader)] == ["apart-2"]

    def test_a_text_changed_back_is_the_old_question(self, bank: Path) -> None:
        change(bank, id="e-0", how="replace", text="Kamal is what we deploy with")
        change(bank, id="e-0", how="replace", text=f"{KAMAL[0]}.")

        assert run(bank)["merges"] == []

    def test_what_was_removed_and_restored_stays_apart(self, bank: Path) -> None:
        for how in ("remove", "restore", "pin", "unpin"):
            change(bank, id="e-0", how=how)

        assert run(bank)["merges"] == []

    def test_the_same_text_under_another_id_stays_apart(self, bank: Path, tmp_path: Path) -> None:
        change(bank, id="e-0", how="remove")
        file = tmp_path / "in.jsonl"
        file.write_text(json.dumps({"content": KAMAL[0], "scope": "global"}), encoding="utf-8")
        with writing(bank) as writer:
            ask(writer, "memory.import", path=str(file), raw=True)

        assert (run(bank)["merges"], len(entries(bank, None, "active"))) == ([], len(TEXTS))

    def test_what_was_exported_comes_back_apart(self, bank: Path, tmp_path: Path) -> None:
        file = tmp_path / "out.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in export(bank)), encoding="utf-8")
        with writing(bank) as writer:
            ask(writer, "memory.import", path=str(file), raw=True)

        assert done(run(bank)) == NOTHING

    def test_another_namespace_decides_for_itself(self, bank: Path) -> None:
        theirs = [replace(one, id=f"x-{one.id}", namespace="other/app") for one in entries(bank)]
        put(bank, theirs)

        assert [one["namespace"] for one in run(bank)["merges"]] == ["other/app"]

    def test_a_third_entry_does_not_bring_them_together(self, bank: Path) -> None:
        put(bank, [Entry("e-9", "Kamal is what we deploy with", NOW, NOW)])
        for _ in range(3):
            run(bank)

        assert sum("Kamal" in text for text in active(bank)) == 2


class TestAllowing:
    def test_what_is_listed_can_be_allowed_one_by_one(self, bank: Path) -> None:
        first = run(bank)
        undo(bank, first["run"])
        with Reader(bank) as reader:
            listed = kept_apart(reader)
        assert [(one["id"], one["run"], one["entries"]) for one in listed] == [
            ("apart-1", first["run"], ["e-0", "e-1"]),
            ("apart-2", first["run"], ["e-2", "e-3"]),
        ]

        assert "may be merged or replaced again" in approve(bank, "apart-1")
        again = run(bank)
        assert (len(again["merges"]), again["supersedes"]) == (1, [])
        undo(bank, again["run"])  # and no again: under a number of its own
        with Reader(bank) as reader:
            assert [one["id"] for one in kept_apart(reader)] == ["apart-2", "apart-3"]

    def test_all_of_a_run_can_be_allowed(self, bank: Path) -> None:
        first = run(bank)
        undo(bank, first["run"])

        assert "2 groups" in approve(bank, first["run"])
        again = run(bank)
        assert (again["merges"], again["supersedes"]) == (first["merges"], first["supersedes"])
        assert (rows(bank, "apart"), rows(bank, "apart_text")) == (0, 0)

    @pytest.mark.parametrize("name", ["apart-9", "apart-", "apart-x", "apart-٣", f"apart-{9**40}"])
    def test_what_there_is_not_is_said(self, bank: Path, name: str) -> None:
        with pytest.raises(UsageError, match="nothing is kept apart under"):
            approve(bank, name)

    def test_rejecting_changes_nothing(self, bank: Path) -> None:
        undo(bank, run(bank)["run"])

        with pytest.raises(UsageError, match="stays so; `memoryd review approve apart-1`"):
            approve(bank, "apart-1", "reject")
        assert done(run(bank)) == NOTHING


class TestBothHold:
    """The user says one thing, an assistant another: a person says that both hold."""

    @pytest.fixture(autouse=True)
    def _rejected(self, home: Path) -> None:
        self.say(home, PORTS[0], "user", 1)
        self.say(home, PORTS[1], "assistant", 2)
        assert len(run(home)["conflicts"]) == 1
        assert "both stay" in approve(home, "conflict-1", "reject")

    def say(self, home: Path, text: str, origin: str, day: int) -> None:
        with writing(home) as writer:
            said = f"2026-10-0{day}T09:00:00Z"
            ask(writer, "memory.add", content=text, origin=origin, created_at=said)

    def both(self, home: Path) -> bool:
        return set(active(home)) >= set(PORTS)

    def test_it_is_told_and_not_asked_again(self, home: Path) -> None:
        for dry_run in (True, False):
            again = run(home, dry_run=dry_run)
            assert done(again) == NOTHING
            assert [(name, one[2]) for name, one in told(again).items()] == [
                ("apart-1", "you said that both hold")
            ]

    @pytest.mark.parametrize(
        "text", [PORTS[1], PORTS[1].upper(), "The port of the database is now 6432"]
    )
    def test_the_newer_said_again_replaces_nothing(self, home: Path, text: str) -> None:
        with writing(home) as writer:
            ask(writer, "memory.add", content=text)
        run(home)

        assert self.both(home)

    def test_nor_does_a_copy_of_it(self, home: Path) -> None:
        put(home, [Entry("e-copy", PORTS[1], NOW, NOW, origin="user")])
        for _ in range(2):
            run(home)

        assert self.both(home)

    def test_a_changed_text_is_asked_again_and_decided_anew(self, home: Path) -> None:
        newer = next(one for one in entries(home) if one.content == PORTS[1])
        put(home, [replace(newer, content="The database port is now 6433")])
        assert (len(run(home)["conflicts"]), waits(home)) == (1, ["conflict-1"])
        approve(home, "conflict-1", "reject")

        assert (done(run(home)), rows(home, "apart")) == (NOTHING, 1)

    def test_what_was_rejected_while_a_run_was_planned_is_not_asked_again(self, home: Path) -> None:
        sides = sorted(one.id for one in entries(home))
        conflict = ("local/default", sides[0], sides[1], "database port")
        planned = NOW - timedelta(days=9999)
        with writing(home) as writer:
            changes = Changes("c-9", "consolidate", None, planned, {}, (), (conflict,))
            ask(writer, "changes.commit", path=str(write_changes(changes, home)))

        assert waits(home) == []

    def test_what_is_said_later_still_replaces_both(self, home: Path) -> None:
        self.say(home, "The database port is now 7432", "user", 3)
        run(home)

        assert active(home) == ["The database port is now 7432"]

    def test_two_conflicts_are_two_decisions(self, home: Path) -> None:
        self.say(home, "The database port is 7432", "assistant", 3)
        third = run(home)  # of the two that the assistant said, the later one holds
        assert (len(third["supersedes"]), len(third["conflicts"])) == (1, 1)
        approve(home, "conflict-2", "reject")

        assert done(run(home)) == NOTHING
        with Reader(home) as reader:
            assert [(one["run"], one["conflict"]) for one in kept_apart(reader)] == [
                (None, "conflict-1"),
                (None, "conflict-2"),
            ]

    @pytest.mark.parametrize("name", ["apart-1", "conflict-1"])
    def test_lifted_the_conflict_waits_again(self, home: Path, name: str) -> None:
        assert "conflict-1 is open again" in approve(home, name)
        assert (rows(home, "apart"), rows(home, "apart_text")) == (0, 0)
        assert waits(home) == ["conflict-1"]
        assert len(run(home)["conflicts"]) == 1

        assert "superseded" in approve(home, "conflict-1")
        assert active(home) == [PORTS[1]]

    def test_undoing_the_run_that_asked_does_not_lift_it(self, home: Path) -> None:
        with Reader(home) as reader:
            (asking,) = list_runs(reader.connection)
        undo(home, asking.id)

        assert (done(run(home)), waits(home)) == (NOTHING, [])
        approve(home, "apart-1")
        assert waits(home) == ["conflict-1"]

    def test_the_decision_and_its_texts_are_one(self, home: Path) -> None:
        approve(home, "apart-1")
        with writing(home) as writer:
            writer.store.connection.execute(
                "create trigger full before insert on apart_text begin select raise(abort, 'no'); end"
            )
            with pytest.raises(StoreError):
                ask(writer, "review", id="conflict-1", decision="reject")
            writer.store.connection.execute("drop trigger full")
        assert waits(home) == ["conflict-1"]
        assert rows(home, "apart") == 0

    def test_an_erased_side_takes_it_along(self, home: Path) -> None:
        with writing(home) as writer:
            ask(writer, "forget", entries=[entries(home)[0].id])

        assert [rows(home, table) for table in ("apart", "apart_text", "conflict")] == [0, 0, 0]


class TestUndoneInPart:
    def test_a_run_undone_twice_has_one_decision_each(self, bank: Path) -> None:
        first = run(bank)
        keeper = first["merges"][0]["into"]
        change(bank, id=keeper, how="pin")
        assert undo(bank, first["run"])["not_undone"] != {}
        assert done(run(bank)) == NOTHING

        undo(bank, first["run"])
        assert (rows(bank, "apart"), rows(bank, "apart_text")) == (2, 4)

    def test_a_merge_that_changed_nothing_of_the_entry_that_stayed_is_remembered(
        self, bank: Path
    ) -> None:
        """It had taken in the other before, and kept all of it when that came back: no event names it."""
        first = run(bank)
        keeper = first["merges"][0]["into"]
        for how in ("pin", "unpin"):
            change(bank, id=keeper, how=how)
        undo(bank, first["run"])
        approve(bank, first["run"])
        again = run(bank)
        with Reader(bank) as reader:
            sql = "select count(*) from event where run = ? and entry_id = ?"
            written = reader.connection.execute(sql, (again["run"], keeper)).fetchone()[0]
        assert (len(again["merges"]), written) == (1, 0)
        undo(bank, again["run"])

        assert done(run(bank)) == NOTHING


class TestPartOfARun:
    """`undo RUN --entry ID`: what the run did with one entry, and with all that it brought together with it."""

    def part(self, home: Path, run_id: str, *ids: str) -> dict[str, Any]:
        with writing(home) as writer:
            answer: dict[str, Any] = ask(writer, "undo", run=run_id, entries=list(ids))
        return answer

    def state(self, home: Path, run_id: str) -> str:
        with Reader(home) as reader:
            found = get_run(reader.connection, run_id)
        assert found is not None
        return found.state

    @pytest.mark.parametrize("entry", ["e-0", "e-1"])
    def test_the_wrong_merge_alone_is_undone_and_kept_apart(self, bank: Path, entry: str) -> None:
        before = {one["id"]: one for one in export(bank)}
        first = run(bank)
        after = {one["id"]: one for one in export(bank)}
        answer = self.part(bank, first["run"], entry)

        assert sorted(answer.pop("restored")) == ["e-0", "e-1"]
        assert answer == {
            "run": first["run"],
            "state": "partly undone",
            "not_undone": {},
            "kept_apart": ["apart-1"],
        }
        for one in export(bank):
            assert one == (before if one["id"] in ("e-0", "e-1") else after)[one["id"]]
        assert self.state(bank, first["run"]) == "partly undone"
        assert (done(run(bank)), len(active(bank))) == (NOTHING, 4)

    def test_the_rest_is_undone_later(self, bank: Path) -> None:
        before = export(bank)
        first = run(bank)
        self.part(bank, first["run"], "e-0")
        approve(bank, "apart-1")  # what a person allowed again stays allowed
        answer = undo(bank, first["run"])

        assert sorted(answer["restored"]) == ["e-2", "e-3"]
        assert (answer["state"], answer["not_undone"]) == ("undone", {})
        assert (export(bank), self.state(bank, first["run"])) == (before, "undone")
        again = run(bank)
        assert (len(again["merges"]), again["supersedes"]) == (1, [])

    def test_part_by_part_is_the_whole(self, bank: Path) -> None:
        before = export(bank)
        first = run(bank)
        states = [self.part(bank, first["run"], one)["state"] for one in ("e-3", "e-1")]

        assert states == ["partly undone", "undone"]
        assert export(bank) == before
        with pytest.raises(UsageError, match="already undone"):
            self.part(bank, first["run"], "e-1")

    def test_several_at_once(self, bank: Path) -> None:
        before = export(bank)
        answer = self.part(bank, run(bank)["run"], "e-0", "e-2")

        assert (answer["state"], answer["kept_apart"]) == ("undone", ["apart-1", "apart-2"])
        assert export(bank) == before

    def test_uses_counted_since_are_kept_once(self, bank: Path) -> None:
        """Undone twice, what the run had added to the uses of an entry goes once."""

        def use(entry: str, *sessions: str) -> None:
            asked = {"namespace": "local/default", "ids": [entry], "milliseconds": 1}
            with writing(bank) as writer:
                for session in sessions:
                    ask(writer, "memory.accessed", **asked, session=session, characters=1)

        use("e-2", "a", "b", "c")
        first = run(bank)
        use("e-3", "a", "b")
        self.part(bank, first["run"], "e-3")
        undo(bank, first["run"])

        (entry,) = (one for one in entries(bank) if one.id == "e-3")
        assert (entry.access_count, entry.valid_from) == (2, None)

    def test_what_was_changed_since_is_left_alone_and_tried_again(self, bank: Path) -> None:
        first = run(bank)
        keeper = first["merges"][0]["into"]
        change(bank, id=keeper, how="pin")
        assert self.part(bank, first["run"], keeper)["not_undone"] == {
            keeper: "changed after the run"
        }
        answer = undo(bank, first["run"])

        assert (sorted(answer["restored"]), list(answer["not_undone"])) == (
            ["e-2", "e-3"],
            [keeper],
        )
        assert answer["state"] == "partly undone"
        assert (rows(bank, "apart"), rows(bank, "apart_text")) == (2, 4)

    def test_what_the_run_did_not_touch_is_said(self, bank: Path) -> None:
        first = run(bank)
        for wrong in ("e-4", "nobody"):
            with pytest.raises(UsageError, match=f"did nothing with {wrong}"):
                self.part(bank, first["run"], "e-0", wrong)
        self.part(bank, first["run"], "e-0")
        with pytest.raises(UsageError, match="with e-1 was already undone"):
            self.part(bank, first["run"], "e-1")
        assert self.state(bank, first["run"]) == "partly undone"

    def test_it_is_whole_or_nothing(self, bank: Path) -> None:
        first = run(bank)
        after = export(bank)
        with writing(bank) as writer:
            connection = writer.store.connection
            connection.execute(
                "create trigger full before update on run begin select raise(abort, 'no'); end"
            )
            with pytest.raises(StoreError):
                ask(writer, "undo", run=first["run"], entries=["e-0"])
            connection.execute("drop trigger full")

        assert (export(bank), rows(bank, "apart")) == (after, 0)

    def test_of_what_was_forgotten_by_rule_one_entry_comes_back(self, bank: Path) -> None:
        gone = entries(bank)[:2]
        groups = tuple(Group("old", ((one, replace(one, state="archived")),)) for one in gone)
        with writing(bank) as writer:
            path = write_changes(Changes("p-1", "prune", None, NOW, {}, groups), bank)
            ask(writer, "changes.commit", path=str(path))
        answer = self.part(bank, "p-1", "e-0")

        assert (answer["restored"], answer["state"]) == (["e-0"], "partly undone")
        assert {one.id for one in entries(bank, None, "archived")} == {"e-1"}

    def test_made_banks_are_undone_group_by_group(self, home: Path) -> None:
        for seed in range(12):
            made = make_bank(seed, night)
            put(
                home,
                [replace(one, id=f"{seed}-{one.id}", namespace=f"made/{seed}") for one in made],
            )
        before = export(home)
        first = run(home)
        actions = [entries_of(one) for one in (*first["merges"], *first["supersedes"])]
        state, left = "", [min(one) for one in actions]
        with writing(home) as writer:
            while left:
                answer = ask(writer, "undo", run=first["run"], entries=[left[-1]])
                state, back = answer["state"], set(answer["restored"])
                assert answer["not_undone"] == {}
                assert all(one <= back or not one & back for one in actions)
                left = [one for one in left if one not in back]

        assert (state, export(home)) == ("undone", before)
        planned = run(home, dry_run=True)
        touched = set().union(*actions)
        for one in (*planned["merges"], *planned["supersedes"]):
            assert len(entries_of(one) & touched) < 2


def test_undoing_and_its_decisions_are_one(bank: Path) -> None:
    first = run(bank)
    after = export(bank)
    with writing(bank) as writer:
        writer.store.connection.execute(
            "create trigger full before insert on apart_text when new.entry_id = 'e-3' "
            "begin select raise(abort, 'no'); end"
        )
        with pytest.raises(StoreError):
            ask(writer, "undo", run=first["run"])
        writer.store.connection.execute("drop trigger full")

    assert (export(bank), rows(bank, "apart"), rows(bank, "apart_text")) == (after, 0, 0)
    assert undo(bank, first["run"])["not_undone"] == {}


def test_what_was_planned_before_it_was_undone_is_dropped(bank: Path) -> None:
    """Two runs plan the same; one is undone before the other commits: the entries are exactly as that one knew them."""
    first, second = entries(bank)[:2]
    merged = replace(first, merged_from=(second.id,)), replace(second, state="merged")
    group = Group("say the same", ((first, merged[0]), (second, merged[1])))
    started = utc_now()
    undo(bank, run(bank)["run"])
    for kind, dropped in (
        ("consolidate", {"0": "you said no while the plan was made"}),
        ("prune", {}),
    ):
        changes = Changes(f"c-{kind}", kind, None, started, {}, (group,))
        with writing(bank) as writer:
            path = write_changes(changes, bank)
            assert ask(writer, "changes.commit", path=str(path))["dropped"] == dropped


def test_other_runs_that_are_undone_decide_nothing(bank: Path) -> None:
    first = entries(bank)[0]
    group = Group("old", ((first, replace(first, state="archived")),))
    with writing(bank) as writer:
        path = write_changes(Changes("p-1", "prune", None, NOW, {}, (group,)), bank)
        ask(writer, "changes.commit", path=str(path))

    assert undo(bank, "p-1")["kept_apart"] == []


class TestForgetting:
    def test_an_erased_entry_takes_its_rows_along(self, bank: Path) -> None:
        undo(bank, run(bank)["run"])
        with writing(bank) as writer:
            ask(writer, "forget", entries=["e-0"])
            assert find_damage(writer.store.connection) == []

        assert (rows(bank, "apart"), rows(bank, "apart_text")) == (1, 2)

    def test_no_word_of_a_text_is_kept(self, bank: Path) -> None:
        undo(bank, run(bank)["run"])
        with Reader(bank) as reader:
            kept = [
                value
                for table in ("apart", "apart_text")
                for row in reader.connection.execute(f"select * from {table}")
                for value in row
            ]

        texts = [value for value in kept if isinstance(value, str)]
        assert all(one.startswith(("e-", "c-", "local/")) for one in texts), texts

    def test_a_decision_outlives_the_report_of_its_run(self, bank: Path) -> None:
        """A part of what a run did was forgotten, and with it the run's report; the rest is undone all the same."""
        first = run(bank)
        with writing(bank) as writer:
            ask(writer, "forget", entries=["e-2"])
        answer = undo(bank, first["run"])

        assert answer["kept_apart"] == ["apart-1"]
        assert run(bank)["merges"] == []


def test_ninety_copies_are_kept_apart_by_ninety_rows(home: Path) -> None:
    text = "The staging server is in Frankfurt"
    put(home, [Entry(f"e-{n:02}", text, NOW, NOW) for n in range(90)])
    first = run(home)
    undo(home, first["run"])
    again = run(home)

    assert first["merges"]
    assert done(again) == NOTHING
    assert rows(home, "apart_text") <= 90
    assert len(told(again)) == len(first["merges"])


def test_made_banks_are_left_alone_where_they_were_undone(home: Path) -> None:
    for seed in range(30):
        put(home, [replace(one, namespace=f"made/{seed}") for one in make_bank(seed, night)])
    before = export(home)
    first = run(home)
    touched = {one for part in (*first["merges"], *first["supersedes"]) for one in entries_of(part)}
    undo(home, first["run"])
    assert export(home) == before
    planned, again = run(home, dry_run=True), run(home)

    assert done(planned) == done(again)
    assert told(planned) == told(again) != {}
    actions = (*again["merges"], *again["supersedes"])
    assert all(len(entries_of(one) & touched) < 2 for one in actions)
    if actions:
        undo(home, again["run"])
    assert export(home) == before


def schema_4(home: Path, texts: tuple[str, ...]) -> None:
    """Make of a database of today, with these entries, one as the version before the decisions made it."""
    days = [NOW - timedelta(days=9 - n) for n in range(len(texts))]
    put(home, [Entry(f"e-{n}", text, days[n], days[n]) for n, text in enumerate(texts)])
    database, today = home / DATABASE_NAME, home / "today.db"
    database.rename(today)
    database.touch(mode=0o600)
    with closing(sqlite3.connect(database, isolation_level=None)) as old:
        old.executescript(HISTORY + INDEXES + BANK + BANK_INDEXES + VECTORS + JOBS)
        old.execute("attach ? as today", (str(today),))
        for table in ("entry", "event"):
            old.execute(f"insert into {table} select * from today.{table}")
        old.execute(
            "create table _sqlite_migrations as select * from today._sqlite_migrations "
            "where name <> 'm005_apart'"
        )
        old.execute(f"pragma application_id={APPLICATION_ID}")
        old.execute("pragma user_version=4")
    today.unlink()


def test_a_database_of_the_version_before_is_migrated_and_remembers_from_then_on(
    home: Path,
) -> None:
    schema_4(home, KAMAL)
    with writing(home) as writer:
        version = writer.store.connection.execute("pragma user_version").fetchone()[0]
        writer.store.rebuild_indexes()
        assert (version, find_damage(writer.store.connection)) == (SCHEMA_VERSION, [])
    assert sorted(KAMAL) == active(home)
    first = run(home)
    undo(home, first["run"])

    assert (len(first["merges"]), done(run(home))) == (1, NOTHING)


def test_decisions_are_salvaged_from_a_damaged_database(bank: Path) -> None:
    undo(bank, run(bank)["run"])
    path = bank / DATABASE_NAME
    path.write_bytes(b"\xff" * 100 + path.read_bytes()[100:])
    examine(bank, CONFIG, True)

    assert all(one.ok for one in examine(bank, CONFIG, False) if one.name == "database")
    assert (active(bank), done(run(bank))) == (sorted(TEXTS), NOTHING)


def memoryd(home: Path, *words: str) -> Any:
    command = [sys.executable, "-m", "memoryd", "--home", str(home), *words, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def test_processes_of_their_own_remember_it(bank: Path) -> None:
    first = memoryd(bank, "consolidate")
    assert memoryd(bank, "undo", first["run"])["kept_apart"] == ["apart-1", "apart-2"]
    again = memoryd(bank, "consolidate")

    assert (len(first["merges"]), done(again), list(told(again))) == (
        1,
        NOTHING,
        ["apart-1", "apart-2"],
    )

"""A run is a transaction: what the plan says happens whole, once, and can be taken back byte for byte."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.config import Config, SourcesConfig
from memoryd.errors import UsageError
from memoryd.model import Entry
from memoryd.screening import screen
from memoryd.service.bank.changes import Changes, write_changes
from memoryd.service.bank.consolidation import consolidate
from memoryd.service.bank.groups import Group
from memoryd.service.bank.review import waiting
from memoryd.service.bank.runs import describe_run, describe_runs
from memoryd.store.bank import Bank, Because
from memoryd.store.entry_rows import entry_to_json
from memoryd.store.integrity import find_damage
from memoryd.store.reader import Reader
from tests.conftest import NOW
from tests.memory.consolidation.made_banks import make_bank
from tests.memory.consolidation.test_settling import night
from tests.service.bank_helpers import ask, entries, writing

CONFIG = Config(sources=SourcesConfig(discover=False))
FACTS = [
    ("2026-10-01T09:00:00Z", "We deploy with Kamal"),
    ("2026-10-02T09:00:00Z", "We deploy using Kamal"),
    ("2026-10-03T09:00:00Z", "The database port is 5432"),
    ("2026-10-04T09:00:00Z", "The database port is now 6432"),
    ("2026-10-05T09:00:00Z", "The staging server is in Frankfurt"),
    ("2026-10-06T09:00:00Z", "我们用 Redis 做缓存"),
    ("2026-10-07T09:00:00Z", "我们用Redis做缓存"),
]


@pytest.fixture
def bank(home: Path, tmp_path: Path) -> Path:
    """A home whose bank holds FACTS, as they were given."""
    file = tmp_path / "in.jsonl"
    rows = [
        {"key": f"k{n}", "content": text, "created_at": at} for n, (at, text) in enumerate(FACTS)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with writing(home) as writer:
        ask(writer, "memory.import", path=str(file), raw=True)
    return home


def run(home: Path, *, dry_run: bool = False) -> dict[str, Any]:
    return consolidate(home, CONFIG, None, dry_run=dry_run)


def export(home: Path) -> list[dict[str, Any]]:
    return [entry_to_json(entry) for entry in entries(home)]


def undo(home: Path, run_id: str) -> dict[str, Any]:
    with writing(home) as writer:
        told: dict[str, Any] = ask(writer, "undo", run=run_id)
    return told


def active(home: Path) -> list[str]:
    return sorted(entry.content for entry in entries(home, None, "active"))


def test_what_says_the_same_is_merged_and_what_was_replaced_is_superseded(bank: Path) -> None:
    report = run(bank)

    assert len(report["merges"]) == 2
    assert len(report["supersedes"]) == 1
    assert "The database port is 5432" not in active(bank)
    assert "The staging server is in Frankfurt" in active(bank)
    states = {entry.content: entry.state for entry in entries(bank)}
    assert states["The database port is 5432"] == "superseded"
    assert sorted((states["We deploy with Kamal"], states["We deploy using Kamal"])) == [
        "active",
        "merged",
    ]


def test_what_a_person_corrected_is_newer_than_what_was_said_before_the_correction(
    bank: Path,
) -> None:
    with writing(bank) as writer:
        (old,) = [one.id for one in entries(bank) if one.key == "k2"]
        text = "The database port is 7432"
        ask(writer, "memory.change", id=old, how="replace", text=text)
    run(bank)

    assert text in active(bank)
    assert "The database port is now 6432" not in active(bank)


def test_a_value_that_the_user_states_again_is_the_newest(home: Path) -> None:
    with writing(home) as writer:
        for day, port in ((1, 5432), (2, 6432)):
            said = f"2026-10-0{day}T09:00:00Z"
            ask(writer, "memory.add", content=f"The database port is {port}", created_at=said)
        ask(writer, "memory.add", content="The database port is 5432")
    run(home)

    assert active(home) == ["The database port is 5432"]


def test_a_value_that_changed_many_times_is_settled_in_one_run(home: Path) -> None:
    with writing(home) as writer:
        for day in range(1, 7):
            said = f"2026-10-0{day}T09:00:00Z"
            ask(writer, "memory.add", content=f"The database port is {day}432", created_at=said)
    before = export(home)
    report = run(home)

    assert (len(report["supersedes"]), report["held_back"]) == (5, [])
    assert active(home) == ["The database port is 6432"]
    ends = [one.valid_to for one in entries(home) if one.state == "superseded"]
    assert len(set(ends)) == 5  # each held until the next one did
    assert run(home)["supersedes"] == []
    undo(home, report["run"])
    assert export(home) == before


def test_where_somebody_lives_is_one_thing_whatever_the_words(home: Path) -> None:
    with writing(home) as writer:
        for day, text in ((1, "我住在上海"), (2, "我搬到了成都"), (3, "We run it in Frankfurt")):
            ask(writer, "memory.add", content=text, created_at=f"2026-10-0{day}T09:00:00Z")
    run(home)

    assert active(home) == ["We run it in Frankfurt", "我搬到了成都"]


def test_a_newer_value_inherits_how_the_fact_was_used(home: Path) -> None:
    with writing(home) as writer:
        for day, port in ((1, 5432), (2, 6432)):
            said = f"2026-10-0{day}T09:00:00Z"
            ask(writer, "memory.add", content=f"The database port is {port}", created_at=said)
        (old,) = (one for one in entries(home) if "5432" in one.content)
        shown = {"namespace": "local/default", "milliseconds": 1, "characters": 1}
        for session in ("s1", "s2"):
            ask(writer, "memory.accessed", ids=[old.id], session=session, **shown)
    run(home)
    (new,) = (one for one in entries(home) if one.state == "active")

    assert ("6432" in new.content, new.access_count) == (True, 2)
    assert new.last_accessed_at is not None


def test_a_dry_run_prints_the_plan_that_runs_and_changes_nothing(bank: Path) -> None:
    before = export(bank)
    planned = run(bank, dry_run=True)

    assert export(bank) == before
    done = run(bank)
    assert planned["run"] is None
    for part in ("merges", "supersedes", "conflicts", "vetoes", "held_back", "counts"):
        assert planned[part] == done[part]


def test_undo_gives_the_identical_export(bank: Path) -> None:
    before = export(bank)
    report = run(bank)
    told = undo(bank, report["run"])

    assert (export(bank), told["not_undone"]) == (before, {})


def test_undo_leaves_alone_what_was_changed_since_and_says_so(bank: Path) -> None:
    report = run(bank)
    keeper = report["merges"][0]["into"]
    with writing(bank) as writer:
        ask(writer, "memory.change", id=keeper, how="pin")
    told = undo(bank, report["run"])

    assert told["not_undone"] == {keeper: "changed after the run"}


def test_an_access_since_the_run_is_no_change_and_is_kept(bank: Path) -> None:
    report = run(bank)
    keeper = report["merges"][0]["into"]
    cost = {"namespace": "local/default", "milliseconds": 1.0, "characters": 1}
    with writing(bank) as writer:
        ask(writer, "memory.accessed", ids=[keeper], session="s", **cost)
    told = undo(bank, report["run"])

    assert told["not_undone"] == {}
    assert next(entry for entry in entries(bank) if entry.id == keeper).access_count == 1


def test_a_run_is_undone_once(bank: Path) -> None:
    report = run(bank)
    undo(bank, report["run"])

    with pytest.raises(UsageError, match="already undone"):
        undo(bank, report["run"])
    with pytest.raises(UsageError, match="no run"):
        undo(bank, "c-nothing")


def test_a_second_run_finds_nothing(bank: Path) -> None:
    run(bank)
    before = export(bank)
    again = run(bank)

    assert (again["merges"], again["supersedes"], export(bank)) == ([], [], before)


def test_runs_tell_what_they_did_and_why(bank: Path) -> None:
    report = run(bank)
    with Reader(bank) as reader:
        listed = describe_runs(reader, 10)
        told = describe_run(reader, report["run"])

    assert listed[0]["run"] == report["run"]
    assert {one["entry"] for one in told["changes"]} >= {report["merges"][0]["into"]}
    assert all(one["why"] for one in told["changes"])


def commit(home: Path, changes: Changes) -> dict[str, Any]:
    with writing(home) as writer:
        told: dict[str, Any] = ask(writer, "changes.commit", path=str(write_changes(changes, home)))
    return told


def test_a_group_planned_on_an_old_state_is_dropped_whole(bank: Path) -> None:
    first, second = entries(bank)[:2]
    group = Group(
        "test",
        ((first, replace_content(first, "new one")), (second, replace_content(second, "new two"))),
    )
    with writing(bank) as writer:
        ask(writer, "memory.change", id=second.id, how="pin")
    told = commit(bank, Changes("c-1", "consolidate", None, NOW, {}, (group,)))

    assert told["dropped"] == {"0": "changed while the plan was made"}
    assert "new one" not in active(bank)


def test_a_group_after_which_a_fact_is_no_longer_found_is_dropped(bank: Path) -> None:
    first, second = entries(bank)[:2]
    group = Group(
        "test",
        (
            (first, replace_content(first, "entirely unrelated words")),
            (second, replace_content(second, "so too here")),
        ),
        ((first.content, first.id),),
    )
    told = commit(bank, Changes("c-1", "consolidate", None, NOW, {}, (group,)))

    assert "would no longer be found" in told["dropped"]["0"]
    assert first.content in active(bank)
    with writing(bank) as writer:
        assert find_damage(writer.store.connection) == []


@pytest.mark.parametrize("foreseen", [None, "0-0"])
def test_what_was_foreseen_for_another_state_of_the_bank_is_asked_again(
    bank: Path, foreseen: str | None
) -> None:
    first, second = entries(bank)[:2]
    group = Group(
        "test",
        ((first, replace(first, state="merged")), (second, replace(second, confidence=0.5))),
        ((first.content, first.id),),
    )
    told = commit(bank, Changes("c-1", "consolidate", None, NOW, {}, (group,), foreseen=foreseen))

    assert "would no longer be found" in told["dropped"]["0"]


def test_what_nobody_found_before_need_not_be_found_afterwards(bank: Path) -> None:
    first = entries(bank)[0]
    group = Group("test", ((first, replace(first, confidence=0.5)),), (("zebra", first.id),))
    told = commit(bank, Changes("c-1", "consolidate", None, NOW, {}, (group,)))

    assert told["dropped"] == {}
    assert entries(bank)[0].confidence == 0.5


def put(home: Path, made: list[Entry]) -> None:
    with writing(home) as writer, writer.store.transaction() as connection:
        for one in made:
            Bank(connection).put(one, screen(one.content).text, Because("user", "made", NOW))


def told_by(home: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "memoryd", "--home", str(home), "consolidate", "--json"]
    done = subprocess.run([*command, *options], check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return {name: told[name] for name in told if name not in ("run", "dry_run", "seconds")}


CROWD = [f"If team {n} pays, the cache of the shop lives for two hours." for n in range(12)]


def test_a_dry_run_tells_what_the_search_will_not_allow(home: Path) -> None:
    """Twelve others have every word of what would be merged away: its words would no longer lead to the fact."""
    texts = ["The cache lives for two hours.", "The cache lives for 120 minutes.", *CROWD]
    texts += ["We deploy with Kamal", "We deploy using Kamal"]
    put(home, [Entry(f"e-{n:02}", text, NOW, NOW) for n, text in enumerate(texts)])
    planned = told_by(home, "--dry-run")
    done = told_by(home)

    assert planned == done
    assert [one["why"] for one in done["held_back"]] == [
        "'The cache lives for two hours.' would no longer be found"
    ]
    assert (len(done["merges"]), done["counts"]["merged"]) == (1, 1)
    assert told_by(home, "--dry-run")["held_back"] == done["held_back"]


def test_what_was_decided_on_a_merge_waits_with_it(home: Path) -> None:
    texts = ["The cache lives for two hours.", "The cache lives for 120 minutes.", *CROWD]
    made = [Entry(f"e-{n:02}", text, NOW, NOW) for n, text in enumerate(texts)]
    later = NOW + timedelta(days=1)
    put(home, [*made, Entry("e-99", "The cache lives for 3 hours now.", later, later)])
    planned, done = told_by(home, "--dry-run"), told_by(home)

    assert planned == done
    assert {one["why"] for one in done["held_back"]} == {
        "'The cache lives for two hours.' would no longer be found",
        "waits for a merge that was held back",
    }
    assert done["supersedes"] == []


def check_made_banks(home: Path, seeds: range) -> None:
    for seed in seeds:
        made = make_bank(seed, night)
        put(home, [replace(one, namespace=f"made/{seed}") for one in made])
    before = export(home)
    planned, done = run(home, dry_run=True), run(home)

    for part in ("merges", "supersedes", "conflicts", "vetoes", "held_back", "counts"):
        assert planned[part] == done[part]
    assert len(done["merges"]) > len(seeds)
    again = run(home, dry_run=True)
    held = [entries_of(one) for one in done["held_back"]]
    assert all(entries_of(one) in held for one in (*again["merges"], *again["supersedes"]))
    assert undo(home, done["run"])["not_undone"] == {}
    assert export(home) == before


def entries_of(action: dict[str, Any]) -> set[str]:
    """The entries of a merge or of a supersede."""
    if "into" in action:
        return {action["into"], *action["from"]}
    return {action["old"], action["new"]}


def test_made_banks_are_settled_as_planned_in_one_run_and_undone(home: Path) -> None:
    check_made_banks(home, range(40))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_four_hundred_made_banks_are_settled_as_planned_in_one_run_and_undone(home: Path) -> None:
    check_made_banks(home, range(400))


def replace_content(entry: Entry, content: str) -> Entry:
    return replace(entry, content=content)


class TestReview:
    def test_a_doubtful_entry_is_remembered_or_refused_by_a_person(self, home: Path) -> None:
        with writing(home) as writer:
            kept = ask(writer, "memory.add", content="The limit is 100", origin="tool")["entry"][
                "id"
            ]
            dropped = ask(writer, "memory.add", content="The limit is 999", origin="tool")["entry"][
                "id"
            ]
            with Reader(home) as reader:
                assert {one["id"] for one in waiting(reader)} == {kept, dropped}
            ask(writer, "review", id=kept, decision="approve")
            ask(writer, "review", id=dropped, decision="reject")
            again = ask(writer, "memory.add", content="The limit is 999")

        assert again["outcome"] == "rejected"
        assert active(home) == ["The limit is 100"]

    @pytest.mark.parametrize(("decision", "left"), [("approve", ["b"]), ("reject", ["a", "b"])])
    def test_a_conflict_is_decided_by_a_person(
        self, home: Path, decision: str, left: list[str]
    ) -> None:
        with writing(home) as writer:
            first = ask(writer, "memory.add", content="a", created_at="2026-01-01T00:00:00Z")[
                "entry"
            ]["id"]
            second = ask(writer, "memory.add", content="b", created_at="2026-02-01T00:00:00Z")[
                "entry"
            ]["id"]
            conflicts = (("local/default", first, second, "cannot both hold"),)
            path = write_changes(Changes("c-1", "consolidate", None, NOW, {}, (), conflicts), home)
            ask(writer, "changes.commit", path=str(path))
            with Reader(home) as reader:
                found = waiting(reader)
            ask(writer, "review", id=found[0]["id"], decision=decision)
            with Reader(home) as reader:
                assert waiting(reader) == []

        assert active(home) == left

    @pytest.mark.parametrize("undone", [False, True])
    def test_the_newer_side_is_what_was_said_last(self, home: Path, undone: bool) -> None:
        """As runs see it, whichever was there first; decided, it stays so when the run that asked is undone."""
        first, second = "The database port is 5432", "The database port is now 6432"
        with writing(home) as writer:
            ask(writer, "memory.add", content=first, created_at="2026-01-01T00:00:00Z")
            ask(
                writer, "memory.add", content=second, created_at="2026-02-01T00:00:00Z", pinned=True
            )
            ask(writer, "memory.add", content=first)
        told = run(home)
        with Reader(home) as reader:
            (asked,) = waiting(reader)
        assert (asked["words"], len(told["conflicts"])) == (f"{second} ⟷ {first}", 1)
        with writing(home) as writer:
            ask(writer, "review", id="conflict-1", decision="approve")
        if undone:
            undo(home, told["run"])
            run(home)

        assert active(home) == [first]
        with Reader(home) as reader:
            assert waiting(reader) == []

    def test_a_conflict_waits_while_both_sides_are_there(self, home: Path) -> None:
        with writing(home) as writer:
            said = {"content": "The database port is now 6432", "origin": "assistant"}
            ask(writer, "memory.add", content="The database port is 5432")
            ask(writer, "memory.add", **said)
        asked = run(home)
        with writing(home) as writer:
            ask(writer, "memory.add", content=said["content"])
        settled = run(home)
        with Reader(home) as reader:
            waits = waiting(reader)

        assert (len(asked["conflicts"]), len(settled["supersedes"]), waits) == (1, 1, [])
        undo(home, settled["run"])
        with Reader(home) as reader:
            assert [one["id"] for one in waiting(reader)] == ["conflict-1"]

    def test_a_side_that_had_lost_and_is_back_is_asked_about_again(self, home: Path) -> None:
        with writing(home) as writer:
            first = ask(writer, "memory.add", content="The database port is 5432")["entry"]["id"]
            second = "The database port is now 6432"
            ask(writer, "memory.add", content=second, origin="assistant")
        run(home)
        with writing(home) as writer:
            ask(writer, "review", id="conflict-1", decision="approve")
            ask(writer, "memory.change", id=first, how="restore")
        run(home)

        with Reader(home) as reader:
            assert [one["id"] for one in waiting(reader)] == ["conflict-1"]

    def test_what_does_not_wait_is_said(self, home: Path) -> None:
        with writing(home) as writer, pytest.raises(UsageError, match="nothing waits"):
            ask(writer, "review", id="conflict-7", decision="approve")


def kill_somewhere(home: Path, seed: int) -> None:
    """Start a real `memoryd consolidate` and kill it after a random time."""
    chance = random.Random(seed)
    command = [sys.executable, "-m", "memoryd", "--home", str(home), "consolidate", "--json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(chance.uniform(0.2, 1.2))
        os.kill(process.pid, signal.SIGKILL)


def check_convergence(bank: Path, seeds: range) -> None:
    for seed in seeds:
        kill_somewhere(bank, seed)
        with writing(bank) as writer:
            assert find_damage(writer.store.connection) == [], f"seed {seed}"
    run(bank)
    merged = active(bank)
    assert len([text for text in merged if "Kamal" in text]) == 1
    assert run(bank)["merges"] == []


def test_killed_anywhere_the_next_run_converges(bank: Path) -> None:
    check_convergence(bank, range(4))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_killed_anywhere_two_hundred_times(bank: Path) -> None:
    check_convergence(bank, range(200))

"""Runs, review and lists for people: readable, in local time, and never silent."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memoryd.store.connection import DATABASE_NAME
from tests.agents import make_home
from tests.interfaces.conftest import Memoryd

TOGETHER = (
    "The nightly backup runs at 3 am on the server.",
    "The nightly backup runs at 3 am on the server and is verified.",
)
FACTS = ("The database port is 5432", "The database port is now 6432")


@pytest.fixture
def bank(memoryd: Memoryd, tmp_path: Path) -> Path:
    """A home with two facts, the newer of which replaces the older."""
    home = tmp_path / "bank"
    for text in FACTS:
        assert memoryd("memory", "add", text, home=home).status == 0
    return home


def test_a_run_reads_as_what_replaced_what(memoryd: Memoryd, bank: Path) -> None:
    done = memoryd("consolidate", "--json", home=bank)
    run, (one,) = done.json["run"], done.json["supersedes"]
    told = memoryd("runs", run, home=bank).out.decode()

    assert told.splitlines()[0] == f"consolidate {run}: done, 1 superseded"
    assert told.splitlines()[2:] == [
        f"replaced {one['old']} by {one['new']}: {FACTS[1]}  [database port: a newer value]",
        f"  - {one['old']}: {FACTS[0]}",
    ]
    assert memoryd("runs", run, "--json", home=bank).json["run"] == run


def test_a_run_reads_as_what_went_into_what(memoryd: Memoryd, home: Path) -> None:
    for text in TOGETHER:
        assert memoryd("memory", "add", text).status == 0
    planned = memoryd("consolidate", "--dry-run").out.decode().splitlines()
    assert planned[1].startswith(f"  {TOGETHER[1]}  (")
    assert planned[2] == f"  - {TOGETHER[0]}"
    done = memoryd("consolidate", "--json")
    (one,) = done.json["merges"]
    told = memoryd("runs", done.json["run"]).out.decode()

    (member,) = one["from"]
    assert told.splitlines()[2:] == [
        f"merged {one['into']}, {member} → {one['into']}: {TOGETHER[1]}  [say the same]",
        f"  - {member}: {TOGETHER[0]}",
    ]


def test_a_run_that_changed_nothing_says_so_and_offers_no_way_back(
    memoryd: Memoryd, bank: Path
) -> None:
    first = memoryd("consolidate", home=bank).out.decode()
    second = memoryd("consolidate", home=bank).out.decode()
    pruned = memoryd("prune", home=bank).out.decode()
    runs = memoryd("runs", "--json", home=bank).json["runs"]
    told = memoryd("runs", home=bank).out.decode().splitlines()

    assert "1 superseded; `memoryd undo" in first
    assert second == "nothing changed\n"
    assert "undo" not in pruned
    assert [one["summary"] for one in runs] == [
        "nothing changed",
        "nothing changed",
        "1 superseded",
    ]
    assert [line.split("\t")[-1] for line in told] == [one["summary"] for one in runs]
    assert memoryd("undo", runs[1]["run"], home=bank).out.decode().endswith("had changed nothing\n")


def test_a_night_sums_up_what_its_phases_did(memoryd: Memoryd, bank: Path) -> None:
    night = memoryd("nightly", "--json", home=bank).json
    (line,) = (
        one
        for one in memoryd("runs", "--json", home=bank).json["runs"]
        if one["run"] == night["run"]
    )
    told = memoryd("runs", night["run"], home=bank).out.decode()

    assert line["summary"] == "1 superseded"
    assert f"`memoryd runs {night['phases']['consolidate']['run']}`" in told
    assert "  backup: done\n" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("memory list --state archived", "no entries of state archived; there are: active (2)"),
        ("memory list --scope /nowhere --all", "no entries of scope /nowhere; there are: global (2)"),
        ("memory list --namespace nobody/here", "no entries of namespace nobody/here; there are: local/default (2)"),
        ("review", "nothing waits"),
        ("runs", "no runs yet"),
    ],
)  # fmt: skip
def test_an_empty_list_says_so_and_how_to_go_on(
    memoryd: Memoryd, bank: Path, words: str, said: str
) -> None:
    done = memoryd(*words.split(), home=bank)

    assert (done.status, done.out) == (0, b"")  # rows alone go into a pipe
    assert said in done.err


def test_a_night_is_undone_by_its_parts_and_says_so(memoryd: Memoryd, bank: Path) -> None:
    night = memoryd("nightly", "--json", home=bank).json
    part = night["phases"]["consolidate"]["run"]
    told = memoryd("undo", night["run"], home=bank)

    assert told.status == 2
    assert f"`memoryd undo {part}`" in told.err
    assert memoryd("undo", part, "--json", home=bank).json["restored"]


def test_what_was_undone_is_told_listed_and_allowed_again(memoryd: Memoryd, bank: Path) -> None:
    first = memoryd("consolidate", "--json", home=bank).json
    said = memoryd("undo", first["run"], home=bank).out.decode()
    assert "will not do it again; `memoryd review list --apart`" in said
    assert memoryd("nightly", "--json", home=bank).json["phases"]["consolidate"]["supersedes"] == []

    said = memoryd("consolidate", "--dry-run", home=bank).out.decode()
    assert "you undid this replacement; `memoryd review approve apart-1` allows it" in said
    assert all(text in said for text in FACTS)
    (kept,) = memoryd("review", "list", "--apart", "--json", home=bank).json["apart"]
    assert (kept["run"], kept["words"]) == (first["run"], " ⟷ ".join(FACTS))
    assert " ⟷ ".join(FACTS) in memoryd("review", "list", "--apart", home=bank).out.decode()
    assert memoryd("review", "--json", home=bank).json == {"review": []}  # nothing waits

    assert memoryd("review", "approve", kept["id"], home=bank).status == 0
    assert "nothing is kept apart" in memoryd("review", "list", "--apart", home=bank).err
    assert len(memoryd("consolidate", "--json", home=bank).json["supersedes"]) == 1


def test_a_part_of_a_run_is_undone_by_an_entry(memoryd: Memoryd, bank: Path) -> None:
    for text in TOGETHER:
        assert memoryd("memory", "add", text, home=bank).status == 0
    run = memoryd("consolidate", "--json", home=bank).json
    (merge,), (replaced,) = run["merges"], run["supersedes"]
    wrong = memoryd("undo", run["run"], "--entry", "nobody", home=bank)
    said = memoryd("undo", run["run"], "--entry", merge["into"], home=bank).out.decode()
    told = memoryd("runs", run["run"], "--json", home=bank).json

    assert (wrong.status, "did nothing with nobody" in wrong.err) == (2, True)
    assert said.splitlines()[:2] == [
        f"as before {run['run']}: 2 entries",
        f"the rest of the run stands; `memoryd undo {run['run']}` takes it back, too",
    ]
    undone = {one["entry"] for one in told["changes"] if one["undone"]}
    lines = memoryd("runs", run["run"], home=bank).out.decode().splitlines()
    assert [line.endswith(", undone]") for line in lines if line.endswith("]")] == [True, False]
    assert (told["state"], undone) == ("partly undone", {merge["into"], *merge["from"]})
    rest = memoryd("undo", run["run"], "--json", home=bank).json
    assert set(rest["restored"]) == {replaced["old"], replaced["new"]}


def test_a_conflict_is_told_asked_decided_and_kept(memoryd: Memoryd, home: Path) -> None:
    assert memoryd("memory", "add", FACTS[0]).status == 0
    assert memoryd("memory", "add", FACTS[1], "--origin", "assistant").status == 0
    said = memoryd("consolidate").out.decode()
    assert "the older is the user's own word; `memoryd review`" in said
    assert all(text in said for text in FACTS)
    assert " ⟷ ".join(FACTS) in memoryd("review").out.decode()

    assert "both stay" in memoryd("review", "reject", "conflict-1").out.decode()
    assert "nothing waits" in memoryd("review").err
    listed = memoryd("review", "list", "--apart").out.decode()
    assert f"apart-1\tyou said that both hold\tconflict-1\t{' ⟷ '.join(FACTS)}" in listed
    wrong = memoryd("review", "reject", "apart-1")
    assert (wrong.status, "`memoryd review approve apart-1` lifts it" in wrong.err) == (2, True)
    assert "conflict-1 is open again" in memoryd("review", "approve", "apart-1").out.decode()
    assert memoryd("review", "--json").json["review"][0]["id"] == "conflict-1"


def test_the_page_of_a_night_is_named_in_json(memoryd: Memoryd, bank: Path, tmp_path: Path) -> None:
    assert memoryd("nightly", home=bank).status == 0
    page = tmp_path / "night.html"

    assert memoryd("runs", "--html", str(page), "--json", home=bank).json == {"page": str(page)}


@pytest.mark.parametrize(
    ("words", "shape"),
    [
        ("runs", {"runs": []}),
        ("review", {"review": []}),
        ("stats", {"days": 30.0, "namespaces": []}),
        ("consolidate --dry-run", {"run": None, "merges": [], "supersedes": [], "conflicts": [], "vetoes": [], "held_back": []}),
        ("prune --dry-run", {"run": None, "expired": [], "archived": [], "evicted": [], "kept_because": {}}),
    ],
)  # fmt: skip
def test_before_the_first_database_everything_is_empty_and_none_is_made(
    memoryd: Memoryd, tmp_path: Path, words: str, shape: dict[str, object]
) -> None:
    home = tmp_path / "new"
    done = memoryd(*words.split(), "--json", home=home)

    assert (done.status, done.err) == (0, "")
    assert {name: done.json[name] for name in shape} == shape
    assert memoryd(*words.split(), home=home).status == 0
    assert not (home / DATABASE_NAME).exists()


@pytest.mark.parametrize("words", ["memory list", "memory export"])
def test_before_the_first_database_there_are_no_lines(
    memoryd: Memoryd, tmp_path: Path, words: str
) -> None:
    done = memoryd(*words.split(), "--json", home=tmp_path / "new")

    assert (done.status, done.out, done.err) == (0, b"", "")


@pytest.mark.parametrize("words", ["consolidate", "prune"])
def test_the_first_run_of_all_makes_its_database(
    memoryd: Memoryd, tmp_path: Path, words: str
) -> None:
    run = memoryd(words, "--json", home=tmp_path / "new").json["run"]

    assert memoryd("runs", "--json", home=tmp_path / "new").json["runs"][0]["run"] == run


def test_nothing_to_measure_is_said(memoryd: Memoryd, history: Path) -> None:
    assert b"nothing to measure yet" in memoryd("stats", home=history).out


def test_every_state_is_a_state_too(memoryd: Memoryd, bank: Path) -> None:
    assert memoryd("consolidate", home=bank).status == 0
    every = memoryd("memory", "list", "--state", "all", "--json", home=bank)

    assert {one["state"] for one in every.lines} == {"active", "superseded"}
    assert every.out == memoryd("memory", "list", "--all", "--json", home=bank).out


def test_a_query_of_several_words_needs_no_quotes(memoryd: Memoryd, bank: Path) -> None:
    plain = memoryd("memory", "search", "database", "port", "--json", home=bank)
    quoted = memoryd("memory", "search", "database port", "--json", home=bank)

    assert plain.status == 0
    assert [hit["entry"]["id"] for hit in plain.json["hits"]] == [
        hit["entry"]["id"] for hit in quoted.json["hits"]
    ]
    assert memoryd("memory", "search", home=bank).status == 2


@pytest.mark.parametrize("began", ["", "pragma application_id=1835363684; pragma user_version=0"])
def test_a_database_whose_maker_was_killed_is_none_yet(
    memoryd: Memoryd, home: Path, user: Path, began: str
) -> None:
    make_home(user)
    path = home / DATABASE_NAME
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(began)

    assert memoryd("doctor", "--json").json["ok"]
    assert memoryd("status", "--json").json["degraded"] == []
    assert memoryd("runs", "--json").json == {"runs": []}
    assert memoryd("search", "x", "--json").json["hits"] == []
    assert memoryd("run", "--once").status == 0
    assert memoryd("doctor", "--json").json["ok"]

"""Runs, review and lists for people: readable, in local time, and never silent."""

from pathlib import Path

import pytest

from tests.interfaces.conftest import Memoryd

FACTS = ("The database port is 5432", "The database port is now 6432")


@pytest.fixture
def bank(memoryd: Memoryd, tmp_path: Path) -> Path:
    """A home with two facts, the newer of which replaces the older."""
    home = tmp_path / "bank"
    for text in FACTS:
        assert memoryd("memory", "add", text, home=home).status == 0
    return home


def test_a_run_reads_as_what_was_before_and_after(memoryd: Memoryd, bank: Path) -> None:
    done = memoryd("consolidate", "--json", home=bank)
    run = done.json["run"]
    told = memoryd("runs", run, home=bank).out.decode()

    assert told.splitlines()[0] == f"consolidate {run}: done, 1 supersedes"
    assert f"  - [active] {FACTS[0]}\n  + [superseded] {FACTS[0]}\n" in told
    assert memoryd("runs", run, "--json", home=bank).json["run"] == run


def test_a_night_sums_up_what_its_phases_did(memoryd: Memoryd, bank: Path) -> None:
    night = memoryd("nightly", "--json", home=bank).json
    (line,) = (
        one
        for one in memoryd("runs", "--json", home=bank).json["runs"]
        if one["run"] == night["run"]
    )
    told = memoryd("runs", night["run"], home=bank).out.decode()

    assert line["summary"] == "1 supersedes"
    assert f"`memoryd runs {night['phases']['consolidate']['run']}`" in told
    assert "  backup: done\n" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("memory list --namespace nobody/here", "no entries"),
        ("review", "nothing waits"),
        ("runs", "no runs yet"),
    ],
)
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
    (kept,) = memoryd("review", "list", "--apart", "--json", home=bank).json["apart"]
    assert (kept["run"], kept["words"]) == (first["run"], " ⟷ ".join(FACTS))
    assert " ⟷ ".join(FACTS) in memoryd("review", "list", "--apart", home=bank).out.decode()
    assert memoryd("review", "--json", home=bank).json == {"review": []}  # nothing waits

    assert memoryd("review", "approve", kept["id"], home=bank).status == 0
    assert "nothing is kept apart" in memoryd("review", "list", "--apart", home=bank).err
    assert len(memoryd("consolidate", "--json", home=bank).json["supersedes"]) == 1


def test_the_page_of_a_night_is_named_in_json(memoryd: Memoryd, bank: Path, tmp_path: Path) -> None:
    assert memoryd("nightly", home=bank).status == 0
    page = tmp_path / "night.html"

    assert memoryd("runs", "--html", str(page), "--json", home=bank).json == {"page": str(page)}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("forget", "--match", " "), "a blank would be found"),
        (("ingest", ""), "expected a path"),
        (("files", "check", ""), "expected a path"),
    ],
)
def test_nothing_is_not_everything(
    memoryd: Memoryd, bank: Path, words: tuple[str, ...], said: str
) -> None:
    done = memoryd(*words, home=bank)

    assert done.status == 2
    assert said in done.err


def test_nothing_to_measure_is_said(memoryd: Memoryd, history: Path) -> None:
    assert b"nothing to measure yet" in memoryd("stats", home=history).out

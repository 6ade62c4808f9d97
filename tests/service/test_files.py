"""Looking at memory files: which there are, what is wrong with them, and the block to load, which counts as a use."""

import json
import os
from pathlib import Path

import pytest

from memoryd.errors import UsageError
from memoryd.service.files.overview import describe_files
from memoryd.service.files.places import (
    MAX_PROJECTS,
    approved_names,
    clean_path,
    known_groups,
    known_projects,
)
from memoryd.service.lock import WriterLock
from tests.service.file_helpers import Desk

FACTS = ("The user drinks tea.", "用户住在杭州。", "Der Server heißt Amsel.")


def test_every_agent_s_files_are_listed_with_what_they_use(desk: Desk) -> None:
    desk.write(*FACTS)
    desk.file(".openclaw/workspace/AGENTS.md", "rules 😀\n")
    desk.file(".claude/projects/-app/memory/MEMORY.md", "- a\n- b\n")
    listed = describe_files(desk.home, desk.unapproved, [], None)["files"]

    found = {(one["profile"], Path(one["path"]).name): one for one in listed}
    assert found["hermes", "MEMORY.md"]["used"] == len("\n§\n".join(FACTS))
    assert found["hermes", "MEMORY.md"]["limit"] == 2200
    assert found["openclaw", "AGENTS.md"]["used"] == len("rules ") + 2
    assert found["claude-code", "MEMORY.md"]["unit"] in ("utf16", "lines")
    assert not any(one["approved"] for one in listed)


def test_what_was_approved_is_marked(desk: Desk) -> None:
    desk.write(*FACTS)
    desk.ask("files.approve", name=str(desk.memory))

    [one] = describe_files(desk.home, desk.unapproved, [], None)["files"]
    assert one["approved"]
    assert approved_names(desk.home, desk.unapproved) == (str(desk.memory),)
    assert desk.ask("files.approve", name=str(desk.memory), withdraw=True) == {
        "approved": [],
        "changed": True,
    }


def test_a_file_that_cannot_be_read_hides_none_of_the_others(desk: Desk) -> None:
    desk.write(*FACTS)
    os.mkfifo(desk.memories / "USER.md")
    report = desk.check()

    assert [Path(one["path"]).name for one in report["files"]] == ["SOUL.md", "MEMORY.md"]
    [unreadable] = report["unreadable"]
    assert "no regular file" in unreadable["reason"]
    assert desk.sync()["files"]
    assert desk.snapshot()


def test_a_named_file_that_is_not_there_is_bad_input(desk: Desk) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        desk.check(desk.user / "nowhere.md")


@pytest.mark.parametrize(
    "typed", ["sub/../.hermes/memories/MEMORY.md", ".hermes//memories/./MEMORY.md"]
)
def test_a_path_is_taken_as_a_person_types_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.chdir(desk.user)

    assert clean_path(Path(typed)) == desk.memory
    assert clean_path(Path("~/.hermes/memories/MEMORY.md")) == desk.memory


def test_the_bank_s_newer_value_is_held_against_the_file(desk: Desk) -> None:
    desk.write("The VPN port is 1194.", *FACTS)
    desk.sync()
    old = desk.bank()["The VPN port is 1194."]
    new = desk.ask("memory.add", content="The VPN port is 51820.")["entry"]
    path = desk.user / "in.jsonl"
    line = {"id": old.id, "content": old.content, "state": "superseded", "superseded_by": new["id"]}
    path.write_text(json.dumps(line))
    desk.ask("memory.import", path=str(path), raw=True)

    problems = desk.check(desk.memory)["files"][0]["problems"]
    [problem] = [one for one in problems if one["kind"] == "contradiction"]
    assert "51820" in problem["detail"]


def test_what_the_bank_holds_as_one_fact_is_doubled_across_files(desk: Desk) -> None:
    desk.write("The VPN port is 1194.", *FACTS)
    other = desk.write("Port of the VPN: 1194", path=desk.memories / "USER.md")
    desk.sync()
    desk.ask_consolidate()
    assert "merged" in desk.states().values()

    reports = {Path(one["path"]): one for one in desk.check()["files"]}
    details = [
        one["detail"]
        for path in (other, desk.memory)
        for one in reports[path]["problems"]
        if one["kind"] == "duplicate"
    ]
    assert len(details) == 1
    assert "says the same as" in details[0]


def test_looking_makes_no_database(desk: Desk) -> None:
    desk.write(*FACTS)
    desk.check()
    desk.snapshot()
    describe_files(desk.home, desk.config, [], None)

    assert not list(desk.home.iterdir())


def test_a_snapshot_is_a_use_of_what_it_shows_once_a_session(desk: Desk) -> None:
    desk.write(*FACTS)
    desk.sync()
    first = desk.snapshot()
    assert desk.snapshot() == first  # stable bytes keep a prompt cache warm
    desk.snapshot(session="another")

    assert {one.access_count for one in desk.bank().values()} == {2}
    assert all(fact in first for fact in FACTS)


def test_a_snapshot_counts_entries_that_were_never_synced_by_their_words(desk: Desk) -> None:
    desk.write(*FACTS)
    desk.ask("memory.add", content=FACTS[1])
    desk.snapshot()

    assert desk.bank()[FACTS[1]].access_count == 1


def test_a_snapshot_counts_only_what_it_shows(desk: Desk) -> None:
    desk.write(*(f"Fact {number} about the office." for number in range(30)))
    desk.sync()
    text = desk.snapshot(context_tokens=400)

    shown = {words for words in desk.contents() if words in text}
    assert 0 < len(shown) < 30
    assert {words for words, one in desk.bank().items() if one.access_count} == shown


def test_a_snapshot_is_printed_even_where_the_use_cannot_be_counted(desk: Desk) -> None:
    desk.write(*FACTS)
    desk.sync()
    with WriterLock(desk.home):
        assert FACTS[0] in desk.snapshot()

    assert {one.access_count for one in desk.bank().values()} == {0}


def test_a_snapshot_of_several_agents_keeps_within_the_context_together(desk: Desk) -> None:
    desk.write(*(f"Fact {number} about the office." for number in range(30)))
    desk.file(".openclaw/workspace/MEMORY.md", "".join(f"- Note {n} on cats\n" for n in range(200)))
    one = desk.snapshot(desk.memory, context_tokens=500)
    both = desk.snapshot(context_tokens=500)

    assert one.strip() in both
    assert len(both) < len(one) + 500 * 2


def test_projects_are_few_and_there(desk: Desk) -> None:
    records = []
    for number in range(MAX_PROJECTS + 10):
        project = desk.user / f"p{number}"
        if number % 2 == 0 or number > MAX_PROJECTS:
            project.mkdir()
        records.append(
            {
                "type": "user",
                "uuid": f"u{number}",
                "sessionId": f"s{number}",
                "cwd": str(project),
                "timestamp": f"2026-11-30T10:{number % 60:02}:00Z",
                "message": {"role": "user", "content": f"hello {number}"},
            }
        )
    for record in records:
        desk.file(f"chats/{record['sessionId']}.jsonl", json.dumps(record) + "\n")
    desk.ask("ingest", paths=[str(desk.user / "chats")], source="claude-code")

    found = known_projects(desk.home)
    assert 0 < len(found) <= MAX_PROJECTS
    assert all(one.is_dir() for one in found)


def test_a_link_in_an_agent_s_own_folder_is_followed_to_look(desk: Desk) -> None:
    real = desk.write(*FACTS, path=desk.user / "dotfiles.md")
    desk.memory.symlink_to(real)
    [group] = known_groups(desk.home, [], None)

    assert FACTS[0] in group.files[-1].text

"""`memoryd files …`, `memory add --file` and `undo` as people and scripts use them; killed, raced, and refused."""

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from memoryd.memory_files.sections import join_sections, parse_sections
from memoryd.service.bank.view import listed
from memoryd.store.reader import Reader

REPOSITORY = Path(__file__).parents[2]
PAIRS = [
    text
    for number in range(12)
    for text in (
        f"The backup of host-{number} runs every night at 02:{10 + number}.",
        f"Backups of host-{number} run at 02:{10 + number} every night.",
    )
]
SINGLE = [f"Machine {number} stands in rack {number + 40} of room Ada." for number in range(20)]
Memoryd = Callable[..., Any]


@pytest.fixture
def memory(user: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Hermes' MEMORY.md, 98 % full, mostly said twice."""
    folder = user / "agents" / "hermes"
    monkeypatch.setenv("HERMES_HOME", str(folder))
    (folder / "memories").mkdir(parents=True, mode=0o700)
    for path in (user, user / "agents", folder):
        path.chmod(0o700)
    path = folder / "memories" / "MEMORY.md"
    text = join_sections([*PAIRS, *SINGLE])
    path.write_text(text + "x" * (2156 - len(text)), encoding="utf-8")
    path.chmod(0o640)
    return path


def contents(path: Path) -> list[str]:
    return [piece.content for piece in parse_sections(path.read_text(encoding="utf-8")).entries]


@pytest.fixture
def run(memoryd: Memoryd) -> Memoryd:
    """`memoryd --home HOME …` in this process, which is quicker."""
    return memoryd


@pytest.fixture
def alone(home: Path, process: Callable[..., Any]) -> Memoryd:
    """`memoryd --home HOME …` as a process of its own."""

    def start(*arguments: str) -> Any:
        return process("--home", str(home), *arguments)

    return start


@pytest.mark.parametrize("data", ["- a\n- ö\n".encode("utf-16"), b"- caf\xe9\n", bytes(range(256))])
def test_a_file_that_is_no_utf8_is_told_as_the_cause(
    run: Memoryd, tmp_path: Path, data: bytes
) -> None:
    run("memory", "add", "Grass is green")  # there is a bank to compare with
    path = tmp_path / "MEMORY.md"
    path.write_bytes(data)

    (report,) = run("files", "check", str(path), "--json").json["files"]

    assert "not-utf8" in [problem["kind"] for problem in report["problems"]]
    assert run("files", "snapshot", str(path)).status == 0
    assert "not valid UTF-8" in run("files", "compact", str(path)).err
    assert path.read_bytes() == data


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_file_whose_name_is_no_utf8_is_checked_all_the_same(run: Memoryd, tmp_path: Path) -> None:
    run("memory", "add", "Grass is green")
    path = tmp_path / "caf\udce9" / "MEMORY.md"
    path.parent.mkdir()
    path.write_text("- Grass is green\n")

    assert run("files", "check", str(path), "--json").status == 0


def test_a_folder_cannot_be_compacted(run: Memoryd, tmp_path: Path) -> None:
    done = run("files", "compact", str(tmp_path), "--dry-run")

    assert (done.status, done.err) == (2, f"memoryd: {tmp_path} is a folder: name one file\n")


def test_a_command_names_the_run_it_begins_with(alone: Memoryd, memory: Path) -> None:
    run = alone
    assert run("files", "approve", str(memory)).status == 0
    told = run("files", "compact", str(memory)).err
    again = run("files", "compact", str(memory)).err
    listed = {one["run"]: one["kind"] for one in run("runs", "--json").json["runs"]}

    (first,) = re.findall(r"first in step with the bank: \d+ added; `memoryd undo (s-\S+)`", told)
    assert listed[first] == "files sync"
    assert "in step" not in again


def test_advice_keeps_the_profile_it_was_given_for(run: Memoryd, tmp_path: Path) -> None:
    path = tmp_path / "notes" / "MEMORY.md"
    path.parent.mkdir()
    path.write_text("".join(f"- Service {n} listens on port {3000 + n}\n" for n in range(65)))
    advice = f"memoryd files compact {path} --profile hermes"
    shown = run("files", "list", str(path), "--profile", "hermes").err
    checked = run("files", "check", str(path), "--profile", "hermes", "--json").json["files"]

    assert advice in shown
    assert f"run `{advice}`" in [one["fix"] for one in checked[0]["problems"]]
    assert "codepoints" in run(*advice.split()[1:]).err
    assert "limit" not in run("files", "compact", str(path)).err  # other rules have none


def test_the_whole_way_of_a_full_file(alone: Memoryd, memory: Path) -> None:
    run = alone
    before = memory.read_bytes()
    listing = run("files", "list", "--json").json["files"]
    assert [(one["profile"], one["percent"], one["approved"]) for one in listing] == [
        ("hermes", 98, False)
    ]
    assert run("files", "check").status == 0

    refused = run("files", "compact", str(memory))
    assert refused.status == 0
    assert b"-The backup of host-0" in refused.out
    assert f"memoryd files approve {memory}" in refused.err
    assert memory.read_bytes() == before

    assert run("files", "approve", str(memory)).status == 0
    told = run("files", "compact", str(memory), "--json").json
    assert told["written"]
    assert told["used_before"] - told["used_after"] >= 0.25 * 2200
    assert memory.stat().st_mode & 0o777 == 0o640
    for one in told["moved"]:
        if one["reason"] == "least valuable":
            hits = run("memory", "search", one["content"], "--json").json["hits"]
            assert one["content"] in [hit["entry"]["content"] for hit in hits]

    undone = run("undo", told["run"])
    assert undone.status == 0
    assert str(memory).encode() in undone.out
    assert memory.read_bytes() == before
    assert run("undo", told["run"]).status == 2


def test_check_has_the_fields_of_the_contract_and_says_no_where_anything_is_cut(
    run: Memoryd, user: Path
) -> None:
    folder = user / "clawd"
    folder.mkdir()
    for name in ("AGENTS", "SOUL", "TOOLS", "IDENTITY", "USER", "HEARTBEAT", "BOOTSTRAP"):
        (folder / f"{name}.md").write_text("x" * 6_429)
    (folder / "MEMORY.md").write_text("- y\n" * 4_000)
    outcome = run("files", "check", str(folder), "--profile", "openclaw-2026.1", "--json")

    assert outcome.status == 1
    report = outcome.json
    assert not report["ok"]
    assert set(report["total"]) == {"used", "limit"}
    memory = next(one for one in report["files"] if one["path"].endswith("/MEMORY.md"))
    names = {"path", "profile", "unit", "raw", "limit", "loaded", "kept_head", "kept_tail"}
    assert names | {"cause", "cut_entries", "problems"} <= set(memory)
    assert (memory["limit"], memory["cause"]) == (60_000 - 7 * 6_429, "max/total")
    assert all(set(one) >= {"kind", "detail", "fix"} for one in memory["problems"])
    (folder / "MEMORY.md").write_text("- y\n")
    assert run("files", "check", str(folder), "--profile", "openclaw-2026.1").status == 0


def test_a_file_over_its_budget_is_a_no(run: Memoryd, memory: Path) -> None:
    memory.write_text(memory.read_text() + "\n§\n" + "z" * 100)

    outcome = run("files", "check", "--json")
    assert outcome.status == 1
    assert not outcome.json["ok"]


def test_snapshot_prints_the_same_bytes_and_nothing_else(run: Memoryd, memory: Path) -> None:
    first, second = (run("files", "snapshot", "--context-tokens", "8000") for _ in range(2))

    assert first.status == 0
    assert first.out == second.out
    assert first.err == ""
    assert first.out.decode().startswith("== MEMORY.md [98% — 2,156/2,200 codepoints] ==\n")
    assert run("files", "snapshot", "--json").json["text"]
    memory.unlink()
    assert run("files", "snapshot").status == 1


def test_adding_to_a_full_file_lists_everything_in_the_way(run: Memoryd, memory: Path) -> None:
    before = memory.read_bytes()
    outcome = run("memory", "add", "A new fact. " * 8, "--file", str(memory), "--json")

    assert outcome.status == 1
    assert outcome.json["outcome"] == "rejected"
    assert {one["content"] for one in outcome.json["entries"]} == set(contents(memory))
    assert memory.read_bytes() == before
    plain = run("memory", "add", "A new fact. " * 8, "--file", str(memory))
    assert plain.err.count("host-") == len(PAIRS)


def test_adding_and_taking_back(run: Memoryd, memory: Path) -> None:
    memory.write_text(join_sections(SINGLE[:3]))
    before = memory.read_bytes()
    assert run("memory", "add", "New fact.", "--file", str(memory), "--json").status == 1
    assert memory.read_bytes() == before
    run("files", "approve", "hermes")
    told = run("memory", "add", "New fact.", "--file", str(memory), "--json").json

    assert {"entry", "outcome", "reason", "with"} <= set(told)
    assert contents(memory) == [*SINGLE[:3], "New fact."]
    run("undo", told["run"])
    assert memory.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("files", "check", "nowhere.md"),
        ("files", "compact", "nowhere.md"),
        ("files", "check", "--profile", "nonsense"),
        ("files", "approve", "nonsense"),
        ("files", "compact", "CLAUDE.md"),
        ("files", "compact", "pipe"),
        ("files", "compact", "."),
        ("memory", "add", "x", "--file", "nowhere/MEMORY.md"),
    ],
)
def test_wrong_input_is_one_clear_line_and_status_2(
    run: Memoryd, user: Path, arguments: tuple[str, ...]
) -> None:
    (user / "CLAUDE.md").write_text("- be kind\n")
    os.mkfifo(user / "pipe")
    names = {"nowhere.md", "CLAUDE.md", "pipe", ".", "nowhere/MEMORY.md"}
    outcome = run(*(str(user / one) if one in names else one for one in arguments))

    assert outcome.status == 2, outcome.err
    assert outcome.err.startswith("memoryd: ")
    assert outcome.err.count("\n") == 1
    assert outcome.out == b""


@pytest.mark.slow  # it waits as long as it would for an agent
def test_a_lock_that_is_held_too_long_is_status_3(run: Memoryd, memory: Path) -> None:
    run("files", "approve", "hermes")
    before = memory.read_bytes()
    with memory.with_name("MEMORY.md.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        outcome = run("files", "compact", str(memory))

    assert outcome.status == 3, outcome.err
    assert "lock" in outcome.err.splitlines()[-1]
    assert memory.read_bytes() == before
    assert run("files", "compact", str(memory), "--json").json["written"]


def test_approvals_are_withdrawn(run: Memoryd, memory: Path) -> None:
    run("files", "approve", "hermes")
    told = run("files", "approve", "hermes", "--withdraw", "--json")
    assert told.json == {"approved": [], "changed": True}
    assert not run("files", "compact", str(memory), "--json").json["written"]
    assert "was not approved" in run("files", "approve", "hermes", "--withdraw").err


def test_sync_says_what_came_and_what_would_change(run: Memoryd, memory: Path) -> None:
    assert b"44 added" in run("files", "sync", "--dry-run").out
    told = run("files", "sync", "--json").json
    assert len(told["files"][0]["added"]) == 44
    [proposal] = told["proposals"]
    assert (proposal["kind"], proposal["path"]) == ("compact", str(memory))
    again = run("files", "sync")
    assert b"nothing new" in again.out
    assert "not approved" in again.err


def test_the_night_compacts_approved_files_and_proposes_for_the_others(
    run: Memoryd, memory: Path, user: Path
) -> None:
    before = memory.read_bytes()
    phase = run("nightly", "--json").json["phases"]["files"]
    assert phase["proposals"][0]["kind"] == "compact"
    assert memory.read_bytes() == before

    run("files", "approve", str(memory))
    planned = run("nightly", "--dry-run", "--json").json["phases"]["files"]
    assert memory.read_bytes() == before
    phase = run("nightly", "--json").json["phases"]["files"]
    assert planned["proposals"]
    assert not phase["proposals"]
    [done] = phase["files"][0]["runs"]
    assert len(memory.read_text()) <= 0.75 * 2200
    run("undo", done)
    assert memory.read_bytes() == before


def test_a_hand_edit_while_compacting_survives(run: Memoryd, home: Path, memory: Path) -> None:
    run("files", "approve", "hermes")
    program = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"
    with memory.with_name("MEMORY.md.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        child = subprocess.Popen(
            [sys.executable, "-c", program, "--home", str(home), "files", "compact", str(memory)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=REPOSITORY,
        )
        time.sleep(3.0)
        memory.write_text(memory.read_text() + "\n§\nWritten by hand meanwhile.")
        fcntl.flock(lock, fcntl.LOCK_UN)
        _, err = child.communicate(timeout=40)

    assert child.returncode == 0, err
    assert "Written by hand meanwhile." in contents(memory)
    assert len(contents(memory)) < len(PAIRS) + len(SINGLE)


def run_killed(home: Path, since: str, at: int, *arguments: str) -> tuple[int, int]:
    """Kill memoryd at the Nth call since a function was entered; (exit status, calls if it ended)."""
    program = str(REPOSITORY / "tests/interfaces/killed.py")
    done = subprocess.run(
        [sys.executable, program, since, str(at), "--home", str(home), *arguments],
        check=False,
        stderr=subprocess.PIPE,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    return done.returncode, 0 if done.returncode < 0 else int(done.stderr.split()[-1])


def states(home: Path) -> dict[str, list[str]]:
    """The states of the bank's entries by their words."""
    found: dict[str, list[str]] = {}
    with Reader(home) as reader:
        assert reader.connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        for one in listed(reader, None, None, ()):
            found.setdefault(one.content, []).append(one.state)
    return found


SHORT = [*PAIRS[:4], *SINGLE[:6]]


# From the bank's part, from the write of the file and from its note to the end.
STAGES = ("keep", "put_file", "note")


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(1, marks=pytest.mark.timeout(120)),
        pytest.param(25, marks=[pytest.mark.slow, pytest.mark.timeout(900)]),
    ],
)
def test_killed_anywhere_the_file_is_old_or_new_and_nothing_is_lost(
    run: Memoryd, tmp_path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    (tmp_path / "config.toml").write_text('[files]\napprove = ["hermes"]\n')
    monkeypatch.setenv("MEMORYD_CONFIG", str(tmp_path / "config.toml"))
    compact = ("files", "compact", str(memory), "--target-percent", "10")
    memory.write_text(join_sections(SHORT))
    old = memory.read_bytes()
    calls = {}
    for stage in STAGES:
        memory.write_bytes(old)
        status, calls[stage] = run_killed(tmp_path / stage, stage, 0, *compact)
        assert status == 0
    new = memory.read_bytes()
    outcomes = set()
    for stage, number in product(STAGES, range(kills)):
        home = tmp_path / f"{stage}-{number}"
        memory.write_bytes(old)
        at = 1 + calls[stage] * 9 // 10 * number // kills
        assert run_killed(home, stage, at, *compact)[0] == -signal.SIGKILL
        left = memory.read_bytes()
        assert left in (old, new)
        outcomes.add(left)
        known = states(home)
        in_bank = all(set(known.get(one, ())) & {"active", "merged"} for one in SHORT)
        assert in_bank or left == old  # killed before anything began, the file has it all

        assert run("files", "sync", str(memory), home=home).status == 0
        found = states(home)
        assert all("active" in found[one] for one in contents(memory) if "memoryd" not in one)
        assert all(set(found[one]) & {"active", "merged"} for one in SHORT)
    assert outcomes == {old, new} or kills == 1  # at the first call nothing is written yet
    # What a crash left beside the file is cleared by the next write.
    memory.write_bytes(old)
    assert run(*compact, "--json", home=tmp_path / "last").json["written"]
    assert not list(memory.parent.glob(".memoryd-*"))

"""The safe writer among other processes: killed at any moment, raced by agents, editors and an attacker."""

import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd.errors import MemorydError
from memoryd.memory_files.sections import join_sections, parse_sections
from memoryd.memory_files.writer import Patience, write_file

ACTORS = Path(__file__).with_name("actors.py")
REPOSITORY = Path(__file__).parents[2]
TOKEN = re.compile(r"[a-z]+\d+\Z")
LETTERS = 200_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "memories"
    folder.mkdir(mode=0o700)
    path = folder / "MEMORY.md"
    path.write_text(join_sections(f"start{number}" for number in range(50)))
    return path


def start(actor: str, file: Path, seconds: float, token: str = "x") -> subprocess.Popen[str]:
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, str(ACTORS), actor, str(file), str(seconds), token]
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str], seconds: float) -> int:
    """Wait for an actor; return how many steps it certainly finished."""
    output, _ = process.communicate(timeout=seconds + 40)
    assert process.returncode == 0
    return len(output.split())


# --- kill -9


def kill_at(file: Path, delay: float) -> None:
    process = start("flipper", file, 60)
    assert process.stdout is not None
    process.stdout.readline()  # it is at work
    time.sleep(delay)
    process.kill()
    process.wait()
    process.stdout.close()


def check_whole(file: Path) -> None:
    data = file.read_bytes()
    assert len(data) == LETTERS
    assert len(set(data)) == 1


def sweep(file: Path, kills: int, seed: int) -> None:
    generator = random.Random(seed)
    for _ in range(kills):
        kill_at(file, generator.uniform(0, 0.02))
        check_whole(file)
    write_file(
        file, file.read_bytes(), b"c" * LETTERS, roots=[file.parent], patience=Patience(5.0, 0.0)
    )

    check_whole(file)
    assert list(file.parent.iterdir()) == [file]


def test_a_killed_write_leaves_the_old_or_the_new_file(file: Path) -> None:
    sweep(file, kills=6, seed=int(time.time()))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_many_killed_writes_leave_the_old_or_the_new_file(file: Path) -> None:
    sweep(file, kills=300, seed=7)


# --- other writers


class Sampler(threading.Thread):
    """Reads the file without pause and keeps the first text that is not whole."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.torn: str | None = None
        self.samples = 0
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.is_set():
            text = self.file.read_text()
            self.samples += 1
            if self.torn is None and not is_whole(text):
                self.torn = text
            time.sleep(0.0005)


def is_whole(text: str) -> bool:
    entries = parse_sections(text).entries
    return bool(entries) and all(TOKEN.match(piece.content) for piece in entries)


def known(file: Path) -> set[str]:
    """Every entry in the file and in the bank."""
    bank = file.parent.parent / "bank"
    banked = bank.read_text().split("\n") if bank.exists() else []
    return {piece.content for piece in parse_sections(file.read_text()).entries} | set(banked)


def run_together(
    file: Path, actors: dict[str, str], seconds: float, *, sampled: bool
) -> tuple[dict[str, int], Sampler]:
    """Let actors (token -> kind) work beside memoryd; return how far each came."""
    sampler = Sampler(file)
    worker = start("memoryd", file, seconds)
    processes = {token: start(actor, file, seconds, token) for token, actor in actors.items()}
    if sampled:
        sampler.start()
    steps = {token: finish(process, seconds) for token, process in processes.items()}
    finish(worker, seconds)
    sampler.done.set()
    if sampled:
        sampler.join()
    return steps, sampler


def check_nothing_lost(
    file: Path, steps: dict[str, int], tokens: Callable[[str], bool] = bool
) -> None:
    expected = {
        f"{token}{number}"
        for token, count in steps.items()
        if tokens(token)
        for number in range(count)
    }
    expected |= {f"start{number}" for number in range(50)}
    assert expected - known(file) == set()


def check_two_agents(file: Path, seconds: float) -> None:
    steps, sampler = run_together(file, {"alpha": "agent", "beta": "agent"}, seconds, sampled=True)

    assert min(steps.values()) > 5
    assert (file.parent.parent / "bank").exists()
    check_nothing_lost(file, steps)
    assert sampler.torn is None
    assert sampler.samples > 100


def test_two_agents_with_their_lock_lose_nothing(file: Path) -> None:
    check_two_agents(file, 1.5)


@pytest.mark.slow
@pytest.mark.timeout(700)
def test_two_agents_with_their_lock_lose_nothing_for_long(file: Path) -> None:
    check_two_agents(file, 300)


def check_editor(file: Path, kind: str, seconds: float) -> None:
    steps, sampler = run_together(file, {"gamma": kind}, seconds, sampled=kind == "editor")

    check_nothing_lost(file, steps)
    assert sampler.torn is None


@pytest.mark.parametrize("kind", ["appender", "editor", "typist"])
def test_an_editor_that_ignores_the_lock_loses_nothing(file: Path, kind: str) -> None:
    check_editor(file, kind, 0.8)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["appender", "editor", "typist"])
def test_an_editor_that_ignores_the_lock_loses_nothing_for_long(file: Path, kind: str) -> None:
    check_editor(file, kind, 100)


@pytest.mark.slow
@pytest.mark.timeout(700)
def test_two_agents_and_an_appender_leave_every_locked_entry(file: Path) -> None:
    """What agents that replace the file do to a text appended beside their lock is not ours to mend."""
    steps, sampler = run_together(
        file, {"alpha": "agent", "beta": "agent", "gamma": "appender"}, 300, sampled=True
    )

    check_nothing_lost(file, steps, lambda token: token != "gamma")
    assert sampler.torn is None


# --- an attacker who swaps the folder for a link


def race_swaps(tmp_path: Path, writes: int) -> tuple[int, int]:
    """Write while a thread swaps the folder with a link to another one; return done and refused writes."""
    root = tmp_path / "root"
    inside, aside, outside = root / "memories", root / "aside", tmp_path / "outside"
    for folder in (root, inside, outside):
        folder.mkdir(mode=0o700)
    (inside / "MEMORY.md").write_bytes(b"0")
    (outside / "MEMORY.md").write_bytes(b"precious")
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            inside.rename(aside)
            inside.symlink_to(outside)
            inside.unlink()
            aside.rename(inside)
            time.sleep(0.0004)  # long enough that some writes get through

    racer = threading.Thread(target=swap)
    racer.start()
    refused = 0
    current = b"0"
    for number in range(1, writes + 1):
        try:
            ours = str(number).encode()
            write_file(
                inside / "MEMORY.md", current, ours, roots=[root], patience=Patience(1.0, 0.0)
            )
            current = ours
        except MemorydError:
            refused += 1
    done.set()
    racer.join()
    assert (outside / "MEMORY.md").read_bytes() == b"precious"
    assert list(outside.iterdir()) == [outside / "MEMORY.md"]
    assert (inside / "MEMORY.md").read_bytes() == current
    return writes - refused, refused


def test_a_folder_swapped_for_a_link_in_a_loop_leads_no_write_outside(tmp_path: Path) -> None:
    done, refused = race_swaps(tmp_path, 300)

    assert done > 0
    assert refused > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_raced_writes_stay_inside(tmp_path: Path) -> None:
    race_swaps(tmp_path, 10_000)

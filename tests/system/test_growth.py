"""However a transcript grows, and wherever memoryd is killed, the same rows come out as from one reading of the whole."""

import json
import logging
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memoryd.service.writer import utc_now
from memoryd.store.integrity import find_damage
from memoryd.store.store import Store
from tests.agents import claude_session, codex_session, damaged, make_turns
from tests.system.zygote import Zygote

REPOSITORY = Path(__file__).parents[2]
SERIES = REPOSITORY.parent / "shared/samples/claude-code/entire"
PROGRAM = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"
Ingest = Callable[..., dict[str, int]]
LOG = logging.getLogger(__name__)  # seeds, shown where a test fails

NAMES = {
    "claude-code": "5e551011-aaaa-4bbb-8ccc-000000000001.jsonl",
    "codex": "rollout-2026-03-11T00-00-00-019ce0d1-2189-7980-bde2-9b5c50289100.jsonl",
}
ROWS = (
    "select hex(identity), message.native_id, role, text, time, session.native_id, position, withdrawn, start, end "
    "from message join session on session.id = message.session_id order by 1"
)
SESSIONS = "select native_id, project, title, branch, model, parent_id, started, ended, messages, spoken from session order by 1"
LEDGER = "select offset, ingested, quarantined, size, (select group_concat(reason || records) from skip) from transcript"


def everything(home: Path) -> list[list[Any]]:
    """All that was kept, and nothing that depends on when it was read."""
    with Store(home, utc_now) as store:
        assert find_damage(store.connection) == []
        return [store.connection.execute(sql).fetchall() for sql in (ROWS, SESSIONS, LEDGER)]


@pytest.fixture(scope="module")
def ingest() -> Iterator[Ingest]:
    """`memoryd ingest` in a process that may be killed at any call; see killing.py."""
    with Zygote({}) as memoryd:

        def run(home: Path, path: Path, at: int = 0) -> dict[str, int]:
            return memoryd.ask(["--home", str(home), "ingest", "--json", str(path)], at=at)

        yield run


def slices(data: bytes, chance: random.Random, count: int) -> Iterator[bytes]:
    """*data* in about so many pieces, cut anywhere."""
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(count - 1))
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        yield data[start:end]


def replay(
    path: Path, steps: Sequence[bytes], chance: random.Random, look: Callable[[float], int]
) -> int:
    """Let *path* grow step by step, slice by slice, with a look after each; the last looks are at the whole.

    Args:
        look: reads *path*, of which this share is new; its exit status.

    Returns:
        How often a look was killed.
    """
    held, ends = 0, []
    for step in steps:
        for piece in slices(step[held:], chance, 3):
            with path.open("ab") as file:
                file.write(piece)
            ends.append(look(len(piece) / len(steps[-1])))
        held = len(step)
    while ends[-1] != 0:
        ends.append(look(0.0))
    assert set(ends) <= {0, -9}
    return ends.count(-9)


def made_up(agent: str, seed: int) -> list[bytes]:
    """A growth series of our own, with every damage that files suffer."""
    chance = random.Random(seed)
    make = {"claude-code": claude_session, "codex": codex_session}[agent]
    whole = damaged(make(f"5e551011-aaaa-4bbb-8ccc-{seed:012}", make_turns(chance, 60)), chance)
    cuts = sorted(chance.randrange(len(whole)) for _ in range(2))
    return [*(whole[:cut] for cut in cuts), whole]


def check(folder: Path, name: str, steps: Sequence[bytes], seed: int, ingest: Ingest) -> None:
    """Replay *steps* and compare with one reading of the last."""
    chance = random.Random(seed)
    path = folder / name
    path.write_bytes(steps[-1])
    most = ingest(folder / "once", path)["calls"]
    expected = everything(folder / "once")
    least = ingest(folder / "once", path)["calls"]
    assert everything(folder / "once") == expected
    path.unlink()

    def look(share: float) -> int:
        at = chance.randrange(1, int(least + share * (most - least)) + 1)
        return ingest(folder / "grown", path, at if chance.random() < 0.7 else 0)["status"]

    killed = replay(path, steps, chance, look)
    LOG.warning("seed %d: killed %d times", seed, killed)
    grown = everything(folder / "grown")

    assert len(expected[0]) > 10
    assert killed > 0
    assert expected == grown


@pytest.mark.parametrize("agent", NAMES)
def test_a_growing_transcript_and_many_kills_end_in_the_same_rows(
    tmp_path: Path, ingest: Ingest, agent: str
) -> None:
    check(tmp_path, NAMES[agent], made_up(agent, 1), 1, ingest)


def real_series() -> list[Path]:
    return sorted(SERIES.glob("grow_*"))


@pytest.mark.skipif(not real_series(), reason="no samples beside the repository")
@pytest.mark.parametrize("folder", real_series(), ids=lambda folder: folder.name[:13])
def test_a_real_growth_series_ends_in_the_same_rows(
    tmp_path: Path, ingest: Ingest, folder: Path
) -> None:
    steps = [path.read_bytes() for path in sorted(folder.glob("step*.jsonl"))]
    assert all(after.startswith(before) for before, after in pairwise(steps))

    check(tmp_path, f"{folder.name[5:]}.jsonl", steps, 3, ingest)


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(15))
@pytest.mark.parametrize("agent", NAMES)
def test_sweep_of_growth_and_kills(tmp_path: Path, ingest: Ingest, agent: str, turn: int) -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    check(tmp_path, NAMES[agent], made_up(agent, seed), seed, ingest)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kills_by_the_clock_of_a_process_of_its_own(tmp_path: Path, ingest: Ingest) -> None:
    """`memoryd ingest` of a large transcript, killed after any time: also in the middle of a write to the disk."""
    seed = random.SystemRandom().randrange(1 << 30)
    LOG.warning("seed %d", seed)
    chance = random.Random(seed)
    path = tmp_path / "5e551011-aaaa-4bbb-8ccc-000000000001.jsonl"
    path.write_bytes(claude_session(path.stem, make_turns(chance, 12_000)))
    command = [sys.executable, "-c", PROGRAM, "--home", str(tmp_path / "killed"), "ingest"]
    started = time.monotonic()
    ingest(tmp_path / "once", path)
    seconds = time.monotonic() - started
    for _ in range(25):
        with subprocess.Popen([*command, str(path)], cwd=REPOSITORY) as process:
            time.sleep(chance.uniform(0.2, max(0.5, seconds)))
            process.kill()
    subprocess.run([*command, str(path)], cwd=REPOSITORY, check=True, capture_output=True)

    assert everything(tmp_path / "once") == everything(tmp_path / "killed")
    again = subprocess.run([*command, "--json", str(path)], cwd=REPOSITORY, check=True, capture_output=True)  # fmt: skip
    assert json.loads(again.stdout)["messages_added"] == 0

"""Agents keep writing to their databases from another process while memoryd reads them."""

import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from memoryd.sources.base import ReadLimits, Source
from memoryd.sources.registry import source_classes
from tests.sources.contract import Harvest, harvest
from tests.sources.foreign_agents import AGENTS, Said, create

ROOT = Path(__file__).parents[2]


def source_of(name: str, root: Path, limits: ReadLimits | None = None) -> Source:
    return source_classes()[name]([root], limits)


def database_of(name: str, folder: Path) -> Path:
    """Where the agent would have it."""
    inside = folder / ("kiro-cli" if name == "kiro" else "")
    inside.mkdir(parents=True, exist_ok=True)
    return inside / AGENTS[name].file


def said(found: Harvest) -> Counter[Said]:
    return Counter((m.session_id, m.role, m.text.strip()) for m in found.messages.values())


def expected(name: str, path: Path) -> Counter[Said]:
    connection = sqlite3.connect(path)
    try:
        visible = AGENTS[name].visible(connection)
        return Counter(
            {(who, role, text.strip()): count for (who, role, text), count in visible.items()}
        )
    finally:
        connection.close()


def play(name: str, path: Path, seed: int, writes: int, pause: float) -> subprocess.Popen[bytes]:
    """Another process that writes as the agent does."""
    command = [sys.executable, "-m", "tests.sources.foreign_agents", name, str(path)]
    return subprocess.Popen([*command, str(seed), str(writes), str(pause)], cwd=ROOT)


@pytest.mark.parametrize("name", AGENTS)
def test_reading_while_the_agent_writes_ends_with_exactly_what_is_visible(
    tmp_path: Path, name: str
) -> None:
    path = database_of(name, tmp_path)
    create(name, path, 1)[0].close()
    source, found = source_of(name, tmp_path, ReadLimits(batch_bytes=20_000)), Harvest()
    writer = play(name, path, 1, 100, 0.004)
    while writer.poll() is None:
        harvest(source, path, found)
    assert writer.returncode == 0
    harvest(source, path, found)

    assert len(found.messages) > 20
    assert expected(name, path) == said(found)
    assert [] == found.rejects


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("seed", range(3))
def test_any_steps_of_an_agent_read_at_any_time_give_what_reading_once_gives(
    tmp_path: Path, name: str, seed: int
) -> None:
    path = database_of(name, tmp_path)
    connection, agent = create(name, path, seed)
    source, found = source_of(name, tmp_path), Harvest()
    for number in range(100):
        agent.step()
        if number % (seed * 3 + 1) == 0:
            harvest(source, path, found)
    connection.close()
    harvest(source, path, found)

    assert expected(name, path) == said(found) == said(harvest(source, path))


@pytest.mark.parametrize("name", AGENTS)
def test_a_database_at_rest_gives_nothing_new(tmp_path: Path, name: str) -> None:
    path = database_of(name, tmp_path)
    connection, agent = create(name, path, 7)
    for _ in range(60):
        agent.step()
    connection.close()
    source = source_of(name, tmp_path)
    found = harvest(source, path)

    assert [] == list(source.read(path, found.cursor))
    assert source.recognises(path.read_bytes()[:65536])
    assert [path] == list(source.discover(tmp_path))
    assert source.transcript(path.with_name(path.name + "-wal")) == path
    assert source.transcript(path.with_name(path.name + "-shm")) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("seed", range(20, 26))
def test_long_lives_of_agents(tmp_path: Path, name: str, seed: int) -> None:
    path = database_of(name, tmp_path)
    create(name, path, seed)[0].close()
    source, found = source_of(name, tmp_path, ReadLimits(batch_bytes=50_000)), Harvest()
    writers = [play(name, path, seed * 10 + number, 400, 0.002) for number in range(2)]
    while any(writer.poll() is None for writer in writers):
        harvest(source, path, found)
    harvest(source, path, found)

    assert [0, 0] == [writer.returncode for writer in writers]
    assert expected(name, path) == said(found)

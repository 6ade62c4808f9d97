"""Real transcripts, where they are at hand: everything reads, growth series end as one full reading."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.config import Config
from memoryd.sources.base import ReadLimits
from memoryd.sources.claude_code import ClaudeCode
from memoryd.sources.codex import Codex
from memoryd.sources.jsonl import JsonLinesSource
from memoryd.sources.registry import build_sources, detect
from tests.sources.contract import Harvest, harvest

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no samples beside the repository")


def _series() -> list[Path]:
    return sorted((SAMPLES / "claude-code" / "entire").glob("grow_*"))


def _slices(folder: Path, seed: int) -> Iterator[bytes]:
    """Every step of a series, each reached in random byte slices; a step is a prefix of the next."""
    random_source, size = random.Random(seed), 0
    for step in sorted(folder.glob("step*.jsonl")):
        data = step.read_bytes()
        while size < len(data):
            size = min(len(data), size + random_source.randrange(1, 40_000))
            yield data[:size]


@pytest.mark.parametrize("folder", _series(), ids=lambda folder: folder.name[:12])
@pytest.mark.parametrize("seed", range(3))
def test_a_growth_series_in_random_slices_equals_one_reading(
    tmp_path: Path, folder: Path, seed: int
) -> None:
    source = ClaudeCode([tmp_path], ReadLimits(batch_bytes=20_000))
    last = max(folder.glob("step*.jsonl"))
    whole, grown = harvest(source, last), Harvest()
    path = tmp_path / "grown.jsonl"
    for data in _slices(folder, seed):
        path.write_bytes(data)
        harvest(source, path, grown)

    assert whole.texts == grown.texts
    assert whole.skipped == grown.skipped
    assert whole.sessions == grown.sessions


def test_resumed_copies_add_only_what_is_new() -> None:
    pair = sorted((SAMPLES / "claude-code" / "entire" / "resumed_pair").glob("*.jsonl"))
    first, second = (harvest(ClaudeCode(()), path) for path in pair)

    assert len(set(first.messages) ^ set(second.messages)) <= 2


def test_a_glued_line_gives_both_records() -> None:
    (path,) = (SAMPLES / "claude-code" / "entire").glob("special_37*.jsonl")

    assert [] == harvest(ClaudeCode(()), path).rejects


def test_every_sample_reads_without_an_error() -> None:
    """Each goes to the agent whose folder it lies in; what is nobody's are indexes and companions."""
    sources = build_sources(Config())
    found = {}
    for path in sorted(SAMPLES.rglob("*.jsonl")):
        source = detect(path, sources)
        if isinstance(source, JsonLinesSource):
            found[path] = harvest(source, path)

    assert sum(len(one.messages) for one in found.values()) > 1000


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_each_sample_goes_to_its_agent(agent: str) -> None:
    sources = build_sources(Config())
    owners = {
        path.relative_to(SAMPLES).as_posix(): source.name
        for path in sorted((SAMPLES / agent).rglob("*.jsonl"))
        if path.stat().st_size > 1 and (source := detect(path, sources)) is not None
    }

    assert set(owners.values()) <= {agent, "claude-history", "traex"}


def test_codex_samples_say_each_thing_once() -> None:
    for path in sorted((SAMPLES / "codex").rglob("rollout-*.jsonl")):
        said = [text for _, text in harvest(Codex(()), path).turns]

        assert len(said) == len(set(said))

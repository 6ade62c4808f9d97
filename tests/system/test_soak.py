"""A short soak (`poe soak` is the long one): whatever is killed, what was said is held once, and nothing else."""

from pathlib import Path

import pytest

from bench.soak import Plan, soak
from bench.soak_figures import FIGURES, Sample, draw, table, trend

SHORT = Plan(
    seconds=12,
    seed=8,
    pause=0.4,
    night_every=6,
    add_every=1.0,
    sample_every=0.5,
    rescan=5,
    kill_period=12,
    kill_pauses=(0.5, 2.0),
    engine="none",
)


@pytest.mark.timeout(300)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="measures through /proc")
def test_twenty_writers_kills_and_nights_end_in_what_was_said(tmp_path: Path) -> None:
    report, log = soak(tmp_path, SHORT)

    assert [] == report["violations"]
    assert report["kills"] > 0
    assert report["messages"] > 100
    assert report["searches"] > 10
    assert report["memory_adds"] > 0
    assert "<polyline" in draw(log.samples, log.kills, log.nights)


def life(growth: float) -> list[Sample]:
    """An hour of samples; *growth*: bytes of memory a second."""
    return [
        Sample(5.0 * n, 5.0 * n, int(60e6 + growth * 5 * n + n % 7 * 1e5), 30, 12, n % 3 * 10**6, 0)
        for n in range(720)
    ]


@pytest.mark.parametrize(("growth", "flat"), [(0.0, True), (400.0, True), (3000.0, False)])
def test_a_leak_is_told_from_noise(growth: float, flat: bool) -> None:
    found = {name: trend(life(growth), figure) for name, figure in FIGURES.items()}

    assert found["rss"] is not None
    assert flat is found["rss"].flat
    assert all(one is not None and one.flat for name, one in found.items() if name != "rss")
    assert "memory (RSS)" in table(life(growth))
    assert trend(life(growth)[:20], FIGURES["rss"]) is None

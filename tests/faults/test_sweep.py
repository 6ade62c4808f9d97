"""A sample of the sweep: faults at calls of chance in every way through memoryd; `poe faults` goes over them all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.injector import WHY_NOT, Memoryd
from tests.faults.scenes import SCENES, Scene
from tests.faults.sweeping import Stage, sample

pytestmark = [
    pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT),
    pytest.mark.timeout(300),
    pytest.mark.xdist_group("faults"),
]
SEED = 20261130
SLOW = {"night"}  # ten times the calls of any other


@pytest.fixture(scope="module")
def memoryd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memoryd]:
    with Memoryd(tmp_path_factory.mktemp("user")) as running:
        yield running


def attempt(stage: Stage, count: int) -> None:
    assert [one for point in sample(stage, count, SEED) for one in stage.inject(point)] == []


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_whatever_fails_nothing_is_lost_doubled_or_half_done(
    tmp_path: Path, memoryd: Memoryd, scene: Scene
) -> None:
    attempt(Stage(memoryd, scene, tmp_path), 1 if scene.name in SLOW else 3)


@pytest.mark.parametrize("scene", SCENES[1:2], ids=lambda scene: scene.name)
def test_nor_without_a_write_ahead_log(tmp_path: Path, memoryd: Memoryd, scene: Scene) -> None:
    """Where memory cannot be shared, on some network file systems, SQLite keeps a rollback journal instead."""
    attempt(Stage(memoryd, scene, tmp_path, "delete"), 3)

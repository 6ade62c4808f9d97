"""The model of a power loss forgets what was not synced, and a sample of images of memoryd's folder holds all promises."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.injector import WHY_NOT, Fault, Memoryd
from tests.faults.power import Disk, read_record
from tests.faults.power_losses import Loss
from tests.faults.scenes import SCENES, Scene
from tests.faults.sweeping import Stage

pytestmark = [
    pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT),
    pytest.mark.timeout(300),
    pytest.mark.xdist_group("faults"),
]
PROGRAM = """
import os, sys
folder = sys.argv[1]
f = os.open(folder + "/fresh", os.O_CREAT | os.O_WRONLY, 0o600)
os.write(f, b"new" * 1000)
{sync}
os.rename(folder + "/fresh", folder + "/file")
w = os.open(folder, os.O_RDONLY)
{names}
"""


def record(folder: Path, *, sync: bool, names: bool) -> Disk:
    """A program that replaces a file, more or less carefully."""
    (folder / "file").write_bytes(b"old")
    files = {folder / "file": (folder / "file").stat().st_ino}
    starts = {folder / "file": b"old"}
    program = PROGRAM.format(
        sync="os.fsync(f)" if sync else "", names="os.fsync(w)" if names else ""
    )
    fault = Fault(str(folder), record=str(folder.with_name("record")))
    subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        env={**os.environ, **fault.environ()},
        check=True,
    )
    return Disk(folder, read_record(folder.with_name("record")), files, starts)


def outcomes(disk: Disk, folder: Path) -> set[bytes]:
    """What the file may hold after a power loss, right after the program's end."""
    end = len(disk.calls)
    return {
        dict(disk.image(end, names, data, seed))[str(folder / "file")][:3]
        for names in ("none", "all", "some")
        for data in ("none", "all", "some")
        for seed in range(20)
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "disk"
    path.mkdir()
    return path


def test_what_was_synced_with_its_name_is_there(folder: Path) -> None:
    assert outcomes(record(folder, sync=True, names=True), folder) == {b"new"}


def test_a_name_that_was_not_synced_may_be_the_old_one(folder: Path) -> None:
    assert outcomes(record(folder, sync=True, names=False), folder) == {b"old", b"new"}


def test_data_that_was_not_synced_may_be_missing_behind_a_new_name(folder: Path) -> None:
    assert b"" in outcomes(record(folder, sync=False, names=True), folder)


@pytest.fixture(scope="module")
def memoryd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memoryd]:
    with Memoryd(tmp_path_factory.mktemp("user")) as running:
        yield running


SAMPLE = [scene for scene in SCENES if scene.name in {"ingest", "memory file", "backup", "restore"}]


@pytest.mark.parametrize("journal", ["wal", "delete"])
@pytest.mark.parametrize("scene", SAMPLE, ids=lambda scene: scene.name)
def test_row_70_what_was_answered_survives_a_power_loss(
    tmp_path: Path, memoryd: Memoryd, scene: Scene, journal: str
) -> None:
    loss = Loss(Stage(memoryd, scene, tmp_path, journal))

    assert [one for moment in loss.spread(8) for one in loss.judge(moment)] == []

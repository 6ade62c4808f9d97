"""The daemon knows what it uses, keeps space in hand, and steps back behind everybody else."""

import gc
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

from memoryd.service.resources import Ballast, few_collections, load, measure, on_battery


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def set_free(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**12, 0, free))


def test_a_measurement_is_of_this_process(tmp_path: Path) -> None:
    (tmp_path / "memoryd.db-wal").write_bytes(b"x" * 1234)
    opened = [(tmp_path / str(number)).open("w") for number in range(5)]
    before = measure(tmp_path, tmp_path / "memoryd.db")
    for file in opened:
        file.close()
    after = measure(tmp_path, tmp_path / "memoryd.db")

    assert 1234 == before.wal_bytes
    assert 5 == before.descriptors - after.descriptors
    assert threading.active_count() == after.threads
    assert 5 * 2**20 < after.rss_bytes < 4 * 2**30
    assert shutil.disk_usage(tmp_path).free == pytest.approx(after.disk_free_bytes, rel=0.1)


def test_memory_in_use_follows_what_is_used() -> None:
    """In a process of its own: in this one the block might find room that was freed before."""
    program = (
        "from memoryd.service.resources import resident_bytes; before = resident_bytes(); "
        "block = bytearray(b'x') * (40 * 2**20); print(resident_bytes() - before)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert int(done.stdout) > 30 * 2**20


def test_a_hidden_load_is_unknown_and_not_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden() -> tuple[float, float, float]:
        raise OSError("Load averages are unobtainable")

    assert load() is not None
    monkeypatch.setattr(os, "getloadavg", hidden)
    assert load() is None


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ({}, None),
        ({"BAT0": ("Battery", "")}, None),
        ({"AC": ("Mains", "1"), "BAT0": ("Battery", "")}, False),
        ({"AC": ("Mains", "0")}, True),
        ({"AC": ("Mains", "0"), "DOCK": ("Mains", "1")}, False),
    ],
)
def test_battery_is_told_by_the_mains(
    tmp_path: Path, supplies: dict[str, tuple[str, str]], expected: bool | None
) -> None:
    for name, (kind, online) in supplies.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "type").write_text(f"{kind}\n")
        (tmp_path / name / "online").write_text(f"{online}\n")

    assert expected is on_battery(tmp_path)
    assert on_battery(tmp_path / "missing") is None


def test_the_ballast_goes_when_space_is_short_and_returns_when_there_is_plenty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ballast, file = Ballast(tmp_path), tmp_path / "memoryd.ballast"

    set_free(monkeypatch, 10**10)
    ballast.balance()
    assert (False, 16 * 2**20) == (ballast.full, file.stat().st_size)
    assert file.stat().st_blocks * 512 >= 16 * 2**20

    set_free(monkeypatch, 2**20)
    ballast.balance()
    assert (True, False) == (ballast.full, file.exists())

    set_free(monkeypatch, 100 * 2**20)
    ballast.balance()
    assert (True, False) == (ballast.full, file.exists())

    set_free(monkeypatch, 10**10)
    ballast.balance()
    assert (False, True) == (ballast.full, file.exists())


def test_a_ballast_that_does_not_fit_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_free(monkeypatch, 10**10)
    (tmp_path / "memoryd.ballast").symlink_to("/dev/full")

    Ballast(tmp_path).balance()

    assert not (tmp_path / "memoryd.ballast").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="ionice is Linux's")
def test_stepping_back_lowers_processor_and_disk_priority() -> None:
    program = (
        "import os, subprocess; from memoryd.service.resources import step_back; step_back(); step_back();"
        "print(os.nice(0), subprocess.check_output(['ionice', '-p', str(os.getpid())]).decode())"
    )
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    if shutil.which("ionice") is None:
        pytest.skip("ionice is not installed")

    printed = subprocess.check_output([sys.executable, "-c", program], env=environ, text=True)

    assert "best-effort: prio 7" in printed
    assert int(printed.split()[0]) >= 10


def test_the_collector_comes_as_often_as_before_once_the_work_is_done() -> None:
    before = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), few_collections():
        assert gc.get_threshold()[0] > before[0]
        1 / 0  # noqa: B018 - work that fails

    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0

"""The injector does what it says: the Nth call, of the kinds asked for, on the paths asked for, and no other."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.injector import WHY_NOT, Fault

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

PROGRAM = """
import os, sys
folder = sys.argv[1]
handle = os.open(folder + "/a", os.O_CREAT | os.O_WRONLY, 0o600)      # 1
os.write(handle, b"12345678")                                         # 2
os.pwrite(handle, b"abcdefgh", 8)                                     # 3
os.fsync(handle)                                                      # 4
os.ftruncate(handle, 12)                                              # 5
os.rename(folder + "/a", folder + "/b")                               # 6
where = os.open(folder, os.O_RDONLY)
os.rename("b", "c", src_dir_fd=where, dst_dir_fd=where)               # 7
os.link("c", "d", src_dir_fd=where, dst_dir_fd=where)                 # 8
os.unlink(folder + "/d")                                              # 9
os.fsync(where)                                                       # 10
open(folder + "x", "w").write("elsewhere")
"""
CALLS = 10


def run(folder: Path, fault: Fault) -> tuple[int, str, int]:
    """Exit status, error and count of calls."""
    counted = folder.with_name("count")
    counted.write_text("0")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        env={**os.environ, **fault.environ(), "FAULT_COUNT": str(counted)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr, int(counted.read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "marked"
    path.mkdir()
    return path


def test_without_a_number_calls_are_only_counted(folder: Path) -> None:
    status, said, count = run(folder, Fault("marked/"))

    assert (status, said) == (0, "")
    assert count == CALLS - 1  # the folder itself has no slash behind it
    assert (folder / "c").read_bytes() == b"12345678abcd"


def test_each_call_can_be_the_last(folder: Path) -> None:
    for at in range(1, CALLS + 1):
        assert run(folder, Fault("marked", at, "kill"))[0] == -signal.SIGKILL
        left = {path.name: path.read_bytes() for path in folder.iterdir()}
        expected: dict[str, bytes] = {}
        if at > 1:
            name = "a" if at <= 6 else "b" if at == 7 else "c"
            data = b"" if at == 2 else b"12345678" + (b"abcdefgh" if at > 3 else b"")
            expected[name] = data[:12] if at > 5 else data
        if at == 9:
            expected["d"] = expected["c"]
        assert left == expected, at
        for path in folder.iterdir():
            path.unlink()


@pytest.mark.parametrize(("mode", "number"), [("enospc", errno.ENOSPC), ("eio", errno.EIO)])
def test_each_call_can_fail(folder: Path, mode: str, number: int) -> None:
    for at in range(1, CALLS + 1):
        status, said, _ = run(folder, Fault("marked", at, mode))

        assert status == 1
        assert f"[Errno {number}]" in said
        for path in folder.iterdir():
            path.unlink()


def test_a_torn_write_leaves_half(folder: Path) -> None:
    assert run(folder, Fault("marked", 3, "tear"))[0] == -signal.SIGKILL

    assert (folder / "a").read_bytes() == b"12345678abcd"


def test_only_the_kinds_asked_for_count(folder: Path) -> None:
    assert run(folder, Fault("marked", calls="sync"))[2] == 2
    assert "line 7" in run(folder, Fault("marked", 1, "eio", calls="sync"))[1]
    assert run(folder, Fault("marked", calls="rename,link"))[2] == 3
    assert run(folder, Fault("nowhere"))[2] == 0

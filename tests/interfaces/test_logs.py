"""The log is there where somebody reads it, and holds neither secrets nor variables nor texts."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import logging, sys
from pathlib import Path
from memoryd.interfaces.logs import configure_logs
configure_logs(Path(sys.argv[1]))
import structlog
log = structlog.get_logger()
log.info("ingested", files=3)
log.warning("odd", token="ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3", text="x" * 100_000, line="a\\nb")
logging.getLogger("watchdog.x").info("chatter")
logging.getLogger("library").warning("foreign %s", "line")
def fail():
    password_of_somebody = "tr0ub4dor"
    raise ValueError("broken")
try:
    fail()
except ValueError:
    log.exception("task_failed")
for number in range(int(sys.argv[2])):
    log.info("filler", number=number, text="y" * 3000)
"""


def write(home: Path, stderr: int, filler: int = 0) -> subprocess.CompletedProcess[bytes]:
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(home), str(filler)],
        stderr=stderr,
        stdout=subprocess.PIPE,
        env=environ,
        check=True,
    )


def test_lines_are_json_and_say_what_happened_and_no_more(tmp_path: Path) -> None:
    told = write(tmp_path, subprocess.PIPE)
    lines = [json.loads(line) for line in told.stderr.splitlines()]

    assert b"" == told.stdout
    assert ["ingested", "odd", "foreign line", "task_failed"] == [one["event"] for one in lines]
    assert {"info", "warning", "error"} == {one["level"] for one in lines}
    assert all(one["timestamp"].endswith("Z") for one in lines)
    assert 3 == lines[0]["files"]
    assert "ghp_" not in lines[1]["token"]
    assert len(lines[1]["text"]) < 5000
    assert "ValueError: broken" in lines[3]["exception"]
    assert b"tr0ub4dor" not in told.stderr
    assert not list(tmp_path.iterdir())


def test_where_nobody_reads_a_private_file_is_kept_and_rotated(tmp_path: Path) -> None:
    write(tmp_path, subprocess.DEVNULL, filler=6000)

    files = sorted((tmp_path / "logs").iterdir())
    assert ["memoryd.log", "memoryd.log.1", "memoryd.log.2"] == [file.name for file in files]
    assert all(file.stat().st_size <= 5_000_000 for file in files)
    assert 0o700 == stat.S_IMODE((tmp_path / "logs").stat().st_mode)


def test_a_log_that_cannot_be_written_fails_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").touch()
    assert 0 == write(tmp_path, subprocess.DEVNULL).returncode

    with Path("/dev/full").open("wb") as full:
        assert 0 == write(tmp_path, full.fileno()).returncode

"""A writing command finds its way to the one writer, whoever that is just now."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE

import pytest

from memoryd.config import Config, SourcesConfig
from memoryd.errors import HeldError
from memoryd.service import commands
from memoryd.service.commands import carry_out
from memoryd.service.lock import WriterLock
from tests.service.bank_helpers import entries

CONFIG = Config(sources=SourcesConfig(discover=False))


def test_commands_at_the_same_time_wait_for_each_other(home: Path) -> None:
    def add(number: int) -> str:
        fact = {"content": f"Machine {number} stands in rack {number + 40}"}
        return str(carry_out(home, CONFIG, "memory.add", fact)["outcome"])

    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(add, range(6)))

    assert told == ["added"] * 6
    assert len(entries(home)) == 6


def test_processes_that_write_to_a_new_home_at_once_wait_for_each_other(tmp_path: Path) -> None:
    home = tmp_path / "new"
    words = [sys.executable, "-m", "memoryd", "--home", str(home), "memory", "add"]
    running = [
        subprocess.Popen([*words, f"Machine {one} stands in rack {one + 40}"], stderr=PIPE)
        for one in range(6)
    ]
    told = [one.communicate()[1] for one in running]

    assert told == [b""] * 6
    assert [one.returncode for one in running] == [0] * 6
    assert len(entries(home)) == 6


def test_a_lock_that_is_let_go_soon_is_waited_for(home: Path) -> None:
    lock = WriterLock(home)
    lock.acquire()
    threading.Timer(0.3, lock.release).start()

    assert carry_out(home, CONFIG, "ingest", {})["files"] == 0


def test_a_lock_that_is_kept_is_told_after_a_while(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "PATIENCE_SECONDS", 0.2)
    began = time.monotonic()
    with WriterLock(home), pytest.raises(HeldError, match="is writing to"):
        carry_out(home, CONFIG, "ingest", {})

    assert 0.2 <= time.monotonic() - began < 2

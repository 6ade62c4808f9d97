"""A really full disk: a small file system of our own in a mount namespace."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memoryd.service.client import request
from memoryd.store.reader import Reader

Run = Callable[..., Any]
Eventually = Callable[..., bool]

in_namespace = ["unshare", "--user", "--map-root-user", "--mount"]


def can_mount(folder: Path) -> bool:
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    probe = [*in_namespace, "mount", "-t", "tmpfs", "none", str(folder)]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def test_a_full_disk_pauses_the_ingest_and_says_so_and_loses_nothing(
    place: Any, run: Run, eventually: Eventually
) -> None:
    if not can_mount(place.home):
        pytest.skip("user namespaces with mounts are not available")
    config = (place.home / "config.toml").read_text()
    mount = f'mount -t tmpfs -o size=400m,mode=0700 none "{place.home}" && '
    mount += f"printf '%s' \"{config}\" > '{place.home}/config.toml' && exec \"$@\""
    daemon = run(watchdog_seconds=1.5, before=[*in_namespace, "sh", "-c", mount, "sh"])
    home = Path(f"/proc/{daemon.process.pid}/root{place.home}")

    def status() -> Any:
        return request(home, "status", timeout=10)

    def count() -> int:
        """From a copy: SQLite would resolve a path through /proc to one of ours."""
        copy = place.home.with_name("copy")
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for name in ("memoryd.db", "memoryd.db-wal"):
            shutil.copy(home / name, copy)
        with Reader(copy) as reader:
            return int(reader.counts()["messages"])

    place.say("a.jsonl", "before")
    assert eventually(lambda: count() == 1)
    assert eventually(lambda: (home / "memoryd.ballast").stat().st_size == 16 * 2**20)
    filler = home / "filler"
    with filler.open("wb") as file:
        file.write(b"x" * (360 * 2**20))
    assert eventually(lambda: status()["degraded"] == ["the disk is nearly full"])
    assert not (home / "memoryd.ballast").exists()

    place.say("a.jsonl", "while it was full")
    time.sleep(1)
    assert 1 == count()
    with pytest.raises(OSError, match="No space left"), filler.open("ab") as file:
        file.write(b"x" * (100 * 2**20))
    assert status()["writer"]["waiting"] == 1
    assert status()["writer"]["failed"] == 0

    filler.unlink()
    assert eventually(lambda: count() == 2)
    assert eventually(lambda: status()["degraded"] == [])
    assert eventually((home / "memoryd.ballast").exists)
    assert 0 == daemon.end()[0]

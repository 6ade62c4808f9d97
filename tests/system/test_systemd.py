"""The service under a real systemd user manager: installed, watched, reloaded, restarted, left alone, stopped, taken away.

Where the machine was not started by systemd, a manager of our own is started in a mount namespace that looks as if it was.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.conftest import PROGRAM, REPOSITORY

SYSTEMD = Path("/lib/systemd/systemd")
BOOTED = "mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && exec {systemd} --user"
IMPATIENT = "[Service]\nRestartSec=1\nWatchdogSec=6\nTimeoutStopSec=4\nTimeoutAbortSec=2\n"


class Manager:
    """A user manager, and commands that see it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        wrapper = folder / "bin" / "memoryd"
        wrapper.parent.mkdir(parents=True)
        arguments = f"{sys.executable} -c '{PROGRAM}'"
        wrapper.write_text(f'#!/bin/sh\nPYTHONPATH={REPOSITORY} exec {arguments} "$@"\n')
        wrapper.chmod(0o755)
        (folder / "run").mkdir(mode=0o700)
        self.environ = {
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder / "run"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PATH": f"{wrapper.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY),
        }
        script = BOOTED.format(systemd=SYSTEMD)
        self.process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", script],
            env=self.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command in the manager's namespace."""
        inside = ["nsenter", f"--mount=/proc/{self.process.pid}/ns/mnt", *words]
        return subprocess.run(
            inside, env=self.environ, capture_output=True, text=True, timeout=60, check=False
        )

    def memoryd(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run("memoryd", "--home", str(self.folder / "home"), *words)

    def show(self, name: str) -> str:
        """A property of the unit."""
        shown = self.run("systemctl", "--user", "show", "memoryd", "--value", f"--property={name}")
        return shown.stdout.strip()

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def manager() -> Iterator[Manager]:
    if os.geteuid() or not SYSTEMD.exists() or not shutil.which("nsenter"):
        pytest.skip("needs systemd, nsenter and root, who may have a /run of his own")
    with tempfile.TemporaryDirectory() as folder:  # a short path: sockets lie in it
        one = Manager(Path(folder))
        try:
            deadline = time.monotonic() + 15
            while one.run("systemctl", "--user", "is-system-running").stdout.strip() != "running":
                if time.monotonic() > deadline or one.process.poll() is not None:
                    pytest.skip("no user manager can be started here")
                time.sleep(0.2)
            yield one
        finally:
            one.close()


@pytest.mark.timeout(240)
def test_a_life_under_systemd(manager: Manager, eventually: Callable[..., bool]) -> None:
    home, root = manager.folder / "home", manager.folder / "chats"
    home.mkdir(mode=0o700)
    root.mkdir()

    def configure(roots: int, more: str = "") -> None:
        tables = (f"[sources.c{n}]\ntype = 'jsonl'\nroots = ['{root}']\n" for n in range(roots))
        (home / "config.toml").write_text(f"[sources]\ndiscover = false\n{''.join(tables)}{more}")

    configure(1)
    drop_in = manager.folder / "config/systemd/user/memoryd.service.d/99-test.conf"
    drop_in.parent.mkdir(parents=True)
    said = manager.folder / "said.txt"  # there is no journal here
    drop_in.write_text(f"{IMPATIENT}StandardOutput=file:{said}\nStandardError=file:{said}\n")

    done = manager.memoryd("service", "install", "--json")
    assert done.returncode == 0, done.stderr + (said.read_text() if said.exists() else "")
    told: dict[str, Any] = json.loads(manager.memoryd("service", "status", "--json").stdout)
    assert (told["installed"], told["active"], told["enabled"]) == (True, True, True)
    assert manager.show("StatusText").startswith("watching 1 folder")  # READY=1 came, with STATUS
    assert json.loads(manager.memoryd("status", "--json").stdout)["degraded"] == []

    configure(2)
    assert manager.run("systemctl", "--user", "reload", "memoryd").returncode == 0
    assert eventually(lambda: manager.show("StatusText").startswith("watching 2 folders"), 20)
    assert manager.show("ActiveState") == "active"  # RELOADING=1 was followed by READY=1

    time.sleep(8)  # longer than the watchdog waits
    assert manager.show("NRestarts") == "0"

    first = manager.show("MainPID")
    os.kill(int(first), signal.SIGSTOP)  # a hang: no more WATCHDOG=1
    assert eventually(lambda: manager.show("NRestarts") == "1", 30)
    assert eventually(lambda: manager.show("ActiveState") == "active", 30)
    assert manager.show("MainPID") != first

    configure(1, "[nightly]\nat = 'never'\n")
    os.kill(int(manager.show("MainPID")), signal.SIGKILL)
    assert eventually(lambda: manager.show("ExecMainStatus") == "78", 30)
    time.sleep(2)
    assert (manager.show("ActiveState"), manager.show("NRestarts")) == ("failed", "2")

    configure(1)
    assert manager.run("systemctl", "--user", "restart", "memoryd").returncode == 0
    started = time.monotonic()
    assert manager.run("systemctl", "--user", "stop", "memoryd").returncode == 0
    assert time.monotonic() - started < 4
    assert (manager.show("Result"), manager.show("ActiveState")) == ("success", "inactive")

    assert manager.memoryd("service", "uninstall").returncode == 0
    assert not (drop_in.parent.parent / "memoryd.service").exists()
    assert (home / "memoryd.db").stat().st_size > 0

"""A real daemon in a home of its own, with a service manager that only listens."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memoryd.service.client import request
from memoryd.store.reader import Reader

PROGRAM = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"
REPOSITORY = Path(__file__).parents[2]


class RunningDaemon:
    """`memoryd run` as a process, and everything it told its manager."""

    def __init__(
        self, home: Path, watchdog_seconds: float, program: str, before: Sequence[str]
    ) -> None:
        self.home = home
        self._manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._folder = tempfile.TemporaryDirectory()
        address = str(Path(self._folder.name, "notify"))
        self._manager.bind(address)
        self.told: list[dict[str, str]] = []
        self.log = home / "log.txt"
        environ = {**os.environ, "NOTIFY_SOCKET": address, "PYTHONPATH": str(REPOSITORY)}
        if watchdog_seconds:
            environ["WATCHDOG_USEC"] = str(int(watchdog_seconds * 1e6))
        command = [*before, sys.executable, "-c", program, "--home", str(home), "run"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, env=environ, stdout=log, stderr=log)

    def hear(self, seconds: float = 0.0) -> list[dict[str, str]]:
        """Everything told until now, waiting up to *seconds* for the next."""
        self._manager.settimeout(seconds or 0.01)
        try:
            while True:
                lines = self._manager.recv(65536).decode().splitlines()
                self.told.append(dict(line.split("=", 1) for line in lines))
                self._manager.settimeout(0.01)
        except TimeoutError:
            return self.told

    def wait_told(self, key: str, seconds: float = 20.0) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            if any(key in one for one in self.hear(0.1)):
                return True
        return any(key in one for one in self.hear())

    def ask(self, command: str, arguments: Mapping[str, Any] | None = None) -> Any:
        return request(self.home, command, arguments, timeout=20)

    def end(self, number: int = signal.SIGTERM, seconds: float = 10.0) -> tuple[int, float]:
        """Send a signal and wait: the exit status, and how long that took."""
        started = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(seconds), time.monotonic() - started

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._manager.close()
        self._folder.cleanup()


class Place:
    """A home, a folder of transcripts, and what is in them."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = folder / "chats"
        self.home.mkdir(mode=0o700)
        self.root.mkdir()
        self.configure()

    def configure(self, text: str = "", rescan_seconds: float = 300.0) -> None:
        (self.home / "config.toml").write_text(
            f"[sources]\ndiscover = false\n[sources.chats]\ntype = 'jsonl'\nroots = ['{self.root}']\n"
            f"[ingest]\nrescan_seconds = {rescan_seconds}\n{text}"
        )

    def say(self, name: str, *texts: str) -> Path:
        """Append messages to a transcript."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            for text in texts:
                record = {"role": "user", "text": text, "session": name, "id": f"{name}:{text}"}
                file.write(json.dumps(record) + "\n")
        return path

    def count(self) -> int:
        """How many messages the store holds."""
        try:
            with Reader(self.home) as reader:
                return int(reader.counts()["messages"])
        except Exception:
            return -1


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def run(place: Place) -> Iterator[Callable[..., RunningDaemon]]:
    """Starts a daemon in the place, and waits until it says it is ready."""
    running: list[RunningDaemon] = []

    def start(
        *,
        watchdog_seconds: float = 0.0,
        ready: bool = True,
        program: str = PROGRAM,
        before: Sequence[str] = (),
    ) -> RunningDaemon:
        daemon = RunningDaemon(place.home, watchdog_seconds, program, before)
        running.append(daemon)
        if ready:
            assert daemon.wait_told("READY", 120.0), daemon.log.read_text()  # others may be busy
        return daemon

    yield start
    for daemon in running:
        daemon.close()


@pytest.fixture
def eventually() -> Callable[..., bool]:
    """Waits for a claim to become true; False if it did not in time."""

    def wait(claim: Callable[[], object], seconds: float = 10.0) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if claim():
                return True
            time.sleep(0.02)
        return bool(claim())

    return wait

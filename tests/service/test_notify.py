"""The service manager hears what sd_notify(3) says it should; without one nothing happens."""

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.service.notify import Notifier


@pytest.fixture
def manager() -> Iterator[socket.socket]:
    """A manager's socket at a path short enough for any system."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one,
    ):
        one.bind(str(Path(folder, "n")))
        one.settimeout(1)
        yield one


def test_every_state_is_told_in_the_managers_language(manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()})
    notifier.ready("watching")
    notifier.alive("well")
    notifier.status("busy")
    notifier.extend(1.5)
    notifier.stopping()

    heard = [manager.recv(1000).decode() for _ in range(5)]

    assert [
        "READY=1\nSTATUS=watching",
        "WATCHDOG=1\nSTATUS=well",
        "STATUS=busy",
        "EXTEND_TIMEOUT_USEC=1500000",
        "STOPPING=1\nSTATUS=stopping",
    ] == heard


@pytest.mark.skipif(not hasattr(socket, "SO_PASSCRED"), reason="abstract names are Linux's")
def test_an_abstract_address_is_understood() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0memoryd-test-{os.getpid()}")
        manager.settimeout(1)

        Notifier({"NOTIFY_SOCKET": f"@memoryd-test-{os.getpid()}"}).ready("x")

        assert manager.recv(100).startswith(b"READY=1")


def test_children_cannot_speak_for_us() -> None:
    environ = {"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1", "HOME": "/"}

    Notifier(environ)

    assert {"HOME": "/"} == environ


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({}, 20.0),
        ({"WATCHDOG_USEC": "60000000"}, 20.0),
        ({"WATCHDOG_USEC": "3000000"}, 1.0),
        ({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}, 20.0),
        ({"WATCHDOG_USEC": "garbage"}, 20.0),
    ],
)
def test_the_loop_comes_round_thrice_in_a_period(environ: dict[str, str], seconds: float) -> None:
    assert seconds == Notifier(environ).beat_seconds


def test_without_a_manager_or_with_a_dead_one_nothing_happens(tmp_path: Path) -> None:
    Notifier({}).ready("x")
    Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).ready("x")

"""The socket answers its owner and survives everybody."""

import os
import random
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from structlog.testing import capture_logs

from memoryd.errors import MemorydError, RetryError, UsageError
from memoryd.service import server as server_module
from memoryd.service.address import choose_address, find_address
from memoryd.service.client import NoDaemonError, request
from memoryd.service.server import CONNECTIONS, REQUEST_BYTES, Progress, Server

Eventually = Callable[..., bool]


def echo(arguments: Mapping[str, Any], progress: Progress) -> object:
    return dict(arguments)


def count(arguments: Mapping[str, Any], progress: Progress) -> object:
    for number in range(3):
        progress({"number": number})
    return 3


def refuse(arguments: Mapping[str, Any], progress: Progress) -> object:
    raise UsageError("no such thing")


def crash(arguments: Mapping[str, Any], progress: Progress) -> object:
    raise ZeroDivisionError("secret inside")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "h"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(server_module, "REQUEST_SECONDS", 0.5)
    handlers = {"echo": echo, "count": count, "refuse": refuse, "crash": crash}
    one = Server(home, handlers)
    one.start()
    yield one
    one.stop()
    assert not one.is_alive()


def raw(server: Server) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(5)
    connection.connect(str(server.address))
    return connection


def works(home: Path) -> bool:
    return bool(request(home, "echo", {"word": "记忆"}) == {"word": "记忆"})


def test_a_command_gets_its_answer_and_its_progress(server: Server, home: Path) -> None:
    seen: list[Any] = []

    assert {"a": [1, None, "é"]} == request(home, "echo", {"a": [1, None, "é"]})
    assert 3 == request(home, "count", on_progress=seen.append)
    assert [{"number": 0}, {"number": 1}, {"number": 2}] == seen


def test_an_error_comes_back_as_what_it_was(server: Server, home: Path) -> None:
    with pytest.raises(UsageError, match="no such thing"):
        request(home, "refuse")
    with pytest.raises(UsageError, match="does not know"):
        request(home, "unheard-of")


def test_a_failure_is_logged_and_tells_the_caller_nothing_private(
    server: Server, home: Path
) -> None:
    with capture_logs() as lines, pytest.raises(MemorydError) as caught:
        request(home, "crash")

    assert "secret" not in str(caught.value)
    assert ["command_failed"] == [line["event"] for line in lines]
    assert works(home)


def test_the_socket_is_private(server: Server, home: Path) -> None:
    assert 0o600 == stat.S_IMODE(server.address.stat().st_mode)


def test_without_a_daemon_that_is_said(home: Path, server: Server) -> None:
    server.stop()

    with pytest.raises(NoDaemonError):
        request(home, "echo")
    assert not server.address.exists()


def test_a_leftover_of_a_crash_is_harmless(home: Path) -> None:
    leftover = socket.socket(socket.AF_UNIX)
    leftover.bind(str(home / "memoryd.sock"))
    leftover.close()
    with pytest.raises(NoDaemonError):
        request(home, "echo")

    server = Server(home, {"echo": echo})
    server.start()

    assert works(home)
    server.stop()


def test_something_else_under_the_sockets_name_is_not_removed(home: Path) -> None:
    (home / "memoryd.sock").write_text("precious")

    with pytest.raises(RetryError, match="no socket"):
        Server(home, {}).start()

    assert "precious" == (home / "memoryd.sock").read_text()


def test_a_new_daemon_keeps_its_socket_when_the_old_one_stops_late(
    home: Path, server: Server
) -> None:
    newer = Server(home, {"echo": echo})
    newer.start()

    assert not server.reachable()
    server.stop()

    assert works(home)
    newer.stop()


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"garbage\n",
        b"\x00\xff\xfe\n",
        b"[]\n",
        b'"echo"\n',
        b"{}\n",
        b'{"command": 1}\n',
        b'{"command": "echo", "arguments": []}\n',
        b'{"command": "echo"',
        b"[" * 100_000 + b"\n",
        b"x" * (REQUEST_BYTES + 2) + b"\n",
        b"1" * 5000 + b"\n",
    ],
)
def test_garbage_gets_an_error_and_does_no_harm(server: Server, home: Path, line: bytes) -> None:
    with raw(server) as connection:
        try:
            connection.sendall(line)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(65536)
        except (BrokenPipeError, ConnectionResetError):  # it hung up on the oversized one
            answer = b'{"error"'

    assert answer.startswith(b'{"error"')
    assert works(home)


def test_random_bytes_do_no_harm(server: Server, home: Path, eventually: Eventually) -> None:
    chance = random.Random(5)
    for _ in range(50):
        with raw(server) as connection:
            connection.sendall(chance.randbytes(chance.randrange(2000)))

    assert eventually(lambda: not busy(home))
    assert works(home)


def busy(home: Path) -> bool:
    try:
        return not works(home)
    except RetryError:
        return True


def test_a_request_that_drips_in_is_cut_off(server: Server, home: Path) -> None:
    with raw(server) as connection:
        started = time.monotonic()
        for byte in b'{"command": "echo"' * 20:
            try:
                connection.sendall(bytes([byte]))
            except BrokenPipeError:
                break
            time.sleep(0.02)
        assert b"took too long" in connection.recv(65536)

    assert time.monotonic() - started < 3
    assert works(home)


def test_at_most_eight_at_a_time_and_the_ninth_is_told(
    server: Server, home: Path, eventually: Eventually
) -> None:
    silent = [raw(server) for _ in range(CONNECTIONS)]
    time.sleep(0.1)

    with pytest.raises(RetryError, match="too many"):
        request(home, "echo")
    for connection in silent:
        connection.close()

    assert eventually(lambda: server._free._value == CONNECTIONS)
    assert works(home)


def test_a_caller_that_leaves_does_no_harm(server: Server, home: Path) -> None:
    for _ in range(20):
        with raw(server) as connection:
            connection.sendall(b'{"command": "count"}\n')

    time.sleep(0.1)
    assert works(home)


def test_another_user_gets_nothing(
    server: Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "peer_uid", lambda connection: os.geteuid() + 1)

    with pytest.raises(RetryError, match="went away"):
        request(home, "echo")

    assert 1 == server.refused


@pytest.mark.skipif(
    os.geteuid() != 0 or sys.platform != "linux", reason="only root can become another user"
)
def test_the_kernel_tells_who_is_at_the_other_end(server: Server, home: Path) -> None:
    """Every mode on the way is opened for this test, so that only the uid check refuses."""
    program = (
        "import os, socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
        "os.setuid(65534) if len(sys.argv) > 2 else None;"
        's.sendall(b\'{"command": "echo"}\\n\'); print(s.recv(100))'
    )
    become_first = program.replace("s = socket", "os.setuid(65534); s = socket")
    for path in (server.address, *home.parents):
        if path != Path("/"):
            path.chmod(path.stat().st_mode | 0o777)
    home.chmod(0o777)

    mine = subprocess.check_output([sys.executable, "-c", program, server.address])
    others = subprocess.run(
        [sys.executable, "-c", become_first, server.address],
        capture_output=True,
        check=False,
        cwd="/",
    )

    assert b"reply" in mine
    assert b"reply" not in others.stdout
    assert 1 == server.refused


def test_a_removed_socket_is_noticed(server: Server) -> None:
    assert server.reachable()

    server.address.unlink()

    assert not server.reachable()


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime folder with a short name, as the system's is."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(platformdirs, "user_runtime_path", lambda: Path(folder))
        yield Path(folder)


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    home = tmp_path.joinpath(*["a-long-name-for-a-folder"] * 5)
    home.mkdir(parents=True)
    return home


def test_a_home_too_deep_for_a_socket_gets_a_short_private_one(deep: Path, runtime: Path) -> None:
    server = Server(deep, {"echo": echo})
    server.start()

    assert runtime in server.address.parents
    assert 0o700 == stat.S_IMODE(server.address.parent.stat().st_mode)
    assert server.address == find_address(deep)
    assert works(deep)
    server.stop()
    with pytest.raises(NoDaemonError):
        request(deep, "echo")
    assert [] == [*runtime.iterdir(), *deep.iterdir()]


def test_without_a_runtime_folder_the_temporary_one_is_used(deep: Path, runtime: Path) -> None:
    runtime.rmdir()
    server = Server(deep, {"echo": echo})
    server.start()

    assert works(deep)
    server.stop()
    runtime.mkdir()


def test_a_short_folder_planted_by_somebody_else_is_refused(
    deep: Path, runtime: Path, tmp_path: Path
) -> None:
    planted = choose_address(deep).parent
    planted.rmdir()
    planted.symlink_to(tmp_path)

    with pytest.raises(RetryError, match="somebody else"):
        choose_address(deep)


def test_a_pointer_full_of_garbage_means_no_daemon(home: Path) -> None:
    for garbage in (b"\xff\xfe", b"/nowhere", b"\x00", b"x" * 5000):
        (home / "memoryd.sock.path").write_bytes(garbage)
        with pytest.raises(NoDaemonError):
            request(home, "echo")


def test_a_daemon_that_dies_during_an_answer_is_noticed(home: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(home / "memoryd.sock"))
    listener.listen()

    def die() -> None:
        connection, _ = listener.accept()
        connection.sendall(b'{"progress": 1}\n{"rep')
        connection.close()

    thread = threading.Thread(target=die)
    thread.start()
    with pytest.raises(RetryError, match="went away"):
        request(home, "echo")
    thread.join()
    listener.close()

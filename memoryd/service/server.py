"""The daemon's socket: one JSON line asks, JSON lines answer, and no caller can hurt the daemon.

A request is `{"command": …, "arguments": {…}}`. The answer is any number of `{"progress": …}` lines and
one last line, `{"reply": …}` or `{"error": {"kind", "message"}}`. One request for each connection.
"""

import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import structlog

from memoryd.errors import MemorydError, RetryError, UsageError
from memoryd.service.address import choose_address, give_up_address, peer_uid

REQUEST_BYTES = 1024 * 1024
REQUEST_SECONDS = 5.0  # for the whole request, however slowly it drips in
SEND_SECONDS = 5.0  # for one line of the answer
CONNECTIONS = 8
BACKLOG = 64  # beyond that the kernel turns callers away, and they try again

Progress = Callable[[object], None]
Handler = Callable[[Mapping[str, Any], Progress], object]

log = structlog.get_logger()


class Server:
    """Listens for the commands of one home. Start it only while holding the writer's lock."""

    def __init__(self, home: Path, handlers: Mapping[str, Handler]) -> None:
        self._home = home
        self._handlers = handlers
        self._free = threading.BoundedSemaphore(CONNECTIONS)
        self._listener: socket.socket | None = None
        self._inode = 0
        self._stopping = False
        self._thread = threading.Thread(target=self._accept, name="memoryd-socket", daemon=True)
        self.address = Path()
        self.refused = 0

    def start(self) -> None:
        """Listen.

        Raises:
            RetryError: something that is no socket stands in the way.
        """
        self._listen()
        self._thread.start()

    def stop(self) -> None:
        """Stop listening and remove the socket; answers under way may still end."""
        self._stopping = True
        listener, self._listener = self._listener, None
        if listener is not None:
            with suppress(OSError):  # wakes `accept`; macOS says it is not connected
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        if self._thread.ident is not None:
            self._thread.join(timeout=1)
        if self.reachable():
            give_up_address(self._home, self.address)

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def reachable(self) -> bool:
        """Is our socket still the one under its name? Cleaners of temporary folders may have removed it."""
        try:
            return self.address.lstat().st_ino == self._inode
        except OSError:
            return False

    def _listen(self) -> None:
        self.address = choose_address(self._home)
        try:
            if not stat.S_ISSOCK(self.address.lstat().st_mode):
                raise RetryError(f"{self.address} is in the way: it is no socket")
            self.address.unlink()  # a leftover: we hold the lock, so nobody listens there
        except FileNotFoundError:
            pass
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)  # private from its first moment
        try:
            self._listener.bind(str(self.address))
        except OSError as error:
            self._listener.close()
            raise RetryError(f"cannot listen at {self.address}: {error.strerror}") from error
        finally:
            os.umask(before)
        self._inode = self.address.lstat().st_ino
        self._listener.listen(BACKLOG)

    def _accept(self) -> None:
        while not self._stopping and (listener := self._listener) is not None:
            try:
                connection, _ = listener.accept()
            except OSError:
                if not self._stopping:
                    time.sleep(0.1)  # out of descriptors: this passes
                continue
            self._admit(connection)

    def _admit(self, connection: socket.socket) -> None:
        if not self._free.acquire(blocking=False):
            self.refused += 1
            connection.settimeout(SEND_SECONDS)
            with suppress(OSError), connection:
                _send(connection, _describe(RetryError("too many commands at once")))
            return
        threading.Thread(
            target=self._serve, args=(connection,), name="memoryd-command", daemon=True
        ).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                if peer_uid(connection) != os.geteuid():
                    self.refused += 1
                    return
                _send(connection, self._answer(connection))
        except OSError:  # the caller went away; what it asked for is done all the same
            pass
        finally:
            self._free.release()

    def _answer(self, connection: socket.socket) -> dict[str, Any]:
        def progress(value: object) -> None:
            with suppress(OSError):
                _send(connection, {"progress": value})

        try:
            command, arguments = parse_request(receive_line(connection, REQUEST_SECONDS))
            return {"reply": self._handlers.get(command, _unknown)(arguments, progress)}
        except MemorydError as error:
            return _describe(error)
        except OSError:
            raise
        except Exception:
            log.exception("command_failed")
            return _describe(MemorydError("memoryd failed to answer; its log says why"))


def _unknown(arguments: Mapping[str, Any], progress: Progress) -> object:
    raise UsageError("the running memoryd does not know this command: restart it if it is older")


def receive_line(connection: socket.socket, seconds: float) -> bytes:
    """Read one line within *seconds* and REQUEST_BYTES.

    Raises:
        UsageError: too long, too slow, or cut off.
    """
    deadline = time.monotonic() + seconds
    received = bytearray()
    while not received.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0:
            raise UsageError("the request took too long")
        connection.settimeout(left)
        try:
            chunk = connection.recv(65536)
        except TimeoutError as error:
            raise UsageError("the request took too long") from error
        received += chunk
        if not chunk:
            raise UsageError("the request was cut off")
        if len(received) > REQUEST_BYTES:
            raise UsageError(f"the request is longer than {REQUEST_BYTES} bytes")
    return bytes(received)


def parse_request(line: bytes) -> tuple[str, Mapping[str, Any]]:
    """Split a request into command and arguments.

    Raises:
        UsageError: not a request.
    """
    try:
        request = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UsageError("the request is not JSON") from error
    if not isinstance(request, dict):
        raise UsageError("the request is not an object")
    command, arguments = request.get("command"), request.get("arguments", {})
    if not isinstance(command, str) or not isinstance(arguments, dict):
        raise UsageError("the request has no command, or its arguments are not an object")
    return command, arguments


def _describe(error: MemorydError) -> dict[str, Any]:
    return {"error": {"kind": type(error).__name__, "message": str(error)}}


def _send(connection: socket.socket, value: object) -> None:
    connection.settimeout(SEND_SECONDS)
    connection.sendall(orjson.dumps(value, default=str, option=orjson.OPT_APPEND_NEWLINE))

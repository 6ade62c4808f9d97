"""Asks the running daemon: one request, its progress, its answer or its error."""

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from memoryd import errors
from memoryd.errors import MemorydError, RetryError
from memoryd.service.address import find_address

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 3600.0  # a whole ingest or a nightly run; a daemon that dies is noticed at once

STATUS_SECONDS = 10.0


class NoDaemonError(MemorydError):
    """Nothing listens for this home: take the lock and do it yourself."""


def request(
    home: Path,
    command: str,
    arguments: Mapping[str, Any] | None = None,
    on_progress: Callable[[Any], None] | None = None,
    timeout: float = ANSWER_SECONDS,
) -> Any:
    """Have the daemon of *home* carry out a command.

    Args:
        on_progress: called with each piece of progress, while it runs.
        timeout: seconds between two lines of the answer.

    Returns:
        The reply: what the command's handler returned, as JSON.

    Raises:
        NoDaemonError: no daemon listens.
        RetryError: it went away, or did not answer in time.
        MemorydError: what the daemon raised, of the same kind.
    """
    with _connect(find_address(home)) as connection:
        try:
            line = orjson.dumps({"command": command, "arguments": arguments or {}})
            with suppress(BrokenPipeError):  # turned away at once: the reason is there to be read
                connection.sendall(line + b"\n")
            connection.settimeout(timeout)
            for answer in _answers(connection):
                if "progress" not in answer:
                    return _unwrap(answer)
                if on_progress is not None:
                    on_progress(answer["progress"])
        except TimeoutError as error:
            raise RetryError("memoryd did not answer in time") from error
        except (OSError, orjson.JSONDecodeError) as error:
            raise RetryError(f"memoryd went away: {error}") from error
    raise RetryError("memoryd went away before it answered")


def daemon_state(home: Path) -> dict[str, Any] | None:
    """What the running daemon says of itself; None if none runs. One that hangs is degraded, not absent."""
    try:
        state: dict[str, Any] = request(home, "status", timeout=STATUS_SECONDS)
    except NoDaemonError:
        return None
    except MemorydError as error:
        return {"degraded": [f"the daemon does not answer: {error}"]}
    return state


def is_listening(home: Path) -> bool:
    """Does a daemon of *home* take requests (or have more than it can take)?"""
    try:
        _connect(find_address(home)).close()
    except NoDaemonError:
        return False
    except RetryError:
        return True
    return True


def _connect(address: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(CONNECT_SECONDS)
    deadline = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            connection.connect(str(address))
        except (
            BlockingIOError
        ) as error:  # it listens, but so many are waiting: not the same as no daemon
            if time.monotonic() > deadline:
                connection.close()
                raise RetryError("memoryd is busy with other commands") from error
            time.sleep(0.05)
        except (OSError, ValueError) as error:  # not there, nobody listens, or no possible name
            connection.close()
            raise NoDaemonError(f"no memoryd listens at {address}") from error
        else:
            return connection


def _answers(connection: socket.socket) -> Iterator[dict[str, Any]]:
    with connection.makefile("rb") as lines:
        for line in lines:
            yield orjson.loads(line)


def _unwrap(answer: dict[str, Any]) -> Any:
    """The reply, or the daemon's error raised here as what it was there."""
    error = answer.get("error")
    if error is None:
        return answer["reply"]
    kind = getattr(errors, str(error["kind"]), MemorydError)
    raise kind(error["message"])

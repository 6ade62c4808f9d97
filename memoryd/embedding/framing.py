"""Messages between the client and its worker: a JSON header and raw bytes, lengths first.

No pickle: what comes out of a broken worker is data to be checked, never code. A reader that meets
anything but a frame raises and must be closed; it never searches for the next one.
"""

import json
import os
import select
import struct
from collections.abc import Mapping
from time import monotonic
from typing import Any

_HEAD = struct.Struct("<4sII")
_MAGIC = b"mdE1"
_LONGEST = 4 * 1024 * 1024  # 32 texts of 2,000 characters, all escaped, are 0.4 MB

Frame = tuple[dict[str, Any], bytes]


class Channel:
    """Two pipe ends. A receive that timed out can be repeated: what came so far is kept."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._buffer = bytearray()
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)

    def send(
        self, header: Mapping[str, Any], payload: bytes = b"", seconds: float | None = None
    ) -> None:
        """Write one frame.

        Raises:
            TimeoutError: the other end took too little of it in *seconds* (None: no limit).
            OSError: the other end is gone.
        """
        head = json.dumps(header).encode()
        rest = memoryview(_HEAD.pack(_MAGIC, len(head), len(payload)) + head + payload)
        deadline = _deadline(seconds)
        while rest:
            _wait(self._write_fd, select.POLLOUT, deadline)
            try:
                rest = rest[os.write(self._write_fd, rest) :]
            except BlockingIOError:  # room for less than poll promised
                continue

    def receive(self, seconds: float | None = None) -> Frame:
        """Read one frame.

        Raises:
            TimeoutError: no whole frame within *seconds* (None: no limit).
            EOFError: the other end closed.
            ValueError: what came is not a frame.
        """
        deadline = _deadline(seconds)
        while (frame := self._take_frame()) is None:
            _wait(self._read_fd, select.POLLIN, deadline)
            chunk = os.read(self._read_fd, 65536)
            if not chunk:
                raise EOFError("the other end closed")
            self._buffer += chunk
        return frame

    def has_news(self) -> bool:
        """Whether a receive would find something, be it the end."""
        return bool(self._buffer) or _poll(self._read_fd, select.POLLIN, 0)

    def _take_frame(self) -> Frame | None:
        if not _MAGIC.startswith(bytes(self._buffer[: len(_MAGIC)])):
            raise ValueError("not a frame")
        if len(self._buffer) < _HEAD.size:
            return None
        _, head_size, payload_size = _HEAD.unpack_from(self._buffer)
        if max(head_size, payload_size) > _LONGEST:
            raise ValueError("a frame too long")
        start = _HEAD.size + head_size
        end = start + payload_size
        if len(self._buffer) < end:
            return None
        header = json.loads(bytes(self._buffer[_HEAD.size : start]))
        payload = bytes(self._buffer[start:end])
        del self._buffer[:end]
        if not isinstance(header, dict):
            raise ValueError("a frame without a header")  # noqa: TRY004 - bad data, not a bug
        return header, payload


def _deadline(seconds: float | None) -> float | None:
    return None if seconds is None else monotonic() + seconds


def _wait(descriptor: int, event: int, deadline: float | None) -> None:
    left = None if deadline is None else max(0.0, deadline - monotonic()) * 1000
    if not _poll(descriptor, event, left):
        raise TimeoutError("no answer in time")


def _poll(descriptor: int, event: int, milliseconds: float | None) -> bool:
    # poll, not select: a daemon may hold descriptors beyond select's 1,024
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(milliseconds))

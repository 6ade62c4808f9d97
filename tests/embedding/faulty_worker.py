"""A worker that misbehaves: `faulty_worker.py MODE JOB`, the real entry around a broken engine.

MODE is a fault from the start on; a text that begins with an exclamation mark asks for one at once.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryd.embedding import worker
from memoryd.embedding.fake import FakeEmbedder
from memoryd.embedding.framing import Channel
from memoryd.embedding.vectors import pack

Vectors = NDArray[np.float32]
Fault = Callable[[Vectors, int, str], None]

HOARD: list[bytearray] = []


def kill(vectors: Vectors, row: int, argument: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_once(vectors: Vectors, row: int, argument: str) -> None:
    if not Path(argument).exists():
        Path(argument).touch()
        os.kill(os.getpid(), signal.SIGKILL)


def put(value: float) -> Fault:
    def fault(vectors: Vectors, row: int, argument: str) -> None:
        vectors[row, 3] = value

    return fault


def zero(vectors: Vectors, row: int, argument: str) -> None:
    vectors[row] = 0


def chatter(vectors: Vectors, row: int, argument: str) -> None:
    print("a progress bar on stdout", flush=True)  # noqa: T201 - the point


def fail(vectors: Vectors, row: int, argument: str) -> None:
    raise RuntimeError(argument)


def grow(vectors: Vectors, row: int, argument: str) -> None:
    HOARD.append(bytearray(b"x" * 200_000_000))


def explode(vectors: Vectors, row: int, argument: str) -> None:
    HOARD.append(bytearray(100_000_000_000))


def write(vectors: Vectors, row: int, argument: str) -> None:
    Path(argument).write_text("words of the user")


def tell_niceness(vectors: Vectors, row: int, argument: str) -> None:
    vectors[row] = 0
    vectors[row, os.nice(0)] = 1


FAULTS: dict[str, Fault] = {
    "!kill": kill,
    "!kill-once": kill_once,
    "!hang": lambda vectors, row, argument: time.sleep(30),
    "!slow": lambda vectors, row, argument: time.sleep(0.02),
    "!nan": put(np.nan),
    "!infinite": put(np.inf),
    "!zero": zero,
    "!print": chatter,
    "!raise": fail,
    "!grow": grow,
    "!explode": explode,
    "!write": write,
    "!nice": tell_niceness,
}


class FaultyEmbedder(FakeEmbedder):
    def __init__(self, mode: str, path: str) -> None:
        self.mode = mode
        if mode == "swap":
            self.identity = replace(FakeEmbedder.identity, revision=Path(path).read_text())

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = super().embed(texts)
        for row, text in enumerate(texts):
            word, _, argument = text.partition(" ")
            if fault := FAULTS.get(word):
                fault(vectors, row, argument)
        if self.mode == "drift":
            return vectors[:, ::-1]
        if "!dimension" in texts:
            return vectors[:, :-1]
        return vectors[:-1] if "!lost" in texts else vectors


def load(mode: str, path: str) -> FaultyEmbedder:
    if mode == "load-raise":
        raise RuntimeError("no such weights")
    if mode == "load-hang":
        time.sleep(30)
    if mode == "load-kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return FaultyEmbedder(mode, path)


def lie(mode: str) -> None:
    """Greet properly, then answer without the checks of the real worker."""
    identity = FakeEmbedder.identity
    greeting: dict[str, Any] = {
        "engine": identity.engine,
        "model": identity.model,
        "revision": identity.revision,
        "dimension": identity.dimension,
    }
    channel = Channel(sys.stdin.fileno(), sys.stdout.fileno())
    golden = b"".join(pack(FakeEmbedder().embed(["a", "b", "c"])))
    channel.send({} if mode == "lie-mute" else {"identity": greeting}, golden)
    channel.receive()
    vector = FakeEmbedder().embed_packed(["x"])[0]
    if mode == "lie-garbage":
        os.write(sys.stdout.fileno(), b"Traceback (most recent call last):\n" * 10)
    elif mode == "lie-long":
        os.write(sys.stdout.fileno(), b"mdE1" + b"\xff" * 8)
    elif mode == "lie-list":
        os.write(sys.stdout.fileno(), b"mdE1" + b"\x02\0\0\0" + bytes(4) + b"[]")
    elif mode == "lie-short":
        channel.send({}, vector[:-1])
    elif mode == "lie-nan":
        channel.send({}, b"\0\0\xc0\x7f" + vector[4:])
    channel.receive()


if __name__ == "__main__":
    mode, job = sys.argv[1:]
    if mode.startswith("lie"):
        lie(mode)
    else:
        sys.exit(worker.main(job, load=lambda _, path: load(mode, path)))

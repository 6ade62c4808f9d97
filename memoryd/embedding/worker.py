"""The process that holds a model: `python -m memoryd.embedding.worker JOB`.

It answers frames on stdin with frames on stdout until stdin closes, nothing came for a while, or it
has grown too large. First frame: identity and golden vectors, or an error. Anything that a library
prints goes nowhere: stdout belongs to the frames.
"""

import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memoryd.embedding.base import Embedder
from memoryd.embedding.engines import load_engine
from memoryd.embedding.framing import Channel
from memoryd.embedding.golden import GOLDEN_TEXTS
from memoryd.embedding.job import Job
from memoryd.embedding.vectors import check_vectors, pack
from memoryd.errors import EmbeddingError


def main(argument: str, load: Callable[[str, str], Embedder] = load_engine) -> int:
    """Run one worker; *load* makes the engine (tests hand in broken ones)."""
    job = Job.parse(argument)
    channel = Channel(sys.stdin.fileno(), _claim_stdout())
    _step_back(job)
    try:
        engine, golden = _start(job, load)
    except Exception as error:  # noqa: BLE001 - libraries raise anything; the client tells the user
        channel.send({"error": f"cannot load the engine {job.engine}: {error}"})
        return 1
    # torch writes a trial file when it is imported; from here on user text is in memory
    _limit(resource.RLIMIT_FSIZE, 0)
    channel.send({"identity": asdict(engine.identity)}, golden)
    with suppress(EOFError, TimeoutError, BrokenPipeError):  # client gone, or idle
        _serve(channel, engine, job)
    return 0


def _claim_stdout() -> int:
    """Keep stdout for frames; whatever else is printed to it is thrown away."""
    frames = os.dup(sys.stdout.fileno())
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return frames


def _step_back(job: Job) -> None:
    """Leave the machine to its user: low priority, no core dumps, no runaway memory."""
    with suppress(OSError):  # a hardened service may forbid even that
        os.nice(10)
    _limit(resource.RLIMIT_CORE, 0)  # a dump would hold the user's words
    _limit(resource.RLIMIT_AS, 5 * job.rss_bytes)  # reserved is 2 to 3 times what is resident


def _limit(what: int, value: int) -> None:
    with suppress(ValueError, OSError):  # already lower, or not supported here
        resource.setrlimit(what, (value, value))


def _start(job: Job, load: Callable[[str, str], Embedder]) -> tuple[Embedder, bytes]:
    _set_alarm(job.load_seconds)
    engine = load(job.engine, job.path)
    golden = b"".join(_embed(engine, GOLDEN_TEXTS))
    _set_alarm(0)
    return engine, golden


def _serve(channel: Channel, engine: Embedder, job: Job) -> None:
    for number in range(1, job.batches + 1):
        request, _ = channel.receive(job.idle_seconds)
        _set_alarm(job.batch_seconds)
        header, payload = _answer(engine, request)
        _set_alarm(0)
        last = number == job.batches or _resident_bytes() > job.rss_bytes
        channel.send({**header, "last": last}, payload)
        if last:
            return


def _answer(engine: Embedder, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    try:
        return {}, b"".join(_embed(engine, request["texts"]))
    except Exception as error:  # noqa: BLE001 - one bad batch must not cost the loaded model
        return {"error": _describe(error)}, b""


def _embed(engine: Embedder, texts: Sequence[str]) -> list[bytes]:
    vectors = engine.embed(texts)
    return pack(check_vectors(vectors, len(texts), engine.identity.dimension))


def _describe(error: Exception) -> str:
    # the message of a foreign exception may quote the text: never hand it on
    return str(error) if isinstance(error, EmbeddingError) else type(error).__name__


def _set_alarm(seconds: float) -> None:
    """Die by SIGALRM after *seconds*, even inside native code; an orphan must not spin for ever."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _resident_bytes() -> int:
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS: bytes, the peak


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""What a worker is told when it starts, and the limits it lives in."""

import json
from dataclasses import asdict, dataclass
from typing import Self

from memoryd.embedding.selection import Selection

_MB = 1024 * 1024
_ORPHAN_SECONDS = 5.0  # a worker ends itself so long after the client would have ended it


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """When a worker ends by itself, and when it is given up.

    Attributes:
        idle_seconds: it ends when nothing was asked for so long.
        load_seconds, reply_seconds: it is killed when loading or one batch takes longer.
        rss_bytes: above it the worker is replaced after the batch; None: as measured for the engine.
        batches: after so many it is replaced, because libraries leak.
    """

    idle_seconds: float = 120.0
    load_seconds: float = 120.0
    reply_seconds: float = 60.0
    rss_bytes: int | None = None
    batches: int = 5000


@dataclass(frozen=True, slots=True)
class Job:
    """WorkerLimits and the engine, as they travel on the command line of the worker.

    Attributes:
        load_seconds, batch_seconds: after these the worker ends itself, were the client gone.
        threads: of the engine's arithmetic.
    """

    engine: str
    path: str
    threads: int
    idle_seconds: float
    load_seconds: float
    batch_seconds: float
    rss_bytes: int
    batches: int

    @classmethod
    def parse(cls, text: str) -> Self:
        return cls(**json.loads(text))

    def __str__(self) -> str:
        return json.dumps(asdict(self))


def make_job(selection: Selection, limits: WorkerLimits) -> Job:
    """Fill in what was measured for the engine, on two cores with another one busy.

    The embedded one computes in small steps: with two threads at low priority it waits for the
    thread that is not scheduled, 55 texts/s against 870 with one (idle: 1,600 against 1,200).
    MiniLM on torch has 165 with two and 100 with one. Resident after 900 texts: 165 and 670 MB.
    """
    heavy = selection.engine == "sentence-transformers"
    return Job(
        engine=selection.engine,
        path=str(selection.path or ""),
        threads=2 if heavy else 1,
        idle_seconds=limits.idle_seconds,
        load_seconds=limits.load_seconds + _ORPHAN_SECONDS,
        batch_seconds=limits.reply_seconds + _ORPHAN_SECONDS,
        rss_bytes=limits.rss_bytes or (1536 if heavy else 400) * _MB,
        batches=limits.batches,
    )

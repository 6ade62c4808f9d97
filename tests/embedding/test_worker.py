"""The worker process by itself: when it ends, and how."""

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.embedding.fake import FakeEmbedder
from memoryd.embedding.golden import GOLDEN_TEXTS
from memoryd.embedding.job import Job, WorkerLimits, make_job
from memoryd.embedding.process import WorkerProcess
from memoryd.embedding.selection import Selection

_SCRIPT = Path(__file__).with_name("faulty_worker.py")

Start = Callable[..., WorkerProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    workers: list[WorkerProcess] = []

    def make(
        mode: str = "", *, idle: float = 20, load: float = 20, batch: float = 20
    ) -> WorkerProcess:
        job = Job("fake", "", 1, idle, load, batch, 10**9, 100)
        workers.append(WorkerProcess([sys.executable, "-P", str(_SCRIPT), mode], job))
        return workers[-1]

    yield make
    for worker in workers:
        worker.stop()


def test_it_greets_with_identity_and_golden_vectors(start: Start) -> None:
    header, golden = start().receive(10)

    assert {
        "identity": {"engine": "fake", "model": "trigrams", "revision": "1", "dimension": 64}
    } == header
    assert b"".join(FakeEmbedder().embed_packed(GOLDEN_TEXTS)) == golden


def test_it_ends_well_when_its_client_goes(start: Start) -> None:
    worker = start()
    worker.receive(10)

    assert 0 == worker.stop(grace_seconds=5)


def test_it_ends_well_when_idle(start: Start) -> None:
    worker = start(idle=0.1)
    worker.receive(10)
    with pytest.raises(EOFError):
        worker.receive(10)

    assert 0 == worker.stop(grace_seconds=5)


def test_hanging_in_a_batch_it_ends_itself(start: Start) -> None:
    """The client may be gone by then; an orphan must not spin for ever."""
    worker = start(batch=0.2)
    worker.receive(10)
    with pytest.raises(EOFError):
        worker.ask(["!hang"], 10)

    assert -signal.SIGALRM == worker.stop(grace_seconds=5)


def test_hanging_while_loading_it_ends_itself(start: Start) -> None:
    worker = start("load-hang", load=0.2)
    with pytest.raises(EOFError):
        worker.receive(10)

    assert -signal.SIGALRM == worker.stop(grace_seconds=5)


def test_an_engine_of_an_unknown_name_is_told() -> None:
    job = Job("guesswork", "", 1, 20, 20, 20, 10**9, 100)
    worker = WorkerProcess([sys.executable, "-P", "-m", "memoryd.embedding.worker"], job)
    header, _ = worker.receive(10)

    assert "no such embedding engine: 'guesswork'" in header["error"]
    assert 1 == worker.stop(grace_seconds=5)


def test_a_job_travels_as_text() -> None:
    job = make_job(Selection("embedded", "m", "r", Path("/a b/ü")), WorkerLimits())

    assert job == Job.parse(str(job))


def test_a_client_gives_up_before_its_worker_does() -> None:
    """Else a hang looks like a death, and is tried again."""
    limits = WorkerLimits()
    job = make_job(Selection("embedded", "m", "r"), limits)

    assert job.batch_seconds > limits.reply_seconds
    assert job.load_seconds > limits.load_seconds


def test_an_engine_may_grow_as_measured_unless_told_otherwise() -> None:
    small = make_job(Selection("embedded", "", ""), WorkerLimits())
    large = make_job(Selection("sentence-transformers", "", ""), WorkerLimits())
    told = make_job(Selection("sentence-transformers", "", ""), WorkerLimits(rss_bytes=7))

    assert small.rss_bytes < large.rss_bytes
    assert 7 == told.rss_bytes

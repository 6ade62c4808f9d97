"""One thread, one task at a time; nothing is lost, nothing is queued twice, nothing ends the thread."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

import pytest
from structlog.testing import capture_logs

from memoryd.errors import RetryError, StoreError, UsageError
from memoryd.service import worker as module
from memoryd.service.worker import Urgency, Worker

Log = list[str]
Eventually = Callable[..., bool]


class Resource:
    """Stands for the store: a list of what was written, and whether it may be."""

    def __init__(self) -> None:
        self.log: Log = []
        self.closed = False
        self.thread: int | None = None
        self.fault: Exception | None = None

    @contextmanager
    def open(self) -> Iterator[Log]:
        self.thread = threading.get_ident()
        yield self.log
        assert self.thread == threading.get_ident()
        self.closed = True

    def check(self, log: Log) -> None:
        if self.fault is not None:
            raise self.fault


@pytest.fixture
def resource() -> Resource:
    return Resource()


@pytest.fixture
def worker(resource: Resource, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker[Log]]:
    monkeypatch.setattr(module, "FIRST_PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(module, "SLICE_SECONDS", 0.0)
    one = Worker(resource.open, resource.check, capacity=5)
    one._pause = 0.05
    one.start()
    one.opened.result(5)
    yield one
    assert one.stop(5)


def write(text: str) -> Callable[[Log], None]:
    return lambda log: log.append(text)


class Gate:
    """A task that runs until it is let go."""

    def __init__(self, worker: Worker[Log]) -> None:
        self.entered, self.leave = threading.Event(), threading.Event()
        worker.submit("gate", self)
        assert self.entered.wait(5)

    def __call__(self, log: Log) -> None:
        self.entered.set()
        self.leave.wait(5)


def test_a_name_that_waits_is_not_queued_twice(worker: Worker[Log], resource: Resource) -> None:
    gate = Gate(worker)

    assert worker.submit("a", write("a"))
    assert not worker.submit("a", write("a"))
    assert worker.submit("gate", write("the running one does not count"))
    gate.leave.set()

    worker.call("end", write("end"), Urgency.SCAN)
    assert ["a", "the running one does not count", "end"] == resource.log


def test_requests_go_first_and_scans_last(worker: Worker[Log], resource: Resource) -> None:
    gate = Gate(worker)
    worker.submit("scan", write("scan"), Urgency.SCAN)
    worker.submit("change", write("change"))
    caller = threading.Thread(target=worker.call, args=("request", write("request")))
    caller.start()
    while worker.state.waiting < 3:
        time.sleep(0.01)
    gate.leave.set()
    caller.join()

    worker.call("end", write("end"), Urgency.SCAN)
    assert ["request", "change", "scan", "end"] == resource.log


def test_between_the_steps_of_a_scan_urgent_tasks_run(
    worker: Worker[Log], resource: Resource
) -> None:
    begun = threading.Event()

    def scan(log: Log) -> Generator[None, None, int]:
        for number in range(400):
            log.append(f"step {number}")
            begun.set()
            time.sleep(0.001)
            yield
        return 400

    answers: list[int] = []
    caller = threading.Thread(
        target=lambda: answers.append(worker.call("scan", scan, Urgency.SCAN))
    )
    caller.start()
    assert begun.wait(5)
    worker.call("request", write("request"))
    caller.join()

    assert [400] == answers
    assert 0 < resource.log.index("request") < 400
    assert 401 == len(resource.log)


def test_a_long_request_lets_changes_through(worker: Worker[Log], resource: Resource) -> None:
    begun = threading.Event()

    def long(log: Log) -> Iterator[None]:
        for number in range(300):
            log.append(f"step {number}")
            begun.set()
            time.sleep(0.001)
            yield

    caller = threading.Thread(target=worker.call, args=("long", long))
    caller.start()
    assert begun.wait(5)
    worker.submit("change", write("change"))
    caller.join()

    assert 0 < resource.log.index("change") < 300


def test_two_long_tasks_take_turns(worker: Worker[Log], resource: Resource) -> None:
    def long(name: str) -> Callable[[Log], Iterator[None]]:
        def steps(log: Log) -> Iterator[None]:
            for _ in range(50):
                log.append(name)
                yield

        return steps

    gate = Gate(worker)
    worker.submit("a", long("a"))
    worker.submit("b", long("b"), Urgency.SCAN)
    gate.leave.set()
    worker.call("long", long("c"), Urgency.SCAN)

    order = "".join(resource.log)
    assert 150 == len(order)
    assert order.index("c") < order.rindex("b")


def test_a_scan_asked_for_during_a_scan_runs_afterwards(
    worker: Worker[Log], resource: Resource, eventually: Eventually
) -> None:
    begun, leave = threading.Event(), threading.Event()

    def scan(log: Log) -> Iterator[None]:
        begun.set()
        leave.wait(5)
        yield
        log.append("first")

    worker.submit("scan", scan, Urgency.SCAN)
    assert begun.wait(5)
    assert worker.submit("scan", write("second"), Urgency.SCAN)
    assert not worker.submit("scan", write("third"), Urgency.SCAN)
    leave.set()

    assert eventually(lambda: resource.log == ["first", "second"])


def test_a_full_queue_makes_the_submitter_wait(worker: Worker[Log], resource: Resource) -> None:
    gate = Gate(worker)
    for number in range(5):
        assert worker.submit(str(number), write(str(number)))
    blocked = threading.Thread(target=worker.submit, args=("late", write("late")))
    blocked.start()
    blocked.join(0.2)
    assert blocked.is_alive()
    assert 5 == worker.state.waiting

    gate.leave.set()
    blocked.join(5)

    worker.call("end", write("end"), Urgency.SCAN)
    assert "late" in resource.log


def test_a_failing_task_is_logged_and_counted_and_the_next_one_runs(
    worker: Worker[Log], resource: Resource
) -> None:
    def fail(log: Log) -> None:
        raise ZeroDivisionError

    with capture_logs() as lines:
        worker.submit("bad", fail)
        worker.call("good", write("good"), Urgency.SCAN)

    assert ["good"] == resource.log
    assert 1 == worker.state.failed
    assert ("task_failed", "bad") == (lines[0]["event"], lines[0]["task"])


def test_the_caller_gets_the_answer_or_the_exception(worker: Worker[Log]) -> None:
    def refuse(log: Log) -> None:
        raise UsageError("no such entry")

    assert 7 == worker.call("seven", lambda log: 7)
    with capture_logs(), pytest.raises(UsageError, match="no such entry"):
        worker.call("refuse", refuse)


def test_temporary_trouble_keeps_the_task_and_lets_requests_through(
    worker: Worker[Log], resource: Resource, eventually: Eventually
) -> None:
    full = [True]

    def change(log: Log) -> None:
        if full[0]:
            raise RetryError("the disk is full")
        log.append("change")

    with capture_logs() as lines:
        worker.submit("change", change)
        assert eventually(lambda: worker.state.trouble)
        worker.submit("next", write("next"))
        assert 1 == worker.call("request", lambda log: 1)
        assert "the disk is full" == worker.state.trouble
        time.sleep(0.3)
        full[0] = False
        assert eventually(lambda: resource.log == ["change", "next"])

    assert "" == worker.state.trouble
    assert 2 <= sum(line["event"] == "task_postponed" for line in lines) <= 4
    assert 0 == worker.state.failed


def test_a_request_that_meets_temporary_trouble_is_told_so(worker: Worker[Log]) -> None:
    def busy(log: Log) -> None:
        raise RetryError("the database is busy")

    with pytest.raises(RetryError, match="busy"):
        worker.call("busy", busy)


def test_a_held_worker_runs_requests_only(
    worker: Worker[Log], resource: Resource, eventually: Eventually
) -> None:
    worker.hold("the disk is nearly full")
    worker.submit("change", write("change"))

    worker.call("prune", write("prune"))
    time.sleep(0.1)
    assert ["prune"] == resource.log
    assert "the disk is nearly full" == worker.state.trouble
    assert 0.0 == worker.state.stuck_seconds

    worker.hold("")
    assert eventually(lambda: resource.log == ["prune", "change"])


def test_what_was_postponed_goes_on_as_soon_as_the_hold_ends(
    worker: Worker[Log], resource: Resource, eventually: Eventually
) -> None:
    full = [True]

    def change(log: Log) -> None:
        if full[0]:
            raise RetryError("the disk is full")
        log.append("change")

    worker._pause = 60.0
    worker.submit("change", change)
    assert eventually(lambda: worker.state.trouble)
    worker.hold("the disk is nearly full")
    full[0] = False
    worker.hold("")

    assert eventually(lambda: resource.log == ["change"])


def test_a_lost_right_to_write_ends_the_worker_before_the_next_task(
    resource: Resource, eventually: Eventually
) -> None:
    worker = Worker(resource.open, resource.check)
    worker.start()
    worker.call("one", write("one"))
    resource.fault = StoreError("deleted or replaced")

    with pytest.raises(StoreError):
        worker.call("two", write("two"))

    assert eventually(lambda: not worker.is_alive())
    assert ["one"] == resource.log
    assert worker.error is resource.fault
    with pytest.raises(RetryError):
        worker.call("three", write("three"))


def test_a_resource_that_cannot_be_opened_is_told_at_the_start() -> None:
    @contextmanager
    def refuse() -> Iterator[Log]:
        raise StoreError("a newer schema")
        yield []

    worker = Worker(refuse, lambda log: None)
    worker.start()

    with pytest.raises(StoreError, match="newer"):
        worker.opened.result(5)
    assert worker.stop(5)


def test_stopping_finishes_the_step_and_drops_the_rest(resource: Resource) -> None:
    worker = Worker(resource.open, resource.check)
    worker.start()
    begun = threading.Event()

    def scan(log: Log) -> Iterator[None]:
        while True:
            log.append("begun")
            begun.set()
            time.sleep(0.02)
            log.append("ended")
            yield

    failures: list[BaseException] = []

    def ask() -> None:
        try:
            worker.call("waits", scan, Urgency.SCAN)
        except RetryError as error:
            failures.append(error)

    caller = threading.Thread(target=ask)
    caller.start()
    assert begun.wait(5)
    assert worker.stop(2)
    caller.join(2)

    assert resource.closed
    assert "ended" == resource.log[-1]
    assert 1 == len(failures)
    assert not worker.submit("late", write("late"))


def test_a_long_task_is_asked_to_end(worker: Worker[Log], resource: Resource) -> None:
    begun = threading.Event()

    def long(log: Log) -> None:
        while worker.going():
            begun.set()
            time.sleep(0.01)
        log.append("left early")

    worker.submit("long", long)
    assert begun.wait(5)
    assert worker.stop(1)

    assert ["left early"] == resource.log


def test_progress_is_what_tells_busy_from_stuck(worker: Worker[Log]) -> None:
    assert 0.0 == worker.state.stuck_seconds
    gate = Gate(worker)
    time.sleep(0.2)
    assert worker.state.stuck_seconds >= 0.15
    assert "gate" == worker.state.running

    worker.going()

    assert worker.state.stuck_seconds < 0.1
    gate.leave.set()


def test_an_idle_worker_does_not_wake(worker: Worker[Log], monkeypatch: pytest.MonkeyPatch) -> None:
    worker.call("one", write("one"))
    looks = []
    monkeypatch.setattr(worker, "_take", lambda: looks.append(1))
    time.sleep(0.3)

    assert [] == looks

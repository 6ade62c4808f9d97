"""The one writer thread: everything that changes the database runs here, one task after another.

A task whose name is already waiting is not queued twice. A task may be a generator: it is advanced step
by step, and everything that is shorter runs between its steps. When the disk is full or the database busy, the
task is kept and tried again; nothing is dropped.
"""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Generic, TypeVar

import structlog

from memoryd.errors import DamageError, MemorydError, RetryError
from memoryd.store.connection import in_our_words

CAPACITY = 1000  # tasks; a submitter waits when so many are waiting
FIRST_PAUSE_SECONDS = 1.0  # after temporary trouble, doubled up to
LONGEST_PAUSE_SECONDS = 60.0
SLICE_SECONDS = 0.05  # a step-wise task runs so long before it looks for something more urgent

T = TypeVar("T")
Task = Callable[[T], Any]

log = structlog.get_logger()


class Urgency(IntEnum):
    """Which task goes first."""

    REQUEST = 0  # somebody waits for the answer
    CHANGE = 1  # a file changed
    SCAN = 2  # the whole of everything


@dataclass(frozen=True, slots=True)
class WorkerState:
    """How the writer is, for `status` and the watchdog.

    Attributes:
        stuck_seconds: how long there was work and no progress; 0.0 when idle.
        trouble: why tasks are being tried again, or nothing.
        damage: what the last task that met a damaged database said, or nothing.
    """

    waiting: int
    running: str
    stuck_seconds: float
    done: int
    failed: int
    trouble: str
    damage: str


@dataclass(slots=True)
class _Job(Generic[T]):
    name: str
    urgency: Urgency
    task: Task[T]
    answer: "Future[Any] | None" = None
    steps: Generator[Any, None, Any] | None = None


class Worker(Generic[T]):
    """A thread that owns a resource (the writing store) and runs tasks with it.

    Args:
        open_resource: opened in the thread, and closed there when the worker stops.
        guard: called with the resource before every task and slice; when it raises, the worker ends with
            that `error`: the right to write is gone, or the file is not the one that was opened.
        on_end: called in the thread when it is about to end, for whatever reason.
    """

    def __init__(
        self,
        open_resource: Callable[[], AbstractContextManager[T]],
        guard: Callable[[T], None],
        on_end: Callable[[], None] = lambda: None,
        capacity: int = CAPACITY,
    ) -> None:
        self._open_resource = open_resource
        self._guard = guard
        self._on_end = on_end
        self._capacity = capacity
        self._waiting: dict[Urgency, OrderedDict[str, _Job[T]]] = {
            urgency: OrderedDict() for urgency in Urgency
        }
        self._begun: deque[_Job[T]] = deque()  # step-wise tasks between two slices; they take turns
        self._changed = threading.Condition()
        self._stopping = False
        self._running = ""
        self._progressed = time.monotonic()
        self._done = 0
        self._failed = 0
        self._trouble = ""
        self._held = ""
        self._damage = ""
        self._retry_at = 0.0
        self._pause = FIRST_PAUSE_SECONDS
        self.opened: Future[None] = Future()
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="memoryd-writer", daemon=True)

    def start(self) -> None:
        """Begin; `opened` tells when the resource is there, or why it is not."""
        self._progressed = time.monotonic()
        self._thread.start()

    def stop(self, timeout: float) -> bool:
        """Finish the step that runs, drop what waits, close the resource; False if that took too long."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def submit(self, name: str, task: Task[T], urgency: Urgency = Urgency.CHANGE) -> bool:
        """Queue a task unless one of that name waits; blocks while the queue is full.

        Returns:
            False if the task was not queued: its name waits already, or the worker is stopping.
        """
        queue = self._waiting[urgency]
        with self._changed:
            while len(queue) >= self._capacity and not self._stopping and name not in queue:
                self._changed.wait()
            if self._stopping or name in queue:
                return False
            queue[name] = _Job(name, urgency, task)
            self._changed.notify_all()
        return True

    def call(self, name: str, task: Task[T], urgency: Urgency = Urgency.REQUEST) -> Any:
        """Run a task and wait for its answer; its exception is raised here.

        Raises:
            RetryError: the worker stopped before the task ran.
        """
        answer: Future[Any] = Future()
        with self._changed:
            if self._stopping or not self._thread.is_alive():
                raise RetryError("memoryd is stopping")
            key = f"{name} {id(answer)}"
            self._waiting[urgency][key] = _Job(name, urgency, task, answer)
            self._changed.notify_all()
        try:
            return answer.result()
        except CancelledError as error:
            raise RetryError("memoryd stopped before the command ran") from error

    def mended(self) -> None:
        """What was damaged was looked at, and is whole."""
        self._damage = ""

    def hold(self, reason: str) -> None:
        """Let only requests run while *reason* is not empty (the disk is nearly full)."""
        with self._changed:
            if self._held and not reason:
                self._retry_at = 0.0  # what was postponed need not wait any longer
            self._held = reason
            self._changed.notify_all()

    def going(self) -> bool:
        """Note progress inside a long task; False asks it to end now with what is committed."""
        self._progressed = time.monotonic()
        return not self._stopping

    @property
    def state(self) -> WorkerState:
        with self._changed:
            waiting = sum(map(len, self._waiting.values())) + len(self._begun)
            busy = (
                bool(self._running)
                or not self.opened.done()
                or (waiting > 0 and not self._trouble and not self._held)
            )
            stuck = time.monotonic() - self._progressed if busy else 0.0
            trouble = self._held or self._trouble
            return WorkerState(
                waiting, self._running, stuck, self._done, self._failed, trouble, self._damage
            )

    def _run(self) -> None:
        try:
            with self._open_resource() as resource:
                self.opened.set_result(None)
                while (job := self._next_job()) is not None:
                    self._check(job, resource)
                    self._run_job(job, resource)
        except BaseException as error:  # noqa: BLE001 - the daemon reads it and ends
            self.error = error
            if not self.opened.done():
                self.opened.set_exception(error)
        finally:
            self._give_up()
            self._on_end()

    def _give_up(self) -> None:
        """Nobody may wait for an answer that will not come."""
        with self._changed:
            self._stopping = True
            jobs = [job for queue in self._waiting.values() for job in queue.values()]
            for job in (*jobs, *self._begun):
                if job.answer is not None:
                    job.answer.cancel()
            self._changed.notify_all()

    def _check(self, job: _Job[T], resource: T) -> None:
        try:
            self._guard(resource)
        except BaseException as error:
            self._fail(job, error)
            raise

    def _next_job(self) -> "_Job[T] | None":
        with self._changed:
            while not self._stopping:
                job = self._take()
                if job is not None:
                    self._running = job.name
                    self._progressed = time.monotonic()
                    self._changed.notify_all()
                    return job
                self._changed.wait(self._patience())
            return None

    def _take(self) -> "_Job[T] | None":
        """What to run now: requests, then changes, scans, and whatever has begun and goes in steps."""
        paused = self._held or time.monotonic() < self._retry_at
        requests, changes, scans = self._waiting.values()
        for queue in (requests,) if paused else (requests, changes):
            if queue:
                return queue.popitem(last=False)[1]
        begun = {job.name for job in self._begun}
        for name in () if paused else scans:
            if name not in begun:  # the same scan again waits for the first one to end
                return scans.pop(name)
        for job in self._begun:
            if not paused or job.urgency is Urgency.REQUEST:
                self._begun.remove(job)
                return job
        return None

    def _patience(self) -> float | None:
        """How long nothing can be due; None: until something is submitted."""
        return max(0.0, self._retry_at - time.monotonic()) if self._trouble else None

    def _run_job(self, job: _Job[T], resource: T) -> None:
        """The one place where a task's exception is caught, whatever it is."""
        try:
            with in_our_words():
                result = self._advance(job, resource)
        except RetryError as error:
            self._try_again(job, error)
        except MemorydError as error:
            self._fail(job, error)
            if isinstance(error, DamageError):
                self._damage = str(error)
            log.warning("task_failed", task=job.name, error=str(error))
        except Exception as error:
            self._fail(job, error)
            log.exception("task_failed", task=job.name)
        else:
            self._finish(job, result)
        self._running = ""
        self._progressed = time.monotonic()

    def _advance(self, job: _Job[T], resource: T) -> Any:
        """Run a task, or for one slice the steps of it; returns _UNFINISHED if there are more."""
        if job.steps is None:
            result = job.task(resource)
            if not isinstance(result, Generator):
                return result
            job.steps = result
        until = time.monotonic() + SLICE_SECONDS
        try:
            next(job.steps)
            while self.going() and time.monotonic() < until:
                next(job.steps)
        except StopIteration as end:
            return end.value
        return _UNFINISHED

    def _finish(self, job: _Job[T], result: Any) -> None:
        if result is _UNFINISHED:
            with self._changed:
                self._begun.append(job)
            return
        self._done += 1
        self._trouble, self._pause, self._retry_at = "", FIRST_PAUSE_SECONDS, 0.0
        if job.answer is not None:
            job.answer.set_result(result)

    def _fail(self, job: _Job[T], error: BaseException) -> None:
        self._failed += 1
        if job.answer is not None:
            job.answer.set_exception(error)

    def _try_again(self, job: _Job[T], error: RetryError) -> None:
        """Keep the task and pause: the disk is full or the database busy, and that passes."""
        if job.answer is not None:
            self._fail(job, error)
            return
        log.warning("task_postponed", task=job.name, error=str(error), seconds=self._pause)
        job.steps = None  # a generator that raised is finished: it begins again
        self._trouble = str(error)
        self._retry_at = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        with self._changed:
            queue = self._waiting[job.urgency]
            if job.name not in queue:  # a newer one of that name would do the same
                queue[job.name] = job
                queue.move_to_end(job.name, last=False)


_UNFINISHED = object()

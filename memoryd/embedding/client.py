"""The client of the embedding worker: starts it when needed, never trusts it, never imports numpy.

A search must not wait for a model: ask `is_warm` first, call `warm_up` and search by words meanwhile.
"""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from memoryd.embedding.base import EmbeddingModel
from memoryd.embedding.framing import Frame
from memoryd.embedding.golden import GOLDEN_TEXTS, check_golden
from memoryd.embedding.job import WorkerLimits, make_job
from memoryd.embedding.packing import split_packed
from memoryd.embedding.process import WorkerProcess
from memoryd.embedding.selection import Selection
from memoryd.errors import EmbeddingError

if TYPE_CHECKING:  # numpy stays out of the daemon
    from memoryd.embedding.base import Vectors

_TEXT_CHARS = 2000
_BATCH_TEXTS = 32
_BATCH_CHARS = 1000  # 20 ms of the embedded engine: so long a query may wait behind a backfill
_LONGEST_PAUSE_POWER = 8  # of two: 256 s
_ENDING_SECONDS = 2.0


class _GoneError(Exception):
    """The worker ended before it answered: asking a fresh one again may work."""


class EmbeddingClient:
    """Implements Embedder over one worker process at a time. Safe for several threads.

    Single requests are short, and threads get their turn in order, so a query is answered in the
    middle of a long backfill. Use as a context manager, or call `close`.
    """

    def __init__(
        self,
        selection: Selection,
        *,
        golden: Sequence[bytes] = (),
        limits: WorkerLimits | None = None,
        command: Sequence[str] = (sys.executable, "-P", "-m", "memoryd.embedding.worker"),
    ) -> None:
        """Start nothing yet.

        Args:
            selection: which engine.
            golden: what `golden` returned when this model was first used; empty: it is used first
                now. Whoever calls keeps it beside the vectors.
            limits: of the worker.
            command: what to start; the job is appended as one argument.
        """
        self._selection = selection
        self._golden = tuple(golden)
        self._limits = limits or WorkerLimits()
        self._command = command
        self._identity: EmbeddingModel | None = None
        self._worker: WorkerProcess | None = None
        self._ready = False
        self._failures = 0
        self._trouble = ""
        self._retry_at = 0.0
        self._queue = threading.Lock()
        self._working = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def identity(self) -> EmbeddingModel:
        """The model in use; the first call loads it.

        Raises:
            EmbeddingError: there is no engine, or it does not start.
        """
        with self._turn():
            return self._identity or self._running()[1]

    @property
    def golden(self) -> tuple[bytes, ...]:
        """Packed golden vectors, to be kept with the vectors of this model; the first call loads it.

        Raises:
            EmbeddingError: there is no engine, or it does not start.
        """
        with self._turn():
            if not self._golden:
                self._running()
            return self._golden

    @property
    def trouble(self) -> str:
        """Why the last try failed; empty since a text was embedded. For status."""
        return self._trouble

    @property
    def worker_pid(self) -> int | None:
        """The process behind, for status and tests."""
        worker = self._worker
        return worker.pid if worker else None

    @property
    def is_warm(self) -> bool:
        """Whether a text would be embedded at once. Never waits, never starts anything."""
        if not self._working.acquire(blocking=False):
            return self._ready  # busy with a batch: its turn comes soon
        try:
            if self._worker is not None:
                self._look_after(self._worker)
            return self._ready
        finally:
            self._working.release()

    def warm_up(self) -> None:
        """Start the worker if there is none, and return without waiting for it.

        Raises:
            EmbeddingError: there is no engine, or it has failed too often just now.
        """
        if self._working.acquire(blocking=False):
            try:
                self._started()
            finally:
                self._working.release()

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Like `embed_packed`, unpacked: float32 (n, d), unit length. Imports numpy."""
        from memoryd.embedding.vectors import unpack  # noqa: PLC0415 - only callers of this pay

        dimension = self.identity.dimension
        return unpack(self.embed_packed(texts), dimension)

    def embed_packed(self, texts: Sequence[str]) -> list[bytes]:
        """Embed texts, cut to 2,000 characters each; one packed vector a text, in the order given.

        A worker that died is replaced and asked once more; one that hung or lied is not.

        Raises:
            EmbeddingError: no engine, no answer, or an answer that is not a vector. Vectors made
                before the failure are lost: hand over batches that you can repeat.
        """
        packed = [b""] * len(texts)
        for batch in _batches([_clean(text) for text in texts]):
            with self._turn():
                answers = self._embed_batch([text for _, text in batch])
            for (position, _), answer in zip(batch, answers, strict=True):
                packed[position] = answer
        return packed

    def close(self) -> None:
        """Stop the worker once a batch in work is done. The client can be used again."""
        with self._turn():
            self._drop()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        # Two locks make a queue: who holds the first is next, so a loop cannot starve a query.
        with self._queue:
            self._working.acquire()
        try:
            yield
        finally:
            self._working.release()

    def _embed_batch(self, texts: Sequence[str]) -> list[bytes]:
        try:
            return self._ask(texts)
        except _GoneError:
            try:
                return self._ask(texts)
            except _GoneError as error:
                raise self._failed(f"the embedding worker died twice ({error})") from None

    def _ask(self, texts: Sequence[str]) -> list[bytes]:
        worker, identity = self._running()
        with self._blame("answered"):
            header, payload = worker.ask(texts, self._limits.reply_seconds)
            failed = "error" in header
            vectors = [] if failed else split_packed(payload, len(texts), identity.dimension)
        if header.get("last"):
            self._drop()
        if failed:
            raise EmbeddingError(f"cannot embed a batch: {header['error']}")
        self._failures, self._trouble = 0, ""
        return vectors

    def _running(self) -> tuple[WorkerProcess, EmbeddingModel]:
        """A worker that has loaded its model, and which."""
        worker = self._started()
        if not self._ready:
            try:
                with self._blame("loaded"):
                    self._greet(worker.receive(self._limits.load_seconds))
            except _GoneError as error:
                raise self._failed(f"the embedding worker died while loading ({error})") from None
        assert self._identity is not None  # noqa: S101 - its greeting told
        return worker, self._identity

    def _started(self) -> WorkerProcess:
        if self._worker is not None:
            return self._worker
        if self._selection.engine == "none":
            raise EmbeddingError(f"there is no embedding engine: {self._selection.reason}")
        if (pause := self._retry_at - monotonic()) > 0:
            raise EmbeddingError(f"{self._trouble}; next try in {pause:.0f} s")
        job = make_job(self._selection, self._limits)
        try:
            self._worker = WorkerProcess(self._command, job)
        except OSError as error:
            raise self._failed(f"cannot start the embedding worker: {error}") from error
        return self._worker

    def _look_after(self, worker: WorkerProcess) -> None:
        """Take a greeting that has come, and notice an end, without waiting."""
        if not worker.has_news():
            return
        if self._ready:
            self._drop()  # nothing was asked: it can only have ended
        else:
            with suppress(EmbeddingError):  # kept as trouble
                self._running()

    def _greet(self, frame: Frame) -> None:
        """Check the first frame: is it the model we know, and does it compute as it did?"""
        header, payload = frame
        if "error" in header:
            raise EmbeddingError(str(header["error"]))
        try:
            identity = EmbeddingModel(**header["identity"])
        except (KeyError, TypeError) as error:
            raise EmbeddingError("the embedding worker does not say what it is") from error
        if self._identity not in (None, identity):
            raise EmbeddingError(f"the model was exchanged: {self._identity} is now {identity}")
        golden = split_packed(payload, len(GOLDEN_TEXTS), identity.dimension)
        check_golden(self._golden or golden, golden)
        self._golden = self._golden or tuple(golden)
        self._identity = identity
        self._ready = True

    @contextmanager
    def _blame(self, deed: str) -> Iterator[None]:
        """End a worker that was late, lied or died, and say so."""
        try:
            yield
        except TimeoutError:
            raise self._failed(f"the embedding worker has not {deed} in time") from None
        except (EOFError, OSError):
            status = self._drop(_ENDING_SECONDS)
            raise _GoneError(f"exit status {status}") from None
        except EmbeddingError as error:
            raise self._failed(str(error)) from error
        except ValueError as error:
            raise self._failed(f"the embedding worker wrote garbage: {error}") from None

    def _failed(self, reason: str) -> EmbeddingError:
        """End the worker, lengthen the pause before the next start, and return the error."""
        self._drop()
        self._failures += 1
        self._trouble = reason
        if self._failures > 1:
            self._retry_at = monotonic() + 2.0 ** min(self._failures, _LONGEST_PAUSE_POWER)
        return EmbeddingError(reason)

    def _drop(self, grace_seconds: float = 0.0) -> int | None:
        worker, self._worker, self._ready = self._worker, None, False
        return worker.stop(grace_seconds) if worker else None


def _clean(text: str) -> str:
    """Cut to what an engine gets; a lone surrogate becomes a question mark."""
    return text[:_TEXT_CHARS].encode("utf-8", "replace").decode()


def _batches(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Batches of (position, text), short texts first: texts of like length waste no padding."""
    batch: list[tuple[int, str]] = []
    chars = 0
    for position, text in sorted(enumerate(texts), key=lambda item: len(item[1])):
        if batch and (len(batch) == _BATCH_TEXTS or chars + len(text) > _BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append((position, text))
        chars += len(text)
    if batch:
        yield batch

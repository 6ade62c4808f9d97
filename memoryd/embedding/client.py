"""The client of the embedding worker: starts it when needed, never trusts it, never imports numpy.

A search must not wait for a model: ask `is_warm` first, call `warm_up` and search by words meanwhile.
"""

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from memoryd.embedding.base import EmbeddingModel
from memoryd.embedding.framing import Frame
from memoryd.embedding.golden import GOLDEN_TEXTS, check_golden
from memoryd.embedding.packing import check_packed, packed_size
from memoryd.embedding.process import WorkerProcess
from memoryd.embedding.selection import Selection
from memoryd.errors import EmbeddingError

if TYPE_CHECKING:  # numpy stays out of the daemon
    from memoryd.embedding.base import Vectors

_TEXT_CHARS = 2000
_BATCH_TEXTS = 32
_BATCH_CHARS = 4000  # 80 ms of the embedded engine: so long a search may wait behind a backfill
_LONGEST_PAUSE_SECONDS = 300.0
_ENDING_SECONDS = 2.0
_ORPHAN_SECONDS = 5.0  # a worker ends itself so long after the client would have ended it
_MB = 1024 * 1024
# measured, resident after 900 texts: embedded 170 MB, MiniLM on torch 660 MB
_RSS_BYTES = {"sentence-transformers": 1536 * _MB}
_DEFAULT_RSS_BYTES = 400 * _MB


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
            if self._identity is None:
                self._running()
            assert self._identity is not None  # noqa: S101 - a running worker has told it
            return self._identity

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
                raise self._failed(
                    f"the embedding worker died twice on one batch ({error})"
                ) from None

    def _ask(self, texts: Sequence[str]) -> list[bytes]:
        worker = self._running()
        seconds = self._limits.reply_seconds
        with self._blame("answered"):
            header, payload = worker.ask(texts, seconds)
        if header.get("last"):
            self._drop()
        if "error" in header:
            raise EmbeddingError(f"cannot embed a batch: {header['error']}")
        vectors = self._split(payload, len(texts))
        self._failures = 0
        return vectors

    def _running(self) -> WorkerProcess:
        worker = self._started()
        if not self._ready:
            try:
                with self._blame("loaded"):
                    frame = worker.receive(self._limits.load_seconds)
            except _GoneError as error:
                raise self._failed(f"the embedding worker died while loading ({error})") from None
            self._greet(frame)
        return worker

    def _started(self) -> WorkerProcess:
        if self._worker is not None:
            return self._worker
        if self._selection.engine == "none":
            raise EmbeddingError(f"there is no embedding engine: {self._selection.reason}")
        if (pause := self._retry_at - monotonic()) > 0:
            raise EmbeddingError(
                f"the embedding worker failed {self._failures} times; next try in {pause:.0f} s"
            )
        self._worker = WorkerProcess((*self._command, self._job()))
        return self._worker

    def _job(self) -> str:
        limits, selection = self._limits, self._selection
        rss_bytes = limits.rss_bytes or _RSS_BYTES.get(selection.engine, _DEFAULT_RSS_BYTES)
        return json.dumps(
            {
                "engine": selection.engine,
                "path": str(selection.path or ""),
                "idle_seconds": limits.idle_seconds,
                "load_seconds": limits.load_seconds + _ORPHAN_SECONDS,
                "batch_seconds": limits.reply_seconds + _ORPHAN_SECONDS,
                "rss_bytes": rss_bytes,
                "batches": limits.batches,
            }
        )

    def _look_after(self, worker: WorkerProcess) -> None:
        """Take a greeting that has come, and notice an end, without waiting."""
        try:
            frame = worker.receive(0)
        except TimeoutError:
            return
        except (EOFError, OSError, ValueError):
            if not self._ready:
                self._note_failure()
            self._drop()
            return
        try:
            self._greet(frame)
        except EmbeddingError:
            return  # the next who embeds is told

    def _greet(self, frame: Frame) -> None:
        """Check the first frame: is it the model we know, and does it compute as it did?"""
        header, payload = frame
        if "error" in header:
            raise self._failed(str(header["error"]))
        try:
            identity = EmbeddingModel(**header["identity"])
        except (KeyError, TypeError) as error:
            raise self._failed("the embedding worker does not say what it is") from error
        if self._identity not in (None, identity):
            raise self._failed(f"the model was exchanged: {self._identity} is now {identity}")
        golden = self._split(payload, len(GOLDEN_TEXTS), identity.dimension)
        try:
            check_golden(self._golden or golden, golden)
        except EmbeddingError as error:
            raise self._failed(str(error)) from error
        self._golden = self._golden or tuple(golden)
        self._identity = identity
        self._ready = True

    def _split(self, payload: bytes, count: int, dimension: int | None = None) -> list[bytes]:
        """Cut a payload into checked vectors."""
        if dimension is None:
            assert self._identity is not None  # noqa: S101 - only a greeted worker is asked
            dimension = self._identity.dimension
        size = packed_size(dimension)
        if len(payload) != count * size:
            raise self._failed(
                f"the embedding worker sent {len(payload)} bytes"
                f" for {count} vectors of {dimension} dimensions"
            )
        blobs = [payload[start : start + size] for start in range(0, len(payload), size)]
        try:
            for blob in blobs:
                check_packed(blob, dimension)
        except EmbeddingError as error:
            raise self._failed(str(error)) from error
        return blobs

    @contextmanager
    def _blame(self, deed: str) -> Iterator[None]:
        """Turn trouble of the pipe into an error, and end the worker that made it."""
        try:
            yield
        except TimeoutError:
            raise self._failed(
                f"the embedding worker has not {deed} in time and was ended"
            ) from None
        except ValueError as error:
            raise self._failed(f"the embedding worker wrote garbage: {error}") from None
        except (EOFError, OSError):
            status = self._drop(_ENDING_SECONDS)
            raise _GoneError(f"exit status {status}") from None

    def _failed(self, reason: str) -> EmbeddingError:
        """End the worker, lengthen the pause before the next start, and return the error."""
        self._drop()
        self._note_failure()
        return EmbeddingError(reason)

    def _note_failure(self) -> None:
        self._failures += 1
        pause = 0.0 if self._failures == 1 else min(2.0**self._failures, _LONGEST_PAUSE_SECONDS)
        self._retry_at = monotonic() + pause

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

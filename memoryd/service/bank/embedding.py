"""Vectors of the memory bank: which model, filling what is missing, finding what is near.

The model runs in a process of its own. Vectors in the database are the truth; the mapped file beside it is a cache that the
writer keeps. Nothing here is needed: without vectors, memory answers by words and says so.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.embedding import EmbeddingClient, EmbeddingModel, Selection, select_engine
from memoryd.embedding.vector_file import VectorFile
from memoryd.errors import EmbeddingError, MemorydError
from memoryd.model import Entry
from memoryd.service.writer import Tell, Writer
from memoryd.store.connection import Connection
from memoryd.store.entry_search import EntryView, load_entries
from memoryd.store.reader import Reader
from memoryd.store.vector_rows import (
    Generation,
    begin_generation,
    building_generation,
    count_vectors,
    current_generation,
    has_generation,
    put_vectors,
    switch_generation,
    unembedded,
    vectors_of,
    visible_rows,
)

PORTION = (
    128  # texts embedded and stored together: about a tenth of a second of the embedded engine
)
VECTORS_NAME = "memoryd.vectors"
MODELS_FOLDER = "models"
RUN_ROWS = 4096  # vectors in one write of the mapped file
QUERY_SECONDS = 0.2  # so long a search waits for a warm model that is busy or not scheduled
CHOICE = 4  # times as many are looked at as are wanted, since some may not be shown
PAUSE_SECONDS = 30.0  # between two looks for entries without a vector

Ask = Callable[[str, Mapping[str, Any]], Any]  # carries out a writing command


class Embeddings:
    """The embedding client of a home, with its vectors. Safe for several threads."""

    def __init__(self, home: Path, config: Config) -> None:
        self.home = home
        self.selection: Selection = select_engine(config.embedding, home / MODELS_FOLDER)
        self._client: EmbeddingClient | None = None
        self._lock = threading.Lock()
        self._questions = ThreadPoolExecutor(1, "memoryd-question")  # starts a thread when asked

    def configure(self, config: Config) -> None:
        """Work by another configuration; the model's process gives way to another one if that changes anything."""
        selection = select_engine(config.embedding, self.home / MODELS_FOLDER)
        if selection != self.selection:
            self.selection = selection
            self.close()

    def close(self) -> None:
        """End the model's process."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def client(self, golden: tuple[bytes, ...] = ()) -> EmbeddingClient:
        """The client, made on first use."""
        with self._lock:
            if self._client is None:
                self._client = EmbeddingClient(self.selection, golden=golden)
            return self._client

    def backfill(self, ask: Ask, stopped: Callable[[], bool] = lambda: False) -> int:
        """Embed every active entry that lacks a vector; returns how many were embedded.

        Raises:
            EmbeddingError: no engine, or it fails.
        """
        with Reader(self.home) as reader:
            generation = building_generation(reader.connection)
            if generation is not None and not unembedded(reader.connection, generation.id, 0, 1):
                return 0
        generation = self._generation(ask, generation)
        done, after = 0, 0
        while not stopped():
            with Reader(self.home) as reader:
                missing = unembedded(reader.connection, generation.id, after, PORTION)
            if not missing:
                break
            packed = self.client().embed_packed([one.content for one in missing])
            vectors = [
                [one.row, one.content_key.hex(), vector.hex()]
                for one, vector in zip(missing, packed, strict=True)
            ]
            told = ask("vectors.store", {"generation": generation.id, "vectors": vectors})
            if not told["kept"]:
                raise EmbeddingError("another model has taken over meanwhile")
            done, after = done + len(missing), missing[-1].row
        if generation.state == "building" and not stopped():
            ask("vectors.switch", {"generation": generation.id})
        return done

    def _generation(self, ask: Ask, known: Generation | None) -> Generation:
        """The space of the present model; a new one is begun when the model is another."""
        identity = self.client(known.golden if known else ()).identity
        if known is not None and model_of(known) == identity:
            return known
        golden = [one.hex() for one in self.client().golden]
        ask(
            "vectors.begin",
            {
                "engine": identity.engine,
                "model": identity.model,
                "revision": identity.revision,
                "dimension": identity.dimension,
                "golden": golden,
            },
        )
        with Reader(self.home) as reader:
            begun = building_generation(reader.connection)
        if begun is None or model_of(begun) != identity:
            raise EmbeddingError("another model has taken over meanwhile")
        return begun

    def near(self, reader: Reader, view: EntryView, text: str, count: int) -> list[Entry] | str:
        """Entries near in meaning, nearest first, or why there are none: a search never waits for a model."""
        if self.selection.engine == "none":
            return f"no embedding engine: {self.selection.reason}"
        generation = current_generation(reader.connection)
        if generation is None:
            return "no vectors yet"
        client = self.client(generation.golden)
        if not client.is_warm:
            with suppress(EmbeddingError):
                client.warm_up()
            return client.trouble or "the model is being loaded"
        try:
            query = self._questions.submit(client.embed_packed, [text]).result(QUERY_SECONDS)[0]
            return self._nearest(reader.connection, generation, view, query, count)
        except TimeoutError:
            return "the model is busy"
        except EmbeddingError as error:
            return str(error)

    def _nearest(
        self,
        connection: Connection,
        generation: Generation,
        view: EntryView,
        query: bytes,
        count: int,
    ) -> list[Entry]:
        """The nearest of all, as far as the view shows them; if those are too few, the nearest it shows.

        To ask first what a view shows takes longer than the search: it may be every entry.
        """
        from memoryd.embedding.vectors import nearest  # noqa: PLC0415 - numpy, only where meaning is searched

        with VectorFile(self.home / VECTORS_NAME, model_of(generation)) as file:
            found = nearest(query, file.blocks(), CHOICE * count)
            shown = load_entries(connection, view, [row for row, _ in found])
            if len(shown) < count <= len(found):
                wanted = bytearray(file.rows)
                for row in visible_rows(connection, view):
                    if row < len(wanted):
                        wanted[row] = 1
                found = nearest(query, file.blocks(), count, wanted)
                shown = load_entries(connection, view, [row for row, _ in found])
        return [shown[row] for row, _ in found if row in shown][:count]

    def describe(self, reader: Reader | None) -> dict[str, Any]:
        """What `status` tells of vectors."""
        client = self._client
        told = {
            "engine": self.selection.engine,
            "model": self.selection.model or None,
            "reason": self.selection.reason,
            "dimension": None,
            "vectors": 0,
            "pending": 0,
            "trouble": client.trouble if client else "",
        }
        generation = building_generation(reader.connection) if reader is not None else None
        if reader is not None and generation is not None:
            vectors, pending = count_vectors(reader.connection, generation.id)
            told |= {"dimension": generation.dimension, "vectors": vectors, "pending": pending}
        return told


def model_of(generation: Generation) -> EmbeddingModel:
    """The model whose space a generation is."""
    return EmbeddingModel(
        generation.engine, generation.model, generation.revision, generation.dimension
    )


def begin(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Begin the generation of another model."""
    golden = [bytes.fromhex(one) for one in arguments["golden"]]
    with writer.store.transaction() as connection:
        begin_generation(
            connection,
            arguments["engine"],
            arguments["model"],
            arguments["revision"],
            arguments["dimension"],
            golden,
        )
    return {}


def store_vectors(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Store vectors, [row, content key, packed] each, in the database and, if it is searched, in the mapped file.

    Not `kept` if another model's generation has taken the place of this one.
    """
    vectors = [
        (row, bytes.fromhex(key), bytes.fromhex(packed))
        for row, key, packed in arguments["vectors"]
    ]
    with writer.store.transaction() as connection:
        if not has_generation(connection, arguments["generation"]):
            return {"kept": False}
        put_vectors(connection, arguments["generation"], vectors)
        current = current_generation(connection)
    if current is not None and current.id == arguments["generation"]:
        with VectorFile(
            writer.store.path.parent / VECTORS_NAME, model_of(current), write=True
        ) as file:
            _write_runs(file, ((row, packed) for row, _, packed in vectors))
    return {"kept": True}


def switch(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Search a generation that is complete from now on; nothing, if it has been dropped for another model's."""
    with writer.store.transaction() as connection:
        if not has_generation(connection, arguments["generation"]):
            return {}
        switch_generation(connection, arguments["generation"])
    write_vector_file(writer.store.connection, writer.store.path.parent)
    return {}


def write_vector_file(connection: Connection, home: Path) -> None:
    """Make the mapped file anew from the database; readers keep the old one until they open it again."""
    generation = current_generation(connection)
    path = home / VECTORS_NAME
    path.unlink(missing_ok=True)
    if generation is None:
        return
    with VectorFile(path, model_of(generation), write=True) as file:
        _write_runs(file, vectors_of(connection, generation.id))


def _write_runs(file: VectorFile, vectors: Iterable[tuple[int, bytes]]) -> None:
    """Write vectors in order of row; consecutive rows go in one write, each of which is made durable."""
    first, run = 0, list[bytes]()
    for row, packed in vectors:
        if run and (row != first + len(run) or len(run) == RUN_ROWS):
            file.write(first, run)
            run = []
        if not run:
            first = row
        run.append(packed)
    if run:
        file.write(first, run)


class Backfill:
    """A thread that embeds new entries, a while after they came."""

    def __init__(self, embeddings: Embeddings, ask: Ask) -> None:
        self._embeddings = embeddings
        self._ask = ask
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memoryd-embedding", daemon=True)
        self.trouble = ""

    def start(self) -> None:
        """Begin to look for entries without a vector; without an engine there is nothing to do but to wait for one."""
        self._thread.start()

    def stop(self) -> None:
        """End after the portion in work."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2.0)
        self._embeddings.close()

    def _run(self) -> None:
        while not self._stop.wait(PAUSE_SECONDS):
            if self._embeddings.selection.engine == "none":
                self.trouble = ""
                continue
            try:
                self._embeddings.backfill(self._ask, self._stop.is_set)
                self.trouble = ""
            except MemorydError as error:
                self.trouble = str(error)

"""Vectors are made once, whoever makes them: the night and the daemon may begin at the same moment, or with another model."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryd.config import Config, EmbeddingConfig
from memoryd.embedding import Selection
from memoryd.embedding.vectors import pack
from memoryd.errors import EmbeddingError
from memoryd.service.bank.embedding import Embeddings
from memoryd.service.bank.view import search_entries
from memoryd.service.writer import Writer
from memoryd.store.entry_search import EntryView
from memoryd.store.reader import Reader
from memoryd.store.vector_rows import Generation, building_generation, count_vectors
from tests.service.bank_helpers import ask, writing

FACTS = 300
DIMENSION = 8
BACKFILL = """
import sys
from pathlib import Path
from memoryd.config import Config, EmbeddingConfig, SourcesConfig
from memoryd.service.bank.embedding import Embeddings
from memoryd.service.commands import carry_out

home = Path(sys.argv[1])
config = Config(sources=SourcesConfig(discover=False), embedding=EmbeddingConfig(engine="embedded"))
embeddings = Embeddings(home, config)
embeddings.client().identity
print("ready", flush=True)
sys.stdin.readline()
try:
    embeddings.backfill(lambda name, arguments: carry_out(home, config, name, arguments))
finally:
    embeddings.close()
"""


@pytest.fixture
def writer(home: Path) -> Iterator[Writer]:
    with writing(home) as opened:
        yield opened


def remember(writer: Writer, count: int) -> None:
    for number in range(count):
        ask(writer, "memory.add", content=f"The service number {number} listens on {9000 + number}")


def begin(writer: Writer, model: str) -> Generation:
    ask(
        writer,
        "vectors.begin",
        engine="fake",
        model=model,
        revision="1",
        dimension=DIMENSION,
        golden=[],
    )
    found = building_generation(writer.store.connection)
    assert found is not None
    return found


def store(writer: Writer, generation: Generation, first: int, count: int) -> bool:
    rows = writer.store.connection.execute(
        "select row, content_key from entry where row >= ? order by row limit ?", (first, count)
    )
    packed = pack(np.ones((1, DIMENSION), dtype=np.float32))[0].hex()
    vectors = [[row, key.hex(), packed] for row, key in rows.fetchall()]
    return bool(ask(writer, "vectors.store", generation=generation.id, vectors=vectors)["kept"])


def test_two_processes_that_begin_together_fill_one_space(home: Path) -> None:
    with writing(home) as writer:
        remember(writer, FACTS)
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", BACKFILL, str(home)]
    both = [
        subprocess.Popen(
            command,
            env=environ,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
    told = [process.communicate("go\n", timeout=50)[1] for process in both]

    assert [process.returncode for process in both] == [0, 0], told
    with Reader(home) as reader:
        found = building_generation(reader.connection)
        assert found is not None
        assert found.state == "current"
        assert count_vectors(reader.connection, found.id) == (FACTS, 0)


def test_to_begin_what_is_begun_changes_nothing(writer: Writer) -> None:
    remember(writer, 4)
    first = begin(writer, "a")

    assert store(writer, first, 0, 2)
    assert begin(writer, "a") == first
    assert store(writer, first, 3, 2)

    ask(writer, "vectors.switch", generation=first.id)

    assert begin(writer, "a").state == "current"
    assert count_vectors(writer.store.connection, first.id) == (4, 0)


def test_what_another_model_has_replaced_neither_stores_nor_is_switched_to(writer: Writer) -> None:
    remember(writer, 4)
    old = begin(writer, "a")
    store(writer, old, 0, 4)
    ask(writer, "vectors.switch", generation=old.id)
    dropped, kept = begin(writer, "b"), begin(writer, "c")

    assert store(writer, dropped, 0, 4) is False
    assert store(writer, kept, 0, 4) is True

    ask(writer, "vectors.switch", generation=dropped.id)

    assert count_vectors(writer.store.connection, old.id) == (4, 0)

    ask(writer, "vectors.switch", generation=kept.id)

    assert count_vectors(writer.store.connection, kept.id) == (4, 0)
    assert count_vectors(writer.store.connection, old.id)[0] == 0
    assert begin(writer, "a").id == old.id  # its model is back


def test_a_backfill_that_lost_its_space_says_so(writer: Writer, home: Path) -> None:
    remember(writer, 3)
    embeddings = Embeddings(home, Config(embedding=EmbeddingConfig(engine="embedded")))

    def meddled(name: str, arguments: Any) -> Any:
        told = ask(writer, name, **arguments)
        if name == "vectors.begin":
            begin(writer, "other")
        return told

    with pytest.raises(EmbeddingError, match="another model"):
        embeddings.backfill(meddled)
    embeddings.close()


@pytest.fixture
def embeddings(writer: Writer, home: Path) -> Iterator[Embeddings]:
    """Vectors of trigrams for 60 entries of one namespace and 3 of another."""
    remember(writer, 60)
    for number in range(3):
        ask(writer, "memory.add", content=f"Plum tree {number} is in bloom", namespace="ana/garden")
    made = Embeddings(home, Config())
    made.selection = Selection("fake", "", "quick to load")
    made.backfill(lambda name, arguments: ask(writer, name, **arguments))
    yield made
    made.close()


def test_a_small_namespace_is_searched_whole_and_no_other_shows_through(
    embeddings: Embeddings, home: Path
) -> None:
    with Reader(home) as reader:
        found = embeddings.near(reader, EntryView("ana/garden"), "which port does it use?", 2)

    assert not isinstance(found, str)
    assert ["ana/garden"] * 2 == [entry.namespace for entry in found]


def test_a_search_says_why_it_was_by_words_alone(embeddings: Embeddings, home: Path) -> None:
    view = EntryView("ana/garden")
    with Reader(home) as reader:
        warm = search_entries(reader, view, "plum", 5, embeddings.near)
        embeddings.close()
        cold = search_entries(reader, view, "plum", 5, embeddings.near)
        alone = search_entries(reader, view, "plum", 5)

    assert ("hybrid", ()) == (warm.mode, warm.degraded)
    assert ("lexical", ("the model is being loaded",)) == (cold.mode, cold.degraded)
    assert "lexical" == alone.mode
    assert alone.degraded
    assert 3 == len(cold.hits)


def test_a_search_does_not_wait_for_a_model_that_is_not_scheduled(
    embeddings: Embeddings, home: Path
) -> None:
    worker = embeddings.client().worker_pid
    assert worker is not None
    os.kill(worker, signal.SIGSTOP)
    try:
        with Reader(home) as reader:
            found = embeddings.near(reader, EntryView("ana/garden"), "plum", 5)
    finally:
        os.kill(worker, signal.SIGCONT)

    assert "the model is busy" == found

"""One worker with the real default engine, loaded once a session; and broken workers on demand."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryd.embedding import EmbeddingClient, Selection, WorkerLimits

_SCRIPT = Path(__file__).with_name("faulty_worker.py")

FaultyClient = Callable[..., EmbeddingClient]


@pytest.fixture(scope="session")
def embedded() -> Iterator[EmbeddingClient]:
    with EmbeddingClient(Selection("embedded", "default", "test")) as client:
        yield client


@pytest.fixture
def faulty() -> Iterator[FaultyClient]:
    """Make clients whose worker misbehaves: *mode* from its start, or when a text asks for it."""
    clients: list[EmbeddingClient] = []

    def make(
        mode: str = "",
        *,
        golden: tuple[bytes, ...] = (),
        path: Path | None = None,
        **limits: Any,
    ) -> EmbeddingClient:
        client = EmbeddingClient(
            Selection("fake", "faulty", "test", path),
            golden=golden,
            limits=WorkerLimits(**limits),
            command=(sys.executable, "-P", str(_SCRIPT), mode),
        )
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()

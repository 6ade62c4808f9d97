"""A writer on a real store, and short ways to ask it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memoryd.config import Config, SourcesConfig
from memoryd.model import Entry
from memoryd.service.bank.view import listed
from memoryd.service.commands import COMMANDS, finish
from memoryd.service.writer import Writer, open_writer
from memoryd.store.reader import Reader


@contextmanager
def writing(home: Path) -> Iterator[Writer]:
    """A writer on *home* that looks for no agents."""
    with open_writer(home, Config(sources=SourcesConfig(discover=False))) as writer:
        yield writer


def ask(writer: Writer, command: str, **arguments: Any) -> Any:
    """Carry out a command in this thread."""
    return finish(COMMANDS[command](writer, arguments, lambda told: None))


def entries(home: Path, namespace: str | None = None, *states: str) -> list[Entry]:
    """Entries as a reader sees them; without *states* every state."""
    with Reader(home) as reader:
        return listed(reader, namespace, None, states)

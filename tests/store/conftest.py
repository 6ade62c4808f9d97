"""A real store in a temporary home, and an easy way to fill it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.model import Batch, Cursor, Message, Reject, Role, Session
from memoryd.screening import screen
from memoryd.store.batches import Added, ScreenedBatch
from memoryd.store.store import Store

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def message(
    text: str,
    key: str | None = None,
    *,
    session: str = "s1",
    role: Role = "user",
    minute: int | None = 0,
    group: str | None = None,
    source: str = "claude-code",
) -> Message:
    """A message with what matters to a test; its key is its text unless given."""
    time = None if minute is None else NOW + timedelta(minutes=minute)
    return Message(
        source,
        session,
        key or text,
        role,
        text,
        time,
        native_id=key,
        group=group,
        span=(0, len(text)),
    )


def screened(
    messages: list[Message],
    *,
    path: str = "/t/a.jsonl",
    offset: int = 100,
    sessions: tuple[Session, ...] = (),
    rejects: tuple[Reject, ...] = (),
    retracted: tuple[str, ...] = (),
    consumed: int = 100,
    restarted: bool = False,
    skipped: dict[str, int] | None = None,
) -> ScreenedBatch:
    """A batch as ingest hands it to the store."""
    batch = Batch(
        Cursor(path, size=offset, offset=offset, fingerprint="f", state={"turn": "t1"}),
        tuple(messages),
        sessions,
        rejects,
        skipped or {},
        retracted,
        consumed,
        restarted,
    )
    return ScreenedBatch(
        batch,
        tuple(screen(one.text).text for one in messages),
        tuple(None if one.title is None else screen(one.title).text for one in sessions),
        tuple(screen(one.head.decode()).text for one in rejects),
    )


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    """An open, empty store whose clock stands at NOW."""
    with Store(home, lambda: NOW) as opened:
        yield opened


@pytest.fixture
def add(store: Store) -> Callable[..., Added]:
    """Commit messages to the store in one batch."""

    def commit(*messages: Message, **options: Any) -> Added:
        cursor = store.cursor("claude-code", options.get("path", "/t/a.jsonl"))
        before = 0 if cursor is None or options.get("restarted") else cursor.offset
        options.setdefault("offset", before + options.get("consumed", 100))
        return store.add("claude-code", screened(list(messages), **options))

    return commit


@pytest.fixture(scope="module")
def store_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An open store shared by the examples of a property test."""
    with Store(tmp_path_factory.mktemp("home"), lambda: NOW) as opened:
        yield opened

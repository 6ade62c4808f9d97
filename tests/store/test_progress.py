"""Whatever takes long inside SQLite gives signs of life: a watchdog must be able to tell work from a hang."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd.store import connection
from memoryd.store.integrity import find_damage
from memoryd.store.store import Store
from tests.store.conftest import NOW, message, screened

MESSAGES = 800
LONG: dict[str, Callable[[Store, Path], object]] = {
    "a copy": lambda store, folder: store.copy(folder / "copy.db"),
    "the check of everything": lambda store, folder: find_damage(store.connection),
    "new indexes": lambda store, folder: store.rebuild_indexes(),
    "upkeep": lambda store, folder: store.tidy(400),
    "a long statement": lambda store, folder: store.connection.execute(
        "select count(*) from message a, message b where a.text < b.text"
    ).fetchone(),
}


@pytest.mark.parametrize("work", LONG)
def test_long_work_tells_of_itself(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    """As often as the size of the database asks for; here every 100 steps instead of every 200,000."""
    monkeypatch.setattr(connection, "PROGRESS_STEPS", 100)
    told: list[int] = []
    with Store(home, lambda: NOW, lambda: told.append(1)) as store:
        texts = [message(f"text {n} {'x' * 900}") for n in range(MESSAGES)]
        store.add("claude-code", screened(texts))
        told.clear()
        LONG[work](store, tmp_path)

    assert len(told) >= (2 if work == "upkeep" else 10)


def test_opening_and_migrating_tell_of_themselves(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PROGRESS_STEPS", 10)
    told: list[int] = []
    Store(home, lambda: NOW, lambda: told.append(1)).close()

    assert len(told) > 10


def test_a_sign_of_life_never_ends_the_work(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the listener answers: a batch in the middle of a shutdown is finished."""
    monkeypatch.setattr(connection, "PROGRESS_STEPS", 10)
    with Store(home, lambda: NOW, lambda: True) as store:
        store.add("claude-code", screened([message(f"text {n}") for n in range(50)]))
        assert [] == find_damage(store.connection)

"""`memoryd forget` says what it may not change: the agents' own files that hold the text still."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.service.file_helpers import Desk

WORD = "xylophonequartz"


def test_memory_files_that_hold_the_text_are_named(
    memoryd: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path, monkeypatch)
    desk.write(f"The project is called {WORD}.", "The port is 5432.")
    desk.sync()
    before = desk.memory.read_bytes()
    dry = memoryd("forget", "--match", WORD, "--dry-run", "--json", home=desk.home)
    shown = memoryd("forget", "--match", WORD.upper(), home=desk.home)
    told = memoryd("forget", "--match", WORD, "--json", home=desk.home)

    assert "memory_files_left" not in dry.json
    assert told.json["memory_files_left"] == [str(desk.memory)]
    assert f"  {desk.memory}\n" in shown.out.decode()
    assert desk.memory.read_bytes() == before
    assert not any(
        WORD.encode() in path.read_bytes() for path in desk.home.rglob("*") if path.is_file()
    )

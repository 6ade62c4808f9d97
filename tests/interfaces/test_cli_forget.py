"""`memoryd forget` says what it may not change: the agents' own files that hold the text still."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents import make_home
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


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--source", "claude-cod"), 2, "no source 'claude-cod'; the history holds: claude-code, codex"),
        (("--source", "aider"), 1, "nothing matched; `memoryd sources`"),
        (("--session", "nope"), 1, "nothing matched; `memoryd sessions`"),
        (("--match", WORD), 1, "nothing matched; case aside"),
        (("--entry", "e-nope"), 2, "there is no entry e-nope"),
    ],
)  # fmt: skip
def test_forgetting_nothing_does_not_look_like_success(
    memoryd: Callable[..., Any],
    user: Path,
    words: tuple[str, ...],
    status: int,
    said: str,
    dry: tuple[str, ...],
) -> None:
    make_home(user)
    assert memoryd("run", "--once").status == 0
    done = memoryd("forget", *words, *dry)
    told = memoryd("forget", *words, *dry, "--json")

    assert (done.status, told.status) == (status, status)
    assert said in done.err
    assert not told.out or told.json["messages"] == 0


def test_what_was_forgotten_is_no_more_to_be_forgotten(
    memoryd: Callable[..., Any], user: Path
) -> None:
    make_home(user)
    assert memoryd("run", "--once").status == 0

    assert [memoryd("forget", "--source", "codex").status for _ in range(2)] == [0, 1]

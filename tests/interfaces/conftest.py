"""The command line in this process or in one of its own, and a home with something in it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from memoryd.config import parse_config
from memoryd.interfaces.cli import main
from memoryd.service.commands import carry_out
from tests.agents import make_home

REPOSITORY = Path(__file__).parents[2]
PROGRAM = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"
AGENTS_VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended."""

    status: int
    out: bytes
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


Memoryd = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def user(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A user with an empty home folder and no settings of memoryd or of an agent."""
    for name in [name for name in os.environ if name.startswith("MEMORYD_")]:
        monkeypatch.delenv(name)
    for name in AGENTS_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path_factory.mktemp("user")
    monkeypatch.setenv("HOME", str(folder))
    umask = os.umask(0o022)
    yield folder
    os.umask(umask)


@pytest.fixture
def memoryd(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Memoryd:
    """`memoryd --home HOME …` in this process; `home=None` leaves the option out."""

    def run(*arguments: str, stdin: bytes = b"", home: Path | None = home) -> Outcome:
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin)))
        before = () if home is None else ("--home", str(home))
        capsysbinary.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([*before, *arguments])
        out, err = capsysbinary.readouterr()
        return Outcome(int(ended.value.code or 0), out, err.decode())

    return run


@pytest.fixture
def process() -> Callable[..., Outcome]:
    """`memoryd …` as a process of its own."""

    def run(*arguments: str, stdin: bytes = b"", **options: Any) -> Outcome:
        done = subprocess.run(
            command(*arguments),
            check=False,
            input=stdin,
            capture_output=True,
            cwd=REPOSITORY,
            **options,
        )
        return Outcome(done.returncode, done.stdout, done.stderr.decode())

    return run


def command(*arguments: str) -> list[str]:
    """The words that start memoryd in a process of its own."""
    return [sys.executable, "-c", PROGRAM, *arguments]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that holds a session of Claude Code and one of Codex; only to be read."""
    folder = tmp_path_factory.mktemp("history")
    user = make_home(folder)
    config = {
        "sources": {
            "discover": False,
            "claude-code": {"roots": [str(user / ".claude/projects")]},
            "codex": {"roots": [str(user / ".codex/sessions")]},
        }
    }
    home = folder / "home"
    umask = os.umask(0o077)
    carry_out(home, parse_config(config, "test"), "ingest", {})
    os.umask(umask)
    return home

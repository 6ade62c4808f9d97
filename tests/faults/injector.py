"""Builds the injector with the C compiler of the machine, and a process that runs memoryd with faults in it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Self

from tests.system.zygote import Zygote

SOURCE = Path(__file__).with_name("injector.c")
MODES = ("kill", "tear", "enospc", "eio")
WHY_NOT = "" if sys.platform == "linux" and shutil.which("cc") else "needs Linux and a C compiler"

_folder = tempfile.TemporaryDirectory(prefix="memoryd-injector-")


@cache
def build() -> Path:
    """The compiled injector; compiled once a process."""
    library = Path(_folder.name, "injector.so")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, SOURCE, "-ldl"],
        check=True,
    )  # fmt: skip
    return library


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at the *at*th call on a path that holds *match*; see injector.c. 0: none, only count (and record)."""

    match: str
    at: int = 0
    mode: str = ""
    sticky: bool = False
    calls: str = ""
    record: str = ""

    def environ(self) -> dict[str, str]:
        """For a process of its own, a daemon."""
        named = {f"FAULT_{key.upper()}": str(value) for key, value in asdict(self).items()}
        if not self.sticky:
            del named["FAULT_STICKY"]
        return {**named, "LD_PRELOAD": str(build())}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run of memoryd ended: its exit status (-9: killed), the calls it made, what it said on stderr."""

    status: int
    calls: int
    said: str


class Memoryd:
    """`memoryd …` in forked processes, which start in milliseconds; see killing.py."""

    def __init__(self, home: Path) -> None:
        """Args: home: of the user; nothing of the real one is to be found."""
        self._said = home / "stderr.txt"
        environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CLAUDE", "CODEX", "HERMES", "MEMORYD", "OPENCLAW", "XDG"))
        }
        environ |= {"HOME": str(home), "LD_PRELOAD": str(build())}
        self._zygote = Zygote(environ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let it end."""
        self._zygote.close()

    def __call__(
        self,
        arguments: Sequence[str],
        fault: Fault,
        *,
        journal: str = "wal",
        then: Sequence[Sequence[str]] = (),
        environ: Mapping[str, str] | None = None,
    ) -> Ending:
        """Run a command, with *then* others in the same process."""
        self._said.unlink(missing_ok=True)
        told = self._zygote.ask(
            arguments,
            then=[list(words) for words in then],
            fault=asdict(fault),
            journal=journal,
            environ=dict(environ or {}),
            stderr=str(self._said),
        )
        said = self._said.read_text(errors="replace") if self._said.exists() else ""
        return Ending(told["status"], told["calls"], said)

"""Installs memoryd with the service manager of this machine: systemd (user units) or launchd (agents).

What is to be done is planned first, as a list of steps; `--dry-run` prints it, otherwise it is carried
out. Planning the same thing twice gives the same files, so installing again is an upgrade.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, Protocol

from memoryd.config import Config
from memoryd.errors import MemorydError, UsageError
from memoryd.memory_files.discovery import discover_files
from memoryd.service.address import PATH_BYTES
from memoryd.service.files.places import approved_names
from memoryd.service.home import SOCKET_NAME, prepare_home

COMMAND_SECONDS = 60.0  # a stop may take ten


@dataclass(frozen=True, slots=True)
class Write:
    """A file that shall have this content."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """A file or an empty folder of ours that shall be gone."""

    path: Path


@dataclass(frozen=True, slots=True)
class Run:
    """A command of the service manager.

    Attributes:
        optional: it may fail: what it undoes may not be there.
        attempts: how often to try, a second apart: what it needs may still be ending.
    """

    command: tuple[str, ...]
    optional: bool = False
    attempts: int = 1


Step = Write | Remove | Run


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be installed.

    Attributes:
        command: the absolute path of the `memoryd` executable.
        writable: folders that may be written, the home first.
        network: may it open connections (a rewriting model is configured)?
        linger: shall it run while the user is not logged in?
    """

    command: str
    home: Path
    config_path: Path | None
    writable: tuple[Path, ...]
    network: bool = False
    linger: bool = False


class Manager(Protocol):
    """A service manager, and how memoryd is installed with it."""

    name: str

    def plan_install(self, wish: Wish) -> list[Step]:
        """Everything to be done; probes what this machine allows."""

    def plan_uninstall(self) -> list[Step]:
        """Everything to be undone; nothing of the home is touched."""

    def describe(self) -> dict[str, Any]:
        """Is it installed, started with the machine, running?"""


def make_wish(
    home: Path, config_path: Path | None, config: Config, *, network: bool, linger: bool
) -> Wish:
    """Everything an installation needs to know.

    Raises:
        UsageError: the executable was not found, or the home cannot serve a sandboxed daemon.
    """
    prepare_home(home)
    if len(os.fsencode(home / SOCKET_NAME)) > PATH_BYTES:
        raise UsageError(
            f"{home} is too long a path for the socket of a service; choose another --home"
        )
    writable = tuple(dict.fromkeys((home, *_approved_folders(approved_names(home, config)))))
    return Wish(find_command(), home, config_path, writable, network, linger)


def _approved_folders(approved: Iterable[str]) -> list[Path]:
    """Where the memory files lie that may be rewritten: a file is replaced, so its folder is written."""
    places = discover_files(os.environ, Path.home())
    folders = []
    for name in approved:
        if name.startswith(("/", "~")):
            folders.append(Path(name).expanduser().parent)
        else:
            folders += [place.root for place in places if place.profile.name == name]
    return folders


def find_command() -> str:
    """The `memoryd` executable of this installation.

    Raises:
        UsageError: there is none that would still be there after a restart.
    """
    beside = Path(sys.executable).with_name("memoryd")
    found = str(beside) if beside.is_file() else shutil.which("memoryd")
    if found is None:
        raise UsageError("the memoryd executable was not found: install the package first")
    return found


def template(name: str) -> str:
    """A template from `systemd/`: beside the package in a checkout, else where the wheel put it.

    Raises:
        MemorydError: the installation is incomplete.
    """
    for folder in _template_folders():
        path = folder / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise MemorydError(f"the template systemd/{name} is missing: reinstall memoryd")


def _template_folders() -> Iterable[Path]:
    beside = Path(__file__).parents[3]
    yield beside / "systemd"
    yield beside / "share" / "memoryd" / "systemd"  # `pip install --target`
    yield Path(sysconfig.get_path("data"), "share", "memoryd", "systemd")
    try:
        installed = files("memoryd") or []
    except PackageNotFoundError:
        return
    for file in installed:  # `pip install --user` and `--prefix` have another data folder
        if file.name == "memoryd.service":
            yield Path(str(file.locate())).resolve().parent


def carry_out(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Do what was planned; returns what was done.

    Raises:
        MemorydError: a command of the service manager failed; the message is its own.
    """
    return [described for step in steps if (described := _do(step)) is not None]


def describe_steps(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """What would be done, for `--dry-run`."""
    return [_describe(step) for step in steps if not _is_done(step)]


def _describe(step: Step) -> dict[str, Any]:
    match step:
        case Write(path, text):
            return {"write": str(path), "text": text}
        case Remove(path):
            return {"remove": str(path)}
        case Run(command):
            return {"run": list(command)}


def _is_done(step: Step) -> bool:
    match step:
        case Write(path, text):
            return path.is_file() and path.read_text(encoding="utf-8") == text
        case Remove(path):
            return not path.exists()
        case Run():
            return False


def _do(step: Step) -> dict[str, Any] | None:
    if _is_done(step):
        return None
    match step:
        case Write(path, text):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o600)
        case Remove(path):
            _remove(path)
        case Run():
            _run(step)
    return _describe(step)


def _remove(path: Path) -> None:
    if not path.is_dir():
        path.unlink()
    elif not any(path.iterdir()):  # the user's own drop-ins stay
        path.rmdir()


def _run(step: Run) -> None:
    for attempt in range(step.attempts):
        if attempt:
            time.sleep(1)
        finished = ask(step.command)
        if finished.returncode == 0 or step.optional:
            return
    reason = (finished.stderr or finished.stdout).strip() or f"status {finished.returncode}"
    raise MemorydError(f"{' '.join(step.command)}: {reason}")


def ask(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command of the service manager and return what it said.

    Raises:
        MemorydError: there is no such command here, or it hangs.
    """
    try:
        return subprocess.run(  # noqa: S603 - our own commands, no shell
            command, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False
        )
    except FileNotFoundError as error:
        raise MemorydError(f"{command[0]} was not found on this machine") from error
    except subprocess.TimeoutExpired as error:
        raise MemorydError(f"{' '.join(command)} did not end in {COMMAND_SECONDS:.0f} s") from error


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put values in the places of a template, `@NAME@`."""
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text

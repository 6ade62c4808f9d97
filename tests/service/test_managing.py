"""`memoryd service …` from the command to the files."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.config import Config
from memoryd.errors import UsageError
from memoryd.service.managers.managing import find_manager, install_service, uninstall_service
from memoryd.service.managers.systemd import UNIT, Systemd


@pytest.fixture
def home() -> Iterator[Path]:
    """A home with a path short enough for a socket."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder, "home")


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Systemd:
    """A systemd that agrees to everything."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("systemctl", "systemd-run", "memoryd"):
        (commands / name).write_text("#!/bin/sh\nexit 0\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    return Systemd(tmp_path / "units")


def test_install_and_uninstall_leave_the_home_as_it_was(
    manager: Systemd, home: Path, tmp_path: Path
) -> None:
    planned = install_service(manager, home, None, Config(), dry_run=True)
    assert planned["dry_run"]
    assert not (tmp_path / "units").exists()
    done = install_service(manager, home, None, Config())
    (home / "memoryd.db").write_text("memories")

    assert [step for step in planned["steps"] if "write" in step] == [
        step for step in done["steps"] if "write" in step
    ]
    assert f"--home {home} run" in (tmp_path / "units" / UNIT).read_text()

    removed = uninstall_service(manager)
    assert str(tmp_path / "units" / UNIT) in [step.get("remove") for step in removed["steps"]]
    assert "memories" == (home / "memoryd.db").read_text()
    assert [] == [step for step in uninstall_service(manager)["steps"] if "remove" in step]


@pytest.mark.skipif(
    sys.platform == "darwin" or Path("/run/systemd/system").is_dir(),
    reason="this machine has a service manager",
)
def test_a_machine_without_a_manager_is_told_so(home: Path) -> None:
    with pytest.raises(UsageError, match="no systemd and no launchd"):
        find_manager()

    program = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    def service(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program, "--home", str(home), "service", *words]
        return subprocess.run(command, capture_output=True, env=environ, text=True, check=False)

    told = service("install", "--dry-run")
    assert (2, "") == (told.returncode, told.stdout)
    assert "memoryd run" in told.stderr
    asked = service("status", "--json")
    assert (0, None) == (asked.returncode, json.loads(asked.stdout)["manager"])


def test_the_steps_are_plain_json(manager: Systemd, home: Path) -> None:
    assert json.loads(json.dumps(install_service(manager, home, None, Config())))["steps"]

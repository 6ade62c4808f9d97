"""The service is installed as its manager wants it, twice like once, and leaves the data when it goes."""

import os
import plistlib
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from memoryd.config import Config, FilesConfig
from memoryd.errors import MemorydError, UsageError
from memoryd.service.managers.install import (
    Run,
    Wish,
    Write,
    carry_out,
    describe_steps,
    find_command,
    make_wish,
    template,
)
from memoryd.service.managers.launchd import Launchd
from memoryd.service.managers.launchd import render as render_agent
from memoryd.service.managers.systemd import NETWORK, TIERS, UNIT, Systemd, quote, render, settings

# launchd.plist(5), macOS 14.
APPLE_KEYS = {
    "Label",
    "Disabled",
    "UserName",
    "GroupName",
    "inetdCompatibility",
    "LimitLoadToHosts",
    "LimitLoadFromHosts",
    "LimitLoadToSessionType",
    "LimitLoadToHardware",
    "LimitLoadFromHardware",
    "Program",
    "BundleProgram",
    "ProgramArguments",
    "EnableGlobbing",
    "EnableTransactions",
    "EnablePressuredExit",
    "OnDemand",
    "ServiceIPC",
    "KeepAlive",
    "RunAtLoad",
    "RootDirectory",
    "WorkingDirectory",
    "EnvironmentVariables",
    "Umask",
    "TimeOut",
    "ExitTimeOut",
    "ThrottleInterval",
    "InitGroups",
    "WatchPaths",
    "QueueDirectories",
    "StartOnMount",
    "StartInterval",
    "StartCalendarInterval",
    "StandardInPath",
    "StandardOutPath",
    "StandardErrorPath",
    "Debug",
    "WaitForDebugger",
    "SoftResourceLimits",
    "HardResourceLimits",
    "Nice",
    "ProcessType",
    "AbandonProcessGroup",
    "LowPriorityIO",
    "LowPriorityBackgroundIO",
    "MaterializeDatalessFiles",
    "LaunchOnlyOnce",
    "MachServices",
    "Sockets",
    "LaunchEvents",
    "HopefullyExitsLast",
    "HopefullyExitsFirst",
    "SessionCreate",
    "LegacyTimers",
    "AssociatedBundleIdentifiers",
}

# Stands for systemctl, systemd-run, loginctl and launchctl: notes what it was asked, and obeys.
MANAGER = """#!/bin/sh
echo "$(basename "$0") $*" >> "{log}"
case "$*" in
{cases}
esac
exit 0
"""


@pytest.fixture
def wish(tmp_path: Path) -> Wish:
    home = tmp_path / "my home"
    home.mkdir()
    return Wish("/bin/true", home, None, (home, tmp_path / "100%"))


class Machine:
    """A PATH with commands that only take notes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "bin"
        self.folder.mkdir()
        self.log = folder / "asked.txt"
        self.answer("")

    def answer(self, cases: str) -> None:
        for name in ("systemctl", "systemd-run", "loginctl", "launchctl"):
            path = self.folder / name
            path.write_text(MANAGER.format(log=self.log, cases=cases))
            path.chmod(0o755)

    @property
    def asked(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    one = Machine(tmp_path)
    monkeypatch.setenv("PATH", f"{one.folder}:{os.environ['PATH']}")
    return one


def combined(wish: Wish, names: Sequence[str]) -> str:
    """The unit and some drop-ins in one text, as a check without a manager wants it."""
    unit, _, installing = render(UNIT, wish).partition("[Install]")
    added = (line for name in names for line in settings(render(name, wish)))
    return "\n".join([unit, *added, "[Install]", installing])


needs_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


def analyze(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    return subprocess.run(
        ["systemd-analyze", *arguments], capture_output=True, text=True, env=environ, check=False
    )


@needs_analyze
@pytest.mark.parametrize("names", [(), TIERS[:1], TIERS, (*TIERS, NETWORK)])
def test_systemd_finds_nothing_wrong_with_the_unit(
    wish: Wish, tmp_path: Path, names: tuple[str, ...]
) -> None:
    (tmp_path / UNIT).write_text(combined(wish, names))

    found = analyze(tmp_path, "verify", "--user", str(tmp_path / UNIT))

    assert (0, "") == (found.returncode, found.stderr)


@needs_analyze
def test_systemd_would_find_something_wrong(wish: Wish, tmp_path: Path) -> None:
    """The check above can fail: a misspelt setting is named."""
    (tmp_path / UNIT).write_text(render(UNIT, wish).replace("Nice=", "Nise="))

    assert "Nise" in analyze(tmp_path, "verify", "--user", str(tmp_path / UNIT)).stderr


@needs_analyze
def test_the_strongest_tier_is_exposed_less_than_two(wish: Wish, tmp_path: Path) -> None:
    (tmp_path / UNIT).write_text(combined(wish, TIERS))

    found = analyze(
        tmp_path, "security", "--offline=true", "--threshold=20", "--no-pager", str(tmp_path / UNIT)
    )

    assert 0 == found.returncode, found.stdout[-300:]


def test_every_setting_of_the_templates_stands_under_an_explanation() -> None:
    """Relaxations are explained where they stand."""
    for name in ("tier-2.conf", "tier-3.conf", NETWORK, UNIT):
        assert template(name).startswith("# ")
    unit = template(UNIT)
    assert "MemoryDenyWriteExecute is left out" in unit
    assert "@resources stays allowed" in unit


def test_values_survive_the_quoting_of_systemd(wish: Wish) -> None:
    unit = render(UNIT, wish)
    assert f'ExecStart=/bin/true --home "{wish.home}" run' in unit
    assert f'ReadWritePaths="-{wish.home}" -{wish.home.parent}/100%%\n' in render(
        "tier-2.conf", wish
    )
    assert '"a \\"b\\" \\\\ $$x %%h"' == quote('a "b" \\ $x %h', "$")
    assert "@" not in "".join(settings(unit)).replace("@system-service", "").replace(
        "@privileged", ""
    )


def test_the_strongest_hardening_that_starts_is_installed(
    wish: Wish, machine: Machine, tmp_path: Path
) -> None:
    machine.answer("*ProcSubset*) exit 218;;")
    manager = Systemd(tmp_path / "units")

    carry_out(manager.plan_install(wish))

    installed = sorted(p.name for p in (tmp_path / "units" / f"{UNIT}.d").iterdir())
    assert ["20-tier-2.conf"] == installed
    assert all(line.startswith("systemd-run ") for line in machine.asked[:3])
    assert [
        "systemctl --user daemon-reload",
        f"systemctl --user enable {UNIT}",
        f"systemctl --user restart {UNIT}",
    ] == machine.asked[3:]


def test_no_hardening_is_installed_that_hides_the_home(
    wish: Wish, machine: Machine, tmp_path: Path
) -> None:
    machine.answer(f"*PrivateTmp=yes*'test -w {wish.home}') exit 1;;")

    carry_out(Systemd(tmp_path / "units").plan_install(wish))

    assert [] == list((tmp_path / "units").glob("*.d/*"))


def test_without_user_namespaces_the_unit_stands_alone(
    wish: Wish, machine: Machine, tmp_path: Path
) -> None:
    machine.answer("*PrivateUsers*) exit 1;;")

    carry_out(Systemd(tmp_path / "units").plan_install(wish))

    assert [] == list((tmp_path / "units").glob("*.d/*"))


def test_installing_again_changes_nothing_and_an_upgrade_replaces(
    wish: Wish, machine: Machine, tmp_path: Path
) -> None:
    manager = Systemd(tmp_path / "units")
    carry_out(manager.plan_install(wish))
    unit, own = tmp_path / "units" / UNIT, tmp_path / "units" / f"{UNIT}.d" / "50-mine.conf"
    own.write_text("[Service]\nNice=15\n")
    before = unit.stat().st_mtime_ns

    done = carry_out(manager.plan_install(wish))
    assert all("run" in step for step in done)
    assert before == unit.stat().st_mtime_ns

    unit.write_text("of an older version")
    machine.answer("*PrivateUsers*) exit 1;;")
    done = carry_out(manager.plan_install(wish))
    assert {"write", "remove", "run"} == {next(iter(step)) for step in done}
    assert "Type=notify" in unit.read_text()
    assert [own] == list(own.parent.iterdir())


def test_a_dry_run_changes_nothing(wish: Wish, machine: Machine, tmp_path: Path) -> None:
    described = describe_steps(Systemd(tmp_path / "units").plan_install(wish))

    assert not (tmp_path / "units").exists()
    assert {"write", "run"} == {next(iter(step)) for step in described}
    assert all(line.startswith("systemd-run") for line in machine.asked)


def test_uninstalling_takes_our_files_and_nothing_else(
    wish: Wish, machine: Machine, tmp_path: Path
) -> None:
    (wish.home / "memoryd.db").write_text("memories")
    manager = Systemd(tmp_path / "units")
    carry_out(manager.plan_install(wish))
    machine.answer("*disable*) exit 1;;")

    carry_out(manager.plan_uninstall())

    assert [] == list((tmp_path / "units").iterdir())
    assert "memories" == (wish.home / "memoryd.db").read_text()
    carry_out(manager.plan_uninstall())


def test_the_users_own_drop_ins_stay(wish: Wish, machine: Machine, tmp_path: Path) -> None:
    manager = Systemd(tmp_path / "units")
    carry_out(manager.plan_install(wish))
    own = tmp_path / "units" / f"{UNIT}.d" / "50-mine.conf"
    own.write_text("[Service]\nNice=15\n")

    carry_out(manager.plan_uninstall())

    assert [own] == list(own.parent.iterdir())


def test_linger_and_network_only_on_request(wish: Wish, machine: Machine, tmp_path: Path) -> None:
    manager = Systemd(tmp_path / "units")
    plain = manager.plan_install(wish)
    asked = manager.plan_install(
        Wish(wish.command, wish.home, None, wish.writable, network=True, linger=True)
    )

    linger = Run(("loginctl", "enable-linger"))
    written = {step.path.name for step in asked if isinstance(step, Write)}
    assert (False, True) == (linger in plain, linger in asked)
    assert "90-network.conf" in written
    assert "90-network.conf" not in {step.path.name for step in plain if isinstance(step, Write)}


def test_the_state_is_what_systemd_says(wish: Wish, machine: Machine, tmp_path: Path) -> None:
    manager = Systemd(tmp_path / "units")
    assert not manager.describe()["installed"]
    machine.answer(
        "*show*) printf 'ActiveState=active\\nSubState=running\\nUnitFileState=enabled\\nMainPID=77\\n';;"
    )
    carry_out(manager.plan_install(wish))

    state = manager.describe()

    expected = {"installed": True, "enabled": True, "active": True, "pid": 77}
    assert expected == {key: state[key] for key in expected}
    assert list(TIERS) == state["tiers"]


def test_a_refusal_of_the_manager_is_told_in_its_words(
    wish: Wish, machine: Machine, tmp_path: Path
) -> None:
    machine.answer("*enable*) echo 'no bus here' >&2; exit 1;;")

    with pytest.raises(MemorydError, match="no bus here"):
        carry_out(Systemd(tmp_path / "units").plan_install(wish))


def test_the_agent_has_only_keys_that_apple_knows(wish: Wish) -> None:
    agent = plistlib.loads(render_agent(wish).encode())

    assert agent.keys() <= APPLE_KEYS
    assert ["/bin/true", "--home", str(wish.home), "run"] == agent["ProgramArguments"]
    assert {"SuccessfulExit": False} == agent["KeepAlive"]
    assert 0o077 == agent["Umask"]
    assert agent["ThrottleInterval"] >= 30
    assert {"Core": 0}.items() <= agent["SoftResourceLimits"].items()


def test_an_agent_is_unloaded_before_it_is_replaced(
    wish: Wish, machine: Machine, tmp_path: Path
) -> None:
    machine.answer("bootout*) exit 3;;")
    manager = Launchd(tmp_path / "agents")

    carry_out(manager.plan_install(wish))
    verbs = [line.split()[1] for line in machine.asked]
    carry_out(manager.plan_uninstall())

    assert ["bootout", "enable", "bootstrap"] == verbs
    assert [] == list((tmp_path / "agents").iterdir())


def test_the_state_is_what_launchd_says(wish: Wish, machine: Machine, tmp_path: Path) -> None:
    machine.answer("print*) printf 'dev.memoryd = {\\n\\tstate = running\\n\\tpid = 4711\\n}\\n';;")

    assert 4711 == Launchd(tmp_path / "agents").describe()["pid"]


def test_approved_memory_files_stay_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home = Path("/tmp", f"memoryd-test-{os.getpid()}")
    try:
        config = Config(files=FilesConfig(approve=(f"{tmp_path}/notes/MEMORY.md", "~/x/A.md")))
        wish = make_wish(home, None, config, network=False, linger=False)
    finally:
        home.rmdir()

    assert (home, tmp_path / "notes", tmp_path / "x") == wish.writable


def test_a_home_too_deep_for_the_socket_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="too long"):
        make_wish(tmp_path / ("x" * 100), None, Config(), network=False, linger=False)


def test_the_executable_beside_the_interpreter_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memoryd").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert str(tmp_path / "memoryd") == find_command()

    (tmp_path / "memoryd").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="not found"):
        find_command()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["--target", "--prefix"])
def test_a_wheel_brings_the_templates(tmp_path: Path, how: str) -> None:
    source, installed = tmp_path / "source", tmp_path / "installed"
    repository = Path(__file__).parents[2]
    for name in ("memoryd", "systemd"):
        shutil.copytree(repository / name, source / name)
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(repository / name, source)
    (source / "README.md").touch()
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--ignore-installed"]
    built = subprocess.run(
        [*command, how, str(installed), str(source)], capture_output=True, text=True, check=False
    )
    if built.returncode:
        pytest.skip(f"no wheel can be built here: {built.stderr[-200:]}")

    program = "from memoryd.service.managers.install import template; print(template('launchd/dev.memoryd.plist'))"
    package = next(installed.rglob("memoryd/model.py")).parents[1]
    environ = {**os.environ, "PYTHONPATH": str(package)}
    printed = subprocess.check_output([sys.executable, "-c", program], env=environ, cwd=tmp_path)

    assert b"dev.memoryd" in printed


def test_files_of_the_service_are_private(wish: Wish, machine: Machine, tmp_path: Path) -> None:
    carry_out(Systemd(tmp_path / "units").plan_install(wish))

    assert 0o600 == stat.S_IMODE((tmp_path / "units" / UNIT).stat().st_mode)

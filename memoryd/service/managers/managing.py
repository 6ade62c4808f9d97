"""`memoryd service …`: the service manager of this machine, asked in its own language."""

import sys
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import UsageError
from memoryd.service.managers.install import Manager, carry_out, describe_steps, make_wish


def find_manager() -> Manager:
    """The service manager of this machine.

    Raises:
        UsageError: none that memoryd knows.
    """
    if sys.platform == "darwin":
        from memoryd.service.managers.launchd import Launchd  # noqa: PLC0415 - only on macOS

        return Launchd()
    if Path("/run/systemd/system").is_dir():
        from memoryd.service.managers.systemd import Systemd  # noqa: PLC0415 - only under systemd

        return Systemd()
    raise UsageError("no systemd and no launchd here: start `memoryd run` by other means")


def describe_service() -> dict[str, Any]:
    """What the service manager says of memoryd; without a manager, that there is none."""
    try:
        return find_manager().describe()
    except UsageError:
        return {"manager": None, "installed": False, "enabled": False, "active": False}


def install_service(
    manager: Manager,
    home: Path,
    config_path: Path | None,
    config: Config,
    *,
    dry_run: bool = False,
    network: bool = False,
    linger: bool = False,
) -> dict[str, Any]:
    """Install or upgrade, and start.

    Raises:
        UsageError: nothing to install with, or into. MemorydError: the manager refused.
    """
    steps = manager.plan_install(
        make_wish(home, config_path, config, network=network, linger=linger)
    )
    done = describe_steps(steps) if dry_run else carry_out(steps)
    return {"manager": manager.name, "dry_run": dry_run, "steps": done}


def uninstall_service(manager: Manager, *, dry_run: bool = False) -> dict[str, Any]:
    """Stop and remove the service; the data stays."""
    steps = manager.plan_uninstall()
    done = describe_steps(steps) if dry_run else carry_out(steps)
    return {"manager": manager.name, "dry_run": dry_run, "steps": done}

"""memoryd as a launchd agent. Source: launchd.plist(5) and launchctl(1) of macOS 14."""

import os
import plistlib
import re
from pathlib import Path
from typing import Any

from memoryd.service.managers.install import Remove, Run, Step, Wish, Write, ask, template

LABEL = "dev.memoryd"
PID = re.compile(r"^\s*pid = (\d+)$", re.MULTILINE)


class Launchd:
    """The agents of the logged-in user."""

    name = "launchd"

    def __init__(self, folder: Path | None = None) -> None:
        """Install into *folder*, by default the user's own agents."""
        self._path = (folder or Path.home() / "Library" / "LaunchAgents") / f"{LABEL}.plist"
        self._domain = f"gui/{os.getuid()}"

    def plan_install(self, wish: Wish) -> list[Step]:
        """Replace a loaded agent: launchd reads its file only when it is loaded."""
        return [
            Run(("launchctl", "bootout", f"{self._domain}/{LABEL}"), optional=True),
            Write(self._path, render(wish)),
            Run(("launchctl", "enable", f"{self._domain}/{LABEL}")),
            # `bootout` returns before the old one has ended.
            Run(("launchctl", "bootstrap", self._domain, str(self._path)), attempts=15),
        ]

    def plan_uninstall(self) -> list[Step]:
        """Stop, and take our file away."""
        return [
            Run(("launchctl", "bootout", f"{self._domain}/{LABEL}"), optional=True),
            Remove(self._path),
        ]

    def describe(self) -> dict[str, Any]:
        """What launchd says of the agent."""
        shown = ask(("launchctl", "print", f"{self._domain}/{LABEL}"))
        pid = PID.search(shown.stdout)
        return {
            "manager": self.name,
            "installed": self._path.exists(),
            "enabled": shown.returncode == 0,
            "active": pid is not None,
            "state": "running" if pid else "",
            "pid": int(pid[1]) if pid else None,
        }


def render(wish: Wish) -> str:
    """The property list with the wish filled in."""
    agent = plistlib.loads(template(f"launchd/{LABEL}.plist").encode())
    config = ["--config", str(wish.config_path)] if wish.config_path else []
    agent["ProgramArguments"] = [wish.command, "--home", str(wish.home), *config, "run"]
    return plistlib.dumps(agent, sort_keys=False).decode()

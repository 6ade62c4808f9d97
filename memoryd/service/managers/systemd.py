"""memoryd as a systemd user service. Sources: systemd.unit(5), systemd.exec(5), systemd.service(5)."""

import os
from pathlib import Path
from typing import Any

from memoryd.service.managers.install import Remove, Run, Step, Wish, Write, ask, fill, template

UNIT = "memoryd.service"
TIERS = ("tier-2.conf", "tier-3.conf")  # each needs those before it
NETWORK = "network.conf"
# A drop-in's name says its order; files of the same name are replaced by an upgrade.
INSTALLED = {
    "tier-2.conf": "20-tier-2.conf",
    "tier-3.conf": "30-tier-3.conf",
    NETWORK: "90-network.conf",
}


class Systemd:
    """The user's own service manager."""

    name = "systemd"

    def __init__(self, folder: Path | None = None) -> None:
        """Install into *folder*, by default the user's own units."""
        config = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        self._folder = folder or Path(config, "systemd", "user")

    @property
    def _drop_ins(self) -> Path:
        return self._folder / f"{UNIT}.d"

    def plan_install(self, wish: Wish) -> list[Step]:
        """Unit, the strongest hardening that works here, start."""
        tiers = self._working_tiers(wish)
        wanted = [*tiers, NETWORK] if wish.network else tiers
        steps: list[Step] = [Write(self._folder / UNIT, render(UNIT, wish))]
        for name, installed in INSTALLED.items():
            path = self._drop_ins / installed
            steps.append(Write(path, render(name, wish)) if name in wanted else Remove(path))
        steps += [Run(_systemctl("daemon-reload")), Run(_systemctl("enable", UNIT))]
        steps.append(Run(_systemctl("restart", UNIT)))
        if wish.linger:
            steps.append(Run(("loginctl", "enable-linger")))
        return steps

    def plan_uninstall(self) -> list[Step]:
        """Stop, and take our files away; the home, the user's own drop-ins and lingering stay."""
        ours = [self._drop_ins / installed for installed in INSTALLED.values()]
        return [
            Run(_systemctl("disable", "--now", UNIT), optional=True),
            *(Remove(path) for path in (*ours, self._drop_ins, self._folder / UNIT)),
            Run(_systemctl("daemon-reload")),
            Run(_systemctl("reset-failed", UNIT), optional=True),
        ]

    def describe(self) -> dict[str, Any]:
        """What systemd says of the unit."""
        shown = ask(
            _systemctl("show", UNIT, "--property=ActiveState,SubState,UnitFileState,MainPID")
        )
        facts = dict(line.split("=", 1) for line in shown.stdout.splitlines() if "=" in line)
        return {
            "manager": self.name,
            "installed": (self._folder / UNIT).exists(),
            "enabled": facts.get("UnitFileState") == "enabled",
            "active": facts.get("ActiveState") == "active",
            "state": facts.get("SubState", ""),
            "pid": int(facts.get("MainPID") or 0) or None,
            "tiers": [n for n in TIERS if (self._drop_ins / INSTALLED[n]).exists()],
        }

    def _working_tiers(self, wish: Wish) -> list[str]:
        """The strongest tiers under which the executable really starts and reaches its home."""
        for count in range(len(TIERS), 0, -1):
            if self._starts(wish, TIERS[:count]):
                return list(TIERS[:count])
        return []

    @staticmethod
    def _starts(wish: Wish, tiers: tuple[str, ...]) -> bool:
        properties = [line for name in tiers for line in settings(render(name, wish))]
        probe = ["systemd-run", "--user", "--wait", "--collect", "--quiet"]
        options = [f"--property={line}" for line in properties]
        # A home in the shared /tmp would be out of sight: PrivateTmp gives the unit its own.
        needs = ([wish.command, "--version"], ["test", "-w", str(wish.home)])
        return all(ask([*probe, *options, *need]).returncode == 0 for need in needs)


def render(name: str, wish: Wish) -> str:
    """A template with the wish filled in."""
    config = f"--config {quote(str(wish.config_path), '$')} " if wish.config_path else ""
    return fill(
        template(name),
        {
            "COMMAND": quote(wish.command, "$"),
            "HOME": quote(str(wish.home), "$"),
            "CONFIG": config,
            "WRITABLE": " ".join(quote(f"-{folder}") for folder in wish.writable),
        },
    )


def quote(text: str, also_doubled: str = "") -> str:
    """Write a word so that systemd reads it back as it is.

    Args:
        also_doubled: characters with a meaning of their own here (`$` in command lines).
    """
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    for character in ("%", *also_doubled):
        text = text.replace(character, 2 * character)
    return f'"{text}"' if any(c in text for c in " \t'\"\\;#") else text


def settings(text: str) -> list[str]:
    """The settings of a drop-in, without comments and sections."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and line[0] not in "#;["]


def _systemctl(*arguments: str) -> tuple[str, ...]:
    return ("systemctl", "--user", *arguments)

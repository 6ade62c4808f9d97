"""A notification on the desktop, where there is one. Never an error, and never a word of what anybody said."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress

PATIENCE_SECONDS = 5.0
_SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)


def tell_desktop(title: str, text: str) -> bool:
    """Show a notification; False if there is nothing to show it with."""
    command = notification(title, text, sys.platform, os.environ)
    if command is None or shutil.which(command[0]) is None:
        return False
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(  # noqa: S603 - fixed programs; the texts are arguments of their own
            command,
            check=False,
            timeout=PATIENCE_SECONDS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return done.returncode == 0
    return False


def notification(
    title: str, text: str, platform: str, environ: Mapping[str, str]
) -> list[str] | None:
    """The command that shows a notification on this platform; None: nobody would see it."""
    if platform == "darwin":
        return ["osascript", *(part for line in _SCRIPT for part in ("-e", line)), title, text]
    if any(
        environ.get(name) for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY")
    ):
        return ["notify-send", "--app-name=memoryd", "--", title, text]
    return None

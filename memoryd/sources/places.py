"""Where programs keep their data on each platform, and how transcripts are found there without a long walk."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoryd.sources.base import Source

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Positron", "Kiro", "Trae")
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server")


def application_folder(
    environ: Mapping[str, str], home: Path, platform: str = sys.platform
) -> Path:
    """The folder in which desktop programs keep theirs: `~/.config` and its like."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")


def data_folder(environ: Mapping[str, str], home: Path) -> Path:
    """`~/.local/share`, on every platform: command-line agents do not follow the platform."""
    return Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")


def editor_folders(
    environ: Mapping[str, str], home: Path, platform: str = sys.platform
) -> list[Path]:
    """The `User` folder of every editor of the VS Code family, on the desktop and behind ssh."""
    application = application_folder(environ, home, platform)
    desktop = [application / editor / "User" for editor in _EDITORS]
    return desktop + [home / server / "data" / "User" for server in _SERVERS]


def glob_transcripts(source: Source, root: Path, patterns: Sequence[str]) -> Iterator[Path]:
    """Transcripts below *root*: in a default place only where *patterns* point, elsewhere everywhere.

    The default places also hold caches and checkouts with a hundred thousand files.
    """
    if root not in source.default_roots(os.environ, Path.home()) or not root.is_dir():
        yield from Source.discover(source, root)
        return
    seen: set[Path] = set()
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            found = source.transcript(path)
            if found is not None and found not in seen:
                seen.add(found)
                yield found

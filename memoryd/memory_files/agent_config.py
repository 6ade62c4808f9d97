"""Reads the limits that people set in their agents' own configuration files.

Lenient on purpose: these files belong to others and change with every version. What cannot be read or has another
form is as if it were not set, and the profile's own limits hold.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memoryd.errors import UsageError
from memoryd.memory_files.profiles import Profile
from memoryd.memory_files.profiles.codex import CODEX
from memoryd.memory_files.profiles.hermes import HERMES
from memoryd.memory_files.profiles.openclaw import OPENCLAW, OPENCLAW_2026_1
from memoryd.memory_files.reading import read_file

# Strings first, so that what looks like a comment inside one stays.
_JSON5_NOISE = re.compile(
    r'("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')|//[^\n]*|/\*.*?\*/|\t', re.DOTALL
)
_VERSION = re.compile(r"(\d{4})\.(\d{1,2})")
_NEW_OPENCLAW = (2026, 8)  # TOOLS.md and HEARTBEAT.md are no bootstrap files any more

Table = Mapping[str, Any]


def configure_hermes(home: Path) -> Profile:
    """Hermes' profile with the limits of `<home>/config.yaml`."""
    config = _read(home / "config.yaml", _parse_yaml)
    wanted = {
        "MEMORY.md": _number(config, "memory", "memory_char_limit"),
        "USER.md": _number(config, "memory", "user_char_limit"),
        "SOUL.md": _number(config, "context_file_max_chars"),
        "AGENTS.md": _number(config, "context_file_max_chars"),
    }
    return HERMES.with_limits({name: limit for name, limit in wanted.items() if limit})


def configure_codex(home: Path) -> Profile:
    """Codex' profile with the limit of `<home>/config.toml`."""
    limit = _number(_read(home / "config.toml", tomllib.loads), "project_doc_max_bytes")
    return CODEX.with_limits({"AGENTS.md": limit} if limit else {})


def read_openclaw(path: Path) -> Table:
    """OpenClaw's configuration (JSON5), {} when it cannot be read."""
    return _read(path, _parse_json5)


def configure_openclaw(config: Table, agent: str, *, is_old: bool) -> Profile:
    """OpenClaw's profile for one of its agents, "" for the defaults."""
    table = agents(config).get(agent, {})
    limit, total = (
        _number(table, key) or _number(config, "agents", "defaults", key)
        for key in ("bootstrapMaxChars", "bootstrapTotalMaxChars")
    )
    profile = OPENCLAW_2026_1 if is_old else OPENCLAW
    return profile.with_limits({"*": limit} if limit else {}, total)


def agents(config: Table) -> dict[str, Table]:
    """OpenClaw's agents by id; "" stands for the defaults. Newer configurations have a table, older a list."""
    section = _table(config, "agents")
    found: dict[str, Table] = {"": _table(section, "defaults")}
    found |= {
        str(name): table
        for name, table in _table(section, "entries").items()
        if isinstance(table, Mapping)
    }
    listed = section.get("list")
    found |= {
        str(table.get("id", number)): table
        for number, table in enumerate(listed if isinstance(listed, list) else [])
        if isinstance(table, Mapping)
    }
    return found


def find_version(config: Table) -> tuple[int, int] | None:
    """The version of OpenClaw that last wrote this configuration."""
    found = _VERSION.match(str(_table(config, "meta").get("lastTouchedVersion", "")))
    return (int(found[1]), int(found[2])) if found else None


def is_old_openclaw(config: Table, state: Path, workspace: Path) -> bool:
    """Does the older rule hold? By version, else by the database that only newer ones have, else by the files."""
    version = find_version(config)
    if version is not None:
        return version < _NEW_OPENCLAW
    if (state / "state" / "openclaw.sqlite").exists():
        return False
    return any((workspace / name).exists() for name in ("TOOLS.md", "HEARTBEAT.md"))


def _read(path: Path, parse: Callable[[str], Any]) -> Table:
    try:
        file = read_file(path, missing_ok=True)
        value = parse(file.text)
    except (UsageError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _parse_yaml(text: str) -> Any:
    import yaml  # noqa: PLC0415 - slow to import, and most commands read no agent's configuration

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _parse_json5(text: str) -> Any:
    """JSON5 without comments and tabs is a subset of YAML's flow style (bare keys, trailing commas)."""
    return _parse_yaml(_JSON5_NOISE.sub(lambda found: found[1] or " ", text))


def _table(table: Table, key: str) -> Table:
    value = table.get(key)
    return value if isinstance(value, Mapping) else {}


def _number(table: Table, *keys: str) -> int | None:
    """A positive number at a path of keys, as the agents take it: whole, anything else is as if not set."""
    for key in keys[:-1]:
        table = _table(table, key)
    value = table.get(keys[-1])
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value < float("inf")
    ):
        return None
    return int(value)


def strings(config: Table, *keys: str) -> Iterator[str]:
    """The text at a path of keys, if there is one."""
    for key in keys[:-1]:
        config = _table(config, key)
    value = config.get(keys[-1])
    if isinstance(value, str) and value:
        yield value


def read_json(path: Path) -> Table:
    """A JSON settings file, {} when it cannot be read."""
    return _read(path, _parse_json5)

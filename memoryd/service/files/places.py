"""Where memory files are: those a person named, or every known one; whose they are, and for whom their facts hold."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.config import Config
from memoryd.errors import SourceError, StoreError, UsageError
from memoryd.memory_files.budgets import plan_loading
from memoryd.memory_files.discovery import Place, discover_files, find_place
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.ledger import NAMESPACE, OWNER, LedgerRecord, ledger_key, parse_record
from memoryd.memory_files.profiles import Profile, find_profile
from memoryd.memory_files.reading import read_file
from memoryd.sources.ledger import read_ledger
from memoryd.store.connection import DATABASE_NAME, Connection
from memoryd.store.reader import Reader
from memoryd.store.records import Filters
from memoryd.store.settings import get_setting

SESSIONS_LOOKED_AT = 500  # the latest ones say which projects there are
MAX_PROJECTS = 50
APPROVED = "approved_files"  # the setting that holds what was approved by command


@dataclass(frozen=True, slots=True)
class Group:
    """The files of one agent (in one place), and those that could not be read, each with the reason."""

    place: Place
    files: tuple[MemoryFile, ...]
    unreadable: tuple[tuple[Path, str], ...] = ()


def clean_path(path: Path) -> Path:
    """A path as a person typed it, absolute, without `..`; a link stays a link."""
    return Path(os.path.normpath(path.expanduser().absolute()))


def known_groups(home: Path, paths: Sequence[Path], profile: str | None) -> list[Group]:
    """The files a person named, or every known one of the agents and of the projects in the history.

    Raises:
        UsageError: a named file or profile is not there.
    """
    if paths:
        return _named_groups(paths, profile)
    wanted = None if profile is None else find_profile(profile).name
    projects = known_projects(home)
    places = discover_files(os.environ, Path.home(), projects)
    return [
        _read_place(place, trusted=place.root not in projects)
        for place in places
        if wanted in (None, place.profile.name)
    ]


def _read_place(place: Place, *, trusted: bool) -> Group:
    """Links in an agent's own folder are its user's; those in a project may be anybody's and must stay inside it."""
    files, unreadable = [], []
    for path in place.files:
        follow = trusted or path.resolve().is_relative_to(place.root.resolve())
        try:
            files.append(read_file(path, follow=follow, missing_ok=True))
        except UsageError as error:
            unreadable.append((path, str(error)))
    return Group(place, tuple(files), tuple(unreadable))


def _named_groups(paths: Sequence[Path], profile: str | None) -> list[Group]:
    groups: dict[tuple[str, Path], tuple[Place, list[MemoryFile]]] = {}
    for path in dict.fromkeys(_expand(paths)):
        file = read_file(path)
        place = find_place(path, os.environ, Path.home(), profile=profile, data=file.data or b"")
        groups.setdefault((place.profile.name, place.root), (place, []))[1].append(file)
    return [Group(place, tuple(files)) for place, files in groups.values()]


def _expand(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
        if path.is_dir():
            yield from sorted(found for found in path.glob("*.md") if found.is_file())
        else:
            yield path


def known_projects(home: Path) -> list[Path]:
    """Project folders of the latest conversations that are still there, the latest first."""
    if not (home / DATABASE_NAME).exists():
        return []
    try:
        with Reader(home) as reader:
            sessions = reader.sessions(Filters(), SESSIONS_LOOKED_AT)
    except StoreError:
        return []
    named = dict.fromkeys(one.project for one in sessions if one.project)
    folders = (Path(name) for name in named if Path(name).is_absolute())
    return [folder for folder in folders if folder.is_dir()][:MAX_PROJECTS]


def scope_of(place: Place, projects: Iterable[Path]) -> str:
    """For whom the facts of a place's files hold: everybody, or one project, profile or workspace."""
    root = place.root
    if place.profile.name == "claude-code" and root.name == "memory":
        folder = root.parent.name
        return next((str(one) for one in projects if _as_folder(one) == folder), str(root.parent))
    agents_own = {
        "hermes": root.parent.name != "profiles",
        "openclaw": root.name == "workspace",
        "openclaw-2026.1": root.name == "workspace",
        "gemini": root.name in {".gemini", ".qwen"},
    }
    known = bool(place.files) and agents_own.get(place.profile.name, root.name.startswith("."))
    return "global" if known else str(root)


def _as_folder(project: Path) -> str:
    """A project's folder name below `~/.claude/projects`."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(project))


def ledger_of(
    place: Place, files: Sequence[MemoryFile]
) -> tuple[Mapping[Path, LedgerRecord], bool]:
    """OpenClaw's records of these files, and whether they could be read (true where there is no ledger)."""
    if place.ledger is None:
        return {}, True
    workspace = place.root.resolve()
    inside = [file for file in files if file.path.resolve().is_relative_to(workspace)]
    keys = {ledger_key(workspace, file.path.resolve()): file.path for file in inside}
    try:
        found = read_ledger(place.ledger, OWNER, NAMESPACE, keys)
    except SourceError:
        return {}, False
    return {keys[key]: parse_record(text) for key, text in found.items()}, True


def lowered_profile(place: Place, file: MemoryFile) -> Profile:
    """The profile with the limit that is really left for a file: the others of its folder are loaded before it."""
    profile = place.profile
    if profile.total is None:
        return profile
    names = [rule.name for rule in profile.rules if rule.at_start and "*" not in rule.name]
    beside = [path for path in place.files if path.parent == file.path.parent]
    paths = dict.fromkeys([*beside, *(file.path.with_name(name) for name in names)])
    others = [
        read_file(path, missing_ok=True)
        for path in paths
        if path.name.casefold() != file.path.name.casefold() and (path in beside or path.exists())
    ]
    own = MemoryFile(file.path, file.data or b"")
    loading = next(
        one for one in plan_loading([*others, own], profile) if one.file.path == file.path
    )
    rule = profile.rule(file.path.name)
    return profile.with_limits({} if loading.limit is None else {rule.name: max(1, loading.limit)})


def read_approvals(connection: Connection) -> tuple[str, ...]:
    """Files and profiles that were approved by command."""
    return tuple(json.loads(get_setting(connection, APPROVED) or "[]"))


def approved_names(home: Path, config: Config) -> tuple[str, ...]:
    """Files and profiles that may be rewritten: those of the configuration and those approved by command."""
    if not (home / DATABASE_NAME).exists():
        return config.files.approve
    with Reader(home) as reader:
        return (*config.files.approve, *read_approvals(reader.connection))

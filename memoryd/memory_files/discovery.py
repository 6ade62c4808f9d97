"""Finds memory files where the agents keep them: by agent, by profile of the agent, by project. Reads, never writes.

A place is one folder of one agent with the profile that holds there: limits, and for OpenClaw the version, come from
the agent's own configuration. Files are named whether they exist or not; `reading.read_file` tells.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.memory_files import agent_config
from memoryd.memory_files.profiles import Profile, find_profile
from memoryd.memory_files.profiles.claude_code import CLAUDE_CODE
from memoryd.memory_files.profiles.gemini import GEMINI
from memoryd.memory_files.profiles.generic import GENERIC
from memoryd.memory_files.sections import DELIMITER
from memoryd.memory_files.units import decode

_OPENCLAW_FILES = {"SOUL.md", "IDENTITY.md", "BOOTSTRAP.md", "HEARTBEAT.md", "TOOLS.md"}
_PROJECT_FILES = {
    "CLAUDE.md": CLAUDE_CODE,
    "CLAUDE.local.md": CLAUDE_CODE,
    "GEMINI.md": GEMINI,
    "QWEN.md": GEMINI,
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent keeps memory files.

    Attributes:
        root: a file below it may be written (as far as its rule allows).
        files: those the agent knows; some may be missing.
        ledger: OpenClaw's database with the records of `ledger`, if this agent has one.
    """

    profile: Profile
    root: Path
    files: tuple[Path, ...] = ()
    ledger: Path | None = None


def discover_files(
    environ: Mapping[str, str], home: Path, projects: Sequence[Path] = ()
) -> list[Place]:
    """Every place of every known agent that exists.

    Args:
        environ: the agents' own variables are respected (HERMES_HOME, CLAUDE_CONFIG_DIR, ...).
        projects: root folders of projects, for the files kept in them.
    """
    finders = (_find_hermes, _find_openclaw, _find_claude_code, _find_codex, _find_gemini)
    places = [place for finder in finders for place in finder(environ, home)]
    return [*places, *(place for project in projects for place in _find_in_project(project))]


def find_place(
    path: Path,
    environ: Mapping[str, str],
    home: Path,
    *,
    profile: str | None = None,
    data: bytes = b"",
) -> Place:
    """The place of one file.

    Args:
        profile: a profile's name as the user gave it; without it the file's place, name and *data* decide.

    Raises:
        UsageError: there is no such profile.
    """
    known = [place for place in discover_files(environ, home) if path.is_relative_to(place.root)]
    known.sort(key=lambda place: len(place.root.parts), reverse=True)
    if profile is None:
        return known[0] if known else Place(_guess_profile(path, decode(data)), path.parent)
    wanted = find_profile(profile)
    same = (place for place in known if place.profile.name == wanted.name)
    return next(same, Place(wanted, path.parent))


def _guess_profile(path: Path, text: str) -> Profile:
    if path.name in _PROJECT_FILES:
        return _PROJECT_FILES[path.name]
    if DELIMITER in text:
        return find_profile("hermes")
    beside = {name for name in (*_OPENCLAW_FILES, "AGENTS.md") if (path.parent / name).exists()}
    if "AGENTS.md" in beside and beside & _OPENCLAW_FILES:
        old = agent_config.is_old_openclaw({}, path.parent, path.parent)
        return find_profile("openclaw-2026.1" if old else "openclaw")
    return GENERIC


def _folder(environ: Mapping[str, str], name: str, default: Path) -> Path:
    value = environ.get(name)
    return Path(value).expanduser() if value else default


def _find_hermes(environ: Mapping[str, str], home: Path) -> Iterator[Place]:
    """The home and every profile below it; each is an agent of its own."""
    main = _folder(environ, "HERMES_HOME", home / ".hermes")
    for root in (main, *_folders(main / "profiles")):
        if root.is_dir():
            memories = root / "memories"
            files = (root / "SOUL.md", memories / "USER.md", memories / "MEMORY.md")
            yield Place(agent_config.configure_hermes(root), root, files)


def _find_openclaw(environ: Mapping[str, str], home: Path) -> Iterator[Place]:
    state = _folder(environ, "OPENCLAW_STATE_DIR", home / ".openclaw")
    config = agent_config.read_openclaw(
        _folder(environ, "OPENCLAW_CONFIG_PATH", state / "openclaw.json")
    )
    ledger = state / "state" / "openclaw.sqlite"
    seen: set[Path] = set()
    for agent, table in agent_config.agents(config).items():
        named = list(agent_config.strings(table, "workspace"))
        workspace = Path(named[0].replace("~", str(home), 1)) if named else state / "workspace"
        if workspace in seen or not workspace.is_dir():
            continue
        seen.add(workspace)
        old = agent_config.is_old_openclaw(config, state, workspace)
        profile = agent_config.configure_openclaw(config, agent, is_old=old)
        yield Place(
            profile,
            workspace,
            _workspace_files(profile, workspace),
            ledger if ledger.exists() else None,
        )


def _workspace_files(profile: Profile, workspace: Path) -> tuple[Path, ...]:
    """Every bootstrap file; the two that the agent loads only if present are left out when they are not."""
    optional = {"BOOTSTRAP.md", "MEMORY.md"}
    names = [rule.name for rule in profile.rules if rule.at_start]
    return tuple(
        workspace / name for name in names if name not in optional or (workspace / name).exists()
    )


def _find_claude_code(environ: Mapping[str, str], home: Path) -> Iterator[Place]:
    root = _folder(environ, "CLAUDE_CONFIG_DIR", home / ".claude")
    if (root / "CLAUDE.md").exists():
        yield Place(CLAUDE_CODE, root, (root / "CLAUDE.md",))
    settings = agent_config.read_json(root / "settings.json")
    own = [
        Path(text.replace("~", str(home), 1))
        for text in agent_config.strings(settings, "autoMemoryDirectory")
    ]
    for memory in (*own, *(project / "memory" for project in _folders(root / "projects"))):
        if memory.is_dir():
            yield Place(CLAUDE_CODE, memory, _notes(memory))


def _find_codex(environ: Mapping[str, str], home: Path) -> Iterator[Place]:
    root = _folder(environ, "CODEX_HOME", home / ".codex")
    files = [path for path in (root / "AGENTS.md",) if path.exists()]
    memories = root / "memories"
    if files or memories.is_dir():
        yield Place(agent_config.configure_codex(root), root, (*files, *_notes(memories)))


def _find_gemini(environ: Mapping[str, str], home: Path) -> Iterator[Place]:
    for folder, name in ((".gemini", "GEMINI.md"), (".qwen", "QWEN.md")):
        root = home / folder
        if (root / name).exists():
            yield Place(GEMINI, root, (root / name,))


def _find_in_project(project: Path) -> Iterator[Place]:
    for name, profile in _PROJECT_FILES.items():
        if (project / name).exists():
            yield Place(profile, project, (project / name,))


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(path for path in parent.iterdir() if path.is_dir())
    except OSError:
        return []


def _notes(folder: Path) -> tuple[Path, ...]:
    """The Markdown files of one folder, MEMORY.md first."""
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".md")
    except OSError:
        return ()
    return tuple(sorted(found, key=lambda path: path.name != "MEMORY.md"))

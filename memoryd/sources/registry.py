"""Which sources there are: the built-in ones, those of installed packages, and the configured generic ones.

A built-in source is a line in BUILT_IN; a package offers one as an entry point of the group
`memoryd.sources` (see docs/adding-a-source.md). Nothing is imported before it is needed.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from memoryd.config import Config, SourceConfig
from memoryd.errors import ConfigError, SourceError, UsageError
from memoryd.sources.base import ReadLimits, Source
from memoryd.sources.generic import GenericJsonLines
from memoryd.sources.notes import Notes
from memoryd.sources.transcripts import open_transcript, plain_path

ENTRY_POINTS = "memoryd.sources"
HEAD_BYTES = 64 * 1024
_HEAD_LIMIT = 256 * 1024 * 1024  # bytes decompressed to see a head, at most

# Module and class. More specific formats come first: of two sources that recognise a file the first has it.
BUILT_IN: tuple[tuple[str, str], ...] = (
    ("iflow", "IFlow"),
    ("qwen", "QwenCode"),
    ("claude_export", "ClaudeCodeWithExports"),
    ("prompt_histories", "ClaudeHistory"),
    ("prompt_histories", "CodexHistory"),
    ("codex", "TraeX"),
    ("codex", "Codex"),
    ("gemini", "Gemini"),
    ("openclaw", "OpenClaw"),
    ("deepseek", "DeepSeek"),
    ("pi", "Pi"),
    ("pi", "OhMyPi"),
    ("copilot_cli", "CopilotCli"),
    ("visualstudio_copilot", "VisualStudioCopilot"),
    ("droid", "Droid"),
    ("kimi", "Kimi"),
    ("grok", "Grok"),
    ("antigravity", "Antigravity"),
    ("mistral_vibe", "MistralVibe"),
    ("gptme", "Gptme"),
    ("cursor_cli", "CursorCli"),
    ("windsurf", "Windsurf"),
    ("hermes", "Hermes"),
    ("opencode", "OpenCode"),
    ("goose", "Goose"),
    ("crush", "Crush"),
    ("cursor", "Cursor"),
    ("zed", "Zed"),
    ("kiro", "Kiro"),
    ("cline", "Cline"),
    ("cline", "RooCode"),
    ("cline", "Kilo"),
    ("amp", "Amp"),
    ("continue_dev", "Continue"),
    ("copilot_chat", "CopilotChat"),
    ("posit", "PositAssistant"),
    ("qwenpaw", "QwenPaw"),
    ("aider", "Aider"),
    ("specstory", "SpecStory"),
)


def source_classes() -> dict[str, type[Source]]:
    """Every known source class by name; a package may replace a built-in one.

    Raises:
        ConfigError: an installed package offers a source that cannot be loaded.
    """
    classes: dict[str, type[Source]] = {}
    for module, name in BUILT_IN:
        found: type[Source] = getattr(import_module(f"memoryd.sources.{module}"), name)
        classes[found.name] = found
    for point in entry_points(group=ENTRY_POINTS):
        try:
            found = point.load()
        except (ImportError, AttributeError) as error:
            raise ConfigError(
                f"the source {point.name!r} of an installed package cannot be loaded: {error}"
            ) from error
        classes[found.name] = found
    return classes


def build_sources(config: Config) -> list[Source]:
    """The sources that a configuration asks for, in the order in which they are asked about a file.

    Raises:
        ConfigError: a source of that name is not known, or a generic one has no roots.
    """
    classes, tables = source_classes(), config.sources.by_name
    limits = ReadLimits(
        line_bytes=config.ingest.max_line_bytes, tool_output_chars=config.ingest.tool_output_chars
    )
    generic = [
        _build_generic(name, table, limits, classes)
        for name, table in tables.items()
        if name not in classes or table.type
    ]
    wanted = [name for name in classes if name in tables or config.sources.discover]
    known = [classes[name](_roots(name, tables.get(name)), limits) for name in wanted]
    return [
        source
        for source in (*generic, *known)
        if source.name not in tables or tables[source.name].enabled
    ]


def find_source(name: str, sources: Iterable[Source]) -> Source:
    """The source with this name.

    Raises:
        UsageError: there is none; the message lists those there are.
    """
    known = {source.name: source for source in sources}
    if name not in known:
        raise UsageError(f"no source {name!r}; known: {', '.join(sorted(known))}")
    return known[name]


def detect(path: Path, sources: Sequence[Source]) -> Source | None:
    """Whose transcript is this file? Its content decides, then its name; None: nobody's."""
    head = read_head(path)
    named = [source for source in sources if source.transcript(path) is not None]
    here = [source for source in named if any(path.is_relative_to(root) for root in source.roots)]
    for source in (*here, *named, *sources):
        if source.recognises(head):
            return None if source.is_copy(path) else source
    telling = [source for source in named if source.names_tell]
    return next(iter((*here, *telling)), None) if head.strip() else None


def reader_of(path: Path, source: Source, sources: Sequence[Source]) -> Source:
    """Who should read a transcript found among those of *source*: another, if its content is another's."""
    head = read_head(path)
    if not head or source.recognises(head):
        return source
    others = (other for other in sources if other is not source and other.recognises(head))
    return next(others, source)


def read_head(path: Path) -> bytes:
    """The first `HEAD_BYTES` of a transcript, decompressed; empty if it cannot be read."""
    try:
        with open_transcript(plain_path(path), _HEAD_LIMIT) as opened:
            opened.begin()
            return opened.stream.read(HEAD_BYTES)
    except (SourceError, OSError):
        return b""


def _roots(name: str, table: SourceConfig | None) -> list[Path]:
    try:
        return [Path(root).expanduser() for root in table.roots] if table else []
    except RuntimeError as error:  # ~nobody/transcripts
        raise ConfigError(f"sources.{name}: roots: {error}") from error


def _build_generic(
    name: str, table: SourceConfig, limits: ReadLimits, classes: dict[str, type[Source]]
) -> Source:
    if name in classes:
        raise ConfigError(
            f"sources.{name}: is a built-in source and takes no type; choose another name"
        )
    if not table.type:
        known = ", ".join(sorted(classes))
        raise ConfigError(
            f'sources.{name}: no such source; known: {known}. For another program set type = "jsonl" or "notes"'
        )
    if not table.roots:
        raise ConfigError(f"sources.{name}: roots: expected at least one folder or file")
    roots = _roots(name, table)
    if table.type == "notes":
        return Notes(name, roots, limits, pattern=table.pattern)
    return GenericJsonLines(name, roots, limits, pattern=table.pattern, fields=table.fields)

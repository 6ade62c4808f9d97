"""config.toml <-> frozen dataclasses: the one truth about every option and its default.

Units stand in the key names. An unknown key or a wrong type is an error that names file, table, key,
what was expected and what was found. The shipped config.toml lists every key (a test compares).
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from memoryd.errors import ConfigError

_TOO_MUCH = 1 << 62
_DAY_TIME = re.compile(r"([01]?\d|2[0-3]):[0-5]\d", re.ASCII)

# Keys whose type does not say all: what fits, and how to say so.
_RULES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "ingest.rescan_seconds": ("at least 1", lambda seconds: seconds >= 1),
    "ingest.max_line_bytes": (
        "at least 1",
        lambda count: count >= 1,
    ),  # 0 would keep every line aside
    "nightly.at": ("a time of day like '03:30'", lambda at: bool(_DAY_TIME.fullmatch(at))),
    "consolidation.max_change_percent": ("0 to 100", lambda percent: percent <= 100),  # noqa: PLR2004 - a percentage
    "memory.confidence_floor": ("0 to 1", lambda confidence: confidence <= 1),
}


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """One source: `[sources.<name>]`. A new name with *type* jsonl or notes makes a generic source."""

    enabled: bool = True
    roots: tuple[str, ...] = ()  # empty: the agent's default places
    type: Literal["", "jsonl", "notes"] = ""
    pattern: str = ""  # generic sources: which files, e.g. "**/*.jsonl"
    fields: Mapping[str, str] = field(default_factory=dict)  # jsonl: our name -> their dotted name


@dataclass(frozen=True, slots=True)
class SourcesConfig:
    """`[sources]`: discover, and one table a source."""

    discover: bool = True
    by_name: Mapping[str, SourceConfig] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IngestConfig:
    """How transcripts are read."""

    rescan_seconds: float = 300.0
    tool_output_chars: int = 2000
    max_line_bytes: int = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class NightlyConfig:
    """When the nightly run is due, in local time (02:30 would happen twice on one night a year)."""

    at: str = "03:30"


@dataclass(frozen=True, slots=True)
class ConsolidationConfig:
    """What one run may change."""

    max_change_percent: float = 20.0


@dataclass(frozen=True, slots=True)
class RewriterConfig:
    """The optional language model that words merges more densely; off without a url."""

    url: str = ""
    model: str = ""
    key_variable: str = ""
    timeout_seconds: float = 20.0
    tries: int = 2
    max_tokens: int = 200
    token_budget: int = 50_000


@dataclass(frozen=True, slots=True)
class RetentionConfig:
    """When entries leave memory; nothing leaves without a reason and a way back."""

    episodic_ttl_days: float = 90.0
    unread_days: float = 60.0
    quota: int = 1000
    grace_days: float = 7.0
    archive_days: float = 30.0


@dataclass(frozen=True, slots=True)
class HistoryConfig:
    """How long messages are kept: for ever, unless a limit is set (0: none)."""

    keep_days: float = 0.0
    max_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ArchiveConfig:
    """How much room copies of raw transcripts may take; 0 keeps none."""

    max_bytes: int = 2_000_000_000


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """How entries of the bank are found."""

    decay_per_day: float = 0.01
    confidence_floor: float = 0.3


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """Which engine makes vectors."""

    engine: Literal["auto", "sentence-transformers", "embedded", "none"] = "auto"
    model: str = ""


@dataclass(frozen=True, slots=True)
class FilesConfig:
    """Memory files that may be rewritten without asking."""

    approve: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be configured."""

    sources: SourcesConfig = field(default_factory=SourcesConfig)
    ingest: IngestConfig = field(default_factory=IngestConfig)
    nightly: NightlyConfig = field(default_factory=NightlyConfig)
    consolidation: ConsolidationConfig = field(default_factory=ConsolidationConfig)
    rewriter: RewriterConfig = field(default_factory=RewriterConfig)
    retention: RetentionConfig = field(default_factory=RetentionConfig)
    history: HistoryConfig = field(default_factory=HistoryConfig)
    archive: ArchiveConfig = field(default_factory=ArchiveConfig)
    memory: MemoryConfig = field(default_factory=MemoryConfig)
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    files: FilesConfig = field(default_factory=FilesConfig)


def differing_keys(before: Any, after: Any, table: str = "") -> list[str]:
    """Dotted names of the keys whose values differ between two configurations."""
    if not is_dataclass(before):
        return [table] if before != after else []
    return [
        name
        for one in fields(before)
        for name in differing_keys(
            getattr(before, one.name), getattr(after, one.name), _dotted(table, one.name)
        )
    ]


def load_config(path: Path) -> Config:
    """Read a configuration file.

    Raises:
        ConfigError: unreadable, not TOML, an unknown key, or a value of the wrong type.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    return parse_config(data, str(path))


def parse_config(data: Mapping[str, Any], where: str) -> Config:
    """Turn parsed TOML into a Config; *where* names the file in messages."""
    data = dict(data)
    sources = _parse_sources(data.pop("sources", {}), where)
    config: Config = _build(Config, data, where, "")
    return Config(
        **{f.name: getattr(config, f.name) for f in fields(Config) if f.name != "sources"},
        sources=sources,
    )


def _parse_sources(data: object, where: str) -> SourcesConfig:
    if not isinstance(data, Mapping):
        raise ConfigError(f"{where}: sources: expected a table, got {data!r}")
    by_name = {
        name: _build(SourceConfig, value, where, f"sources.{name}")
        for name, value in data.items()
        if isinstance(value, Mapping)
    }
    plain = {name: value for name, value in data.items() if name not in by_name}
    base: SourcesConfig = _build(SourcesConfig, plain, where, "sources", hidden={"by_name"})
    return SourcesConfig(discover=base.discover, by_name=by_name)


def _build(
    kind: Any, data: object, where: str, table: str, hidden: frozenset[str] | set[str] = frozenset()
) -> Any:
    if not isinstance(data, Mapping):
        raise ConfigError(f"{where}: {table}: expected a table, got {data!r}")
    hints = get_type_hints(kind)
    known = [f for f in fields(kind) if f.name not in hidden]
    for key in data:
        if key not in {f.name for f in known}:
            names = ", ".join(sorted(f.name for f in known))
            raise ConfigError(f"{where}: unknown key {_dotted(table, key)}; known here: {names}")
    values = {
        f.name: _convert(hints[f.name], data[f.name], where, _dotted(table, f.name))
        for f in known
        if f.name in data
    }
    return kind(**values)


def _dotted(table: str, key: str) -> str:
    return f"{table}.{key}" if table else key


def _convert(hint: Any, value: object, where: str, key: str) -> object:
    if is_dataclass(hint):
        return _build(hint, value, where, key)
    fits, expected = _check(hint, value)
    if fits and key in _RULES:
        expected, rule = _RULES[key]
        fits = rule(value)
    if not fits:
        raise ConfigError(f"{where}: {key}: expected {expected}, got {value!r}")
    if isinstance(value, list):
        return tuple(value)
    return float(value) if hint is float else value  # type: ignore[arg-type] # a number fits


def _check(hint: Any, value: object) -> tuple[bool, str]:
    """Does a value of TOML fit a field, and what would?"""
    origin = get_origin(hint)
    if origin is Literal:
        return value in get_args(hint), " | ".join(repr(choice) for choice in get_args(hint))
    if origin is tuple:
        return isinstance(value, list) and _are_texts(value), "a list of strings"
    if origin is not None:
        return isinstance(value, Mapping) and _are_texts(value.values()), "a table of strings"
    if hint in (int, float):
        return _is_number(value, hint), f"{hint.__name__}, not negative"
    if hint is str:
        return _are_texts([value]), "str without NUL"
    return isinstance(value, hint), hint.__name__


def _are_texts(values: Iterable[object]) -> bool:
    """Texts; most are paths or go where C reads them, so that none may hold a NUL."""
    return all(isinstance(value, str) and "\0" not in value for value in values)


def _is_number(value: object, hint: type) -> bool:
    """No amount, time or share of ours is negative, endless or beyond what SQLite and floats hold."""
    kinds = (int, float) if hint is float else (int,)
    return type(value) in kinds and 0 <= value < _TOO_MUCH  # type: ignore[operator] # it is a number

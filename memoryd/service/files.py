"""Memory files, looking only: which there are, what the agent really loads, what is wrong, what it should load."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import SourceError, StoreError, UsageError
from memoryd.memory_files.budgets import plan_loading
from memoryd.memory_files.checks import FilesReport, Total, check_files, join_reports
from memoryd.memory_files.discovery import Place, discover_files, find_place
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.ledger import NAMESPACE, OWNER, LedgerRecord, ledger_key, parse_record
from memoryd.memory_files.problems import Evidence
from memoryd.memory_files.profiles import find_profile
from memoryd.memory_files.reading import read_file
from memoryd.memory_files.snapshots import make_snapshot
from memoryd.sources.ledger import read_ledger
from memoryd.store.bank import get_entry, list_entries, namespaces
from memoryd.store.connection import DATABASE_NAME, Connection
from memoryd.store.reader import Reader
from memoryd.store.settings import get_setting

Group = tuple[Place, tuple[MemoryFile, ...]]


def known_groups(paths: Sequence[Path], profile: str | None) -> list[Group]:
    """The files a person named, or every known one, by the place (agent) they belong to.

    Raises:
        UsageError: a named file or profile is not there.
    """
    if not paths:
        places = discover_files(os.environ, Path.home())
        wanted = None if profile is None else find_profile(profile).name
        return [
            (place, tuple(read_file(path, missing_ok=True) for path in place.files))
            for place in places
            if wanted in (None, place.profile.name)
        ]
    groups: dict[tuple[str, Path], tuple[Place, list[MemoryFile]]] = {}
    for path in _expand(paths):
        file = read_file(path)
        place = find_place(path, os.environ, Path.home(), profile=profile, data=file.data or b"")
        groups.setdefault((place.profile.name, place.root), (place, []))[1].append(file)
    return [(place, tuple(files)) for place, files in groups.values()]


def _expand(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
        if path.is_dir():
            yield from sorted(found for found in path.glob("*.md") if found.is_file())
        else:
            yield path


def describe_files(paths: Sequence[Path], profile: str | None) -> list[dict[str, Any]]:
    """The known files with what they use of their limit."""
    return [
        {
            "path": str(loading.file.path),
            "profile": place.profile.name,
            "unit": loading.unit,
            "used": loading.raw,
            "limit": loading.limit,
            "percent": None if not loading.limit else round(100 * loading.raw / loading.limit),
        }
        for place, files in known_groups(paths, profile)
        for loading in plan_loading(files, place.profile)
        if loading.file.data is not None
    ]


def check(home: Path, paths: Sequence[Path], profile: str | None) -> dict[str, Any]:
    """The doctor for "why does my agent not remember", in the fields of the contract."""
    evidence = bank_evidence(home)
    reports = [
        check_files(
            files, place.profile, ledger=ledger_of(place, files)[0], evidence=evidence(files)
        )
        for place, files in known_groups(paths, profile)
    ]
    joined = join_reports(reports) if reports else FilesReport((), Total(0, None), ok=True)
    return {
        "files": [_file_json(asdict(report)) for report in joined.files],
        "total": asdict(joined.total),
        "ok": joined.ok,
    }


def _file_json(report: dict[str, Any]) -> dict[str, Any]:
    return {
        **report,
        "cut_entries": list(report["cut_entries"]),
        "problems": list(report["problems"]),
    }


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


def bank_evidence(home: Path) -> Any:
    """A finder of what the bank knows against entries of files: values that were superseded since."""
    if not (home / DATABASE_NAME).exists():
        return lambda files: ()
    try:
        with Reader(home) as reader:
            pairs = [
                (old.content, new.content)
                for place in namespaces(reader.connection)
                for old in list_entries(reader.connection, place, states=("superseded",))
                if old.superseded_by
                and (new := get_entry(reader.connection, place, old.superseded_by)) is not None
            ]
    except StoreError:
        return lambda files: ()
    return lambda files: tuple(
        Evidence(file.path, old, f"a newer value replaced it: {new}")
        for file in files
        for old, new in pairs
    )


def snapshot(
    paths: Sequence[Path], profile: str | None, context_tokens: int | None, used_tokens: int
) -> str:
    """The text an agent should load at the start of a session, within both limits."""
    return "".join(
        make_snapshot(files, place.profile, context_tokens=context_tokens, used_tokens=used_tokens)
        for place, files in known_groups(paths, profile)
    )


APPROVED = "approved_files"  # the setting that holds what was approved by command


def read_approvals(connection: Connection) -> tuple[str, ...]:
    """Files and profiles that were approved by command."""
    return tuple(json.loads(get_setting(connection, APPROVED) or "[]"))


def approved_names(home: Path, config: Config) -> tuple[str, ...]:
    """Files and profiles that may be rewritten: those of the configuration and those approved by command."""
    if not (home / DATABASE_NAME).exists():
        return config.files.approve
    with Reader(home) as reader:
        return (*config.files.approve, *read_approvals(reader.connection))

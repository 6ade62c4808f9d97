"""The night's work on memory files, and `files sync`: in step with the bank, crowded ones made smaller or named.

Only approved files are written; for the others the report says what would be done.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import MemorydError
from memoryd.memory_files.budgets import plan_loading
from memoryd.memory_files.compaction import TARGET_PERCENT
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.problems import CROWDED_PERCENT
from memoryd.memory_files.reading import read_file
from memoryd.service.file_evidence import view_bank
from memoryd.service.file_places import known_groups
from memoryd.service.file_sync import plan_update, sync_file, write_update
from memoryd.service.file_writing import Opened, open_known
from memoryd.service.filing import compact_opened


def sync_files(
    home: Path,
    config: Config,
    paths: Sequence[Path] = (),
    *,
    profile: str | None = None,
    write: bool = True,
    confirmed: bool = False,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Bring the bank and memory files in step.

    Args:
        paths: these files; else every known one.
        write: also write what the bank knows better into approved files, and make crowded ones smaller.
        confirmed: what vanished from a file all at once was meant to.

    Returns:
        {"files": what was done to each, "proposals": {"path", "kind", "why", "diff"} of what was not written, "errors"}.
    """
    report: dict[str, Any] = {"files": [], "proposals": [], "errors": []}
    for group in known_groups(home, paths, profile):
        for file in group.files:
            if file.data is None or group.place.profile.rule(file.path.name).purpose not in (
                "memory",
                "user",
            ):
                continue
            try:
                opened = open_known(home, config, group.place, file)
                _keep(home, config, opened, report, write and not dry_run, confirmed, dry_run)
            except MemorydError as error:
                report["errors"].append({"path": str(file.path), "reason": str(error)})
    return report


def _keep(
    home: Path,
    config: Config,
    opened: Opened,
    report: dict[str, Any],
    write: bool,
    confirmed: bool,
    dry_run: bool,
) -> None:
    """One file: into the bank, then from the bank, then smaller."""
    path = opened.file.path
    told = sync_file(home, config, opened, confirmed=confirmed, dry_run=dry_run)
    done: dict[str, Any] = {"path": str(path), **told, "runs": []}
    report["files"].append(done)
    if told.get("vanished"):
        return
    update = plan_update(view_bank(home, [path]), opened)
    if update is not None and write and not opened.refusal:
        done["runs"].append(write_update(home, config, opened, update))
        opened = open_known(home, config, opened.place, read_file(path))
    elif update is not None:
        report["proposals"].append(_proposal(opened, "update", update.diff, write))
    if is_crowded(opened):
        smaller = compact_opened(home, config, opened, TARGET_PERCENT, dry_run=not write)
        if smaller["written"]:
            done["runs"].append(smaller["run"])
        elif smaller["diff"]:
            report["proposals"].append(_proposal(opened, "compact", smaller["diff"], write))


def _proposal(opened: Opened, kind: str, diff: str, write: bool) -> dict[str, Any]:
    why = opened.refusal or ("" if write else "dry run")
    return {"path": str(opened.file.path), "kind": kind, "why": why, "diff": diff}


def is_crowded(opened: Opened) -> bool:
    """Is a file so full that it should be made smaller?"""
    data = opened.file.data or b""
    loading = plan_loading([MemoryFile(opened.file.path, data)], opened.profile)[0]
    return bool(loading.limit) and loading.raw * 100 >= (loading.limit or 0) * CROWDED_PERCENT

"""The night's work on memory files, and `files sync`: in step with the bank, crowded ones made smaller or named.

Only approved files are written; for the others, and for what the bank knows better, the report says what would be done.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import MemorydError
from memoryd.memory_files.budgets import plan_loading
from memoryd.memory_files.compaction import TARGET_PERCENT
from memoryd.memory_files.discovery import Place
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.problems import CROWDED_PERCENT
from memoryd.memory_files.reading import read_file
from memoryd.service.files.evidence import view_bank
from memoryd.service.files.filing import compact_opened
from memoryd.service.files.places import known_groups
from memoryd.service.files.syncing import plan_update, sync_file, write_update
from memoryd.service.files.writing import Opened, hold_files, open_known


@dataclass(frozen=True, slots=True)
class Leave:
    """What may be done beside taking entries into the bank.

    Attributes:
        update: write what the bank knows better into approved files.
        compact: make crowded approved files smaller.
        confirmed: what vanished from a file all at once was meant to.
        dry_run: change nothing at all.
    """

    update: bool = False
    compact: bool = False
    confirmed: bool = False
    dry_run: bool = False


def sync_files(
    home: Path,
    config: Config,
    leave: Leave,
    paths: Sequence[Path] = (),
    profile: str | None = None,
) -> dict[str, Any]:
    """Bring the bank and memory files (these, else every known one) in step.

    Returns:
        {"files": what was done to each, "proposals": {"path", "kind", "why", "diff"} of what was not written, "errors"}.
    """
    round_ = _Round(home, config, leave)
    for group in known_groups(home, paths, profile):
        for file in group.files:
            purpose = group.place.profile.rule(file.path.name).purpose
            if file.data is None or purpose not in ("memory", "user"):
                continue
            try:
                round_.keep(group.place, file)
            except MemorydError as error:
                round_.errors.append({"path": str(file.path), "reason": str(error)})
    return {"files": round_.files, "proposals": round_.proposals, "errors": round_.errors}


@dataclass(frozen=True, slots=True)
class _Round:
    """One way through the files, and what is to be told of it."""

    home: Path
    config: Config
    leave: Leave
    files: list[dict[str, Any]] = field(default_factory=list)
    proposals: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)

    def keep(self, place: Place, file: MemoryFile) -> None:
        """One file: into the bank, then from the bank, then smaller."""
        if self.leave.dry_run:
            self._keep(open_known(self.home, self.config, place, file))
            return
        with hold_files(self.home):
            again = read_file(file.path)
            self._keep(open_known(self.home, self.config, place, again))

    def _keep(self, opened: Opened) -> None:
        leave = self.leave
        told = sync_file(
            self.home, self.config, opened, confirmed=leave.confirmed, dry_run=leave.dry_run
        )
        done: dict[str, Any] = {"path": str(opened.file.path), **told, "runs": []}
        self.files.append(done)
        if not told.get("vanished"):
            opened = self._update(opened, done)
            self._compact(opened, done)

    def _update(self, opened: Opened, done: dict[str, Any]) -> Opened:
        path = opened.file.path
        update = plan_update(view_bank(self.home, [path]), opened)
        may = self.leave.update and not self.leave.dry_run
        if update is None:
            return opened
        if not may or opened.refusal:
            self._propose(opened, "update", update.diff, may=may)
            return opened
        done["runs"].append(write_update(self.home, self.config, opened, update))
        return open_known(self.home, self.config, opened.place, read_file(path))

    def _compact(self, opened: Opened, done: dict[str, Any]) -> None:
        if not is_crowded(opened):
            return
        may = self.leave.compact and not self.leave.dry_run
        told = compact_opened(self.home, self.config, opened, TARGET_PERCENT, dry_run=not may)
        if told["written"]:
            done["runs"].append(told["run"])
        elif told["diff"]:
            self._propose(opened, "compact", told["diff"], may=may)

    def _propose(self, opened: Opened, kind: str, diff: str, *, may: bool) -> None:
        why = opened.refusal or ("" if may else "only proposed: memoryd files sync --write")
        self.proposals.append(
            {"path": str(opened.file.path), "kind": kind, "why": why, "diff": diff}
        )


def is_crowded(opened: Opened) -> bool:
    """Is a file so full that it should be made smaller?"""
    data = opened.file.data or b""
    loading = plan_loading([MemoryFile(opened.file.path, data)], opened.profile)[0]
    return bool(loading.limit) and loading.raw * 100 >= (loading.limit or 0) * CROWDED_PERCENT

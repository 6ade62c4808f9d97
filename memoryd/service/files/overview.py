"""Memory files, looking only: which there are, what the agent really loads, what is wrong, what it should load."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.memory_files.budgets import plan_loading
from memoryd.memory_files.checks import FilesReport, Total, check_files, join_reports
from memoryd.memory_files.problems import CROWDED_PERCENT
from memoryd.memory_files.snapshots import make_snapshot
from memoryd.memory_files.tokens import estimate_tokens
from memoryd.service.files.evidence import (
    BankView,
    count_loads,
    file_values,
    gather_evidence,
    view_bank,
)
from memoryd.service.files.links import bank_words, memories
from memoryd.service.files.places import Group, approved_names, known_groups, ledger_of


def describe_files(
    home: Path, config: Config, paths: Sequence[Path], profile: str | None
) -> dict[str, Any]:
    """The known files with what they use of their limit, and what could not be read."""
    groups = known_groups(home, paths, profile)
    approved = approved_names(home, config)
    return {
        "files": [
            {
                "path": str(loading.file.path),
                "profile": group.place.profile.name,
                "unit": loading.unit,
                "used": loading.raw,
                "limit": loading.limit,
                "percent": None if not loading.limit else loading.raw * 100 // loading.limit,
                "crowded": bool(loading.limit)
                and loading.raw * 100 >= (loading.limit or 0) * CROWDED_PERCENT,
                "approved": {str(loading.file.path), group.place.profile.name} & {*approved}
                != set(),
            }
            for group in groups
            for loading in plan_loading(group.files, group.place.profile)
            if loading.file.data is not None
        ],
        "unreadable": _unreadable(groups),
    }


def files_holding(home: Path, text: str) -> list[str]:
    """Paths of the known memory files that hold a text, case aside."""
    folded = text.casefold()
    return sorted(
        str(file.path)
        for group in known_groups(home, (), None)
        for file in group.files
        if file.data is not None and folded in file.text.casefold()
    )


def _unreadable(groups: Sequence[Group]) -> list[dict[str, str]]:
    return [
        {"path": str(path), "reason": reason}
        for group in groups
        for path, reason in group.unreadable
    ]


def check(home: Path, paths: Sequence[Path], profile: str | None) -> dict[str, Any]:
    """The doctor for "why does my agent not remember", in the fields of the contract."""
    groups = known_groups(home, paths, profile)
    bank = view_bank(home, [file.path for group in groups for file in group.files])
    reports = [_check_group(group, bank) for group in groups]
    joined = join_reports(reports) if reports else FilesReport((), Total(0, None), ok=True)
    return {
        "files": [asdict(report) for report in joined.files],
        "total": asdict(joined.total),
        "unreadable": _unreadable(groups),
        "ok": joined.ok,
    }


def _check_group(group: Group, bank: BankView) -> FilesReport:
    profile = group.place.profile
    return check_files(
        group.files,
        profile,
        ledger=ledger_of(group.place, group.files)[0],
        evidence=gather_evidence(bank, group.files, profile),
    )


def snapshot(
    home: Path,
    config: Config,
    paths: Sequence[Path],
    profile: str | None,
    *,
    context_tokens: int | None,
    used_tokens: int,
    session: str | None = None,
) -> str:
    """The text an agent should load at the start of a session, within both limits; a use of what is in it."""
    groups = known_groups(home, paths, profile)
    bank = view_bank(home, [file.path for group in groups for file in group.files])
    texts: list[str] = []
    for group in groups:
        text = make_snapshot(
            group.files,
            group.place.profile,
            context_tokens=context_tokens,
            used_tokens=used_tokens,
            values=file_values(bank, group.files, group.place.profile),
        )
        texts.append(text)
        used_tokens += round(estimate_tokens(text))
    text = "\n".join(one for one in texts if one)
    loaded = [
        one for group, part in zip(groups, texts, strict=True) for one in _loaded(bank, group, part)
    ]
    count_loads(home, config, loaded, session or f"shell-{os.getsid(0)}")
    return text


def _loaded(bank: BankView, group: Group, text: str) -> list[str]:
    """The bank's entries behind what stands in a snapshot."""
    found = []
    for file in group.files:
        rule = group.place.profile.rule(file.path.name)
        for one in memories(file, group.place.profile):
            words = bank_words(one.heading, one.content, file.path.name, rule)
            entry = bank.find(file.path, one, words) if one.content in text else None
            if entry is not None:
                found.append(bank.holder(entry).id)
    return list(dict.fromkeys(found))

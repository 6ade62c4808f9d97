"""The doctor for "why does my agent not remember": what is loaded, what is cut, and what is wrong with it.

Pure: files, limits (in the profile), the agent's ledger and the bank's evidence come in as values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from memoryd.memory_files.budgets import Cause, Loading, plan_loading
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.folding import first_words, fold
from memoryd.memory_files.ledger import LedgerRecord
from memoryd.memory_files.problems import Case, Evidence, Problem, examined, find_problems, list_cut
from memoryd.memory_files.profiles import Profile
from memoryd.memory_files.units import Unit


@dataclass(frozen=True, slots=True)
class FileReport:
    """What one file costs and loses. Field names are those of the command-line contract.

    Attributes:
        raw, limit, loaded, kept_head, kept_tail: in *unit*; kept_* are None when nothing is cut.
        percent: raw of limit, None without a limit.
        cause: why it is cut, or why nothing of it is loaded at the start of a session.
        cut_entries: the first words of every entry that is not loaded whole.
    """

    path: str
    profile: str
    unit: Unit
    raw: int
    limit: int | None
    percent: int | None
    loaded: int
    kept_head: int | None
    kept_tail: int | None
    cause: Cause | None
    cut_entries: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Total:
    """What all files take together; limit is None where the agent sets none."""

    used: int
    limit: int | None


@dataclass(frozen=True, slots=True)
class FilesReport:
    """The doctor's answer; *ok* is False when anything is cut or over its budget."""

    files: tuple[FileReport, ...]
    total: Total
    ok: bool


def check_files(
    files: Sequence[MemoryFile],
    profile: Profile,
    *,
    ledger: Mapping[Path, LedgerRecord] | None = None,
    evidence: Sequence[Evidence] = (),
) -> FilesReport:
    """Examine memory files of one agent.

    Args:
        files: those of one folder are budgeted together, in the profile's order.
        profile: with the limits of the agent's own configuration (`Profile.with_limits`).
        ledger: OpenClaw's records by path, see `ledger`.
        evidence: contradictions and paraphrases that the bank knows of.
    """
    loadings = [loading for group in _by_folder(files) for loading in plan_loading(group, profile)]
    cases = [_open_case(loading, profile, ledger or {}, evidence) for loading in loadings]
    shared = _find_shared(cases)
    reports = tuple(_report(case, shared.get(case.loading.file.path, ())) for case in cases)
    folders = {loading.file.path.parent for loading in loadings if loading.rule.at_start}
    return FilesReport(
        reports,
        Total(
            sum(loading.loaded for loading in loadings),
            None if profile.total is None else profile.total * max(1, len(folders)),
        ),
        not any(loading.is_over for loading in loadings),
    )


def join_reports(reports: Iterable[FilesReport]) -> FilesReport:
    """One report of several agents' files; the total has a limit only if every agent's has."""
    parts = tuple(reports)
    limits = [part.total.limit for part in parts]
    known = [limit for limit in limits if limit is not None]
    return FilesReport(
        tuple(report for part in parts for report in part.files),
        Total(
            sum(part.total.used for part in parts),
            sum(known) if len(known) == len(limits) else None,
        ),
        all(part.ok for part in parts),
    )


def _by_folder(files: Sequence[MemoryFile]) -> Iterator[list[MemoryFile]]:
    folders = [file.path.parent for file in files]
    ordered = sorted(files, key=lambda file: folders.index(file.path.parent))
    for _, group in groupby(ordered, key=lambda file: file.path.parent):
        yield list(group)


def _open_case(
    loading: Loading,
    profile: Profile,
    ledger: Mapping[Path, LedgerRecord],
    evidence: Sequence[Evidence],
) -> Case:
    path = loading.file.path
    document = profile.parse(path.name, examined(loading.file.text))
    return Case(loading, document, profile, ledger.get(path), evidence)


def _find_shared(cases: Sequence[Case]) -> dict[Path, list[Problem]]:
    """Entries that an earlier file of the same agent says too; topic notes repeat on purpose."""
    first: dict[str, Case] = {}
    problems: dict[Path, list[Problem]] = {}
    for case in cases:
        if not case.loading.rule.at_start:
            continue
        for folded, content in {
            fold(piece.content): piece.content for piece in case.document.entries
        }.items():
            known = first.setdefault(folded, case)
            if folded and known is not case:
                problems.setdefault(case.loading.file.path, []).append(
                    Problem(
                        "duplicate",
                        f"{case.name} repeats what {known.name} says: {first_words(content)}",
                        f"keep it in {known.name} or here, not in both",
                    )
                )
    return problems


def _report(case: Case, shared: Sequence[Problem]) -> FileReport:
    loading = case.loading
    return FileReport(
        path=str(loading.file.path),
        profile=case.profile.name,
        unit=loading.unit,
        raw=loading.raw,
        limit=loading.limit,
        percent=loading.raw * 100 // loading.limit if loading.limit else None,
        loaded=loading.loaded,
        kept_head=loading.cut.head,
        kept_tail=loading.cut.tail,
        cause=loading.cause,
        cut_entries=tuple(first_words(piece.content) for piece in list_cut(case)),
        problems=(*find_problems(case), *shared),
    )

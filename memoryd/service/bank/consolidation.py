"""Consolidation, end to end: a plan over a read-only view, in this process, then one commit by the writer."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import structlog

from memoryd.config import Config
from memoryd.errors import RewriteError
from memoryd.memory.consolidation import (
    ConsolidationPlan,
    ConsolidationPolicy,
    Merge,
    Supersede,
    merge_changes,
    plan_consolidation,
    supersede_changes,
)
from memoryd.model import Entry
from memoryd.rewriter import Rewriter
from memoryd.service.bank.changes import Changes, Group, group_texts, write_changes
from memoryd.service.bank.twins import says_the_same
from memoryd.service.commands import carry_out
from memoryd.service.writer import utc_now
from memoryd.store.bank import list_entries, namespaces
from memoryd.store.entry_rows import stamp
from memoryd.store.reader import Reader
from memoryd.store.vector_rows import current_generation, entry_vectors

log = structlog.get_logger()

KEPT_EXAMPLES = 20  # of what a run did not do, in its record
LOW_PRIORITY = 10  # the planner gives way to everything else


def consolidate(
    home: Path, config: Config, namespace: str | None, *, dry_run: bool
) -> dict[str, Any]:
    """Merge what says the same and supersede what was replaced, in one namespace or each on its own.

    Returns:
        The document of the contract; with *dry_run* exactly the plan that would run, and `run` is null.
    """
    started, now = time.perf_counter(), utc_now()
    with suppress(OSError):
        os.nice(LOW_PRIORITY)
    run = f"c-{now:%Y%m%d}-{uuid4().hex[:8]}"
    policy = ConsolidationPolicy(max_change_percent=config.consolidation.max_change_percent)
    settings = config.rewriter
    rewriter = (
        Rewriter(settings, os.environ.get(settings.key_variable, "")) if settings.url else None
    )
    with Reader(home) as reader:
        places = namespaces(reader.connection) if namespace is None else [namespace]
        planned = [(place, *_plan(reader, place, policy, now, rewriter)) for place in places]
    report = make_report(planned)
    if not dry_run:
        report |= _commit(
            home, config, Changes(run, "consolidate", namespace, now, report, *_changes(planned))
        )
    return {
        "run": None if dry_run else run,
        "dry_run": dry_run,
        **report,
        "seconds": round(time.perf_counter() - started, 3),
    }


Planned = tuple[str, dict[str, Entry], ConsolidationPlan]


def _plan(
    reader: Reader,
    namespace: str,
    policy: ConsolidationPolicy,
    now: datetime,
    rewriter: Rewriter | None,
) -> tuple[dict[str, Entry], ConsolidationPlan]:
    """Plan over every entry: those not active serve as lineage."""
    entries = list_entries(reader.connection, namespace, states=())
    plan = plan_consolidation(entries, _vectors(reader, namespace), policy, now)
    by_id = {entry.id: entry for entry in entries}
    return by_id, plan if rewriter is None else replace(
        plan, merges=_reword(plan.merges, by_id, rewriter)
    )


def _reword(
    merges: Sequence[Merge], entries: Mapping[str, Entry], rewriter: Rewriter
) -> tuple[Merge, ...]:
    """Merges in the language model's words, where those are shorter and say exactly the same."""
    reworded = []
    for merge in merges:
        members = [entries[merge.into], *(entries[one] for one in merge.from_ids)]
        try:
            text = rewriter.rewrite([member.content for member in members])
        except RewriteError as error:
            log.info("rewrite_failed", error=str(error))
            reworded.append(merge)
            continue
        accepted = len(text) < len(merge.content) and says_the_same(text, merge.content)
        log.info("rewrite_judged", accepted=accepted)
        saved = merge.saved_chars + len(merge.content) - len(text)
        reworded.append(replace(merge, content=text, saved_chars=saved) if accepted else merge)
    return tuple(reworded)


def _vectors(reader: Reader, namespace: str) -> dict[str, Any] | None:
    """Vectors of the active entries, float16 of unit length, by entry id; None if there are none."""
    generation = current_generation(reader.connection)
    packed = entry_vectors(reader.connection, generation.id, namespace) if generation else {}
    if generation is None or not packed:
        return None
    from memoryd.embedding.vectors import unpack  # noqa: PLC0415 - numpy, only where vectors are

    # They only propose pairs: half of the digits do, in half of the memory.
    halves = unpack(list(packed.values()), generation.dimension).astype("float16")
    return dict(zip(packed, halves, strict=True))


def make_report(planned: Sequence[Planned]) -> dict[str, Any]:
    """The plans of every namespace as one document of the contract."""
    report: dict[str, Any] = {
        "merges": [],
        "supersedes": [],
        "conflicts": [],
        "vetoes": [],
        "held_back": [],
        "counts": {},
    }
    for namespace, _, plan in planned:
        where = {"namespace": namespace}
        report["merges"] += [_merge_json(one) | where for one in plan.merges]
        report["supersedes"] += [_supersede_json(one) | where for one in plan.supersedes]
        report["conflicts"] += [asdict(one) | where for one in plan.conflicts]
        report["vetoes"] += [asdict(one) | where for one in plan.vetoes]
        report["held_back"] += [
            _action_json(one.action) | {"why": one.reason} | where for one in plan.held_back
        ]
        for name, count in plan.counts.items():
            report["counts"][name] = report["counts"].get(name, 0) + count
    return report


def _action_json(action: Merge | Supersede) -> dict[str, Any]:
    return _merge_json(action) if isinstance(action, Merge) else _supersede_json(action)


def _merge_json(merge: Merge) -> dict[str, Any]:
    return {
        "into": merge.into,
        "from": list(merge.from_ids),
        "content": merge.content,
        "saved_chars": merge.saved_chars,
        "cited": [asdict(clause) for clause in merge.clauses],
        "reason": merge.reason,
    }


def _supersede_json(supersede: Supersede) -> dict[str, Any]:
    return {
        "old": supersede.old,
        "new": supersede.new,
        "attribute": supersede.attribute,
        "since": stamp(supersede.since),
    }


def _changes(
    planned: Sequence[Planned],
) -> tuple[list[Group], list[tuple[str, str, str, str]]]:
    """Groups in the order of the report: every merge, then every supersede.

    Each group begins with what the groups before it leave: an entry may be the newer value of one and the older of another.
    """
    latest = [dict(entries) for _, entries, _ in planned]
    merges = [
        _done(_merge_group(one, entries), entries)
        for entries, (_, _, plan) in zip(latest, planned, strict=True)
        for one in plan.merges
    ]
    supersedes = [
        _done(_supersede_group(one, entries), entries)
        for entries, (_, _, plan) in zip(latest, planned, strict=True)
        for one in plan.supersedes
    ]
    conflicts = [
        (place, one.a, one.b, one.reason) for place, _, plan in planned for one in plan.conflicts
    ]
    return [*merges, *supersedes], conflicts


def _done(group: Group, latest: dict[str, Entry]) -> Group:
    latest |= {after.id: after for _, after in group.changes}
    return group


def _merge_group(merge: Merge, entries: Mapping[str, Entry]) -> Group:
    changes = merge_changes(merge, entries)
    return Group(merge.reason, changes, group_texts((one for one, _ in changes), merge.into))


def _supersede_group(supersede: Supersede, entries: Mapping[str, Entry]) -> Group:
    changes = supersede_changes(supersede, entries)
    _, (new, _) = changes
    return Group(f"{supersede.attribute}: a newer value", changes, ((new.content, new.id),))


def _shortened(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is kept of a report: the same thousands of pairs are kept apart every night; `counts` tells how many."""
    cut = {name: report[name][:KEPT_EXAMPLES] for name in ("vetoes", "held_back")}
    return {**report, **cut}


def _commit(home: Path, config: Config, changes: Changes) -> dict[str, Any]:
    """Have the writer commit; groups it dropped leave the report for `held_back`."""
    path = write_changes(replace(changes, report=_shortened(changes.report)), home)
    try:
        answer = carry_out(home, config, "changes.commit", {"path": str(path)})
    finally:
        path.unlink(missing_ok=True)
    merges, supersedes, held = [], [], list(changes.report["held_back"])
    for number, one in enumerate([*changes.report["merges"], *changes.report["supersedes"]]):
        why = answer["dropped"].get(str(number))
        if why is not None:
            held.append(one | {"why": why})
        elif "into" in one:
            merges.append(one)
        else:
            supersedes.append(one)
    return {"merges": merges, "supersedes": supersedes, "held_back": held}

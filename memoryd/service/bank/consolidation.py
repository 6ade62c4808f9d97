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
    Veto,
    merge_changes,
    plan_consolidation,
    supersede_changes,
)
from memoryd.memory.consolidation.apart import KeptApart
from memoryd.memory.consolidation.plan import Clause
from memoryd.model import Entry
from memoryd.rewriter import Rewriter
from memoryd.service.bank.apart import APART_PREFIX
from memoryd.service.bank.changes import CONSOLIDATE, Changes, write_changes
from memoryd.service.bank.groups import Group, Refusal, foresee, group_texts
from memoryd.service.bank.twins import says_the_same
from memoryd.service.commands import carry_out
from memoryd.service.resources import few_collections
from memoryd.service.writer import utc_now
from memoryd.store.apart import find_apart
from memoryd.store.bank import list_entries, namespaces, revision
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
    with Reader(home, or_empty=True) as reader, few_collections():
        places = namespaces(reader.connection) if namespace is None else [namespace]
        seen = revision(reader.connection)
        planned = [(place, *_plan(reader, place, policy, now, rewriter)) for place in places]
        groups, refused = _groups(reader, planned)
    planned_report = make_report(planned)
    dropped = {number: refusal.why for number, refusal in refused.items()}
    report = _held_back(planned_report, dropped)
    if not dry_run:
        doing, conflicts = list(groups.values()), _conflicts(planned)
        changes = Changes(run, CONSOLIDATE, namespace, now, report, doing, conflicts, seen)
        late = dict(zip(groups, _commit(home, config, changes), strict=True))
        dropped |= {number: why for number, why in late.items() if why is not None}
        report = _held_back(planned_report, dropped)
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
    apart = find_apart(reader.connection, namespace)
    plan = plan_consolidation(entries, _vectors(reader, namespace), policy, now, apart)
    by_id = {entry.id: entry for entry in entries}
    if rewriter is None:
        return by_id, plan
    merges = _reword(plan.merges, by_id, rewriter, KeptApart(apart, by_id))
    return by_id, replace(plan, merges=merges)


def _reword(
    merges: Sequence[Merge], entries: Mapping[str, Entry], rewriter: Rewriter, kept: KeptApart
) -> tuple[Merge, ...]:
    """Merges in the language model's words, where those are shorter and say exactly the same.

    What a person keeps apart from others is known by its words, and keeps them.
    """
    reworded = []
    for merge in merges:
        ids = (merge.into, *merge.from_ids)
        if kept.sides(ids):
            reworded.append(merge)
            continue
        members = [entries[one] for one in ids]
        try:
            text = rewriter.rewrite([member.content for member in members])
        except RewriteError as error:
            log.info("rewrite_failed", error=str(error))
            reworded.append(merge)
            continue
        accepted = len(text) < len(merge.content) and says_the_same(text, merge.content)
        log.info("rewrite_judged", accepted=accepted)
        reworded.append(_in_words(merge, text) if accepted else merge)
    return tuple(reworded)


def _in_words(merge: Merge, text: str) -> Merge:
    saved = merge.saved_chars + len(merge.content) - len(text)
    clause = Clause(text, merge.into, 0, len(text))
    return replace(merge, content=text, clauses=(clause,), saved_chars=saved)


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
        report["vetoes"] += [_veto_json(one) | where for one in plan.vetoes]
        report["held_back"] += [
            _action_json(one.action) | {"why": one.reason} | where for one in plan.held_back
        ]
        for name, count in plan.counts.items():
            report["counts"][name] = report["counts"].get(name, 0) + count
    return report


def _action_json(action: Merge | Supersede) -> dict[str, Any]:
    return _merge_json(action) if isinstance(action, Merge) else _supersede_json(action)


def _veto_json(veto: Veto) -> dict[str, Any]:
    """A pair that a person keeps apart tells what lifts that, too."""
    told = asdict(veto)
    number = told.pop("apart")
    return told if number is None else told | {"apart": f"{APART_PREFIX}{number}"}


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


def _groups(
    reader: Reader, planned: Sequence[Planned]
) -> tuple[dict[int, Group], dict[int, Refusal]]:
    """What will be done, in order, and what will not, each by its number in the report: every merge, then every supersede.

    Each group begins with what the groups before it leave: an entry may be the newer value of one and the older of another.
    What the search would not allow is tried again once something leaves that stood in its way.
    """
    latest = [dict(entries) for _, entries, _ in planned]
    actions = [
        (entries, action)
        for part in ("merges", "supersedes")
        for entries, (_, _, plan) in zip(latest, planned, strict=True)
        for action in getattr(plan, part)
    ]
    gone: set[str] = set()
    groups: dict[int, Group] = {}
    refused: dict[int, Refusal] = {}
    done = -1
    while (
        done < len(groups) < len(actions)
    ):  # a round in which nothing more can be done is the last
        done = len(groups)
        waiting: set[str] = set()  # what is to become one, but has not
        for number, (entries, action) in enumerate(actions):
            if number in groups:
                continue
            group = _group(action, entries)
            ids = {after.id for _, after in group.changes}
            refusal = refused.pop(number, None)
            if refusal is None or refusal == _WAITS or refusal.rivals & gone:
                refusal = _WAITS if ids & waiting else _foresee(reader, group, gone)
            if refusal is None:
                groups[number] = group
                entries |= {after.id: after for _, after in group.changes}
                continue
            refused[number] = refusal
            if isinstance(action, Merge):
                waiting |= ids
    return groups, refused


_WAITS = Refusal("waits for a merge that was held back")


def _foresee(reader: Reader, group: Group, gone: set[str]) -> Refusal | None:
    """Other words than those in the index (a language model's) are left to the writer."""
    return foresee(reader.connection, group, gone) if group.keeps_words else None


def _conflicts(planned: Sequence[Planned]) -> list[tuple[str, str, str, str]]:
    return [
        (place, one.a, one.b, one.reason) for place, _, plan in planned for one in plan.conflicts
    ]


def _group(action: Merge | Supersede, entries: Mapping[str, Entry]) -> Group:
    if isinstance(action, Merge):
        return _merge_group(action, entries)
    return _supersede_group(action, entries)


def _merge_group(merge: Merge, entries: Mapping[str, Entry]) -> Group:
    changes = merge_changes(merge, entries)
    return Group(merge.reason, changes, group_texts(changes, merge.into))


def _supersede_group(supersede: Supersede, entries: Mapping[str, Entry]) -> Group:
    changes = supersede_changes(supersede, entries)
    _, (new, _) = changes
    return Group(f"{supersede.attribute}: a newer value", changes, ((new.content, new.id),))


def _shortened(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is kept of a report: the same thousands of pairs are kept apart every night; `counts` tells how many."""
    cut = {name: report[name][:KEPT_EXAMPLES] for name in ("vetoes", "held_back")}
    return {**report, **cut}


def _commit(home: Path, config: Config, changes: Changes) -> list[str | None]:
    """Have the writer commit; for each group why it was dropped, None if it was not."""
    path = write_changes(replace(changes, report=_shortened(changes.report)), home)
    try:
        answer = carry_out(home, config, "changes.commit", {"path": str(path)})
    finally:
        path.unlink(missing_ok=True)
    return [answer["dropped"].get(str(number)) for number in range(len(changes.groups))]


def _held_back(report: Mapping[str, Any], dropped: Mapping[int, str]) -> dict[str, Any]:
    """Move what will not be done, by its number among merges and supersedes, to `held_back`."""
    done: dict[str, list[Any]] = {"merges": [], "supersedes": []}
    held = list(report["held_back"])
    for number, one in enumerate([*report["merges"], *report["supersedes"]]):
        if number in dropped:
            held.append(one | {"why": dropped[number]})
        else:
            done["merges" if "into" in one else "supersedes"].append(one)
    counts = {
        "merged": sum(len(one["from"]) for one in done["merges"]),
        "superseded": len(done["supersedes"]),
        "held_back": len(held),
        "saved_chars": sum(one["saved_chars"] for one in done["merges"]),
    }
    return {**report, **done, "held_back": held, "counts": {**report["counts"], **counts}}

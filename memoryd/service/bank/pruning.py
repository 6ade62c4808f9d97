"""Retention, end to end: a plan over a read-only view, then one commit by the writer."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from memoryd.config import Config, RetentionConfig
from memoryd.memory.retention import (
    ARCHIVED_AT,
    ARCHIVED_BECAUSE,
    RetentionPlan,
    RetentionPolicy,
    Retire,
    Use,
    plan_retention,
)
from memoryd.model import Entry
from memoryd.service.bank.changes import Changes, write_changes
from memoryd.service.bank.groups import Group
from memoryd.service.bank.remembering import new_id
from memoryd.service.clock import has_jumped
from memoryd.service.commands import carry_out
from memoryd.service.writer import utc_now
from memoryd.store.bank import SEARCH, accesses, list_entries, namespaces
from memoryd.store.reader import Reader

DIGEST_CHARACTERS = 100  # of each demoted entry, in the line that remembers it
LISTS = {"expired": "expired", "demoted": "archived", "evicted": "evicted"}


def prune(
    home: Path,
    config: Config,
    *,
    dry_run: bool,
    confirmed: bool = False,
    held: Collection[str] = (),
) -> dict[str, Any]:
    """Put what its rules say into the archive, in every namespace; the document of the contract.

    A namespace in which too much is due at once, or any after a jump of the clock, waits for `confirmed`. Limits of the
    history, where some are set, are applied too, with brakes of their own. *held*: ids that stand in memory files.
    """
    started, now = time.perf_counter(), utc_now()
    jumped = has_jumped(home)
    if jumped and confirmed and not dry_run:
        carry_out(home, config, "clock.trust", {})
    run = f"p-{now:%Y%m%d}-{uuid4().hex[:8]}"
    with Reader(home, or_empty=True) as reader:
        plans = {
            place: plan_retention(
                list_entries(reader.connection, place, states=()),
                _uses(reader, place),
                make_policy(config.retention),
                now,
                held=held,
                clock_jumped=jumped,
                confirmed=confirmed,
            )
            for place in namespaces(reader.connection)
        }
    report = make_report(plans)
    if not dry_run:
        groups = [
            group for plan in plans.values() if not plan.blocked for group in _groups(plan, now)
        ]
        changes = Changes(run, "prune", None, now, report, groups)
        path = write_changes(changes, home)
        try:
            carry_out(home, config, "changes.commit", {"path": str(path)})
        finally:
            path.unlink(missing_ok=True)
        _purge(home, config, plans)
    brakes = {"dry_run": dry_run, "confirmed": confirmed, "clock_jumped": jumped}
    limited = config.history.keep_days or config.history.max_bytes
    return {
        "run": None if dry_run else run,
        "dry_run": dry_run,
        **report,
        "history": carry_out(home, config, "history.limit", brakes) if limited else {},
        "seconds": round(time.perf_counter() - started, 3),
    }


def _uses(reader: Reader, namespace: str) -> dict[str, list[Use]]:
    logged = accesses(reader.connection, namespace)
    return {
        entry_id: [Use(at, how != SEARCH) for at, how in one] for entry_id, one in logged.items()
    }


def make_policy(config: RetentionConfig) -> RetentionPolicy:
    """The configured rules; what cannot be configured keeps its default."""
    return RetentionPolicy(
        episodic_ttl_days=config.episodic_ttl_days,
        unread_days=config.unread_days,
        quota=config.quota,
        grace_days=config.grace_days,
        archive_days=config.archive_days,
    )


def make_report(plans: Mapping[str, RetentionPlan]) -> dict[str, Any]:
    """The plans of every namespace as one document."""
    report: dict[str, Any] = {
        "expired": [],
        "archived": [],
        "evicted": [],
        "purged": [],
        "kept_because": {},
        "blocked": {},
        "over_quota": {},
    }
    for namespace, plan in plans.items():
        where = {"namespace": namespace, "waits": bool(plan.blocked)}
        for one in plan.retire:
            report[LISTS[one.how]].append(_line(one.entry, one.reason) | where)
        report["purged"] += [_line(one.entry, one.reason) | where for one in plan.purge]
        for reason, count in plan.kept_because.items():
            report["kept_because"][reason] = report["kept_because"].get(reason, 0) + count
        if plan.blocked:
            report["blocked"][namespace] = plan.blocked
        if plan.over_quota:
            report["over_quota"][namespace] = plan.over_quota
    return report


def _line(entry: Entry, reason: str) -> dict[str, Any]:
    return {"id": entry.id, "content": entry.content, "reason": reason}


def _groups(plan: RetentionPlan, now: datetime) -> list[Group]:
    """One group an entry; demoted ones share a digest, so they go together."""
    single = [one for one in plan.retire if one.how != "demoted"]
    demoted: dict[str, list[Retire]] = {}
    for one in plan.retire:
        if one.how == "demoted":
            demoted.setdefault(one.entry.scope, []).append(one)
    groups = [Group(one.reason, ((one.entry, _archived(one, now)),)) for one in single]
    return groups + [_digest_group(parts, now) for parts in demoted.values()]


def _archived(one: Retire, now: datetime, digest: str | None = None) -> Entry:
    noted = {ARCHIVED_AT: now.isoformat(), ARCHIVED_BECAUSE: one.reason}
    metadata = {**one.entry.metadata, **noted} | ({"digest": digest} if digest else {})
    return replace(one.entry, state="archived", metadata=metadata)


def _digest_group(parts: Sequence[Retire], now: datetime) -> Group:
    """An archived summary that keeps a line of each demoted entry and cites it."""
    first = parts[0].entry
    lines = [f"- {_first_words(one.entry.content)} ({one.entry.id})" for one in parts]
    digest = Entry(
        new_id(),
        "\n".join(lines),
        now,
        now,
        namespace=first.namespace,
        scope=first.scope,
        origin="system",
        state="archived",
        confidence=min(one.entry.confidence for one in parts),
        metadata={"digest_of": [one.entry.id for one in parts], ARCHIVED_AT: now.isoformat()},
    )
    moved = tuple((one.entry, _archived(one, now, digest.id)) for one in parts)
    return Group("never read", (*moved, (None, digest)))


def _first_words(content: str) -> str:
    flat = " ".join(content.split())
    return flat if len(flat) <= DIGEST_CHARACTERS else flat[: DIGEST_CHARACTERS - 1] + "…"


def _purge(home: Path, config: Config, plans: Mapping[str, RetentionPlan]) -> None:
    ids = [one.entry.id for plan in plans.values() if not plan.blocked for one in plan.purge]
    if ids:
        carry_out(home, config, "forget", {"entries": ids, "by_rule": True})

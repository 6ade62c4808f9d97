"""The limits of history, applied: off unless configured, with the brakes of retention."""

from collections.abc import Generator, Mapping
from datetime import timedelta
from typing import Any

from memoryd.memory.history_limits import HistoryFacts, plan_history
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.forgetting import scrub
from memoryd.store.history_limits import (
    count_messages,
    count_removable,
    remove_oldest,
    used_bytes,
)

STEP = 500  # messages in one transaction


def limit_history(
    writer: Writer, arguments: Mapping[str, Any], tell: Tell
) -> Generator[None, None, dict[str, Any]]:
    """Remove what is over the configured limits of history, unless `dry_run`; `clock_jumped` blocks it, `confirmed` goes on."""
    limits, connection = writer.config.history, writer.store.connection
    cutoff = utc_now() - timedelta(days=limits.keep_days)
    facts = HistoryFacts(
        count_messages(connection),
        count_removable(connection),
        count_removable(connection, cutoff),
        used_bytes(connection),
    )
    plan = plan_history(
        facts,
        keep_days=limits.keep_days,
        max_bytes=limits.max_bytes,
        clock_jumped=bool(arguments.get("clock_jumped")),
        confirmed=bool(arguments.get("confirmed")),
    )
    removed, going = 0, not plan.blocked and not arguments.get("dry_run")
    while going and removed < plan.remove:
        with writer.store.transaction():
            removed += remove_oldest(connection, min(STEP, plan.remove - removed))
        yield
    if removed and limits.max_bytes:
        # Index segments keep what was deleted until they are merged, and the size must be true next time.
        scrub(connection)
    cited = facts.messages - facts.removable
    return {
        "due": plan.remove,
        "removed": removed,
        "reason": plan.reason,
        "blocked": plan.blocked,
        "kept_because": {"cited by an entry": cited} if cited else {},
    }

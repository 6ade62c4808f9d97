"""How well memory serves: hit rate, accepted answers, freshness, cost. Everything from the log, nothing of what was asked."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from memoryd.service.writer import utc_now
from memoryd.store.bank import (
    feedback_figures,
    list_entries,
    namespaces,
    recall_figures,
    write_figures,
)
from memoryd.store.reader import Reader


def describe_stats(reader: Reader, days: float) -> dict[str, Any]:
    """Figures of every namespace over the last *days*."""
    now = utc_now()
    since = now - timedelta(days=days)
    return {
        "days": days,
        "namespaces": [
            _describe(reader, place, since, now) for place in namespaces(reader.connection)
        ],
    }


def _describe(reader: Reader, namespace: str, since: Any, now: Any) -> dict[str, Any]:
    connection = reader.connection
    recalls = recall_figures(connection, namespace, since, now)
    said = feedback_figures(connection, namespace, since)
    judged = said.get("right", 0) + said.get("wrong", 0)
    used = sum(entry.access_count > 0 for entry in list_entries(connection, namespace))
    return {
        "namespace": namespace,
        "recalls": asdict(recalls),
        "hit_rate": recalls.answered / recalls.asked if recalls.asked else None,
        "accepted": said.get("right", 0) / judged if judged else None,
        "feedback": said,
        "writes": write_figures(connection, namespace, since),
        "active": len(list_entries(connection, namespace)),
        "ever_used": used,
    }

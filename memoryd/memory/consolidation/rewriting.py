"""The text of a merged entry, made of its sources' own words, and the proof that nothing was lost.

A group's text is the shortest member that holds every unit of all the others. The verifier reads the result
again from scratch; a fact that it cannot find there drops the merge.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from memoryd.memory.consolidation.plan import Clause
from memoryd.memory.consolidation.unit import Reading
from memoryd.memory.noted import noted_time
from memoryd.model import Entry, Provenance

Holds = Callable[[Entry, Entry], bool]  # does the first say all that the second does?

_LASTING = ("semantic", "procedural", "episodic", "working")  # kinds, the one forgotten last first


def choose_keeper(members: Sequence[Entry], holds: Holds) -> Entry | None:
    """Find the member whose text holds all the others', the pinned one or else the shortest; None if there is none."""
    pinned = [entry for entry in members if entry.pinned]
    candidates = [entry for entry in pinned or members if _holds_all(entry, members, holds)]
    return min(
        candidates,
        key=lambda e: (not _has_digits(e), len(e.content), e.created_at, e.id),
        default=None,
    )


def _has_digits(entry: Entry) -> bool:
    """Digits are found by a search for the number; number words are not."""
    return any(char.isdigit() for char in entry.content)


def _holds_all(entry: Entry, members: Iterable[Entry], holds: Holds) -> bool:
    return all(holds(entry, other) for other in members if other.id != entry.id)


def clauses_of(entry: Entry, reading: Reading) -> tuple[Clause, ...]:
    """Cut an entry's content into its clauses; together they are the content, nothing left out."""
    said = (clause for clause in reading.clauses if clause.end > clause.start)
    starts = sorted({reading.offsets[clause.start] for clause in said} - {0})
    edges = [0, *starts, len(entry.content)]
    return tuple(
        Clause(entry.content[start:end], entry.id, start, end)
        for start, end in pairwise(edges)
        if end > start
    )


def missing_fact(keeper: Entry, members: Iterable[Entry], holds: Holds) -> str | None:
    """Name the first member whose facts the keeper's text does not hold; None means that nothing was lost."""
    lost = (entry for entry in members if entry.id != keeper.id and not holds(keeper, entry))
    return next((entry.content[:60] for entry in lost), None)


def inherit(keeper: Entry, members: Sequence[Entry]) -> Mapping[str, Any]:
    """Give the fields of the entry that stays.

    Earliest creation, latest confirmation, the sum of accesses, the highest confidence, the union of sources and
    tags, the kind that lasts longest. Age counts from evidence, never from the merge.
    """
    ordered = sorted(members, key=lambda e: (e.created_at, e.id))
    accessed = [e.last_accessed_at for e in members if e.last_accessed_at]
    starts = [e.valid_from for e in members if e.valid_from]
    lives = [e.ttl_days for e in members]
    return {
        "kind": min((e.kind for e in members), key=_LASTING.index),
        "created_at": ordered[0].created_at,
        "updated_at": max(e.updated_at for e in members),
        "last_accessed_at": max(accessed, default=None),
        "access_count": sum(e.access_count for e in members),
        "confidence": max(e.confidence for e in members),
        "origin": "user" if any(e.origin == "user" for e in members) else keeper.origin,
        "ttl_days": None if None in lives else max(life for life in lives if life is not None),
        "valid_from": min(starts, default=None),
        "metadata": _metadata(keeper, ordered),
    }


def _metadata(keeper: Entry, ordered: Sequence[Entry]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for entry in (*ordered, keeper):
        merged.update(entry.metadata)
    tags = sorted({tag for entry in ordered for tag in entry.metadata.get("tags", ())})
    confirmed = [noted_time(entry, "confirmed_at") for entry in ordered]
    # The user said it again, only in other words than the first time.
    confirmed += [entry.updated_at for entry in ordered[1:] if entry.origin == "user"]
    latest = max(filter(None, confirmed), default=None)
    return {
        **merged,
        **({"tags": tags} if tags else {}),
        **({"confirmed_at": latest.isoformat()} if latest else {}),
    }


def cite(members: Sequence[Entry]) -> tuple[Provenance, ...]:
    """Unite the members' sources, each once, the oldest member's first."""
    ordered = sorted(members, key=lambda e: (e.created_at, e.id))
    return tuple(dict.fromkeys(source for entry in ordered for source in entry.sources))

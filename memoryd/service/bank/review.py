"""What waits for a person, and what a person decides."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memoryd.errors import UsageError
from memoryd.memory.admission import correct
from memoryd.model import Entry
from memoryd.service.bank.apart import lift
from memoryd.service.bank.remembering import screen_entry
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.bank import Bank, Because, get_entry, list_entries, namespace_of, namespaces
from memoryd.store.connection import Connection
from memoryd.store.reader import Reader
from memoryd.store.runs import entry_events, list_conflicts

CONFLICT_PREFIX = "conflict-"


def waiting(reader: Reader) -> list[dict[str, Any]]:
    """Entries under review and undecided conflicts, the oldest first."""
    connection = reader.connection
    found = [
        {
            "id": entry.id,
            "kind": "entry",
            "reason": _why(reader, entry),
            "words": entry.content,
            "namespace": place,
        }
        for place in namespaces(connection)
        for entry in list_entries(connection, place, states=("review",))
    ]
    for conflict in list_conflicts(connection):
        sides = [
            get_entry(connection, conflict.namespace, side) for side in (conflict.a, conflict.b)
        ]
        words = " ⟷ ".join(side.content for side in sides if side is not None)
        found.append(
            {
                "id": f"{CONFLICT_PREFIX}{conflict.id}",
                "kind": "conflict",
                "reason": conflict.reason,
                "words": words,
                "namespace": conflict.namespace,
                "a": conflict.a,
                "b": conflict.b,
            }
        )
    return found


def _why(reader: Reader, entry: Entry) -> str:
    events = entry_events(reader.connection, entry.namespace, entry.id)
    return events[-1].because.why if events else ""


def decide(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Take in a person's decision (`approve` or `reject`) about an entry or a conflict (`id`).

    Approving what was undone (`apart-7`, or all of an undone run by its id) lets it be done again.
    """
    waiting_id, approved = str(arguments["id"]), arguments["decision"] == "approve"
    with writer.store.transaction() as connection:
        if waiting_id.startswith(CONFLICT_PREFIX):
            return {"done": _decide_conflict(connection, waiting_id, approved=approved)}
        if approved and (count := lift(connection, waiting_id)):
            what = f"{count} group{'s' if count > 1 else ''} of entries"
            return {"done": f"{what} may be merged or replaced again by the next run"}
        return {"done": _decide_entry(connection, waiting_id, approved=approved)}


def _decide_entry(connection: Connection, entry_id: str, *, approved: bool) -> str:
    namespace = namespace_of(connection, entry_id)
    bank = Bank(connection)
    entry = None if namespace is None else bank.get(namespace, entry_id)
    if entry is None or entry.state != "review":
        raise UsageError(f"nothing waits under {entry_id}; `memoryd review` lists what does")
    now = utc_now()
    changed = correct(entry, "right" if approved else "wrong", now, "")
    clean, content, _ = screen_entry(changed)
    bank.put(clean, content, Because("user", "approved" if approved else "rejected", now))
    if not approved:
        bank.refuse(entry.namespace, entry.content, now)
    return f"{'remembered' if approved else 'refused'}: {entry.content}"


def _decide_conflict(connection: Connection, waiting_id: str, *, approved: bool) -> str:
    number = waiting_id.removeprefix(CONFLICT_PREFIX)
    conflict = next((one for one in list_conflicts(connection) if str(one.id) == number), None)
    if conflict is None:
        raise UsageError(f"nothing waits under {waiting_id}; `memoryd review` lists what does")
    bank = Bank(connection)
    bank.decide_conflict(conflict.id, "newer wins" if approved else "both hold")
    sides = [bank.get(conflict.namespace, side) for side in (conflict.a, conflict.b)]
    present = sorted(
        (side for side in sides if side is not None), key=lambda side: (side.created_at, side.id)
    )
    if not approved or len(present) < 2:  # noqa: PLR2004 - a conflict has two sides
        return "both stay"
    old, new = present
    now = utc_now()
    ended = replace(
        old,
        state="superseded",
        superseded_by=new.id,
        valid_to=new.valid_from or new.created_at,
        updated_at=now,
    )
    clean, content, _ = screen_entry(ended)
    bank.put(clean, content, Because("user", f"conflict decided: {conflict.reason}", now))
    return f"superseded: {old.content}"

"""What waits for a person, and what a person decides."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memoryd.errors import UsageError
from memoryd.memory.admission import correct
from memoryd.model import Entry
from memoryd.service.bank.apart import APART_PREFIX, lift
from memoryd.service.bank.remembering import screen_entry
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.apart import CONFLICT_PREFIX, add_decision, drop_decisions
from memoryd.store.bank import Bank, Because, get_entry, list_entries, namespace_of, namespaces
from memoryd.store.connection import Connection
from memoryd.store.reader import Reader
from memoryd.store.runs import OpenConflict, entry_events, list_conflicts


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
        words = " ⟷ ".join(side.content for side in _sides(connection, conflict))
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


def _sides(connection: Connection, conflict: OpenConflict) -> list[Entry]:
    """The older first: what a run took for older, too."""
    from memoryd.memory.consolidation.findings import (  # noqa: PLC0415 - a fifth of a second, for conflicts only
        evidence_time,
    )

    sides = [get_entry(connection, conflict.namespace, side) for side in (conflict.a, conflict.b)]
    present = [side for side in sides if side is not None]
    return sorted(present, key=lambda side: (evidence_time(side), side.id))


def _why(reader: Reader, entry: Entry) -> str:
    events = entry_events(reader.connection, entry.namespace, entry.id)
    return events[-1].because.why if events else ""


def decide(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Take in a person's decision (`approve` or `reject`) about an entry or a conflict (`id`).

    Approving what is kept apart (`apart-7`, or by the id of the undone run or the conflict) lets it be done again.
    """
    waiting_id, approved = str(arguments["id"]), arguments["decision"] == "approve"
    with writer.store.transaction() as connection:
        if approved and (lifted := lift(connection, waiting_id)):
            return {"done": lifted}
        if waiting_id.startswith(CONFLICT_PREFIX):
            return {"done": _decide_conflict(connection, waiting_id, approved=approved)}
        if waiting_id.startswith(APART_PREFIX):
            raise UsageError(_not_lifted(waiting_id, approved=approved))
        return {"done": _decide_entry(connection, waiting_id, approved=approved)}


def _not_lifted(name: str, *, approved: bool) -> str:
    if approved:
        return f"nothing is kept apart under {name}; `memoryd review list --apart` lists what is"
    return f"what is kept apart stays so; `memoryd review approve {name}` lifts it"


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
    bank, now = Bank(connection), utc_now()
    bank.decide_conflict(conflict.id, "newer wins" if approved else "both hold")
    old, new = _sides(connection, conflict)
    if not approved:
        drop_decisions(connection, waiting_id, (old.id, new.id))  # of texts that were changed since
        add_decision(connection, conflict.namespace, waiting_id, (old.id, new.id), now)
        return "both stay; the next runs leave them as they are"
    ended = replace(
        old,
        state="superseded",
        superseded_by=new.id,
        valid_to=new.valid_from or max(new.created_at, old.created_at),
        updated_at=now,
    )
    clean, content, _ = screen_entry(ended)
    bank.put(clean, content, Because("user", f"conflict decided: {conflict.reason}", now))
    return f"superseded: {old.content}"

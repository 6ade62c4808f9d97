"""What a person wants kept apart, by the keys of the texts as they were: no word of them is stored.

Matched by text, not by id: a changed text is a new question, and the same text told or imported again is the same one. The
ids are only there so that what is erased takes its rows along.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from memoryd.model import Apart
from memoryd.store.connection import Connection
from memoryd.store.entry_rows import from_microseconds, to_microseconds

CONFLICT_PREFIX = (
    "conflict-"  # `conflict-7` names a conflict: to a person, and where a decision names its run
)
_LEAST = 2  # texts that can be kept apart


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, and the run that it took back or the conflict of which both sides hold."""

    number: int
    namespace: str
    run: str
    at: datetime | None

    @property
    def both_hold(self) -> bool:
        """Is it about a conflict?"""
        return self.run.startswith(CONFLICT_PREFIX)


def add_decision(
    connection: Connection, namespace: str, run: str, ids: Iterable[str], at: datetime
) -> int | None:
    """Note that entries are to be kept apart while their texts stay as they are now; returns its number.

    Args:
        run: what is taken back by it, or the name of the conflict of which both sides hold.

    Returns:
        None if there are not two of the entries any more.
    """
    keys = [
        found
        for one in ids
        for found in connection.execute(
            "select id, content_key from entry where id = ? and namespace = ?", (one, namespace)
        )
    ]
    if len(keys) < _LEAST:
        return None
    number: int = connection.execute(
        "insert into apart (namespace, run, at) values (?, ?, ?) returning id",
        (namespace, run, to_microseconds(at)),
    ).fetchone()[0]
    connection.executemany(
        "insert into apart_text (apart_id, entry_id, content_key) values (?, ?, ?)",
        [(number, *found) for found in keys],
    )
    return number


def list_decisions(connection: Connection) -> list[Decision]:
    """Every decision, the oldest first; whether its texts are as they were, `find_apart` tells."""
    rows = connection.execute("select id, namespace, run, at from apart order by id")
    return [Decision(number, place, run, from_microseconds(at)) for number, place, run, at in rows]


def find_apart(connection: Connection, namespace: str) -> list[Apart]:
    """The decisions of a namespace, with who says each of their texts; those that nobody says any more are left out."""
    texts = connection.execute(
        "select apart_id, run, content_key, count(*) from apart_text join apart on apart.id = apart_id "
        "where namespace = ? group by apart_id, content_key order by apart_id, content_key",
        (namespace,),
    ).fetchall()
    if not texts:
        return []
    saying: dict[bytes, list[str]] = defaultdict(list)
    for key, entry_id in connection.execute(
        "select content_key, id from entry where namespace = ?1 and content_key in "
        "(select content_key from apart_text join apart on apart.id = apart_id where namespace = ?1) order by id",
        (namespace,),
    ):
        saying[key].append(entry_id)
    sides: dict[tuple[int, str], list[frozenset[str]]] = defaultdict(list)
    for number, run, key, count in texts:
        # Of copies that were kept apart from each other, each is a side of its own.
        ids = saying[key]
        sides[number, run] += map(
            frozenset, [ids] if count == 1 and ids else [[one] for one in ids]
        )
    return [
        Apart(number, run, tuple(found), run.startswith(CONFLICT_PREFIX))
        for (number, run), found in sides.items()
        if found
    ]


def kept_apart_since(connection: Connection, ids: Collection[str], since: datetime) -> bool:
    """Was it decided since a time that two of these entries are to be kept apart?"""
    marks = ", ".join("?" * len(ids))
    found = connection.execute(
        f"select 1 from apart_text join apart on apart.id = apart_id where at >= ? and entry_id in ({marks}) "
        "group by apart_id having count(*) > 1",
        (to_microseconds(since), *ids),
    ).fetchone()
    return found is not None


def decided_since(connection: Connection, since: datetime) -> bool:
    """Was anything decided since a time?"""
    sql = "select 1 from apart where at >= ?"
    return connection.execute(sql, (to_microseconds(since),)).fetchone() is not None


def heirs(connection: Connection, namespace: str, entry_id: str) -> list[str]:
    """Active entries that an entry was merged into, by their lineage."""
    rows = connection.execute(
        "select id from entry where namespace = ? and state = 'active' and instr(merged_from, ?) order by id",
        (namespace, json.dumps(entry_id)),
    )
    return [one for (one,) in rows]


def lift_decision(connection: Connection, decision: Decision) -> None:
    """Forget a decision; the conflict that it was about is open again."""
    _drop(connection, decision.number)
    if decision.both_hold:
        conflict = int(decision.run.removeprefix(CONFLICT_PREFIX))
        connection.execute("update conflict set decided = null where id = ?", (conflict,))


def drop_decisions(connection: Connection, run: str, ids: Collection[str]) -> None:
    """Drop what was decided of entries by taking back a run: undone in part before, it is asked anew."""
    sql = (
        "select apart_id, entry_id from apart_text join apart on apart.id = apart_id where run = ?"
    )
    for number in {number for number, one in connection.execute(sql, (run,)) if one in ids}:
        _drop(connection, number)


def _drop(connection: Connection, number: int) -> None:
    connection.execute("delete from apart_text where apart_id = ?", (number,))
    connection.execute("delete from apart where id = ?", (number,))


def erase_from_decisions(connection: Connection, entry_id: str) -> None:
    """Take an entry out of every decision; a decision about one text alone goes."""
    numbers = connection.execute(
        "select apart_id from apart_text where entry_id = ?", (entry_id,)
    ).fetchall()
    connection.execute("delete from apart_text where entry_id = ?", (entry_id,))
    for (number,) in numbers:
        left = connection.execute(
            "select count(*) from apart_text where apart_id = ?", (number,)
        ).fetchone()[0]
        if left < _LEAST:
            _drop(connection, number)

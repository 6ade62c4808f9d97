"""Writing the memory bank: every change of an entry passes `put`, which keeps the event that undoes it.

Namespaces are a required argument of every query; nothing ever crosses one.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memoryd.errors import StoreError
from memoryd.model import Entry, EntryState
from memoryd.screening import ScreenedText
from memoryd.store import fts
from memoryd.store.apart import erase_from_decisions
from memoryd.store.connection import Connection
from memoryd.store.entry_rows import (
    COLUMNS,
    content_key,
    entry_from_json,
    entry_to_json,
    entry_to_row,
    row_to_entry,
    to_microseconds,
)
from memoryd.store.records import EPOCH
from memoryd.store.schema import BANK_INDEXES
from memoryd.store.tokens import index_text

_NAMES = ", ".join(COLUMNS)
_SELECT = f"select {_NAMES} from entry"
_UPSERT = (
    f"insert into entry ({_NAMES}, content_key) values ({', '.join('?' * (len(COLUMNS) + 1))}) "
    f"on conflict (id) do update set {', '.join(f'{name} = excluded.{name}' for name in (*COLUMNS, 'content_key'))} returning row"
)
INDEXES = ("entry_words", "entry_stems")
SEARCH, ANSWER, SNAPSHOT = "search", "answer", "snapshot"  # how an entry is accessed
ACCESS_PAUSE = timedelta(days=1)  # a shell may stay open for months; within a day it counts once


def rebuild_indexes(connection: Connection) -> None:
    """Drop the indexes of entries, create them anew, refill them. The caller owns the transaction."""
    for name in INDEXES:
        connection.execute(f"drop table if exists {name}")
    for statement in filter(str.strip, BANK_INDEXES.split(";\n")):
        connection.execute(statement)
    for row, content in connection.execute("select row, content from entry order by row"):
        _index(connection, row, content)


def check_indexes(connection: Connection) -> None:
    """Compare the indexes of entries with themselves and with the entries.

    Raises:
        StoreError: one holds more or fewer rows than there are entries. DatabaseError: it is damaged.
    """
    expected = connection.execute("select count(*) from entry").fetchone()[0]
    for name in INDEXES:
        connection.execute(f"insert into {name}({name}) values ('integrity-check')")
        held = connection.execute(f"select count(*) from {name}_docsize").fetchone()[0]
        if held != expected:
            raise StoreError(f"index {name} holds {held} rows, there are {expected} entries")
        some = "select row, content from entry where row % (select max(row) / ? + 1 from entry) = 0"
        fts.check_sample(connection, name, connection.execute(some, (fts.SAMPLE,)).fetchall())


def _index(connection: Connection, row: int, content: str) -> None:
    prepared = index_text(content)
    for name in INDEXES:
        connection.execute(f"insert into {name}(rowid, text) values (?, ?)", (row, prepared))


@dataclass(frozen=True, slots=True)
class Because:
    """Who changes something, when, why, and in which run."""

    who: str
    why: str
    at: datetime
    run: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One change of one entry; None: it was not there (before), or is not any more (after)."""

    id: int
    entry_id: str
    because: Because
    before: Entry | None
    after: Entry | None


class Bank:
    """Entries and their events. The caller owns the transaction, so that a whole run commits at once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, entry: Entry, content: ScreenedText, because: Because) -> None:
        """Add or change an entry; *content* is its content, screened."""
        entry = replace(entry, content=content)
        before = self.get(entry.namespace, entry.id)
        if before == entry:
            return
        if before is not None:
            self._unindex(before)
        row = self._connection.execute(
            _UPSERT, (*entry_to_row(entry), content_key(content))
        ).fetchone()[0]
        _index(self._connection, row, content)
        self._note(entry.namespace, entry.id, before, entry, because)

    def take_out(self, namespace: str, entry_id: str, because: Because) -> None:
        """Remove the row of an entry (undoing its addition); the event that brings it back stays."""
        before = self.get(namespace, entry_id)
        if before is not None:
            self._unindex(before)
            self._connection.execute(
                "delete from entry where id = ? and namespace = ?", (entry_id, namespace)
            )
            self._note(namespace, entry_id, before, None, because)

    def erase(self, namespace: str, entry_id: str) -> None:
        """Delete an entry with its events, accesses, conflicts and decisions: nothing brings it back."""
        entry = self.get(namespace, entry_id)
        if entry is None:
            return
        self._unindex(entry)
        for sql in (
            "delete from entry where id = ?1 and namespace = ?2",
            "delete from event where entry_id = ?1 and namespace = ?2",
            "delete from access where entry_id = ?1 and ?2 is not null",
            "delete from conflict where (a = ?1 or b = ?1) and namespace = ?2",
        ):
            self._connection.execute(sql, (entry_id, namespace))
        erase_from_decisions(self._connection, entry_id)

    def _unindex(self, entry: Entry) -> None:
        row = self._connection.execute(
            "select row from entry where id = ?", (entry.id,)
        ).fetchone()[0]
        prepared = index_text(entry.content)
        for index in INDEXES:
            self._connection.execute(
                f"insert into {index}({index}, rowid, text) values ('delete', ?, ?)",
                (row, prepared),
            )

    def _note(
        self,
        namespace: str,
        entry_id: str,
        before: Entry | None,
        after: Entry | None,
        because: Because,
    ) -> None:
        self._connection.execute(
            "insert into event (entry_id, namespace, at, who, why, run, before, after) values (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                entry_id,
                namespace,
                to_microseconds(because.at),
                because.who,
                because.why,
                because.run,
                _dump(before),
                _dump(after),
            ),
        )

    def get(self, namespace: str, entry_id: str) -> Entry | None:
        """One entry of a namespace."""
        return get_entry(self._connection, namespace, entry_id)

    def by_key(self, namespace: str, key: str) -> Entry | None:
        """The entry with the caller's own key."""
        found = self._connection.execute(
            f"{_SELECT} where namespace = ? and key = ?", (namespace, key)
        ).fetchone()
        return None if found is None else row_to_entry(found)

    def same_content(
        self, namespace: str, scope: str, content: str, state: EntryState = "active"
    ) -> list[Entry]:
        """Entries of a scope and state whose text is the same but for case, spacing and closing punctuation, the oldest first."""
        rows = self._connection.execute(
            f"{_SELECT} where namespace = ? and scope = ? and content_key = ? and state = ? order by created_at, id",
            (namespace, scope, content_key(content), state),
        )
        return [row_to_entry(row) for row in rows]

    def refuse(self, namespace: str, content: str, at: datetime) -> None:
        """Remember that this was said to be wrong."""
        self._connection.execute(
            "insert into refused values (?, ?, ?) on conflict do nothing",
            (namespace, content_key(content), to_microseconds(at)),
        )

    def allow(self, namespace: str, content: str) -> None:
        """Forget that this was said to be wrong."""
        self._connection.execute(
            "delete from refused where namespace = ? and content_key = ?",
            (namespace, content_key(content)),
        )

    def is_refused(self, namespace: str, content: str) -> bool:
        """Was this said to be wrong?"""
        found = self._connection.execute(
            "select 1 from refused where namespace = ? and content_key = ?",
            (namespace, content_key(content)),
        ).fetchone()
        return found is not None

    def count_access(
        self, namespace: str, ids: Iterable[str], session: str, how: str, at: datetime
    ) -> int:
        """Count one access a day of each entry for a session, however often it asks; returns how many were new.

        Args:
            how: ANSWER and SNAPSHOT are uses in full; SEARCH, a place among the hits, gives way to them.
        """
        counted = 0
        for entry_id in ids:
            known = self._connection.execute(
                "select at, how from access where entry_id = ? and session = ?", (entry_id, session)
            ).fetchone()
            before = None if known is None else EPOCH + timedelta(microseconds=known[0])
            again = before is None or at - before >= ACCESS_PAUSE
            if not again and (how == SEARCH or known[1] != SEARCH):
                continue
            self._connection.execute(
                "insert into access select id, ?, ?, ? from entry where id = ? and namespace = ? "
                "on conflict do update set at = excluded.at, how = excluded.how",
                (session, to_microseconds(at), how, entry_id, namespace),
            )
            changed = self._connection.execute(
                "update entry set access_count = access_count + ?, last_accessed_at = ? where id = ? and namespace = ?",
                (int(again), to_microseconds(at), entry_id, namespace),
            )
            counted += again and changed.rowcount
        return counted

    def note_recall(
        self, namespace: str, at: datetime, hits: int, milliseconds: float, characters: int
    ) -> None:
        """Log that memory was asked, and what it cost; never what was asked."""
        self._connection.execute(
            "insert into recall (namespace, at, hits, milliseconds, characters) values (?, ?, ?, ?, ?)",
            (namespace, to_microseconds(at), hits, milliseconds, characters),
        )

    def add_conflict(self, namespace: str, a: str, b: str, reason: str, run: str) -> bool:
        """Note that two entries cannot both hold; returns whether that is news.

        One that was decided is open again: the side that had lost is back, or a text is another one now.
        """
        first, second = sorted((a, b))
        inserted = self._connection.execute(
            "insert into conflict (namespace, a, b, reason, run) values (?, ?, ?, ?, ?) "
            "on conflict do update set reason = excluded.reason, run = excluded.run, decided = null "
            "where decided is not null",
            (namespace, first, second, reason, run),
        )
        return bool(inserted.rowcount)

    def drop_conflicts(self, run: str) -> None:
        """Take back the conflicts that a run noted; what a person decided stays decided."""
        self._connection.execute("delete from conflict where run = ? and decided is null", (run,))

    def decide_conflict(self, conflict: int, decision: str) -> None:
        """Note what a person decided."""
        self._connection.execute(
            "update conflict set decided = ? where id = ?", (decision, conflict)
        )


def _dump(entry: Entry | None) -> str | None:
    return None if entry is None else json.dumps(entry_to_json(entry), ensure_ascii=False)


def load_entry(text: str | None) -> Entry | None:
    """An entry as an event keeps it."""
    return None if text is None else entry_from_json(json.loads(text), "event", {})


def get_entry(connection: Connection, namespace: str, entry_id: str) -> Entry | None:
    """One entry of a namespace."""
    found = connection.execute(
        f"{_SELECT} where id = ? and namespace = ?", (entry_id, namespace)
    ).fetchone()
    return None if found is None else row_to_entry(found)


def list_entries(
    connection: Connection,
    namespace: str,
    *,
    scope: str | None = None,
    states: Sequence[str] = ("active",),
) -> list[Entry]:
    """Entries of a namespace in order of creation; an empty *states* means every state."""
    conditions, values = ["namespace = ?"], [namespace]
    if scope is not None:
        conditions.append("scope = ?")
        values.append(scope)
    if states:
        conditions.append(f"state in ({', '.join('?' * len(states))})")
        values += states
    rows = connection.execute(
        f"{_SELECT} where {' and '.join(conditions)} order by created_at, row", values
    )
    return [row_to_entry(row) for row in rows]


def revision(connection: Connection) -> str:
    """What is another one whenever an entry was added, changed or erased; uses change nothing."""
    events, held = connection.execute(
        "select (select coalesce(max(id), 0) from event), (select count(*) from entry)"
    ).fetchone()
    return f"{events}-{held}"


def accesses(connection: Connection, namespace: str) -> dict[str, list[tuple[datetime, str]]]:
    """When and how each entry of a namespace was used, by entry id."""
    rows = connection.execute(
        "select access.entry_id, access.at, access.how from access join entry on entry.id = access.entry_id "
        "where entry.namespace = ? order by access.at",
        (namespace,),
    )
    found: dict[str, list[tuple[datetime, str]]] = {}
    for entry_id, at, how in rows:
        found.setdefault(entry_id, []).append((EPOCH + timedelta(microseconds=at), how))
    return found


@dataclass(frozen=True, slots=True)
class RecallFigures:
    """How well memory served since a time, from the log; None where nothing was asked."""

    asked: int
    answered: int
    milliseconds: float | None
    characters: float | None
    age_days: float | None


def recall_figures(
    connection: Connection, namespace: str, since: datetime, now: datetime
) -> RecallFigures:
    """Recalls of a namespace: how many, how many with an answer, mean cost, mean age of what was used."""
    asked, answered, milliseconds, characters = connection.execute(
        "select count(*), coalesce(sum(hits > 0), 0), avg(milliseconds), avg(characters) from recall "
        "where namespace = ? and at >= ?",
        (namespace, to_microseconds(since)),
    ).fetchone()
    age = connection.execute(
        "select avg(? - entry.updated_at) / 86400000000.0 from access join entry on entry.id = access.entry_id "
        "where entry.namespace = ? and access.at >= ?",
        (to_microseconds(now), namespace, to_microseconds(since)),
    ).fetchone()[0]
    return RecallFigures(asked, answered, milliseconds, characters, age)


def write_figures(connection: Connection, namespace: str, since: datetime) -> dict[str, int]:
    """How often entries of a namespace were changed since a time, by who or what did it."""
    rows = connection.execute(
        "select who, count(*) from event where namespace = ? and at >= ? group by who order by 2 desc, 1",
        (namespace, to_microseconds(since)),
    )
    return dict(rows.fetchall())


def feedback_figures(connection: Connection, namespace: str, since: datetime) -> dict[str, int]:
    """How often people said right, wrong, outdated since a time."""
    rows = connection.execute(
        "select substr(why, 11), count(*) from event where namespace = ? and at >= ? and why like 'feedback: %' group by 1",
        (namespace, to_microseconds(since)),
    )
    return dict(rows.fetchall())


def namespaces(connection: Connection) -> list[str]:
    """Every namespace that holds an entry."""
    return [
        name
        for (name,) in connection.execute("select distinct namespace from entry order by namespace")
    ]


def namespace_of(connection: Connection, entry_id: str) -> str | None:
    """Where an entry lives; its id alone is unique."""
    found = connection.execute("select namespace from entry where id = ?", (entry_id,)).fetchone()
    return None if found is None else str(found[0])

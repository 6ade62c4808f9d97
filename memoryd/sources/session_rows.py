# ruff: noqa: S608 - table and column names are our own constants, and quoted; every value is bound
"""The rows of one session in an agent's database: which sessions there are, and which of them changed.

Every question is answered from an index, or from the rows that are new; none looks through a large table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memoryd.sources.sqlite import Database, quote

Signature = tuple[Any, ...]

ALL = "all"  # the session's id where a database holds only one
_PAST = ";"  # the character behind ":", the end of a range of keys


@dataclass(frozen=True, slots=True)
class Rows:
    """A table whose rows belong to sessions, and how its changes are noticed. Columns may be missing.

    Attributes:
        session: the column with the session's id; "": the whole database is one session.
        prefix: the column holds keys `<prefix><session's id>`, perhaps with `:<more>` behind.
        clock: a column that only grows: for rows that are only added their number, for rows that are
            changed in place the time of the last change.
        changes: are rows changed in place? Then every change moves the clock.
        facts: aggregates (function, column) that move when rows are hidden, replaced or removed.
        content: the column whose length betrays a change that moves nothing else.
        header: one row a session, in a small table: looked through in every pass.
        rewrites: a change here means that the session's rows may all be others.
        parent: where the session's id is, if not in this table: (table, this table's column, its column).
    """

    table: str
    session: str = "session_id"
    prefix: str = ""
    clock: str = "id"
    changes: bool = False
    facts: tuple[tuple[str, str], ...] = ()
    content: str = ""
    header: bool = False
    rewrites: bool = False
    parent: tuple[str, str, str] | None = None


class SessionRows:
    """What a database says of the sessions in one of its tables."""

    def __init__(self, database: Database, rows: Rows) -> None:
        self.rows = rows
        self._database = database
        self._columns = database.columns(rows.table)
        self._source = self._find_source()
        self._numbered = bool(self._source) and database.identity(rows.table) == ("rowid",)
        self._has_clock = rows.clock in self._columns or (rows.clock == "rowid" and self._numbered)

    def signatures(self, ids: Sequence[str], upto: float | None = None) -> dict[str, Signature]:
        """For each session with rows: (number of rows, the clock, facts...); only rows up to a clock if given."""
        if not self._source:
            return {}
        wanted = ", ".join(self._measures())
        test, bound = ("", ()) if upto is None else (f" and {quote(self.rows.clock)} <= ?", (upto,))
        if self.rows.prefix:
            return self._keyed_signatures(ids, wanted, test, bound)
        session = quote(self.rows.session)
        found = self._database.select(
            f"select {session}, {wanted} from {self._source} "
            f"where {session} in ({','.join('?' * len(ids))}){test} group by 1",
            (*ids, *bound),
        )
        return {key: tuple(values) for key, *values in found}

    def sessions(self, after: str, limit: int) -> list[str]:
        """The next *limit* session ids in order, behind *after*."""
        if not self._source:
            return []
        if self.rows.prefix:
            return self._keyed_sessions(after, limit)
        session = quote(self.rows.session)
        found = self._database.select(
            f"select {session} from {self._source} where {session} > ? group by 1 order by 1 limit ?",
            (after, limit),
        )
        return [key for (key,) in found if isinstance(key, str)]

    def new_sessions(self, top: Sequence[Any]) -> list[str]:
        """Sessions with rows that were added (or, of a header, changed) since `top` was *top*."""
        if not self._numbered:
            return []
        test, bound = "+rowid > ?" if self.rows.header else "rowid > ?", [top[0]]
        if self.rows.header and self._has_clock and top[1] is not None:
            test, bound = f"{test} or {quote(self.rows.clock)} >= ?", [*bound, top[1]]
        column = quote(self.rows.session)
        found = self._database.select(
            f"select distinct {column} from {self._source} where {test}", bound
        )
        texts = [key for (key,) in found if isinstance(key, str)]
        return list(dict.fromkeys(filter(None, map(self._session_of, texts))))

    def top(self) -> list[Any]:
        """The newest row of the table: [its number, the clock of a header]."""
        if not self._numbered:
            return [0, None]
        table = quote(self.rows.table)
        clock = f"max({quote(self.rows.clock)})" if self.rows.header and self._has_clock else "null"
        found = self._database.select(
            f"select (select max(rowid) from {table}), (select {clock} from {table})", ()
        )
        number, moment = found[0]
        return [number or 0, moment if isinstance(moment, int | float | str) else None]

    def length(self, session_id: str) -> float:
        """The length of all content of a session, in characters or bytes; 0 where signatures hold it already."""
        if not self._source or self.rows.content not in self._columns or self._is_deep():
            return 0.0
        test, values = f"{quote(self.rows.session)} = ?", [session_id]
        if self.rows.prefix:
            test, values = self._key_range(session_id)
        found = self._database.select(
            f"select total(length({quote(self.rows.content)})) from {self._source} where {test}",
            values,
        )
        return float(found[0][0])

    def _is_deep(self) -> bool:
        """Is the length of the content part of every signature? It must be where nothing else tells."""
        return self._database.is_small or not self._has_clock

    def _measures(self) -> list[str]:
        rows, columns = self.rows, self._columns
        measures = ["count(*)", f"max({quote(rows.clock)})" if self._has_clock else "null"]
        measures += [
            f"{function}({quote(name)})" for function, name in rows.facts if name in columns
        ]
        if rows.content in columns and self._is_deep():
            measures.append(f"total(length({quote(rows.content)}))")
        return measures

    def _find_source(self) -> str:
        """What to select from; "" if the session of a row cannot be told."""
        rows, table = self.rows, quote(self.rows.table)
        if not rows.session and self._columns:
            return f"(select rowid as rowid, *, '{ALL}' as {quote('')} from {table})"
        if rows.session in self._columns:
            return table
        if rows.parent is None or rows.parent[1] not in self._columns:
            return ""
        other, column, target = rows.parent
        if not {rows.session, target} <= self._database.columns(other):
            return ""
        self._columns |= {rows.session}
        return (
            f"(select t.rowid as rowid, t.*, p.{quote(rows.session)} from {table} t "
            f"join {quote(other)} p on p.{quote(target)} = t.{quote(column)})"
        )

    def _session_of(self, key: str) -> str:
        """The session that a key names; "" if the key is none of ours."""
        if not key.startswith(self.rows.prefix):
            return ""
        return key.removeprefix(self.rows.prefix).partition(":")[0] if self.rows.prefix else key

    def _key_range(self, session_id: str) -> tuple[str, list[str]]:
        start, column = self.rows.prefix + session_id, quote(self.rows.session)
        return f"{column} >= ? and {column} < ?", [start, start + _PAST]

    def _keyed_signatures(
        self, ids: Sequence[str], wanted: str, test: str, bound: Sequence[float]
    ) -> dict[str, Signature]:
        signatures = {}
        for session_id in ids:
            range_test, values = self._key_range(session_id)
            found = self._database.select(
                f"select {wanted} from {self._source} where {range_test}{test}", (*values, *bound)
            )
            if found[0][0]:
                signatures[session_id] = found[0]
        return signatures

    def _keyed_sessions(self, after: str, limit: int) -> list[str]:
        """One seek in the index for every session, however many keys each has."""
        column, prefix = quote(self.rows.session), self.rows.prefix
        ids: list[str] = []
        while len(ids) < limit:
            last = ids[-1] if ids else after
            found = self._database.select(
                f"select {column} from {self._source} where {column} >= ? and {column} < ? order by 1 limit 1",
                (prefix + last + (_PAST if last else ""), prefix[:-1] + _PAST),
            )
            session_id = (
                self._session_of(found[0][0]) if found and isinstance(found[0][0], str) else ""
            )
            if not session_id:
                break
            ids.append(session_id)
        return ids

"""Lexical search: all words first, then fewer words below; bounded work whatever is asked.

bm25 costs about a microsecond a matching row, so a word that is everywhere would scan the world. Relevance is therefore
computed among the newest `CANDIDATES` matches, and the words that widen a query to fewer words are taken rarest first
until `WIDE_BUDGET` rows are reached.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memoryd.model import Candidate
from memoryd.store.connection import Connection
from memoryd.store.query import Query, Term
from memoryd.store.records import Filters, StoredMessage, from_milliseconds, to_milliseconds

CANDIDATES = 1500
SCANNED = 20_000  # the newest messages, looked through for what the index cannot see
WIDE_BUDGET = 8000
CONTEXT = (
    400  # matches looked at together, so that neighbours and sessions can vouch for each other
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of SQL that filters add; `{index}` in it stands for the index that is asked.

    Attributes:
        thrift: divides the bounds on rows looked at, where an answer must come faster than from the whole history.
        wide: rows that a query with fewer words may match; by default more than are ranked, for the newest are asked for.
    """

    joins: str
    where: str
    values: tuple[object, ...]
    thrift: int = 1
    wide: int | None = None

    def sql(self, index: str) -> tuple[str, str]:
        """Joins and conditions for an index."""
        return self.joins.format(index=index), self.where.format(index=index)


def find_candidates(
    connection: Connection, query: Query, filters: Filters, limit: int
) -> list[Candidate]:
    """Messages that may answer: those with all words and, if they are fewer than *limit*, those with some."""
    index, scope = index_for(filters), _scope(connection, filters)
    found: dict[int, dict[str, float]]
    if query.signs:
        scanned = _scan(connection, query.signs, scope, limit, tools=filters.role == "tool")
        found = {row: {} for row in scanned}
        complete = frozenset(found)
    else:
        found, complete = find_rows(connection, query, index, scope, limit)
    return [
        Candidate(
            row,
            *place,
            row in complete,
            found[row].get(index[0], 0.0),
            found[row].get("words", 0.0),
        )
        for row, place in _places(connection, found).items()
    ]


def find_rows(
    connection: Connection,
    query: Query,
    indexes: Sequence[str],
    scope: Scope,
    limit: int,
) -> tuple[dict[int, dict[str, float]], frozenset[int]]:
    """Rows of full-text indexes that match a query.

    Args:
        indexes: the widest first; each of them holds the same rows or fewer.

    Returns:
        bm25 by index name for every row (larger is better), and the rows that have all the words.
    """
    found: dict[int, dict[str, float]] = {}
    for expression in filter(None, dict.fromkeys((query.expression(), query.loose_expression()))):
        if len(found) < limit:
            found = _rank(connection, indexes, expression, scope, limit) | found
    complete = frozenset(found)
    if len(found) < limit and (len(query.pieces()) > 1 or not found):
        wide = _wide_expression(connection, query, indexes[0], scope.wide or WIDE_BUDGET)
        if wide is not None:
            for row, why in _rank(connection, indexes, wide, scope, limit).items():
                found[row] = max(why, found.get(row, why), key=lambda parts: sum(parts.values()))
    return found, complete


def rows_with_all_words(
    connection: Connection, query: Query, index: str, scope: Scope, limit: int
) -> set[int]:
    """Rows that `find_rows` would have among those with all the words; up to *limit* of each spelling, unranked."""
    expressions = filter(None, dict.fromkeys((query.expression(), query.loose_expression())))
    found: set[int] = set()
    for expression in expressions:
        if len(found) < limit:
            found.update(_newest_rows(connection, index, expression, scope, limit))
    return found


def index_for(filters: Filters) -> tuple[str, ...]:
    """The indexes a search looks into, the widest first."""
    return ("tools",) if filters.role == "tool" else ("stems", "words")


def _places(connection: Connection, rows: Iterable[int]) -> dict[int, tuple[int, int | None]]:
    places: dict[int, tuple[int, int | None]] = {}
    for part, marks in _parts(rows):
        sql = f"select id, session_id, position from message where id in ({marks})"
        places |= {
            row: (session, position) for row, session, position in connection.execute(sql, part)
        }
    return places


def _parts(rows: Iterable[int], size: int = 500) -> Iterable[tuple[list[int], str]]:
    wanted = list(rows)
    for start in range(0, len(wanted), size):
        part = wanted[start : start + size]
        yield part, ",".join("?" * len(part))


def _scope(connection: Connection, filters: Filters) -> Scope:
    since, until = to_milliseconds(filters.since), to_milliseconds(filters.until)
    of_session = _conditions(
        ("source.name = ?", filters.source),
        ("session.project = ?", filters.project),
        ("session.native_id = ?", filters.session),
        ("session.ended >= ?", since),
        ("session.started < ?", until),
    )
    of_message = _conditions(
        ("message.role = ?", filters.role),
        ("message.time >= ?", since),
        ("message.time < ?", until),
    )
    conditions = {**of_session, **of_message}
    if not conditions:
        return Scope("", "", ())
    if of_session:
        conditions["{index}.rowid >= ?"], conditions["{index}.rowid <= ?"] = _span(
            connection, of_session
        )
    joins = (
        # cross join: the full-text index leads, whatever SQLite would guess of the filters.
        " cross join message on message.id = {index}.rowid cross join session on session.id = message.session_id"
        " cross join source on source.id = session.source_id"
    )
    where = "".join(f" and {condition}" for condition in conditions)
    return Scope(joins, where, tuple(conditions.values()))


def _conditions(*wanted: tuple[str, object]) -> dict[str, object]:
    return {condition: value for condition, value in wanted if value is not None}


def _span(connection: Connection, of_session: Mapping[str, object]) -> tuple[int, int]:
    """First and last row of the sessions that pass: a common word is not looked up anywhere else."""
    first, last = connection.execute(
        "select min((select min(id) from message where session_id = session.id)), "
        "max((select max(id) from message where session_id = session.id)) "
        "from session join source on source.id = session.source_id "
        f"where {' and '.join(of_session)}",
        tuple(of_session.values()),
    ).fetchone()
    return (1, 0) if first is None else (first, last)


def _newest_rows(
    connection: Connection, index: str, expression: str, scope: Scope, limit: int
) -> list[int]:
    joins, where = scope.sql(index)
    sql = f"select {index}.rowid from {index}{joins} where {index} match ?{where} order by {index}.rowid desc limit ?"
    return [row for (row,) in connection.execute(sql, (expression, *scope.values, limit))]


def _scan(
    connection: Connection, signs: str, scope: Scope, limit: int, *, tools: bool
) -> list[int]:
    """The newest messages that hold signs no index knows (an arrow, an emoji), among the last `SCANNED`."""
    joins, where = scope.sql("said")
    sql = (
        f"select said.id from message said{joins} where said.id > (select max(id) from message) - ? and (said.role = 'tool') = ? and said.withdrawn = 0 "
        f"and instr(said.text, ?){where} order by said.id desc limit ?"
    )
    values = (SCANNED, tools, signs, *scope.values, limit)
    return [row for (row,) in connection.execute(sql, values)]


def _rank(
    connection: Connection, indexes: Sequence[str], expression: str, scope: Scope, limit: int
) -> dict[int, dict[str, float]]:
    """bm25 of the newest `CANDIDATES` matches, stemmed and as written; larger is better."""
    bound = CANDIDATES // scope.thrift
    newest = _newest_rows(connection, indexes[0], expression, scope, bound)
    if (
        len(newest) <= 1
    ):  # nothing to put in order, and bm25 would go through every match of a phrase again
        return {row: {indexes[0]: 1.0} for row in newest}
    oldest = newest[-1] if len(newest) == bound else 0
    ranked: dict[int, dict[str, float]] = {}
    for index in indexes:
        joins, where = scope.sql(index)
        sql = (
            f"select {index}.rowid, -bm25({index}) as relevance from {index}{joins} "
            f"where {index} match ? and {index}.rowid >= ?{where} order by relevance desc limit ?"
        )
        values = (expression, oldest, *scope.values, max(CONTEXT, limit))
        for row, relevance in connection.execute(sql, values):
            ranked.setdefault(row, {})[index] = relevance
    return ranked


def _wide_expression(connection: Connection, query: Query, index: str, budget: int) -> str | None:
    """Any of the words, rarest first, as long as the rows to look at stay within *budget*."""
    counted = sorted(
        (_count(connection, index, piece, budget), position, piece)
        for position, piece in enumerate(query.pieces())
    )
    chosen: list[Term] = []
    for count, _, piece in counted:
        if count and (count <= budget or not chosen):
            chosen.append(piece)
            budget -= count
    if not chosen:
        return None
    return "(" + " OR ".join(piece.match for piece in chosen) + ")" + query.exclusions()


def _count(connection: Connection, index: str, piece: Term, budget: int) -> int:
    sql = f"select count(*) from (select 1 from {index} where {index} match ? limit ?)"
    return int(connection.execute(sql, (piece.match, budget + 1)).fetchone()[0])


def find_newest(
    connection: Connection, query: Query, filters: Filters, limit: int
) -> list[StoredMessage]:
    """The newest messages with all words of the query, among the last `CANDIDATES` that came in."""
    expression = query.expression()
    scope = _scope(connection, filters)
    if query.signs:
        tools = filters.role == "tool"
        rows = _scan(connection, query.signs, scope, CANDIDATES, tools=tools)
    elif expression is None:
        return []
    else:
        index = index_for(filters)[0]
        rows = _newest_rows(connection, index, expression, scope, CANDIDATES)
    messages = load_messages(connection, rows).values()
    return sorted(messages, key=lambda m: (-(to_milliseconds(m.time) or 0), -m.id))[:limit]


MESSAGE_SELECT = (
    "select message.id, message.native_id, session.native_id, source.name, session.project, message.role, message.time,"
    " message.text, transcript.path, message.start, message.end from message"
    " join session on session.id = message.session_id join source on source.id = session.source_id"
    " left join transcript on transcript.id = message.transcript_id"
)


def load_messages(connection: Connection, rows: Iterable[int]) -> dict[int, StoredMessage]:
    """Messages by row id; ids that do not exist are left out."""
    loaded: dict[int, StoredMessage] = {}
    for part, marks in _parts(rows):
        for row in connection.execute(f"{MESSAGE_SELECT} where message.id in ({marks})", part):
            loaded[row[0]] = to_message(row)
    return loaded


def to_message(row: tuple[Any, ...]) -> StoredMessage:
    """A row of `MESSAGE_SELECT` as a value."""
    row_id, native_id, session, source, project, role, time, text, path, start, end = row
    return StoredMessage(
        id=row_id,
        native_id=native_id,
        session_id=session,
        source=source,
        project=project,
        role=role,
        time=from_milliseconds(time),
        text=text,
        path=path,
        span=None if start is None else (start, end),
    )

"""Lexical search: all words first, then fewer words below; bounded work whatever is asked.

bm25 costs about a microsecond a matching row, so a word that is everywhere would scan the world. Relevance is therefore
computed among the newest `CANDIDATES` matches, and the words that widen a query to fewer words are taken rarest first
until `WIDE_BUDGET` rows are reached.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memoryd.store.connection import Connection
from memoryd.store.query import Query, Term
from memoryd.store.records import Filters, StoredMessage, from_milliseconds, to_milliseconds

CANDIDATES = 2000
WIDE_BUDGET = 8000
RERANKED = 60
Sort = Literal["relevance", "newest"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that answers, with its score in (0, 2): above 1 it has all the words.

    Attributes:
        why: the parts of the score by name, for `--explain`.
    """

    message: StoredMessage
    score: float
    why: dict[str, float]


@dataclass(frozen=True, slots=True)
class _Scope:
    """The part of SQL that filters add."""

    joins: str
    where: str
    values: tuple[object, ...]


def search(
    connection: Connection, query: Query, filters: Filters, limit: int, sort: Sort = "relevance"
) -> list[Hit]:
    """The best messages for a query, best (or newest) first.

    Args:
        limit: at most this many hits, >= 1.

    Returns:
        Messages with all words first; if they are fewer than *limit*, messages with fewer words below them.
    """
    indexes = ("tools",) if filters.role == "tool" else ("stems", "words")
    scope = _scope(filters)
    if sort == "newest":
        return _newest(connection, query, indexes[0], scope, limit)
    ranked: dict[int, tuple[float, dict[str, float]]] = {}
    expressions = dict.fromkeys((query.expression(), query.loose_expression()))
    for expression in filter(None, expressions):
        if len(ranked) < limit:
            found = _rank(connection, indexes, expression, scope, max(limit, RERANKED))
            _keep(ranked, found, base=1.0)
    if len(ranked) < limit:
        wide = _wide_expression(connection, query, indexes[0])
        if wide is not None:
            _keep(ranked, _rank(connection, indexes, wide, scope, max(2 * limit, RERANKED)), base=0.0)
    return _finish(connection, query, ranked, limit)


def _scope(filters: Filters) -> _Scope:
    conditions: list[str] = []
    values: list[object] = []
    for column, value in (
        ("source.name", filters.source),
        ("session.project", filters.project),
        ("session.native_id", filters.session),
        ("message.role", filters.role),
    ):
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    for comparison, time in ((">=", filters.since), ("<", filters.until)):
        if time is not None:
            conditions.append(f"message.time {comparison} ?")
            values.append(to_milliseconds(time))
    if not conditions:
        return _Scope("", "", ())
    joins = (
        " join message on message.id = {index}.rowid join session on session.id = message.session_id"
        " join source on source.id = session.source_id"
    )
    return _Scope(joins, "".join(f" and {condition}" for condition in conditions), tuple(values))


def _newest_rows(
    connection: Connection, index: str, expression: str, scope: _Scope, limit: int
) -> list[int]:
    sql = (
        f"select {index}.rowid from {index}{scope.joins.format(index=index)} "  # noqa: S608 - fixed names
        f"where {index} match ?{scope.where} order by {index}.rowid desc limit ?"
    )
    return [row for (row,) in connection.execute(sql, (expression, *scope.values, limit))]


def _rank(
    connection: Connection, indexes: Sequence[str], expression: str, scope: _Scope, limit: int
) -> dict[int, dict[str, float]]:
    """bm25 of the newest `CANDIDATES` matches, stemmed and as written; larger is better."""
    newest = _newest_rows(connection, indexes[0], expression, scope, CANDIDATES)
    if not newest:
        return {}
    oldest = newest[-1] if len(newest) == CANDIDATES else 0
    ranked: dict[int, dict[str, float]] = {}
    for index in indexes:
        sql = (
            f"select {index}.rowid, -bm25({index}) as relevance from {index}{scope.joins.format(index=index)} "  # noqa: S608 - fixed names
            f"where {index} match ? and {index}.rowid >= ?{scope.where} order by relevance desc limit ?"
        )
        for row, relevance in connection.execute(sql, (expression, oldest, *scope.values, limit)):
            ranked.setdefault(row, {})[index] = relevance
    return ranked


def _keep(
    ranked: dict[int, tuple[float, dict[str, float]]],
    found: dict[int, dict[str, float]],
    base: float,
) -> None:
    for row, why in found.items():
        relevance = sum(why.values())
        if row not in ranked:
            ranked[row] = (base + relevance / (relevance + 10.0), why | {"all_words": base})


def _wide_expression(connection: Connection, query: Query, index: str) -> str | None:
    """Any of the words, rarest first, as long as the rows to look at stay within `WIDE_BUDGET`."""
    counted = sorted(
        (_count(connection, index, piece), position, piece) for position, piece in enumerate(query.pieces())
    )
    chosen: list[Term] = []
    budget = WIDE_BUDGET
    for count, _, piece in counted:
        if count and (count <= budget or not chosen):
            chosen.append(piece)
            budget -= count
    if not chosen:
        return None
    return "(" + " OR ".join(piece.match for piece in chosen) + ")" + query.exclusions()


def _count(connection: Connection, index: str, piece: Term) -> int:
    sql = f"select count(*) from (select 1 from {index} where {index} match ? limit ?)"  # noqa: S608 - fixed names
    return int(connection.execute(sql, (piece.match, WIDE_BUDGET + 1)).fetchone()[0])


def _finish(
    connection: Connection,
    query: Query,
    ranked: dict[int, tuple[float, dict[str, float]]],
    limit: int,
) -> list[Hit]:
    best = sorted(ranked, key=lambda row: (-ranked[row][0], -row))[: max(limit, RERANKED)]
    messages = load_messages(connection, best)
    hits = []
    for row in best:
        score, why = ranked[row]
        literal = _literal_share(query, messages[row].text)
        hits.append(Hit(messages[row], round(score + 0.2 * literal, 6), why | {"literal": literal}))
    hits.sort(key=lambda hit: (-hit.score, -hit.message.id))
    return hits[:limit]


def _literal_share(query: Query, text: str) -> float:
    """Which part of the query stands in the text exactly as typed: the whole, or the share of its odd words."""
    folded = text.casefold()
    if len(query.wanted) > 1 and query.text.casefold() in folded:
        return 1.0
    odd = [term.text.casefold() for term in query.wanted if term.phrase or re.search(r"[^\w\s]|_", term.text)]
    return 0.5 * sum(word in folded for word in odd) / len(odd) if odd else 0.0


def _newest(connection: Connection, query: Query, index: str, scope: _Scope, limit: int) -> list[Hit]:
    expression = query.expression()
    if expression is None:
        return []
    rows = _newest_rows(connection, index, expression, scope, max(CANDIDATES, limit))
    messages = load_messages(connection, rows)
    newest = sorted(
        messages.values(), key=lambda m: (-(to_milliseconds(m.time) or 0), -m.id)
    )[:limit]
    return [Hit(message, 1.0, {"all_words": 1.0}) for message in newest]


MESSAGE_SELECT = (
    "select message.id, message.native_id, session.native_id, source.name, session.project, message.role, message.time,"
    " message.text, transcript.path, message.start, message.end from message"
    " join session on session.id = message.session_id join source on source.id = session.source_id"
    " left join transcript on transcript.id = message.transcript_id"
)


def load_messages(connection: Connection, rows: Iterable[int]) -> dict[int, StoredMessage]:
    """Messages by row id; ids that do not exist are left out."""
    wanted = list(rows)
    loaded: dict[int, StoredMessage] = {}
    for start in range(0, len(wanted), 500):
        part = wanted[start : start + 500]
        marks = ",".join("?" * len(part))
        for row in connection.execute(f"{MESSAGE_SELECT} where message.id in ({marks})", part):
            loaded[row[0]] = to_message(row)
    return loaded


def to_message(row: Sequence[object]) -> StoredMessage:
    """A row of `MESSAGE_SELECT` as a value."""
    *head, time, text, path, start, end = row
    span = (start, end) if isinstance(start, int) and isinstance(end, int) else None
    return StoredMessage(*head, from_milliseconds(time), text, path, span)  # type: ignore[arg-type] # a row has no types

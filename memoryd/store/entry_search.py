"""Full-text search in the memory bank: within one namespace, what a caller in one scope may see."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memoryd.model import Entry
from memoryd.store.connection import Connection
from memoryd.store.entry_rows import COLUMNS, row_to_entry
from memoryd.store.query import Query
from memoryd.store.search import CANDIDATES, Scope, find_rows, rows_with_all_words

# cross join: the full-text index leads. Left to choose, SQLite may ask the index anew for every entry of a namespace.
_THRIFT = 8  # entries are short and many alike: a few hundred are enough to choose from
_WIDE = (
    CANDIDATES // _THRIFT
)  # no more than are ranked: an entry may be old, and its rarest words must find it
_INDEXES = ("entry_stems", "entry_words")
_JOINS = " cross join entry on entry.row = {index}.rowid"


@dataclass(frozen=True, slots=True)
class EntryView:
    """Which entries a caller sees: those of a namespace, in its own scope and the global one.

    Attributes:
        scope: a project; None: every scope.
        session: working entries of this session are seen, of others never.
        hidden: ids of entries that are taken for gone, whatever their state.
    """

    namespace: str
    scope: str | None = None
    session: str | None = None
    states: Sequence[str] = ("active",)
    hidden: Collection[str] = ()

    def conditions(self) -> tuple[str, tuple[object, ...]]:
        """The view as SQL conditions, each with a leading `and`."""
        marks = ", ".join("?" * len(self.states))
        sql = f" and entry.namespace = ? and entry.state in ({marks}) and (entry.kind <> 'working' or entry.session_id = ?)"
        values: list[object] = [self.namespace, *self.states, self.session]
        if self.scope is not None:
            sql += " and entry.scope in (?, 'global')"
            values.append(self.scope)
        if self.hidden:
            sql += " and not is_hidden(entry.id)"
        return sql, tuple(values)


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that matches by its words; *complete*: it has all of them; *bm25*: larger is better."""

    entry: Entry
    complete: bool
    bm25: float


def match_entries(connection: Connection, view: EntryView, query: Query, limit: int) -> list[Match]:
    """Entries that match a query, best first: those with all words, then by bm25; ties by newer row."""
    scope = _scope(connection, view)
    found, complete = find_rows(connection, query, _INDEXES, scope, limit)
    order = sorted(found, key=lambda row: (row not in complete, -sum(found[row].values()), -row))[
        :limit
    ]
    entries = load_entries(connection, view, order)
    return [
        Match(entries[row], row in complete, sum(found[row].values()))
        for row in order
        if row in entries
    ]


def is_surely_found(
    connection: Connection, view: EntryView, query: Query, entry_id: str, limit: int
) -> bool:
    """Is an entry among the first *limit* matches, because no more have all the words? For less than `match_entries`."""
    scope = _scope(connection, view)
    rows = rows_with_all_words(connection, query, _INDEXES[0], scope, limit + 1)
    if len(rows) > limit:
        return False
    row = connection.execute(
        "select row from entry where id = ? and namespace = ?", (entry_id, view.namespace)
    ).fetchone()
    return row is not None and row[0] in rows


def _scope(connection: Connection, view: EntryView) -> Scope:
    if view.hidden:
        connection.create_function("is_hidden", 1, view.hidden.__contains__)
    conditions, values = view.conditions()
    return Scope(_JOINS, conditions, values, _THRIFT, _WIDE)


def load_entries(connection: Connection, view: EntryView, rows: Sequence[int]) -> dict[int, Entry]:
    """Entries by row, as far as the view shows them."""
    conditions, values = view.conditions()
    names = ", ".join(f"entry.{name}" for name in COLUMNS)
    loaded: dict[int, Entry] = {}
    for start in range(0, len(rows), 500):
        part = rows[start : start + 500]
        marks = ", ".join("?" * len(part))
        sql = f"select entry.row, {names} from entry where entry.row in ({marks}){conditions}"
        for row, *columns in connection.execute(sql, (*part, *values)):
            loaded[row] = row_to_entry(tuple(columns))
    return loaded

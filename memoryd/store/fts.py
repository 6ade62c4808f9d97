"""Telling the full-text indexes about rows, and taking rows out again.

The indexes keep no text. A row leaves them only by the very text it entered with, so every change of a message
goes through here, in the transaction that changes the message.
"""

import re
from collections.abc import Iterable

from memoryd.errors import StoreError
from memoryd.store.connection import Connection
from memoryd.store.settings import get_setting, put_setting
from memoryd.store.tokens import TOKENS_VERSION, index_text

PROSE_INDEXES = ("words", "stems")
TOOL_INDEXES = ("tools",)
SAMPLE = 16  # rows that are looked up when an index is checked
_WORD = re.compile(r"(?:^|[ \n])([a-zA-Z]{2,30})(?=[ \n.,?!]|$)")  # surely one token of its own
_INSERT = {
    name: f"insert into {name}(rowid, text) values (?, ?)"
    for name in (*PROSE_INDEXES, *TOOL_INDEXES)
}
_DELETE = {
    name: f"insert into {name}({name}, rowid, text) values ('delete', ?, ?)"
    for name in (*PROSE_INDEXES, *TOOL_INDEXES)
}


def indexes_of(role: str) -> tuple[str, ...]:
    """Tool calls and results have an index of their own, outside the default search."""
    return TOOL_INDEXES if role == "tool" else PROSE_INDEXES


def add_row(connection: Connection, row: int, role: str, text: str) -> None:
    """Index a new message."""
    prepared = index_text(text)
    for name in indexes_of(role):
        connection.execute(_INSERT[name], (row, prepared))


def remove_row(connection: Connection, row: int, role: str, text: str) -> None:
    """Take a message out; *text* must be the text it was indexed with."""
    prepared = index_text(text)
    for name in indexes_of(role):
        connection.execute(_DELETE[name], (row, prepared))


def indexed_version(connection: Connection) -> str | None:
    """The `TOKENS_VERSION` that the indexes were built with."""
    return get_setting(connection, "tokens_version")


def rebuild(connection: Connection, schema: str) -> int:
    """Drop the indexes, create them anew by *schema*, refill them; base rows are untouched.

    Returns:
        How many messages were indexed. The caller owns the transaction.
    """
    for name in (*PROSE_INDEXES, *TOOL_INDEXES):
        connection.execute(f"drop table if exists {name}")
    for statement in filter(str.strip, schema.split(";\n")):
        connection.execute(statement)
    count = 0
    rows = connection.execute("select id, role, text from message where withdrawn = 0 order by id")
    for row, role, text in rows:
        add_row(connection, row, role, text)
        count += 1
    put_setting(connection, "tokens_version", TOKENS_VERSION)
    return count


def check_sample(connection: Connection, name: str, rows: Iterable[tuple[int, str]]) -> None:
    """Ask an index for a word of each of some (row, text): without content, its own check believes an empty one.

    Raises:
        StoreError: it does not know a row by a word of its text.
    """
    for row, text in rows:
        word = _WORD.search(index_text(text))
        if word is None:
            continue
        found = connection.execute(
            f"select 1 from {name} where {name} match ? and rowid = ?", (f'"{word[1]}"', row)
        ).fetchone()
        if found is None:
            raise StoreError(f"index {name} does not find row {row} by its words")


def _sample(connection: Connection, condition: str) -> list[tuple[int, str]]:
    """Some rows, spread over all there are."""
    last = connection.execute("select coalesce(max(id), 0) from message").fetchone()[0]
    sql = f"select id, text from message where id >= ? and withdrawn = 0 and {condition} order by id limit 1"
    starts = {last * part // SAMPLE for part in range(SAMPLE)}
    found = (connection.execute(sql, (start,)).fetchone() for start in sorted(starts))
    return [(row[0], row[1]) for row in found if row is not None]


def check(connection: Connection) -> None:
    """Compare the indexes with themselves and with the messages.

    Raises:
        StoreError: an index is damaged, or holds more or fewer rows than there are messages.
    """
    for name in (*PROSE_INDEXES, *TOOL_INDEXES):
        connection.execute(f"insert into {name}({name}) values ('integrity-check')")
    tools, prose = connection.execute(
        "select coalesce(sum(role = 'tool'), 0), coalesce(sum(role <> 'tool'), 0) from message where withdrawn = 0"
    ).fetchone()
    for name in (*PROSE_INDEXES, *TOOL_INDEXES):
        held = connection.execute(f"select count(*) from {name}_docsize").fetchone()[0]
        expected = tools if name in TOOL_INDEXES else prose
        if held != expected:
            raise StoreError(f"index {name} holds {held} rows, there are {expected} messages")
        kind = "role = 'tool'" if name in TOOL_INDEXES else "role <> 'tool'"
        check_sample(connection, name, _sample(connection, kind))

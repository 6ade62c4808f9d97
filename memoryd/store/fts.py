"""Telling the full-text indexes about rows, and taking rows out again.

The indexes keep no text. A row leaves them only by the very text it entered with, so every change of a message
goes through here, in the transaction that changes the message.
"""

from memoryd.errors import StoreError
from memoryd.store.connection import Connection
from memoryd.store.settings import get_setting, put_setting
from memoryd.store.tokens import TOKENS_VERSION, index_text

PROSE_INDEXES = ("words", "stems")
TOOL_INDEXES = ("tools",)
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

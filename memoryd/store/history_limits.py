"""Removing the oldest messages, for those who limit their history. What an entry cites is never among them."""

from datetime import datetime

from memoryd.store.connection import Connection
from memoryd.store.forgetting import forget_messages, forget_sessions
from memoryd.store.records import to_milliseconds

# A message without a time is as old as the end of its session.
_OLD = "coalesce(message.time, session.ended, 0)"
_REMOVABLE = (
    "from message join session on session.id = message.session_id where message.id not in "
    "(select cast(json_extract(value, '$.message_id') as integer) from entry, json_each(entry.sources) "
    "where json_extract(value, '$.message_id') is not null)"
)


def count_removable(connection: Connection, before: datetime | None = None) -> int:
    """How many messages (older than *before*) no entry cites."""
    condition, values = "", []
    if before is not None:
        condition, values = f" and {_OLD} < ?", [to_milliseconds(before)]
    sql = f"select count(*) {_REMOVABLE}{condition}"
    return int(connection.execute(sql, values).fetchone()[0])


def count_messages(connection: Connection) -> int:
    """How many messages there are, withdrawn ones too."""
    return int(connection.execute("select count(*) from message").fetchone()[0])


def used_bytes(connection: Connection) -> int:
    """Bytes of the database that hold something."""
    pages, free, size = (
        int(connection.execute(f"pragma {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def remove_oldest(connection: Connection, count: int) -> int:
    """Delete so many of the oldest messages that no entry cites, and sessions left empty; the caller owns the transaction."""
    rows = connection.execute(
        f"select message.id, session.id {_REMOVABLE} order by {_OLD}, message.id limit ?", (count,)
    ).fetchall()
    removed = forget_messages(connection, [row for row, _ in rows])
    forget_sessions(connection, {session for _, session in rows})
    return removed

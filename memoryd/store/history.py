"""Queries over history that are not full-text: sessions, neighbours, the ledger's sums."""

from memoryd.store.connection import Connection
from memoryd.store.records import (
    Filters,
    SourceStatus,
    StoredMessage,
    StoredSession,
    from_milliseconds,
    to_milliseconds,
)
from memoryd.store.search import MESSAGE_SELECT, to_message

TITLE_CHARACTERS = 80


def neighbours(connection: Connection, row: int, count: int) -> list[StoredMessage]:
    """Messages around one in its session, in the order of time."""
    found = connection.execute(
        "select session_id, coalesce(time, 0) from message where id = ?", (row,)
    ).fetchone()
    if found is None:
        return []
    session, time = found
    before = connection.execute(
        f"{MESSAGE_SELECT} where message.session_id = ? and (coalesce(message.time, 0), message.id) < (?, ?) "
        "and withdrawn = 0 order by coalesce(message.time, 0) desc, message.id desc limit ?",
        (session, time, row, count),
    ).fetchall()
    after = connection.execute(
        f"{MESSAGE_SELECT} where message.session_id = ? and (coalesce(message.time, 0), message.id) >= (?, ?) "
        "and withdrawn = 0 order by coalesce(message.time, 0), message.id limit ?",
        (session, time, row, count + 1),
    ).fetchall()
    return [to_message(found) for found in (*reversed(before), *after)]


def sessions(connection: Connection, filters: Filters, limit: int) -> list[StoredSession]:
    """Sessions that pass the filters, the last active first; a session without a title is named by its first prompt."""
    conditions, values = ["session.messages > 0"], []
    for column, value in (
        ("source.name = ?", filters.source),
        ("session.project = ?", filters.project),
        ("session.native_id = ?", filters.session),
        ("session.ended >= ?", to_milliseconds(filters.since)),
        ("session.started < ?", to_milliseconds(filters.until)),
    ):
        if value is not None:
            conditions.append(column)
            values.append(value)
    rows = connection.execute(
        "select session.native_id, source.name, session.project, coalesce(session.title, (select substr(text, 1, ?) "
        "from message where session_id = session.id and role = 'user' and withdrawn = 0 order by id limit 1)), session.branch, session.parent_id, "
        "session.started, session.ended, session.messages from session join source on source.id = session.source_id "
        f"where {' and '.join(conditions)} order by coalesce(session.ended, 0) desc, session.id desc limit ?",
        (TITLE_CHARACTERS, *values, limit),
    )
    return [
        StoredSession(
            session_id=native_id,
            source=source,
            project=project,
            title=title,
            branch=branch,
            parent_id=parent,
            started=from_milliseconds(started),
            ended=from_milliseconds(ended),
            messages=messages,
        )
        for native_id, source, project, title, branch, parent, started, ended, messages in rows
    ]


def source_names(connection: Connection) -> list[str]:
    """Every source that was ever read, by name."""
    return [name for (name,) in connection.execute("select name from source order by name")]


def sources(connection: Connection) -> list[SourceStatus]:
    """The ledger's sums by source."""
    rows = connection.execute(
        "select source.id, source.name, count(transcript.id), coalesce(sum(ingested), 0), coalesce(sum(quarantined), 0), "
        "coalesce(sum(size - offset), 0), max(updated) from source left join transcript on transcript.source_id = source.id "
        "group by source.id order by source.name"
    ).fetchall()
    result = []
    for row, name, transcripts, ingested, quarantined, pending, updated in rows:
        held, messages, last = connection.execute(
            "select count(*), coalesce(sum(messages), 0), max(ended) from session where source_id = ? and messages > 0",
            (row,),
        ).fetchone()
        result.append(
            SourceStatus(
                name,
                transcripts,
                held,
                messages,
                ingested,
                quarantined,
                pending,
                from_milliseconds(updated),
                from_milliseconds(last),
                _by_reason(connection, "skip", "sum(records)", row),
                _by_reason(connection, "reject", "count(*)", row),
            )
        )
    return result


def _by_reason(connection: Connection, table: str, figure: str, source: int) -> dict[str, int]:
    sql = (
        f"select reason, {figure} from {table} join transcript on transcript.id = {table}.transcript_id "
        "where transcript.source_id = ? group by reason order by 2 desc, 1"
    )
    return dict(connection.execute(sql, (source,)).fetchall())


def spoken_after(connection: Connection, row: int, limit: int) -> list[StoredMessage]:
    """The next messages of people and assistants after a message id, in order of id."""
    rows = connection.execute(
        f"{MESSAGE_SELECT} where message.id > ? and message.role in ('user', 'assistant') and withdrawn = 0 "
        "order by message.id limit ?",
        (row, limit),
    )
    return [to_message(found) for found in rows]


def counts(connection: Connection) -> dict[str, int]:
    """How many messages, tool messages, sessions and active entries there are."""
    # An index counts its rows a hundred times faster than a scan of all text.
    spoken, tools = connection.execute(
        "select (select count(*) from words_docsize), (select count(*) from tools_docsize)"
    ).fetchone()
    held = connection.execute("select count(*) from session where messages > 0").fetchone()[0]
    entries = connection.execute("select count(*) from entry where state = 'active'").fetchone()[0]
    return {
        "messages": spoken + tools,
        "tool_messages": tools,
        "sessions": held,
        "entries": entries,
    }


def offsets(connection: Connection) -> dict[str, dict[str, tuple[int, int]]]:
    """(size when last read, offset) of every transcript, by source and logical path."""
    rows = connection.execute(
        "select source.name, path, size, offset from transcript join source on source.id = transcript.source_id"
    )
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for source, path, size, offset in rows:
        found.setdefault(source, {})[path] = (size, offset)
    return found

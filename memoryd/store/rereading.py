"""Reading a transcript anew: rows are found again under whatever identity today's reader gives their records."""

from collections.abc import Iterable
from dataclasses import dataclass

from memoryd.store.connection import Connection


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a message comes from.

    Attributes:
        session: the agent's own id.
        time: unix milliseconds, UTC.
        start: byte offset of the record in the transcript.
    """

    session: str
    role: str
    time: int | None
    start: int | None


def known_messages(connection: Connection, source: str, path: str) -> dict[bytes, Origin]:
    """Origins of the rows that a transcript has given, by identity."""
    rows = connection.execute(
        "select identity, session.native_id, role, time, start from message "
        "join session on session.id = message.session_id join transcript on transcript.id = message.transcript_id "
        "join source on source.id = transcript.source_id where source.name = ? and transcript.path = ?",
        (source, path),
    )
    return {identity: Origin(*origin) for identity, *origin in rows}


def unknown_identities(connection: Connection, identities: Iterable[bytes]) -> list[bytes]:
    """Those of the identities that no message has."""
    sql = "select 1 from message where identity = ?"
    return [one for one in identities if connection.execute(sql, (one,)).fetchone() is None]


def rename_messages(connection: Connection, names: Iterable[tuple[bytes, bytes]]) -> None:
    """Give rows another identity: (old, new). The caller owns the transaction."""
    connection.executemany(
        "update message set identity = ? where identity = ?", [(new, old) for old, new in names]
    )

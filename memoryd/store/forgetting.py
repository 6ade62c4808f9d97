"""Removing for good: rows, index rows, vectors, events, reports. The caller owns the transaction; `scrub` comes after it.

A forgotten message leaves its identity behind (16 bytes that tell nothing), so that its transcript, read again, does not
bring it back.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from memoryd.model import Entry
from memoryd.store import fts
from memoryd.store.bank import INDEXES, Bank, list_entries, namespaces
from memoryd.store.connection import Connection
from memoryd.store.sessions import SessionTable

ALL_INDEXES = (*fts.PROSE_INDEXES, *fts.TOOL_INDEXES, *INDEXES)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be forgotten: message rows, entry ids, and a text that must not stay in titles or rejects."""

    messages: tuple[int, ...] = ()
    entries: tuple[str, ...] = ()
    sessions: tuple[int, ...] = ()
    text: str | None = None


def select_session(connection: Connection, native_id: str) -> Selection:
    """Everything of a session, under its agent's own id."""
    rows = connection.execute("select id from session where native_id = ?", (native_id,)).fetchall()
    return _select_sessions(connection, [row for (row,) in rows])


def select_source(connection: Connection, name: str) -> Selection:
    """Everything of a source."""
    rows = connection.execute(
        "select session.id from session join source on source.id = session.source_id where source.name = ?",
        (name,),
    ).fetchall()
    return _select_sessions(connection, [row for (row,) in rows])


def _select_sessions(connection: Connection, sessions: Sequence[int]) -> Selection:
    messages = [
        row
        for session in sessions
        for (row,) in connection.execute("select id from message where session_id = ?", (session,))
    ]
    return Selection(tuple(messages), _derived(connection, messages), tuple(sessions))


def select_text(connection: Connection, text: str) -> Selection:
    """Every message and entry that holds a text, case aside."""
    folded = text.casefold()
    messages = [
        row
        for row, found in connection.execute("select id, text from message")
        if folded in found.casefold()
    ]
    holding = [
        entry.id
        for place in namespaces(connection)
        for entry in list_entries(connection, place, states=())
        if folded
        in json.dumps(
            [entry.content, entry.key, dict(entry.metadata), [s.quote for s in entry.sources]],
            ensure_ascii=False,
        ).casefold()
    ]
    entries = dict.fromkeys((*holding, *_derived(connection, messages)))
    return Selection(tuple(messages), tuple(entries), (), text)


def _derived(connection: Connection, messages: Iterable[int]) -> tuple[str, ...]:
    """Entries that were made from any of these messages."""
    wanted = {str(row) for row in messages}
    return tuple(
        entry.id
        for place in namespaces(connection)
        for entry in list_entries(connection, place, states=())
        if any(source.message_id in wanted for source in entry.sources)
    )


def with_lineage(entries: Sequence[Entry], chosen: Iterable[str]) -> tuple[set[str], set[str]]:
    """What forgetting entries of one namespace means for what was made of them.

    Returns:
        ids to forget: the chosen, and every entry merged from one of them (its words hold theirs);
        ids to bring back: the other inputs of such entries, so that no other fact is lost.
    """
    forgotten = set(chosen)
    grown = True
    while grown:
        made = {entry.id for entry in entries if forgotten & set(entry.merged_from)}
        grown = not made <= forgotten
        forgotten |= made
    inputs = {one for entry in entries if entry.id in forgotten for one in entry.merged_from}
    return forgotten, inputs - forgotten


def forget_messages(connection: Connection, rows: Iterable[int]) -> int:
    """Delete messages with their index rows; returns how many there were."""
    count = 0
    for row in rows:
        found = connection.execute(
            "select role, text, identity, withdrawn, group_key, session.native_id, source.name from message "
            "join session on session.id = session_id join source on source.id = source_id where message.id = ?",
            (row,),
        ).fetchone()
        if found is None:
            continue
        role, text, identity, withdrawn, group, session, source = found
        if not withdrawn:
            fts.remove_row(connection, row, role, text)
            SessionTable(connection).recount(row, -1)
        leave_behind = (
            [identity]
            if group is None
            else [identity, group_identity(source, session, role, group)]
        )
        connection.executemany(
            "insert into forgotten values (?) on conflict do nothing",
            [(one,) for one in leave_behind],
        )
        connection.execute("delete from message where id = ?", (row,))
        count += 1
    return count


def forget_entries(connection: Connection, namespace: str, ids: Iterable[str]) -> int:
    """Delete entries with their events, accesses, vectors and conflicts; returns how many there were."""
    bank = Bank(connection)
    count = 0
    for entry_id in ids:
        row = connection.execute(
            "select row from entry where id = ? and namespace = ?", (entry_id, namespace)
        ).fetchone()
        if row is None:
            continue
        bank.erase(namespace, entry_id)
        connection.execute("delete from vector where row = ?", row)
        count += 1
    return count


def forget_sessions(connection: Connection, rows: Iterable[int]) -> None:
    """Delete sessions that hold no message any more."""
    connection.executemany(
        "delete from session where id = ? and not exists (select 1 from message where session_id = session.id)",
        [(row,) for row in rows],
    )


def transcripts_of(connection: Connection, selection: Selection) -> set[tuple[str, str]]:
    """(source, logical path) of the transcripts that gave the chosen messages."""
    found: set[tuple[str, str]] = set()
    for row in selection.messages:
        found.update(
            connection.execute(
                "select source.name, path from message join transcript on transcript.id = message.transcript_id "
                "join source on source.id = transcript.source_id where message.id = ?",
                (row,),
            )
        )
    return found


def sources_of(connection: Connection, selection: Selection) -> set[str]:
    """The agents of the chosen sessions and messages."""
    sessions = {
        session
        for row in selection.messages
        for (session,) in connection.execute("select session_id from message where id = ?", (row,))
    }
    return {
        name
        for session in sessions | set(selection.sessions)
        for (name,) in connection.execute(
            "select name from source join session on session.source_id = source.id where session.id = ?",
            (session,),
        )
    }


def forget_reports(connection: Connection, ids: Iterable[str]) -> None:
    """Empty the reports of runs that name one of these entries."""
    connection.executemany(
        "update run set report = '{}' where instr(report, ?) > 0", [(one,) for one in ids]
    )


def scrub(connection: Connection) -> None:
    """Make what was deleted unreadable: rewrite the index segments, and empty the write-ahead log.

    Deleted pages are overwritten (secure_delete); index segments keep deleted words until they are merged.
    """
    for name in ALL_INDEXES:
        connection.execute(f"insert into {name}({name}) values ('optimize')")
    connection.execute("pragma wal_checkpoint(truncate)")
    connection.execute("pragma incremental_vacuum")
    connection.execute("pragma wal_checkpoint(truncate)")


def refuse_copies(connection: Connection, transcripts: Iterable[tuple[str, str]]) -> None:
    """Note that transcripts (source, logical path) hold something forgotten: they must not be copied or read anew."""
    connection.executemany(
        "insert into forgotten values (?) on conflict do nothing",
        [(_copy_identity(source, path),) for source, path in transcripts],
    )


def refuses_copy(connection: Connection, source: str, path: str) -> bool:
    """Does a transcript hold something forgotten?"""
    return is_forgotten(connection, _copy_identity(source, path))


def _copy_identity(source: str, path: str) -> bytes:
    """No message has it: no source has NUL in its name."""
    return blake2b(
        f"{source}\0\0copy\0{path}".encode("utf-8", "surrogateescape"), digest_size=16
    ).digest()


def group_identity(source: str, session: str, role: str, group: str) -> bytes:
    """Stands for every snapshot of a growing text: the next one would bring a forgotten one back in other words.

    No message has it: no source has NUL in its name.
    """
    key = f"{source}\0\0group\0{session}\0{role}\0{group}"
    return blake2b(key.encode("utf-8", "surrogateescape"), digest_size=16).digest()


def is_forgotten(connection: Connection, identity: bytes) -> bool:
    """Was a message with this identity forgotten?"""
    return (
        connection.execute("select 1 from forgotten where identity = ?", (identity,)).fetchone()
        is not None
    )

"""Writing sessions: one row a conversation, facts learned as they come, counts flushed once a batch."""

from dataclasses import dataclass

from memoryd.model import Session
from memoryd.screening import ScreenedText
from memoryd.store.connection import Connection

STAND_IN = "salvaged-"  # begins the name of a session (or source) that was lost, and of which rows were left
RECENT = 1000  # sessions whose row is remembered; a first ingest meets tens of thousands


@dataclass(slots=True)
class _Count:
    """What a batch adds to one session; *spoken* is the session's whole count."""

    messages: int = 0
    spoken: int = 0
    first: int | None = None
    last: int | None = None


class SessionTable:
    """Rows of `session` and `source`, with the ids of recent ones at hand."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sources: dict[str, int] = {}
        self._rows: dict[tuple[int, str], int] = {}
        self._counts: dict[int, _Count] = {}

    def forget_cache(self) -> None:
        """After a rollback nothing remembered is certain."""
        self._sources.clear()
        self._rows.clear()
        self._counts.clear()

    def source_id(self, name: str) -> int:
        """The row of a source, made on first use."""
        if name not in self._sources:
            self._connection.execute(
                "insert into source (name) values (?) on conflict do nothing", (name,)
            )
            found = self._connection.execute(
                "select id from source where name = ?", (name,)
            ).fetchone()
            self._sources[name] = found[0]
        return self._sources[name]

    def row_id(self, source_id: int, native_id: str) -> int:
        """The row of a session, made on first use."""
        known = self._rows.get((source_id, native_id))
        if known is not None:
            return known
        self._connection.execute(
            "insert into session (source_id, native_id) values (?, ?) on conflict do nothing",
            (source_id, native_id),
        )
        row: int = self._connection.execute(
            "select id from session where source_id = ? and native_id = ?", (source_id, native_id)
        ).fetchone()[0]
        if len(self._rows) >= RECENT:
            self._rows.clear()
        self._rows[source_id, native_id] = row
        return row

    def move_home(self, message: int, held: int, session: int) -> None:
        """A message that was salvaged without its session is met again in its transcript: it belongs there."""
        moved = self._connection.execute(
            "update message set session_id = ? where id = ? and withdrawn = 0 and exists "
            "(select 1 from session where id = ? and substr(native_id, 1, ?) = ?) returning role, time",
            (session, message, held, len(STAND_IN), STAND_IN),
        ).fetchall()
        for role, time in moved:
            self.count(session, time, spoken=role != "tool")
            self._connection.execute(
                "update session set messages = messages - 1, spoken = spoken - ? where id = ?",
                (role != "tool", held),
            )

    def learn(self, source_id: int, session: Session, title: ScreenedText | None) -> None:
        """Note what a transcript says of a session: the first project, branch and parent; the last title and model."""
        self._connection.execute(
            "update session set project = coalesce(project, ?), title = coalesce(?, title), branch = coalesce(branch, ?), "
            "model = coalesce(?, model), parent_id = coalesce(parent_id, ?) where id = ?",
            (
                session.project,
                title,
                session.branch,
                session.model,
                session.parent_id,
                self.row_id(source_id, session.session_id),
            ),
        )

    def spoken(self, row: int) -> int:
        """How many spoken messages a session has, those of this batch included."""
        if row not in self._counts:
            held = self._connection.execute(
                "select spoken from session where id = ?", (row,)
            ).fetchone()[0]
            self._counts[row] = _Count(spoken=held)
        return self._counts[row].spoken

    def count(self, row: int, time: int | None, *, spoken: bool) -> None:
        """One more message of a session, at *time* (unix milliseconds)."""
        held = self.spoken(row)
        count = self._counts[row]
        count.messages += 1
        count.spoken = held + spoken
        if time is not None:
            count.first = time if count.first is None else min(count.first, time)
            count.last = time if count.last is None else max(count.last, time)

    def recount(self, message: int, difference: int) -> None:
        """A message was withdrawn by the agent (-1), or written again (1)."""
        self._connection.execute(
            "update session set messages = messages + ? where id = (select session_id from message where id = ?)",
            (difference, message),
        )

    def flush(self) -> None:
        """Write the counts gathered since the last flush."""
        for row, count in self._counts.items():
            self._connection.execute(
                "update session set messages = messages + ?, spoken = ?, "
                "started = min(coalesce(started, ?), coalesce(?, started)), "
                "ended = max(coalesce(ended, ?), coalesce(?, ended)) where id = ?",
                (
                    count.messages,
                    count.spoken,
                    count.first,
                    count.first,
                    count.last,
                    count.last,
                    row,
                ),
            )
        self._counts.clear()

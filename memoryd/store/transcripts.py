"""Writing the ledger of transcripts: cursor, byte counts, rejects and skips.

For every transcript: offset = ingested + quarantined, and size - offset is pending.
"""

import json

from memoryd.model import Batch, Cursor
from memoryd.screening import ScreenedText
from memoryd.store.connection import Connection

NEVER_READ = -1  # in place of an inode: what a salvaged ledger says of every transcript


class TranscriptTable:
    """Rows of `transcript`, `reject` and `skip`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def cursor(self, source: str, path: str) -> Cursor | None:
        """Where reading stopped; None if never read."""
        found = self._connection.execute(
            "select device, inode, size, mtime_ns, offset, fingerprint, state from transcript "
            "join source on source.id = transcript.source_id where source.name = ? and path = ?",
            (source, path),
        ).fetchone()
        if found is None:
            return None
        device, inode, size, mtime_ns, offset, fingerprint, state = found
        if inode == NEVER_READ:
            return None
        return Cursor(
            path, device, inode, size, mtime_ns, offset, fingerprint, state=json.loads(state)
        )

    def advance(self, source_id: int, batch: Batch, now: int) -> int:
        """Move the cursor of a transcript and count its bytes; returns the transcript's row."""
        cursor = batch.cursor
        rejected = sum(reject.end - reject.start for reject in batch.rejects)
        if batch.restarted:
            self._start_anew(source_id, cursor.path)
        row: int = self._connection.execute(
            "insert into transcript (source_id, path, device, inode, size, mtime_ns, offset, fingerprint, state, "
            "ingested, quarantined, updated) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "on conflict (source_id, path) do update set device = excluded.device, inode = excluded.inode, "
            "size = excluded.size, mtime_ns = excluded.mtime_ns, offset = excluded.offset, "
            "fingerprint = excluded.fingerprint, state = excluded.state, updated = excluded.updated, "
            "ingested = ingested + excluded.ingested, quarantined = quarantined + excluded.quarantined returning id",
            (
                source_id,
                cursor.path,
                cursor.device,
                cursor.inode,
                cursor.size,
                cursor.mtime_ns,
                cursor.offset,
                cursor.fingerprint,
                json.dumps(cursor.state, separators=(",", ":")),
                batch.consumed - rejected,
                rejected,
                now,
            ),
        ).fetchone()[0]
        return row

    def _start_anew(self, source_id: int, path: str) -> None:
        """The transcript was truncated or rewritten: its ledger begins again, its messages stay."""
        found = self._connection.execute(
            "update transcript set ingested = 0, quarantined = 0 where source_id = ? and path = ? returning id",
            (source_id, path),
        ).fetchone()
        if found is not None:
            self._connection.execute("delete from reject where transcript_id = ?", found)
            self._connection.execute("delete from skip where transcript_id = ?", found)

    def keep_aside(self, transcript: int, batch: Batch, heads: tuple[ScreenedText, ...]) -> None:
        """Store rejects with their screened heads, and count what was skipped."""
        self._connection.executemany(
            "insert into reject (transcript_id, start, end, reason, head) values (?, ?, ?, ?, ?)",
            [
                (transcript, reject.start, reject.end, reject.reason, head)
                for reject, head in zip(batch.rejects, heads, strict=True)
            ],
        )
        self._connection.executemany(
            "insert into skip (transcript_id, reason, records) values (?, ?, ?) "
            "on conflict (transcript_id, reason) do update set records = records + excluded.records",
            [(transcript, reason, records) for reason, records in batch.skipped.items()],
        )

    def count(self, transcript: int, added: int) -> None:
        """Note how many messages a transcript has given."""
        if added:
            self._connection.execute(
                "update transcript set messages = messages + ? where id = ?", (added, transcript)
            )

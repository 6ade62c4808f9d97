"""The nouns of memoryd: frozen values that rooms hand to each other. No I/O, no clock.

TRANSCRIPT  a file or foreign database in which an agent keeps conversations
SESSION     one conversation, under the agent's own id
MESSAGE     one utterance or tool call of a session; its KEY is its identity within the source
CURSOR      how far a transcript was read, and how to recognise it again
BATCH       what one read step yields: messages, session facts, rejects, and the cursor after them
REJECT      bytes that could not become a record; counted and kept aside, never lost silently

All datetimes are timezone-aware. Byte spans are half-open [start, end) in the (uncompressed) transcript.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Role = Literal["user", "assistant", "tool", "system"]


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance or tool call, as read.

    Attributes:
        key: identity within the source: the agent's own id, or a hash of content in its session.
            Never the path or the line, so copies, forks and re-reads meet themselves.
        native_id: the agent's own message id, if it has one.
        group: messages of one session that share a group are snapshots of one growing text:
            a later one whose text extends an earlier one replaces it.
        span: bytes [start, end) of the record in the transcript, for provenance.
    """

    source: str
    session_id: str
    key: str
    role: Role
    text: str
    time: datetime | None = None
    native_id: str | None = None
    group: str | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """What is known of a conversation; None means "not said here", never "none"."""

    source: str
    session_id: str
    project: str | None = None
    title: str | None = None
    branch: str | None = None
    model: str | None = None
    parent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """Bytes [start, end) that could not become a record, with the reason and the raw head of them."""

    start: int
    end: int
    reason: str
    head: bytes = b""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a transcript was read, and how to recognise it again.

    Attributes:
        path: the logical transcript (for a compressed twin: the plain name).
        device, inode, size, mtime_ns: of the file when last read.
        offset: bytes consumed, always just past a complete record; size - offset is pending.
        fingerprint: hash of the bytes just before *offset*; another value means another file.
        state: what the reader must remember between reads (JSON values only).
    """

    path: str
    device: int = 0
    inode: int = 0
    size: int = 0
    mtime_ns: int = 0
    offset: int = 0
    fingerprint: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    """One durable step: everything in it and its cursor are committed together, or not at all.

    Attributes:
        consumed: bytes covered by this batch, rejects included.
        skipped: records left out on purpose, counted by reason.
        retracted: keys that the agent itself has withdrawn (rewound turns).
        restarted: the transcript is read again from its beginning; byte counts start anew.
    """

    cursor: Cursor
    messages: tuple[Message, ...] = ()
    sessions: tuple[Session, ...] = ()
    rejects: tuple[Reject, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    retracted: tuple[str, ...] = ()
    consumed: int = 0
    restarted: bool = False


EntryKind = Literal["working", "episodic", "semantic", "procedural"]
Origin = Literal["user", "assistant", "tool", "external", "system"]
EntryState = Literal["active", "merged", "superseded", "archived", "review", "removed"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a sentence of an entry comes from.

    Attributes:
        start, end: characters [start, end) of the message's stored text (or of the file's text).
        byte_start, byte_end: the record's bytes in *path*, when it came from a transcript.
        quote: the words themselves, kept even when the transcript is gone.
    """

    message_id: str | None = None
    session_id: str | None = None
    path: str | None = None
    start: int | None = None
    end: int | None = None
    byte_start: int | None = None
    byte_end: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A memory: one fact with its provenance. Field names are those of the command-line contract.

    Attributes:
        namespace: `user_id/app_id`; nothing ever crosses it.
        scope: "global" or a project; entries of different scopes are never compared as one.
        merged_from: ids of the direct inputs; lineage is followed through them.
        ttl_days: counted from the last use or confirmation, never from creation; None: no limit.
    """

    id: str
    content: str
    created_at: datetime
    updated_at: datetime
    namespace: str = "local/default"
    scope: str = "global"
    key: str | None = None
    session_id: str | None = None
    kind: EntryKind = "semantic"
    origin: Origin = "user"
    state: EntryState = "active"
    confidence: float = 0.8
    last_accessed_at: datetime | None = None
    access_count: int = 0
    ttl_days: float | None = None
    pinned: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    merged_from: tuple[str, ...] = ()
    superseded_by: str | None = None
    sources: tuple[Provenance, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Apart:
    """What a person decided to keep apart: entries that an undone run had made one or replaced by one another, or that both hold.

    Attributes:
        number: what a person names to lift it.
        run: that was undone, the sides of all its decisions are kept apart; or the conflict, a run of its own.
        sides: ids of the entries that say each of the texts as they were then. Entries of different sides are
            neither merged nor replaced by one another; those of one side are copies of each other.
        both_hold: it was said of a conflict.
    """

    number: int
    run: str
    sides: tuple[frozenset[str], ...]
    both_hold: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message that may answer a query, before ranking.

    Attributes:
        session: the row of its session; position: its place among the session's spoken messages.
        complete: it has all the words of the query.
        stemmed, written: bm25 with and without stemming, larger is better; 0: not found that way.
    """

    id: int
    session: int
    position: int | None
    complete: bool
    stemmed: float
    written: float

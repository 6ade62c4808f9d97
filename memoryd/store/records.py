"""Values that come out of a query, and the filters that go into one.

Nothing of `screening` is imported here: a search must not pay for its tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from memoryd.model import Role

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = (
    (datetime(year, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1) for year in (2, 9999)
)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which messages count at all; None: any."""

    source: str | None = None
    project: str | None = None
    role: Role | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as kept, with the session it belongs to."""

    id: int
    native_id: str | None
    session_id: str
    source: str
    project: str | None
    role: Role
    time: datetime | None
    text: str
    path: str | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as kept; *messages* counts those of people and assistants and tools alike."""

    session_id: str
    source: str
    project: str | None
    title: str | None
    branch: str | None
    parent_id: str | None
    started: datetime | None
    ended: datetime | None
    messages: int


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What the database knows of one source. Bytes are those of the transcripts as last read.

    Attributes:
        pending: bytes seen but not yet complete (half-written last lines).
        skipped: records left out on purpose, by reason.
        rejected: bad records kept aside, by reason.
    """

    name: str
    transcripts: int
    sessions: int
    messages: int
    ingested: int
    quarantined: int
    pending: int
    last_ingest: datetime | None
    last_message: datetime | None
    skipped: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)


def to_milliseconds(time: datetime | None) -> int | None:
    """A time as unix milliseconds, UTC; at the ends of the calendar, the last that every zone can tell."""
    if time is None:
        return None
    return min(max((time - EPOCH) // timedelta(milliseconds=1), FIRST), LAST)


def from_milliseconds(value: object) -> datetime | None:
    """The time that `to_milliseconds` stored."""
    return EPOCH + timedelta(milliseconds=value) if isinstance(value, int) else None

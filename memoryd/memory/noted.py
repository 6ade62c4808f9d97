"""Times that memory notes in an entry's metadata; what a caller put there under the same name may be anything."""

from datetime import UTC, datetime

from memoryd.model import Entry


def noted_time(entry: Entry, name: str) -> datetime | None:
    """The time noted under a name; None if there is none, or something else."""
    noted = entry.metadata.get(name)
    if not isinstance(noted, str):
        return None
    try:
        time = datetime.fromisoformat(noted)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)

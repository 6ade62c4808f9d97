"""Reading OpenClaw's record of who wrote its memory files, read-only, one row at a time."""

from collections.abc import Iterable
from pathlib import Path

from memoryd.sources.sqlite import open_database

_LARGEST = 1024 * 1024  # bytes of a record


def read_ledger(database: Path, owner: str, namespace: str, keys: Iterable[str]) -> dict[str, str]:
    """The JSON of the records with these keys; a key without a record is left out.

    Raises:
        SourceError: the database cannot be read.
    """
    with open_database(database, _LARGEST) as opened:
        if "value_json" not in opened.columns("plugin_state_entries"):
            return {}
        found = {}
        for key in keys:
            rows = opened.select(
                "select value_json from plugin_state_entries where plugin_id = ? and namespace = ? and entry_key = ?",
                (owner, namespace, key),
            )
            if rows and isinstance(rows[0][0], str):
                found[key] = rows[0][0]
        return found

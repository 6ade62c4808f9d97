"""Taking a text out of every place that is no message and no entry: titles, rejects, reading states, events, reports.

The caller owns the transaction. JSON is searched value by value, base64 decoded: a report keeps whole files that way.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any

from memoryd.store.connection import Connection

_SHORTEST_BASE64 = 16  # characters; a shorter one holds no text worth forgetting


def forget_text(connection: Connection, text: str) -> None:
    """Take a text (case aside) out of everything that is neither message nor entry."""
    folded = text.casefold()
    for table, column, replacement in (
        ("session", "title", None),
        ("session", "branch", None),
        ("reject", "head", ""),
        ("conflict", "reason", ""),
        ("job", "detail", ""),
    ):
        _replace(connection, table, column, lambda found: folded in found.casefold(), replacement)
    _delete_events(connection, folded)
    for table, column in (("run", "report"), ("transcript", "state")):
        _blank(connection, table, column, folded)


# What things are known by: without these the ledger would read a transcript anew, and scopes would not match.
_NAMES = (
    ("transcript", "path"),
    ("session", "native_id"),
    ("session", "project"),
    ("entry", "scope"),
    ("setting", "name"),
)


def names_holding(connection: Connection, text: str) -> list[str]:
    """Paths and names that hold a text and stay, for they are how a transcript, session, project or file is known."""
    folded = text.casefold()
    found = {
        name
        for table, column in _NAMES
        for (name,) in connection.execute(f"select distinct {column} from {table}")
        if name is not None and folded in name.casefold()
    }
    return sorted(found)


def _replace(
    connection: Connection,
    table: str,
    column: str,
    holds: Callable[[str], bool],
    replacement: str | None,
) -> None:
    key = _key_of(table)
    rows = connection.execute(
        f"select {key}, {column} from {table} where {column} is not null and {column} <> ''"
    ).fetchall()
    connection.executemany(
        f"update {table} set {column} = ? where {_matches(key)}",
        [(replacement, *keys) for *keys, found in rows if holds(found)],
    )


def _key_of(table: str) -> str:
    return "name, local_date" if table == "job" else "id"


def _matches(key: str) -> str:
    return " and ".join(f"{name} = ?" for name in key.split(", "))


def _delete_events(connection: Connection, folded: str) -> None:
    """An event that holds the text cannot be undone any more, and its entry says something else by now."""
    rows = connection.execute("select id, why, before, after from event")
    holding = [
        (row,)
        for row, *parts in rows
        if any(part is not None and _holds(part, folded) for part in parts)
    ]
    connection.executemany("delete from event where id = ?", holding)


def _holds(value: str, folded: str) -> bool:
    return folded in value.casefold() or ("\\" in value and folded in _plain(value).casefold())


def _plain(value: str) -> str:
    try:
        return "\n".join(_texts(json.loads(value)))
    except ValueError:
        return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value


def _blank(connection: Connection, table: str, column: str, folded: str) -> None:
    """Empty the values that hold the text in a column of JSON."""
    rows = connection.execute(f"select id, {column} from {table}").fetchall()
    changed = []
    for row, found in rows:
        value = json.loads(found)
        clean = _blanked(value, folded)
        if clean != value:
            changed.append((json.dumps(clean, ensure_ascii=False), row))
    connection.executemany(f"update {table} set {column} = ? where id = ?", changed)


def _blanked(value: Any, folded: str) -> Any:
    if isinstance(value, dict):
        return {
            key: _blanked(inner, folded)
            for key, inner in value.items()
            if folded not in key.casefold()
        }
    if isinstance(value, list):
        return [_blanked(inner, folded) for inner in value]
    if isinstance(value, str) and (folded in value.casefold() or folded in _decoded(value)):
        return ""
    return value


def _decoded(value: str) -> str:
    """What base64 says, casefolded; nothing if it is none."""
    if len(value) < _SHORTEST_BASE64:
        return ""
    try:
        return b64decode(value, validate=True).decode("utf-8", "replace").casefold()
    except ValueError:
        return ""

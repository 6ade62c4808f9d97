"""Is the database whole? Each check says what is wrong in words, and which rung of the repair ladder mends it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memoryd.counting import counted
from memoryd.errors import StoreError
from memoryd.store import bank, fts
from memoryd.store.connection import Connection, DatabaseError

Repair = Literal["indexes", "salvage"]


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is wrong, and what mends it: rebuilding the indexes, or salvaging rows."""

    name: str
    detail: str
    repair: Repair


def find_damage(connection: Connection) -> list[Damage]:
    """Check pages, foreign keys, the ledger and the full-text indexes. Needs the writing connection."""
    return [*_pages(connection), *_ledger(connection), *_indexes(connection)]


def _pages(connection: Connection) -> Iterator[Damage]:
    try:
        rows = [str(row) for (row,) in connection.execute("pragma quick_check(20)")]
        dangling = connection.execute("pragma foreign_key_check").fetchall()
    except DatabaseError as error:
        yield Damage("pages", str(error), "salvage")
        return
    # SQLite checks virtual tables too; those are told apart below, where they can be rebuilt.
    pages = [
        row for row in rows if row != "ok" and "fts5" not in row and "inverted index" not in row
    ]
    if pages:
        yield Damage("pages", "; ".join(pages), "salvage")
    if dangling:
        yield Damage(
            "foreign keys",
            f"{counted(len(dangling), 'row')} with a reference to nothing",
            "salvage",
        )


def _ledger(connection: Connection) -> Iterator[Damage]:
    try:
        wrong = connection.execute(
            "select count(*) from transcript where ingested + quarantined <> offset or offset > size"
        ).fetchone()[0]
    except DatabaseError as error:
        yield Damage("ledger", str(error), "salvage")
        return
    if wrong:
        yield Damage(
            "ledger", f"{counted(wrong, 'transcript')} whose bytes do not add up", "salvage"
        )


def _indexes(connection: Connection) -> Iterator[Damage]:
    try:
        fts.check(connection)
        bank.check_indexes(connection)
    except (DatabaseError, StoreError) as error:
        yield Damage("full-text indexes", str(error), "indexes")

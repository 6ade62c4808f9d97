"""A new database from what is still readable in a damaged one, and from the last good backup where pages are lost.

Full-text indexes and statistics are not read, they are made anew. Transcripts are marked as never read, so that the next scan
brings back from them what is missing; nothing is doubled by that.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from memoryd.store.connection import Connection, DatabaseError, open_reader
from memoryd.store.pages import SCHEMA_ROOT, Pages, Row
from memoryd.store.sessions import STAND_IN
from memoryd.store.transcripts import NEVER_READ

SEQUENCE = "sqlite_sequence"
# Parents first. Left out: what the migrations or SQLite itself fill.
TABLES = (
    "setting", "source", "session", "transcript", "message", "reject", "skip",
    "entry", "event", "run", "conflict", "access", "recall", "forgotten", "refused",
    "generation", "vector", "job", "apart", "apart_text", SEQUENCE,
)  # fmt: skip
PORTION = 500

Roots = Mapping[int, str]  # root page -> table
Whose = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What became of one table: rows read from the file, rows from the backup, pages that could not be read."""

    table: str
    rows: int
    from_backup: int
    lost_pages: int


def salvage(damaged: Path, fresh: Connection, backup: Path | None, whose: Whose) -> list[Salvaged]:
    """Fill a new, empty database of ours from a damaged one.

    Args:
        damaged: only read, with its write-ahead log.
        fresh: of the present schema; everything is one transaction.
        backup: a verified copy; where pages of a table are lost, rows it has come from here.
        whose: the name of the source that a transcript's path belongs to, or nothing.

    Raises:
        OSError: the file cannot be read. DatabaseError: *fresh* cannot be written.
    """
    fresh.execute("pragma foreign_keys=off")
    fresh.execute("begin immediate")
    try:
        done = _fill(damaged, fresh, backup)
        _settle(fresh, whose)
    except BaseException:
        fresh.execute("rollback")
        raise
    fresh.execute("commit")
    fresh.execute("pragma foreign_keys=on")
    return done


def _fill(damaged: Path, fresh: Connection, backup: Path | None) -> list[Salvaged]:
    with Pages(damaged) as pages:
        owners = _owners(pages, _find_roots(pages, fresh, backup))
        done = []
        for table in TABLES:
            mine = [number for number, name in owners.items() if name == table]
            # Where a leaf is gone the map still says whose it was; without the map, suspect the worst.
            lost = sum(not pages.kind(number) for number in mine) + (not mine)
            found = (row for number in mine for row in pages.rows(number))
            take = _take_sequence if table == SEQUENCE else _take
            rows, bad = take(fresh, table, found)
            added = _take_from_backup(fresh, table, backup) if lost or bad else 0
            done.append(Salvaged(table, rows, added, lost + bad))
    return done


def _find_roots(pages: Pages, fresh: Connection, backup: Path | None) -> Roots:
    """The file's own list of tables; where that is damaged, the backup's, or that of any new database of ours."""
    own = _listed(row for number in pages.below(SCHEMA_ROOT) for row in pages.rows(number))
    if set(TABLES) <= set(own.values()):
        return own
    lists = [own]
    if backup is not None:
        with closing(open_reader(backup)) as connection:
            lists.append(_roots_of(connection))
    lists.append(_roots_of(fresh))
    found: dict[int, str] = {}
    for one in lists:
        known = set(found.values())
        found |= {
            root: table for root, table in one.items() if table not in known and root not in found
        }
    return found  # fmt: skip


def _listed(rows: Iterator[Row | None]) -> dict[int, str]:
    """Tables by their root, from rows of `sqlite_schema`: type, name, tbl_name, rootpage, sql."""
    found = {}
    for row in rows:
        match row:
            case (_, ["table", str(name), _, int(root), _]) if name in TABLES:
                found[root] = name
    return found


def _roots_of(connection: Connection) -> dict[int, str]:
    rows = connection.execute("select rootpage, name from sqlite_schema where type = 'table'")
    return {root: name for root, name in rows if name in TABLES}


def _owners(pages: Pages, roots: Roots) -> dict[int, str]:
    """Whose every page of a table is."""
    owners = {number: name for root, name in roots.items() for number in pages.below(root)}
    for number in range(SCHEMA_ROOT + 1, pages.count + 1):
        root = pages.root_of(number)
        if root in roots:
            owners[number] = roots[root]
    return owners


def _take(fresh: Connection, table: str, rows: Iterator[Row | None]) -> tuple[int, int]:
    """Insert the rows that fit; returns how many, and how many did not decode or fit."""
    columns, key = _columns(fresh, table)
    sql = _insert(table, columns)
    taken, bad = 0, 0
    for row in rows:
        if row is None or not 0 < len(row[1]) <= len(columns):
            bad += 1
            continue
        values = [*row[1], *[None] * (len(columns) - len(row[1]))]
        if key is not None:
            values[columns.index(key)] = row[0]  # the row id, which the record itself leaves out
        try:
            taken += fresh.execute(sql, values).rowcount
        except (DatabaseError, OverflowError, UnicodeEncodeError):
            bad += 1
    return taken, bad


def _take_sequence(fresh: Connection, table: str, rows: Iterator[Row | None]) -> tuple[int, int]:
    """The last ids given: SQLite has begun new rows of this table already, and it has no key."""
    taken = 0
    for row in rows:
        match row:
            case (_, [str(name), int(last)]) if name in TABLES:
                sql = f"update {table} set seq = max(seq, ?) where name = ?"
                if not fresh.execute(sql, (last, name)).rowcount:
                    fresh.execute(f"insert into {table} (name, seq) values (?, ?)", (name, last))
                taken += 1
    return taken, 0


def _columns(fresh: Connection, table: str) -> tuple[list[str], str | None]:
    """Columns in the order in which records hold them, and the one that is the row id.

    A table without row ids is a tree of records that begin with its primary key.
    """
    listed = fresh.execute(f"select name, type, pk from pragma_table_info('{table}')").fetchall()
    keys = [name for name, _, place in sorted(listed, key=lambda one: one[2]) if place]
    without = fresh.execute(
        "select 1 from pragma_table_list where name = ? and wr = 1", (table,)
    ).fetchone()
    if without:
        return [*keys, *(name for name, _, place in listed if not place)], None
    types = {name: kind for name, kind, _ in listed}
    row_id = keys[0] if len(keys) == 1 and types[keys[0]].lower() == "integer" else None
    return [name for name, *_ in listed], row_id


def _insert(table: str, columns: list[str]) -> str:
    marks = ", ".join("?" * len(columns))
    return f"insert or ignore into {table} ({', '.join(columns)}) values ({marks})"


def _take_from_backup(fresh: Connection, table: str, backup: Path | None) -> int:
    """Rows that the backup has and the new database has not; what was deleted since may come back with them."""
    if backup is None or table == SEQUENCE:
        return 0
    columns, _ = _columns(fresh, table)
    with closing(open_reader(backup)) as connection:
        known = {
            name for (name,) in connection.execute(f"select name from pragma_table_info('{table}')")
        }
        shared = [name for name in columns if name in known]
        if not shared:  # of a schema that did not have it yet
            return 0
        rows = connection.execute(f"select {', '.join(shared)} from {table}")
        before = fresh.total_changes
        while portion := rows.fetchmany(PORTION):
            fresh.executemany(_insert(table, shared), portion)
    return fresh.total_changes - before  # fmt: skip


def _settle(fresh: Connection, whose: Whose) -> None:
    """Make the rows fit together: no row points at nothing, and counts are true."""
    _stand_in_for_lost_parents(fresh, whose)
    fresh.execute(
        "update message set transcript_id = null where transcript_id not in (select id from transcript)"
    )
    fresh.execute("delete from vector where generation_id not in (select id from generation)")
    fresh.execute("delete from apart_text where apart_id not in (select id from apart)")
    fresh.execute("delete from reject")
    fresh.execute("delete from skip")
    fresh.execute(
        "update transcript set inode = ?, size = 0, offset = 0, ingested = 0, quarantined = 0, messages = 0",
        (NEVER_READ,),
    )
    fresh.execute(
        "update session set (messages, spoken) = (select count(*), coalesce(sum(role <> 'tool'), 0) "
        "from message where session_id = session.id and withdrawn = 0)"
    )


def _stand_in_for_lost_parents(fresh: Connection, whose: Whose) -> None:
    """No row is given up because the row it points at is lost; reading its transcript again puts it right."""
    lost = "select distinct source_id from {} where source_id not in (select id from source)"
    for (source,) in fresh.execute(
        f"{lost.format('session')} union {lost.format('transcript')}"
    ).fetchall():
        rows = fresh.execute("select path from transcript where source_id = ?", (source,))
        names = Counter(filter(None, (whose(path) for (path,) in rows)))
        name = names.most_common(1)[0][0] if names else f"{STAND_IN}{source}"
        for one in (name, f"{STAND_IN}{source}"):  # the first may be taken
            fresh.execute("insert or ignore into source (id, name) values (?, ?)", (source, one))
    fresh.execute("insert or ignore into source (name) values (?)", (STAND_IN,))
    fresh.execute(
        "insert into session (id, source_id, native_id) select session_id, coalesce(min(transcript.source_id), "
        f"(select id from source where name = '{STAND_IN}')), '{STAND_IN}' || session_id from message "
        "left join transcript on transcript.id = transcript_id "
        "where session_id not in (select id from session) group by session_id"
    )
    fresh.execute(
        f"delete from source where name = '{STAND_IN}' and id not in (select source_id from session)"
    )

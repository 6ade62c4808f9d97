"""Vectors of entries, by generation: one model's space. Those of different generations are never compared."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memoryd.store.connection import Connection
from memoryd.store.entry_search import EntryView


@dataclass(frozen=True, slots=True)
class Generation:
    """A model's space. *golden*: its packed golden vectors when it was first used."""

    id: int
    engine: str
    model: str
    revision: str
    dimension: int
    golden: tuple[bytes, ...]
    state: str


@dataclass(frozen=True, slots=True)
class Unembedded:
    """An entry whose text has no vector in a generation yet."""

    row: int
    content: str
    content_key: bytes


_GENERATION = "select id, engine, model, revision, dimension, golden, state from generation"


def current_generation(connection: Connection) -> Generation | None:
    """The generation that is searched."""
    return _first(connection, f"{_GENERATION} where state = 'current'")


def building_generation(connection: Connection) -> Generation | None:
    """The generation that is being filled: a newer one beside the current, or the current itself."""
    return _first(
        connection, f"{_GENERATION} where state in ('building', 'current') order by state limit 1"
    )


def _first(connection: Connection, sql: str) -> Generation | None:
    found = connection.execute(sql).fetchone()
    if found is None:
        return None
    row, engine, model, revision, dimension, golden, state = found
    stored = tuple(bytes.fromhex(one) for one in json.loads(golden))
    return Generation(row, engine, model, revision, dimension, stored, state)


def begin_generation(
    connection: Connection,
    engine: str,
    model: str,
    revision: str,
    dimension: int,
    golden: Sequence[bytes],
) -> None:
    """Make a model's space the one to be filled; a half-built other one is dropped.

    Two processes may begin the same at once: what is being filled, or is searched already, stays as it is.
    """
    key = (engine, model, revision, dimension)
    same = "engine = ? and model = ? and revision = ? and dimension = ?"
    connection.execute(
        f"delete from vector where generation_id in (select id from generation where state = 'building' and not ({same}))",
        key,
    )
    connection.execute(f"delete from generation where state = 'building' and not ({same})", key)
    connection.execute(
        "insert into generation (engine, model, revision, dimension, golden, state) values (?, ?, ?, ?, ?, 'building') "
        "on conflict (engine, model, revision, dimension) do update set state = 'building', golden = excluded.golden "
        "where generation.state = 'old'",
        (*key, json.dumps([one.hex() for one in golden])),
    )


def has_generation(connection: Connection, generation: int) -> bool:
    """Is this generation being filled or searched? Another model may have taken its place meanwhile."""
    found = connection.execute(
        "select 1 from generation where id = ? and state in ('building', 'current')", (generation,)
    ).fetchone()
    return found is not None


def switch_generation(connection: Connection, generation: int) -> None:
    """Search this generation from now on, and drop the vectors of all others."""
    connection.execute(
        "update generation set state = 'old' where state = 'current' and id <> ?", (generation,)
    )
    connection.execute("update generation set state = 'current' where id = ?", (generation,))
    connection.execute("delete from vector where generation_id <> ?", (generation,))


def unembedded(connection: Connection, generation: int, after: int, limit: int) -> list[Unembedded]:
    """Active entries after a row whose present text has no vector yet."""
    rows = connection.execute(
        "select entry.row, entry.content, entry.content_key from entry left join vector on vector.generation_id = ? "
        "and vector.row = entry.row and vector.content_key = entry.content_key "
        "where entry.row > ? and entry.state = 'active' and vector.row is null order by entry.row limit ?",
        (generation, after, limit),
    )
    return [Unembedded(*row) for row in rows]


def put_vectors(
    connection: Connection, generation: int, vectors: Iterable[tuple[int, bytes, bytes]]
) -> None:
    """Store (row, content key, packed vector); one for an entry gone meanwhile is left out."""
    connection.executemany(
        "insert into vector select ?, row, content_key, ? from entry where row = ? and content_key = ? "
        "on conflict (generation_id, row) do update set content_key = excluded.content_key, packed = excluded.packed",
        [(generation, packed, row, key) for row, key, packed in vectors],
    )


def vectors_of(connection: Connection, generation: int) -> Iterator[tuple[int, bytes]]:
    """Every (row, packed vector) of a generation, in order of row."""
    yield from connection.execute(
        "select row, packed from vector where generation_id = ? order by row", (generation,)
    )


def entry_vectors(connection: Connection, generation: int, namespace: str) -> dict[str, bytes]:
    """Packed vectors of the active entries of a namespace, by entry id; only those of the present text."""
    rows = connection.execute(
        "select entry.id, vector.packed from entry join vector on vector.row = entry.row "
        "and vector.content_key = entry.content_key where vector.generation_id = ? and entry.namespace = ? "
        "and entry.state = 'active'",
        (generation, namespace),
    )
    return dict(rows.fetchall())


def visible_rows(connection: Connection, view: EntryView) -> list[int]:
    """The rows of the entries that a view shows."""
    conditions, values = view.conditions()
    sql = f"select entry.row from entry where true{conditions}"
    return [row for (row,) in connection.execute(sql, values)]


def count_vectors(connection: Connection, generation: int) -> tuple[int, int]:
    """How many vectors there are, and how many active entries still lack one."""
    held = connection.execute(
        "select count(*) from vector where generation_id = ?", (generation,)
    ).fetchone()[0]
    pending = connection.execute(
        "select count(*) from entry left join vector on vector.generation_id = ? and vector.row = entry.row "
        "and vector.content_key = entry.content_key where entry.state = 'active' and vector.row is null",
        (generation,),
    ).fetchone()[0]
    return held, pending

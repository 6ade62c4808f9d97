"""Small facts the database remembers about itself, by name."""

from memoryd.store.connection import Connection


def get_setting(connection: Connection, name: str) -> str | None:
    """A remembered value; None if there is none."""
    found = connection.execute("select value from setting where name = ?", (name,)).fetchone()
    return None if found is None else str(found[0])


def put_setting(connection: Connection, name: str, value: str) -> None:
    """Remember a value. The caller owns the transaction."""
    connection.execute(
        "insert into setting (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
        (name, value),
    )


def drop_setting(connection: Connection, name: str) -> None:
    """Remember a value no more."""
    connection.execute("delete from setting where name = ?", (name,))


def list_settings(connection: Connection, prefix: str) -> dict[str, str]:
    """Every remembered value whose name begins so, by the rest of its name."""
    rows = connection.execute(
        "select substr(name, ?), value from setting where substr(name, 1, ?) = ? order by name",
        (len(prefix) + 1, len(prefix), prefix),
    )
    return dict(rows.fetchall())

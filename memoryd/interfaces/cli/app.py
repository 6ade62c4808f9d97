"""What every command shares: where home is, the configuration, and how answers are printed."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryd.config import Config, load_config
from memoryd.errors import ConfigError

if TYPE_CHECKING:
    from memoryd.store.reader import Reader
    from memoryd.store.records import StoredMessage


class App:
    """The options before the subcommand."""

    def __init__(self, home: Path | None, config_path: Path | None) -> None:
        self._home = home
        self._config_path = config_path

    @cached_property
    def home(self) -> Path:
        """The folder of everything memoryd owns."""
        if self._home is not None:
            return self._home.expanduser().absolute()
        from platformdirs import user_data_path  # noqa: PLC0415 - only without --home

        return user_data_path("memoryd", appauthor=False)

    @cached_property
    def config_path(self) -> Path | None:
        """The configuration file in use; None: built-in defaults."""
        if self._config_path is not None:
            return self._config_path
        found = self.home / "config.toml"
        return found if found.exists() else None

    @cached_property
    def config(self) -> Config:
        """The configuration.

        Raises:
            ConfigError: named file missing, or wrong.
        """
        if self.config_path is None:
            return Config()
        if not self.config_path.exists():
            raise ConfigError(f"{self.config_path} does not exist")
        return load_config(self.config_path)

    def reader(self) -> "Reader":
        """A read-only view of the database; where there is none yet, of an empty one.

        Raises:
            StoreError: another version made it. DamageError: it is lost.
        """
        from memoryd.store.reader import Reader  # noqa: PLC0415 - not every command reads

        return Reader(self.home, or_empty=True)

    def carry_out(
        self,
        command: str,
        arguments: Mapping[str, Any],
        tell: Callable[[Any], None] = lambda told: None,
    ) -> Any:
        """Have a writing command done: by the daemon if it runs, else here, under the writer's lock."""
        from memoryd.service.commands import carry_out  # noqa: PLC0415 - reading commands need none of it

        return carry_out(self.home, self.config, command, arguments, tell)


pass_app = click.make_pass_decorator(App)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for programs, nothing else."
)


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON document (or line) on stdout, UTF-8 whatever the terminal speaks."""
    # The only characters that cannot be encoded are lone surrogates; JSON knows them as \\udXXX.
    click.echo(json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace"))


def message_json(message: "StoredMessage") -> dict[str, Any]:
    """A message in the fields of the contract."""
    return {
        "message_id": str(message.id),
        "native_id": message.native_id,
        "session_id": message.session_id,
        "source": message.source,
        "project": message.project,
        "role": message.role,
        "time": json_time(message.time),
        "text": message.text,
    }


def json_time(time: datetime | None) -> str | None:
    """RFC 3339, UTC, with Z; for programs."""
    return (
        None
        if time is None
        else time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


def local_time(time: datetime | None) -> str:
    """Local time to the minute; for people."""
    if time is None:
        return ""
    try:
        return time.astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError):  # the first or last day of all
        return time.strftime("%Y-%m-%d %H:%M")


def local_stamp(text: str | None) -> str:
    """A time of a JSON document in local time; for people."""
    return local_time(datetime.fromisoformat(text) if text else None)


def parse_time(text: str | None, option: str) -> datetime | None:
    """A date or time as a person types it, local unless it names a zone; `7d`, `12h` are ago.

    Raises:
        click.BadParameter: not a time.
    """
    if text is None:
        return None
    from memoryd.service.times import parse_moment  # noqa: PLC0415 - rarely needed

    try:
        return parse_moment(text)
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(
            f"{text!r}: expected a date (2026-11-30), a time or an age (7d, 12h)", param_hint=option
        ) from error


def tell_source(reader: "Reader", source: str | None) -> None:
    """Nothing was found: say so if no such source was ever read, and which ones were."""
    names = reader.source_names()
    if source is not None and source not in names:
        held = ", ".join(names) or "nothing"
        click.echo(f"nothing of a source {source!r} was read; the history holds: {held}", err=True)


def size_text(count: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":  # noqa: PLR2004 - decimal units
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], empty: str = "") -> None:
    """A table: drawn on a terminal, tab-separated for a pipe; without rows, *empty* (on stderr, for a pipe)."""
    if not rows and empty:
        click.echo(empty, err=not sys.stdout.isatty())
        return
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(" ".join(cell.split()) for cell in row))
        return
    from rich.console import Console  # noqa: PLC0415 - 80 ms that pipes need not pay
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*row)
    # What agents wrote is text: no brackets and colons of it are markup or emoji.
    Console(markup=False, emoji=False, highlight=False).print(table)

"""History: ingest, sessions, show, sources."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from memoryd.counting import counted
from memoryd.errors import NothingYetError
from memoryd.interfaces.cli.app import (
    App,
    json_option,
    json_time,
    local_stamp,
    local_time,
    parse_time,
    pass_app,
    print_json,
    print_table,
    size_text,
    tell_source,
)
from memoryd.interfaces.cli.parameters import TEXT, NamedPath
from memoryd.store.reader import Reader
from memoryd.store.records import Filters


@click.command()
@click.argument("paths", nargs=-1, type=NamedPath())
@click.option(
    "--source", type=TEXT, help="Whose transcripts they are; else each file's content says."
)
@json_option
@pass_app
def ingest(app: App, paths: tuple[Path, ...], source: str | None, as_json: bool) -> None:
    """Read transcripts (files, folders, or every configured root) into the index."""
    named = [str(path.absolute()) for path in paths]
    with progress_bar() as tell:
        answer = app.carry_out("ingest", {"paths": named, "source": source}, tell)
    print_ingest(answer, as_json)


def print_ingest(answer: dict[str, Any], as_json: bool) -> None:
    """Say what an ingest did."""
    if as_json:
        print_json(answer)
        return
    click.echo(
        f"{counted(answer['messages_added'], 'new message')} from {counted(answer['files'], 'transcript')} "
        f"({size_text(answer['bytes'])} in {answer['seconds']:.1f} s)"
    )
    if answer["quarantined"]:
        click.echo(
            f"{counted(answer['quarantined'], 'damaged record')} kept aside; see `memoryd sources`"
        )
    for error in answer["errors"]:
        click.echo(f"warning: {error}", err=True)


@contextmanager
def progress_bar() -> Iterator[Callable[[dict[str, Any]], None]]:
    """A line that moves while transcripts are read; on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda told: None
        return
    from rich.console import Console  # noqa: PLC0415 - not for pipes
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda told: bar.update(
            task, advance=told["bytes"], description=f"reading transcript {told['files']}"
        )


@click.command()
@click.option("--limit", type=click.IntRange(1, 100_000), default=20, show_default=True)
@click.option("--source", type=TEXT, help="Only this agent.")
@click.option("--project", type=TEXT, help="Only this project.")
@click.option("--since", type=TEXT, help="Active since: a date, a time, or an age like 7d.")
@click.option("--until", type=TEXT, help="Begun before.")
@json_option
@pass_app
def sessions(
    app: App,
    limit: int,
    source: str | None,
    project: str | None,
    since: str | None,
    until: str | None,
    as_json: bool,
) -> int:
    """List conversations, the last active first."""
    filters = Filters(
        source=source,
        project=project,
        since=parse_time(since, "--since"),
        until=parse_time(until, "--until"),
    )
    try:
        with Reader(app.home) as reader:
            found = reader.sessions(filters, limit)
            if not found:
                tell_source(reader, source)
    except NothingYetError:
        if as_json:
            print_json({"sessions": []})
        raise
    if as_json:
        listed = [
            {
                "session_id": one.session_id,
                "source": one.source,
                "project": one.project,
                "started": json_time(one.started),
                "ended": json_time(one.ended),
                "messages": one.messages,
                "title": one.title,
                "branch": one.branch,
                "parent_id": one.parent_id,
            }
            for one in found
        ]
        print_json({"sessions": listed})
    else:
        print_table(
            ("last active", "agent", "project", "messages", "title", "session"),
            [
                (
                    local_time(one.ended),
                    one.source,
                    one.project or "",
                    str(one.messages),
                    " ".join((one.title or "").split()),
                    one.session_id,
                )
                for one in found
            ],
            empty="no conversations found",
        )
    return 0 if found else 1


def _places(roots: list[str]) -> str:
    """Where an agent's transcripts are looked for, in a line; those that exist, else the first."""
    there = [root for root in roots if Path(root).exists()] or roots[:1]
    more = len(roots) - len(there)
    shown = ", ".join(root.replace(str(Path.home()), "~", 1) for root in there)
    return shown + (f" (+{more} more)" if more else "")


@click.command()
@json_option
@pass_app
def sources(app: App, as_json: bool) -> None:
    """List every known agent: found or not, what was read, what was skipped and why."""
    from memoryd.service.overview import describe_sources  # noqa: PLC0415 - not on the way to a search

    described = describe_sources(app.home, app.config)
    if as_json:
        print_json({"sources": described})
        return
    rows = [
        (
            one["name"],
            "found" if one["found"] else "–",
            str(one["sessions"]),
            str(one["messages"]),
            local_stamp(one["last_activity"]),
            _places(one["roots"]),
        )
        for one in described
    ]
    print_table(("agent", "", "sessions", "messages", "last activity", "roots"), rows)
    for one in described:
        reasons = {
            **one["skipped"],
            **{f"damaged: {reason}": count for reason, count in one["rejected"].items()},
        }
        if reasons:
            click.echo(
                f"{one['name']}: "
                + ", ".join(f"{count} {reason}" for reason, count in reasons.items())
            )

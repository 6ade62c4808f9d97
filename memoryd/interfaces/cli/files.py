"""Memory files: `memoryd files …`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memoryd.interfaces.cli.app import (
    App,
    json_option,
    pass_app,
    print_json,
    print_table,
)
from memoryd.interfaces.cli.parameters import TEXT, NamedPath

paths_argument = click.argument("paths", nargs=-1, type=NamedPath())
profile_option = click.option(
    "--profile", type=TEXT, help="Whose rules count; else the place and the content say."
)


@click.group()
def files() -> None:
    """What an agent really loads of MEMORY.md and its kin, and keeping it within its limits."""


@files.command("list")
@paths_argument
@profile_option
@json_option
@pass_app
def list_command(app: App, paths: tuple[Path, ...], profile: str | None, as_json: bool) -> int:
    """List the known memory files with what they use of their limit."""
    from memoryd.service.files.overview import describe_files  # noqa: PLC0415 - only here

    told = describe_files(app.home, app.config, _clean(paths), profile)
    if as_json:
        print_json(told)
        return 0
    print_table(
        ("file", "profile", "used", "limit", "unit", "%", "may be rewritten"),
        [
            (
                one["path"],
                one["profile"],
                str(one["used"]),
                "" if one["limit"] is None else str(one["limit"]),
                one["unit"],
                "" if one["percent"] is None else str(one["percent"]),
                "yes" if one["approved"] else "",
            )
            for one in told["files"]
        ],
    )
    _print_unreadable(told)
    if not told["files"]:
        click.echo("no memory files found; name some: `memoryd files list PATH`")
    for one in told["files"]:
        if one["crowded"]:
            click.echo(f"{one['percent']} % full: `{compact_command(one)}`", err=True)
    return 0


def compact_command(file: Mapping[str, Any]) -> str:
    """The command that makes a file smaller by the rules by which it was found to be full."""
    return f"memoryd files compact {file['path']} --profile {file['profile']}"


def _print_unreadable(told: dict[str, Any]) -> None:
    for one in told["unreadable"]:
        click.echo(f"warning: {one['reason']}", err=True)


@files.command()
@paths_argument
@profile_option
@json_option
@pass_app
def check(app: App, paths: tuple[Path, ...], profile: str | None, as_json: bool) -> int:
    """Say why an agent does not remember.

    What is cut, never loaded, doubled, misplaced. Exit 1 if anything is cut.
    """
    from memoryd.service.files.overview import check as examine  # noqa: PLC0415 - only here

    report = examine(app.home, _clean(paths), profile)
    if as_json:
        print_json(report)
        return 0 if report["ok"] else 1
    for file in report["files"]:
        _print_file(file)
    _print_unreadable(report)
    total = report["total"]
    click.echo(f"together {total['used']}" + (f" of {total['limit']}" if total["limit"] else ""))
    return 0 if report["ok"] else 1


def _print_file(file: dict[str, Any]) -> None:
    over = file["limit"] is not None and file["raw"] > file["limit"]
    limit = f" of {file['limit']}" if file["limit"] is not None else ""
    click.secho(f"{file['path']}  ({file['profile']})", fg="red" if over else "cyan")
    click.echo(f"  {file['raw']}{limit} {file['unit']}, {file['loaded']} loaded")
    for entry in file["cut_entries"]:
        click.echo(f"  not loaded whole: {entry}")
    for problem in file["problems"]:
        click.echo(f"  {problem['kind']}: {problem['detail']}\n    → {problem['fix']}")


@files.command()
@paths_argument
@profile_option
@click.option("--context-tokens", type=click.IntRange(min=0), help="The model's context window.")
@click.option(
    "--used-tokens",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="What of it is taken.",
)
@click.option("--session", type=TEXT, help="Who loads it; a load counts as a use once a session.")
@json_option
@pass_app
def snapshot(
    app: App,
    paths: tuple[Path, ...],
    profile: str | None,
    context_tokens: int | None,
    used_tokens: int,
    session: str | None,
    as_json: bool,
) -> int:
    """Print what an agent should load at the start of a session.

    Within both limits: the file's, and what the context window has left.
    """
    from memoryd.service.files.overview import snapshot as make  # noqa: PLC0415 - only here

    text = make(
        app.home,
        app.config,
        _clean(paths),
        profile,
        context_tokens=context_tokens,
        used_tokens=used_tokens,
        session=session,
    )
    if as_json:
        print_json({"text": text})
    else:
        click.echo(text, nl=False)
        if not text:
            click.echo("nothing to load, or no room for it: `memoryd files list`", err=True)
    return 0 if text else 1


@files.command()
@click.argument("path", type=NamedPath())
@profile_option
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--target-percent", type=click.FloatRange(1, 100), default=70.0, show_default=True)
@json_option
@pass_app
def compact(
    app: App, path: Path, profile: str | None, dry_run: bool, target_percent: float, as_json: bool
) -> int:
    """Rewrite a file within its limit, once it is approved.

    Until then it is a dry run. `memoryd undo RUN` takes it back.
    """
    from memoryd.service.files.filing import compact as rewrite  # noqa: PLC0415 - only here

    told = rewrite(
        app.home,
        app.config,
        _clean((path,))[0],
        profile=profile,
        target_percent=target_percent,
        dry_run=dry_run,
    )
    if as_json:
        print_json(told)
        return 0
    print_synced(told["synced"])
    click.echo(told["diff"], nl=False)
    for one in told["moved"]:
        if one["into"] and one["into"] != one["content"]:
            click.echo(f"{one['reason']}: {one['content']}\n  → {one['into']}", err=True)
        elif not one["into"]:
            click.echo(f"to the bank ({one['reason']}): {one['content']}", err=True)
    for why in told["held_back"]:
        click.echo(f"held back: {why}", err=True)
    click.echo(
        f"{told['used_before']} → {told['used_after']} {told['unit']}{_outcome(told)}", err=True
    )
    return 0


def _outcome(told: dict[str, Any]) -> str:
    """What was done with a plan, and what to do next."""
    if told["written"]:
        return f"; `memoryd undo {told['run']}` takes it back"
    if not told["diff"]:
        return ": nothing to do"
    return f", nothing written: {told['refused'] or 'dry run; again without --dry-run'}"


@files.command()
@paths_argument
@profile_option
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--write", is_flag=True, help="Also write newer values and compact, where approved.")
@click.option("--confirm", is_flag=True, help="What vanished from a file was meant to.")
@json_option
@pass_app
def sync(
    app: App,
    paths: tuple[Path, ...],
    profile: str | None,
    dry_run: bool,
    write: bool,
    confirm: bool,
    as_json: bool,
) -> int:
    """Take what memory files say into the bank.

    What the bank would change in them is shown, and written with --write where that is approved.
    """
    from memoryd.service.files.keeping import Leave, sync_files  # noqa: PLC0415 - only here

    leave = Leave(update=write, compact=write, confirmed=confirm, dry_run=dry_run)
    told = sync_files(app.home, app.config, leave, _clean(paths), profile)
    if as_json:
        print_json(told)
    else:
        _print_sync(told)
    return 1 if told["errors"] else 0


def print_synced(synced: Mapping[str, Any]) -> None:
    """What a command took from a file into the bank before its own work, and how to take that back."""
    if synced.get("run"):
        click.echo(f"first in step with the bank: {_synced(synced)}", err=True)


def _synced(told: Mapping[str, Any]) -> str:
    done = [
        f"{len(found) if isinstance(found, list) else found} {name}"
        for name in ("added", "replaced", "archived", "waiting", "refused")
        if (found := told.get(name))
    ]
    undo = f"; `memoryd undo {told['run']}` takes it back" if told.get("run") else ""
    return (", ".join(done) or "nothing new") + undo


def _print_sync(told: dict[str, Any]) -> None:
    for one in told["files"]:
        click.echo(f"{one['path']}: {_synced(one)}")
        if one.get("vanished"):
            click.echo("  most of it vanished at once; if that was meant: --confirm", err=True)
        for run in one["runs"]:
            click.echo(f"  rewritten; `memoryd undo {run}` takes it back")
    for one in told["proposals"]:
        click.echo(one["diff"], nl=False)
        click.echo(f"proposed ({one['kind']}): {one['why']}", err=True)
    for one in told["errors"]:
        click.echo(f"{one['path']}: {one['reason']}", err=True)


@files.command()
@click.argument("name", type=TEXT, metavar="PATH|PROFILE")
@click.option("--withdraw", is_flag=True, help="Take an approval back.")
@json_option
@pass_app
def approve(app: App, name: str, withdraw: bool, as_json: bool) -> int:
    """Approve a file, or every file of a profile, for rewriting."""
    from memoryd.service.files.filing import check_approval  # noqa: PLC0415 - only here

    known = check_approval(app.config, name, withdraw=withdraw)
    told = app.carry_out("files.approve", {"name": known, "withdraw": withdraw})
    if as_json:
        print_json(told)
        return 0
    if not told["changed"]:
        click.echo(f"{known} was {'not approved' if withdraw else 'approved already'}", err=True)
    click.echo("may be rewritten: " + (", ".join(told["approved"]) or "nothing"))
    if not withdraw:
        path = known if Path(known).is_absolute() else "PATH"
        click.echo(
            f"see first what would change: `memoryd files compact {path} --dry-run`", err=True
        )
    return 0


def _clean(paths: tuple[Path, ...]) -> list[Path]:
    from memoryd.service.files.places import clean_path  # noqa: PLC0415 - only here

    return [clean_path(path) for path in paths]

"""Keeping and letting go: the night, prune, forget, reindex, backup, restore."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memoryd.counting import counted
from memoryd.interfaces.cli.app import App, json_option, pass_app, print_json, size_text
from memoryd.interfaces.cli.parameters import TEXT, NamedPath, the_one
from memoryd.interfaces.cli.runs import offer_undo


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would leave; change nothing.")
@click.option(
    "--confirm", is_flag=True, help="Go on where a run stopped because too much is due at once."
)
@json_option
@pass_app
def prune(app: App, dry_run: bool, confirm: bool, as_json: bool) -> int:
    """Put into the archive what the rules say, each with its reason; `memory restore` brings it back."""
    from memoryd.service.bank.pruning import prune as run  # noqa: PLC0415 - only here
    from memoryd.service.files.links import held_by_files  # noqa: PLC0415

    held = held_by_files(app.home)
    report = run(app.home, app.config, dry_run=dry_run, confirmed=confirm, held=held)
    if as_json:
        print_json(report)
        return 0
    for name in ("expired", "archived", "evicted", "purged"):
        for one in report[name]:
            waits = "  (waits)" if one["waits"] else ""
            click.echo(f"{name}: {one['content']}  [{one['reason']}]{waits}")
    for namespace, why in report["blocked"].items():
        click.secho(
            f"{namespace} waits: {why}; look at `--dry-run`, then `memoryd prune --confirm`",
            fg="yellow",
        )
    for namespace, count in report["over_quota"].items():
        click.secho(f"{namespace}: {count} above the quota, all of them in use", fg="yellow")
    if report["history"].get("due"):
        history = report["history"]
        click.echo(
            f"history: {history['removed']} of {counted(history['due'], 'message')} gone, {history['reason']}"
        )
        if history["blocked"]:
            click.secho(f"history waits: {history['blocked']}", fg="yellow")
    kept = ", ".join(f"{count} {reason}" for reason, count in report["kept_because"].items())
    click.echo(f"kept: {kept or 'nothing there'}{offer_undo(report)}")
    return 0


@click.command()
@click.option("--dry-run", is_flag=True, help="Only plan; change nothing.")
@click.option(
    "--scheduled", is_flag=True, help="Leave out phases that succeeded for this date already."
)
@json_option
@pass_app
def nightly(app: App, dry_run: bool, scheduled: bool, as_json: bool) -> int:
    """Run the whole night now: ingest, extract, embed, consolidate, forget by rule, tidy, check, back up."""
    from memoryd.interfaces.logs import configure_logs  # noqa: PLC0415 - only here
    from memoryd.service.night.nightly import run_night  # noqa: PLC0415

    configure_logs(app.home)
    report = run_night(app.home, app.config, dry_run=dry_run, scheduled=scheduled)
    if as_json:
        print_json(report)
        return 1 if report["failed"] else 0
    for name, told in report["phases"].items():
        failed = told.get("error")
        click.secho("✗ " if failed else "✓ ", fg="red" if failed else "green", nl=False)
        click.echo(
            f"{name}: {failed or _left_out(told.get('skipped')) or 'done'} ({told.get('seconds', 0):.1f} s)"
        )
    if report["run"]:
        click.echo(f"`memoryd runs {report['run']}` tells all of it")
    return 1 if report["failed"] else 0


def _left_out(skipped: str | Mapping[str, int] | None) -> str:
    """Why a phase did nothing, or how many it left out for which reason."""
    if isinstance(skipped, Mapping):
        reasons = ", ".join(f"{count} {reason}" for reason, count in skipped.items())
        return f"done; left out: {reasons}" if reasons else ""
    return skipped or ""


@click.command()
@click.argument("file", required=False, type=NamedPath())
@json_option
@pass_app
def backup(app: App, file: Path | None, as_json: bool) -> int:
    """Make a verified copy of the database: to FILE, or as one of three generations in memoryd's folder."""
    told = app.carry_out("backup", {"path": str(file.absolute()) if file else None})
    if as_json:
        print_json(told)
    else:
        click.echo(f"{told['path']} ({size_text(told['bytes'])}), verified")
    return 0


@click.command()
@click.argument("file", type=NamedPath(exists=True, dir_okay=False))
@json_option
@pass_app
def restore(app: App, file: Path, as_json: bool) -> int:
    """Put a backup in place of the database; what was there is kept aside. The daemon must not run."""
    from memoryd.service.backups import restore as put_back  # noqa: PLC0415 - only here

    told = put_back(app.home, file.absolute())
    if as_json:
        print_json(told)
    else:
        click.echo(f"restored {told['restored']}; what was there is at {told['kept_aside']}")
    return 0


@click.command()
@click.option("--source", type=TEXT, help="Only this agent.")
@json_option
@pass_app
def reindex(app: App, source: str | None, as_json: bool) -> int:
    """Read everything again, from the archive and the sources, with the readers of today: nothing twice, nothing lost."""
    told = app.carry_out("reindex", {"source": source})
    if as_json:
        print_json(told)
        return 0
    click.echo(
        f"{counted(told['files'], 'transcript')} read again, {told['from_archive']} from the archive: "
        f"{counted(told['messages_added'], 'new message')}, {told['messages_updated']} with other words than before"
    )
    for error in told["errors"]:
        click.echo(error, err=True)
    return 0


@click.command()
@click.option("--session", type=TEXT, help="Everything of a session.")
@click.option("--source", type=TEXT, help="Everything of an agent.")
@click.option("--entry", type=TEXT, help="An entry, and what was made of it.")
@click.option("--match", type=TEXT, help="Every message and entry that holds this text.")
@click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
@json_option
@pass_app
def forget(
    app: App,
    session: str | None,
    source: str | None,
    entry: str | None,
    match: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Remove for good, from every record, index, copy and backup of memoryd; nothing brings it back.

    Transcripts and memory files are the agents': those that hold it still are named, not changed. Copies that you
    made elsewhere are not known here.
    """
    from memoryd.service.files.overview import files_holding  # noqa: PLC0415 - only here

    chosen = the_one("session", "source", "entry", "match")
    asked: dict[str, Any] = {
        "session": session,
        "source": source,
        "match": match,
        "dry_run": dry_run,
    }
    asked["entries"] = [entry] if entry else []
    if not dry_run and not as_json and sys.stdin.isatty():
        _ask(app.carry_out("forget", {**asked, "dry_run": True}))
    told = app.carry_out("forget", asked)
    if match and not dry_run:
        told["memory_files_left"] = files_holding(app.home, match)
    if as_json:
        print_json(told)
    else:
        went = "would go" if dry_run else "went"
        click.echo(f"{_amount(told)} {went}")
        if told["restored"]:
            back = counted(len(told["restored"]), "entry")
            click.echo(f"{back} brought back: what was merged from it is gone")
        _print_left(told)
    if not any(told.get(name) for name in _FOUND):
        click.echo(f"nothing matched; {_WHERE_TO_LOOK[chosen]}", err=True)
        return 1
    return 0


def _ask(told: Mapping[str, Any]) -> None:
    """On a terminal: what would go, and may it?"""
    click.confirm(
        f"For good: {_amount(told)}, and the backups that hold them. Go on?",
        abort=True,
    )


def _amount(told: Mapping[str, Any]) -> str:
    sizes = (
        (told["messages"], "message"),
        (told["sessions"], "session"),
        (len(told["entries"]), "entry"),
    )
    return ", ".join(counted(size, noun) for size, noun in sizes)


_LEFT = {
    "transcripts_left": ("transcript", "memoryd neither copies nor reads it there again"),
    "memory_files_left": ("memory file", "edit it out, or agents go on loading it"),
    "names_left": (
        "name of a folder, session or project",
        "things are known by them, so they stay",
    ),
}
# What the command found, in memoryd's records or in what is not its own.
_FOUND = ("messages", "sessions", "entries", "copies_deleted", "lines_deleted", *_LEFT)
_WHERE_TO_LOOK = {
    "session": "`memoryd sessions` lists them",
    "source": "`memoryd sources` lists what was read of each",
    "entry": "`memoryd memory list --all` lists them",
    "match": "case aside, the text is looked for exactly as given",
}
LISTED = 10  # paths named on the screen; --json has all


def _print_left(told: Mapping[str, Any]) -> None:
    """What holds it still, outside of what memoryd may change."""
    for name, (noun, remark) in _LEFT.items():
        found = told.get(name, [])
        if found:
            click.secho(f"held still by {counted(len(found), noun)}: {remark}", fg="yellow")
        for path in found[:LISTED]:
            click.echo(f"  {path}")
        if found[LISTED:]:
            click.echo(f"  and {len(found) - LISTED} more (--json has all)")

"""Runs: consolidate, list and inspect them, undo one, review what waits for a person."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from memoryd.counting import counted
from memoryd.errors import UsageError
from memoryd.interfaces.cli.app import (
    App,
    json_option,
    local_stamp,
    pass_app,
    print_json,
    print_table,
)
from memoryd.interfaces.cli.deeds import describe_deeds
from memoryd.interfaces.cli.parameters import TEXT, NamedPath

LISTED = 50  # changes of a run shown on the screen; --json has all


@click.command()
@click.option(
    "--dry-run", is_flag=True, help="Print exactly the plan that would run; change nothing."
)
@click.option(
    "--namespace", type=TEXT, help="Only this one; else every namespace, each on its own."
)
@json_option
@pass_app
def consolidate(app: App, dry_run: bool, namespace: str | None, as_json: bool) -> int:
    """Merge entries that say the same and supersede those that were replaced; nothing is lost."""
    from memoryd.interfaces.logs import configure_logs  # noqa: PLC0415 - only here
    from memoryd.service.bank.consolidation import consolidate as run  # noqa: PLC0415

    configure_logs(app.home)
    report = run(app.home, app.config, namespace, dry_run=dry_run)
    if as_json:
        print_json(report)
    else:
        _print_report(app, report)
    return 0


def _print_report(app: App, report: dict[str, Any]) -> None:
    from memoryd.service.bank.runs import summarise, words_of  # noqa: PLC0415 - only here

    pairs = list(_describe_pairs(report))
    ids = [one for first, _, second, _ in pairs for one in (first, second)]
    with app.reader() as reader:
        words = words_of(
            reader, (*ids, *(one for merge in report["merges"] for one in merge["from"]))
        )
    for merge in report["merges"]:
        click.secho(
            f"merge {', '.join(merge['from'])} into {merge['into']}: {merge['reason']}", fg="cyan"
        )
        click.echo(f"  {merge['content']}  ({counted(merge['saved_chars'], 'character')} saved)")
        for gone in dict.fromkeys(words[one] for one in merge["from"]):
            if gone != merge["content"]:
                click.echo(f"  - {gone}")
    for first, sign, second, told in pairs:
        click.secho(told, fg="cyan" if sign == "→" else "yellow")
        click.echo(f"  {words[first]} {sign} {words[second]}")
    for one in report["held_back"]:
        click.echo(f"held back: {one.get('into') or one.get('old')}: {one['why']}")
    alike = len(report["vetoes"])
    apart = f", {counted(alike, 'similar pair')} left as they are (`--json` says why)"
    click.echo(f"{summarise(report)}{apart if alike else ''}{offer_undo(report)}")


def _describe_pairs(report: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """What is told of two entries: the one, a sign, the other, and what."""
    for one in report["supersedes"]:
        old, new = one["old"], one["new"]
        yield old, "→", new, f"{new} supersedes {old}: {one['attribute']}"
    for one in report["conflicts"]:
        told = f"conflict {one['a']} and {one['b']}: {one['reason']}; `memoryd review`"
        yield one["a"], "⟷", one["b"], told
    for one in report["vetoes"]:
        if "apart" in one:
            lift = f"`memoryd review approve {one['apart']}` allows it"
            told = f"kept apart {one['a']} and {one['b']}: {one['reason']}; {lift}"
            yield one["a"], "⟷", one["b"], told


def offer_undo(report: dict[str, Any]) -> str:
    """The end of a line about a run: how to take it back, if it changed anything."""
    from memoryd.service.bank.runs import changed_entries  # noqa: PLC0415 - only here

    if report["dry_run"]:
        return " (dry run: nothing was changed)"
    if not changed_entries(report):
        return ""
    return f"; `memoryd undo {report['run']}` takes it back, with `--entry ID` a part of it"


@click.command()
@click.argument("run_id", type=TEXT, metavar="[ID]", required=False)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option(
    "--html",
    "page",
    type=NamedPath(dir_okay=False),
    help="Write the page of a night (of the last, without ID) to this file.",
)
@json_option
@pass_app
def runs(app: App, run_id: str | None, limit: int, page: Path | None, as_json: bool) -> int:
    """List runs, or inspect one: what it did and why."""
    if page is not None:
        return _write_page(app, run_id, page, as_json)
    from memoryd.service.bank.runs import describe_run, describe_runs  # noqa: PLC0415 - only here

    with app.reader() as reader:
        if run_id is not None:
            (print_json if as_json else _print_run)(describe_run(reader, run_id))
            return 0
        listed = describe_runs(reader, limit)
    if as_json:
        print_json({"runs": listed})
        return 0
    rows = [
        (one["run"], one["kind"], one["state"], local_stamp(one["started"]), one["summary"])
        for one in listed
    ]
    print_table(
        ("run", "kind", "state", "started", "what"),
        rows,
        empty="no runs yet: `memoryd nightly` runs a night, `memoryd consolidate --dry-run` plans a part of one",
    )
    return 0


def _print_run(run: dict[str, Any]) -> None:
    """A run for people: what it did, by which entry went into which."""
    click.secho(f"{run['kind']} {run['run']}: {run['state']}, {run['summary']}", fg="cyan")
    click.echo(f"{local_stamp(run['started'])} to {local_stamp(run['finished'])}")
    for name, told in run["report"].get("phases", {}).items():
        nested = f"  `memoryd runs {told['run']}`" if told.get("run") else ""
        click.echo(f"  {name}: {told.get('error') or 'done'}{nested}")
    deeds = list(describe_deeds(run["changes"]))
    for deed, gone in deeds[:LISTED]:
        click.secho(deed, fg="cyan")
        for words in gone:
            click.echo(f"  - {words}")
    if deeds[LISTED:]:
        click.echo(f"and {counted(len(deeds) - LISTED, 'more change')} (--json has all)")


def _write_page(app: App, run_id: str | None, page: Path, as_json: bool) -> int:
    from memoryd.interfaces.night_page import render_night  # noqa: PLC0415 - only here
    from memoryd.service.night.report import read_night  # noqa: PLC0415

    page.write_text(render_night(read_night(app.home, app.config, run_id)), encoding="utf-8")
    if as_json:
        print_json({"page": str(page)})
    else:
        click.echo(str(page))
    return 0


@click.command()
@click.argument("run_id", type=TEXT, metavar="RUN")
@click.option(
    "--entry",
    "entries",
    type=TEXT,
    multiple=True,
    metavar="ID",
    help="Only what the run did with this entry, and with all that it merged or replaced with it; may be repeated.",
)
@json_option
@pass_app
def undo(app: App, run_id: str, entries: tuple[str, ...], as_json: bool) -> int:
    """Take back a run: every entry and file as it was, unless it was changed since.

    What a consolidation had merged or replaced stays apart from then on, until one of the texts changes or
    `memoryd review approve` allows it.
    """
    from memoryd.service.files.writing import file_run, undo_write  # noqa: PLC0415 - only here

    with app.reader() as reader:
        wrote = file_run(reader.connection, run_id)
    if wrote is None:
        done = app.carry_out("undo", {"run": run_id, "entries": list(entries)})
    elif entries:
        raise UsageError(f"{run_id} wrote a memory file: it is undone as a whole, without --entry")
    else:
        done = undo_write(app.home, app.config, wrote)
    if as_json:
        print_json(done)
        return 0
    if done.get("file"):
        click.echo(f"{done['file']} is as it was before {run_id}, but for later hand edits")
    if done["restored"]:
        click.echo(f"as before {run_id}: {counted(len(done['restored']), 'entry')}")
    elif not done.get("file") and not done["not_undone"]:
        click.echo(f"{run_id} had changed nothing")
    if entries and done["state"] != "undone":
        click.echo(f"the rest of the run stands; `memoryd undo {run_id}` takes it back, too")
    if done.get("kept_apart"):
        click.echo("the next runs will not do it again; `memoryd review list --apart` shows what")
    for entry, why in done["not_undone"].items():
        click.echo(f"{entry} was left alone: {why}", err=True)
    return 0


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def review(context: click.Context, as_json: bool) -> None:
    """What waits for a person: doubtful entries and conflicts."""
    if context.invoked_subcommand is None:
        context.invoke(list_waiting, as_json=as_json)


@review.command("list")
@click.option(
    "--apart",
    is_flag=True,
    help="What you said no to (undone, or both sides of a conflict hold), and is not done again.",
)
@json_option
@pass_app
def list_waiting(app: App, apart: bool, as_json: bool) -> int:
    """List what waits."""
    from memoryd.service.bank.review import waiting  # noqa: PLC0415 - only here

    if apart:
        return _list_apart(app, as_json)
    with app.reader() as reader:
        found = waiting(reader)
    if as_json:
        print_json({"review": found})
        return 0
    print_table(
        ("id", "what", "why", "words"),
        [(one["id"], one["kind"], one["reason"], one["words"]) for one in found],
        empty="nothing waits for you",
    )
    if found:
        click.echo(
            "\n`memoryd review approve ID` accepts an entry, or lets the newer (right) side of a conflict win; "
            "`reject ID` refuses it, or says that both sides hold"
        )
    return 0


def _list_apart(app: App, as_json: bool) -> int:
    from memoryd.service.bank.apart import kept_apart  # noqa: PLC0415 - only here

    with app.reader() as reader:
        found = kept_apart(reader)
    if as_json:
        print_json({"apart": found})
        return 0
    print_table(
        ("id", "why", "of", "words"),
        [(one["id"], one["reason"], one["run"] or one["conflict"], one["words"]) for one in found],
        empty="nothing is kept apart",
    )
    if found:
        click.echo(
            "\n`memoryd review approve ID` lifts it: the next run may do it again (`approve RUN`: all of a run), "
            "the conflict waits again"
        )
    return 0


def _decide(app: App, waiting_id: str, decision: str, as_json: bool) -> int:
    answer = app.carry_out("review", {"id": waiting_id, "decision": decision})
    if as_json:
        print_json(answer)
    else:
        click.echo(answer["done"])
    return 0


@review.command()
@click.argument("waiting_id", type=TEXT, metavar="ID")
@json_option
@pass_app
def approve(app: App, waiting_id: str, as_json: bool) -> int:
    """Accept an entry or a newer value, or lift a no.

    The newer side of a conflict wins. What is kept apart (`memoryd review list --apart`), by its id or by that of the
    undone run, may be merged or replaced again by the next run.
    """
    return _decide(app, waiting_id, "approve", as_json)


@review.command()
@click.argument("waiting_id", type=TEXT, metavar="ID")
@json_option
@pass_app
def reject(app: App, waiting_id: str, as_json: bool) -> int:
    """Refuse an entry, or say that both hold.

    Both sides of a conflict stay, and are kept apart until one of the texts changes.
    """
    return _decide(app, waiting_id, "reject", as_json)

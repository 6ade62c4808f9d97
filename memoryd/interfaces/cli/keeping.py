"""Keeping and letting go: prune, forget."""

import click

from memoryd.errors import UsageError
from memoryd.interfaces.cli.app import App, json_option, pass_app, print_json


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would leave; change nothing.")
@click.option(
    "--confirm", is_flag=True, help="Go on where a run stopped because too much is due at once."
)
@json_option
@pass_app
def prune(app: App, dry_run: bool, confirm: bool, as_json: bool) -> int:
    """Put into the archive what the rules say, each with its reason; `memory restore` brings it back."""
    from memoryd.service.pruning import prune as run  # noqa: PLC0415 - only here

    report = run(app.home, app.config, dry_run=dry_run, confirmed=confirm)
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
    kept = ", ".join(f"{count} {reason}" for reason, count in report["kept_because"].items())
    click.echo(f"kept: {kept or 'nothing there'}")
    return 0


@click.command()
@click.option("--session", help="Everything of a session.")
@click.option("--source", help="Everything of an agent.")
@click.option("--entry", help="An entry, and what was made of it.")
@click.option("--match", help="Every message and entry that holds this text.")
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
    """Remove for good, from every record, index and copy; nothing brings it back."""
    if sum(one is not None for one in (session, source, entry, match)) != 1:
        raise UsageError("exactly one of --session, --source, --entry, --match is needed")
    asked = {"session": session, "source": source, "match": match, "dry_run": dry_run}
    told = app.carry_out("forget", {**asked, "entries": [entry] if entry else []})
    if as_json:
        print_json(told)
    else:
        went = "would go" if dry_run else "went"
        click.echo(
            f"{told['messages']} messages, {told['sessions']} sessions, {len(told['entries'])} entries {went}"
        )
        if told["restored"]:
            click.echo(f"{len(told['restored'])} entries hold their facts again")
    return 0

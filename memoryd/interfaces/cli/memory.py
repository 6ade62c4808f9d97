"""The memory bank: `memoryd memory …`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from memoryd.counting import counted
from memoryd.interfaces.cli.app import (
    App,
    json_option,
    local_stamp,
    pass_app,
    print_json,
    print_table,
)
from memoryd.interfaces.cli.parameters import TEXT, NamedPath, refuse_together, the_one
from memoryd.model import Entry

DEFAULT_NAMESPACE = "local/default"
KINDS = click.Choice(["working", "episodic", "semantic", "procedural"])
ORIGINS = click.Choice(["user", "assistant", "tool", "external", "system"])
EVERY = "all"
STATES = click.Choice(["active", "merged", "superseded", "archived", "review", "removed", EVERY])

namespace_option = click.option(
    "--namespace",
    type=TEXT,
    default=DEFAULT_NAMESPACE,
    show_default=True,
    help="USER/APP; nothing crosses it.",
)
scope_option = click.option(
    "--scope", type=TEXT, help="Where it holds: a project's folder, or `global`."
)


@click.group()
def memory() -> None:
    """Entries worth keeping: single facts, each with its source."""


@memory.command()
@click.argument("text", type=TEXT)
@namespace_option
@scope_option
@click.option("--session", "session_id", type=TEXT, help="Working memory of this session only.")
@click.option("--kind", type=KINDS, help="Else the words decide.")
@click.option("--origin", type=ORIGINS, default="user", show_default=True)
@click.option("--confidence", type=click.FloatRange(0, 1))
@click.option(
    "--ttl-days", type=click.FloatRange(0, 1e6), help="Counted from the last use or confirmation."
)
@click.option("--pin", "pinned", is_flag=True, help="Never forget or rewrite it.")
@click.option("--key", type=TEXT, help="Your own id; adding the same key again replaces.")
@click.option("--file", type=NamedPath(), help="Into this memory file, within its limit.")
@json_option
@pass_app
def add(
    app: App, /, text: str, as_json: bool, pinned: bool, file: Path | None, **fields: Any
) -> int:
    """Remember TEXT."""
    if file is not None:
        return _add_to_file(app, file, text, as_json)
    told = app.carry_out("memory.add", {"content": text, **fields, "pinned": pinned or None})
    if as_json:
        print_json(told)
    else:
        click.echo(
            f"{told['outcome']}: {told['reason']}"
            + (f"  ({told['entry']['id']})" if told["entry"] else "")
        )
    return 1 if told["outcome"] == "rejected" else 0


def _add_to_file(app: App, file: Path, text: str, as_json: bool) -> int:
    """Add to a memory file; what is in the way is told whole, never cut silently."""
    from memoryd.interfaces.cli.files import print_synced  # noqa: PLC0415 - only here
    from memoryd.service.files.filing import add_to_file  # noqa: PLC0415 - only here
    from memoryd.service.files.places import clean_path  # noqa: PLC0415 - only here

    told = add_to_file(app.home, app.config, clean_path(file), text, profile=None)
    if as_json:
        print_json(told)
    elif told["outcome"] == "rejected":
        click.echo(told["diff"], nl=False)
        click.echo(f"not written: {told['reason']}", err=True)
        for entry in told["entries"]:
            click.echo(f"  {entry['size']:6} {entry['content']}", err=True)
    else:
        print_synced(told.get("synced", {}))
        used = f"{told['used']} of {told['limit'] or 'any number of'} {told['unit']}"
        undo = f"; `memoryd undo {told['run']}` takes it back" if told["run"] else ""
        click.echo(f"{told['outcome']}: {told['reason']}; {used}{undo}")
        if told["crowded"]:
            click.echo(f"it is crowded: `memoryd files compact {file}` makes room", err=True)
    return 1 if told["outcome"] == "rejected" else 0


@memory.command("import")
@click.argument("file", type=NamedPath(exists=True, dir_okay=False))
@click.option("--raw", is_flag=True, help="Store every line as given, as `export` printed it.")
@json_option
@pass_app
def import_file(app: App, file: Path, raw: bool, as_json: bool) -> int:
    """Import entries from a file of JSON lines.

    A line is an object with "content" and, if you like, any other field that `memory list --json` prints, as "namespace",
    "scope", "kind", "origin", "confidence", "created_at", "ttl_days", "pinned", "key": the same key again replaces.
    """
    told = app.carry_out("memory.import", {"path": str(file.absolute()), "raw": raw})
    if as_json:
        print_json(told)
    else:
        click.echo(
            ", ".join(
                f"{told[name]} {name}"
                for name in ("added", "merged", "duplicate", "review", "rejected")
            )
            + (f", {counted(len(told['errors']), 'bad line')}" if told["errors"] else "")
        )
        for error in told["errors"]:
            click.echo(f"warning: {error['reason']}", err=True)
        for one in told["results"]:
            if one["outcome"] == "rejected":
                click.echo(f"line {one['line']} rejected: {one['reason']}", err=True)
    return 2 if told["errors"] and not told["results"] else 0


@memory.command()
@click.argument("file", required=False, type=NamedPath(exists=True, dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Decide, but store nothing.")
@json_option
@pass_app
def extract(app: App, file: Path | None, dry_run: bool, as_json: bool) -> int:
    """Pass messages of FILE, or of the history, through the gate.

    FILE holds JSON lines {"id", "text", "origin"}. Without it, what is new in the history is read.
    """
    if file is None:
        if dry_run:
            raise click.UsageError("--dry-run needs a FILE: the history is read and stored at once")
        return _extract_history(app, as_json)
    if dry_run:
        from memoryd.service.bank.extraction import judge_file  # noqa: PLC0415 - only here

        for line in judge_file(file):
            print_json(line)
        return 0
    for line in app.carry_out("memory.extract", {"path": str(file.absolute())})["lines"]:
        print_json(line)
    return 0


def _extract_history(app: App, as_json: bool) -> int:
    counts = app.carry_out("memory.extract_history", {})
    if as_json:
        print_json(counts)
    else:
        click.echo(
            f"{counted(counts.pop('messages'), 'message')}: "
            + ", ".join(f"{count} {name}" for name, count in counts.items())
        )
    return 0


@memory.command("list")
@namespace_option
@click.option("--all-namespaces", is_flag=True, help="Every namespace, each in turn.")
@scope_option
@click.option("--state", type=STATES, default="active", show_default=True)
@click.option("--all", "every_state", is_flag=True, help="Every state, as `--state all`.")
@json_option
@pass_app
def list_command(
    app: App,
    namespace: str,
    all_namespaces: bool,
    scope: str | None,
    state: str,
    every_state: bool,
    as_json: bool,
) -> int:
    """List entries in the order they were made."""
    from memoryd.service.bank.view import listed, why_none  # noqa: PLC0415 - only here

    refuse_together("namespace", "all_namespaces")
    refuse_together("state", "every_state")
    place = None if all_namespaces else namespace
    only = None if every_state or state == EVERY else state
    with app.reader() as reader:
        entries = listed(reader, place, scope, (only,) if only else ())
        filters = {"namespace": place, "scope": scope, "state": only}
        empty = "" if entries or as_json else why_none(listed(reader), filters)
    _print_entries(entries, as_json, empty)
    return 0


@memory.command()
@json_option
@pass_app
def export(app: App, as_json: bool) -> int:
    """Print every entry as `import --raw` takes it back.

    JSON lines, of every namespace, without loss.
    """
    from memoryd.service.bank.view import listed  # noqa: PLC0415 - only here

    with app.reader() as reader:
        _print_entries(listed(reader), as_json=True)
    return 0


def _print_entries(entries: Sequence[Entry], as_json: bool, empty: str = "") -> None:
    from memoryd.store.entry_rows import entry_to_json  # noqa: PLC0415 - only here

    if as_json:
        for entry in entries:
            print_json(entry_to_json(entry))
        return
    rows = [
        (
            one.id,
            one.state,
            one.kind,
            one.scope,
            f"{one.confidence:.2f}",
            " ".join(one.content.split()),
        )
        for one in entries
    ]
    print_table(("id", "state", "kind", "scope", "sure", "content"), rows, empty)


@memory.command()
@click.argument("words", type=TEXT, nargs=-1, required=True, metavar="QUERY")
@namespace_option
@scope_option
@click.option(
    "--session",
    type=TEXT,
    help="Who asks; an answer counts once a session. Also shows its working memory.",
)
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option("--explain", is_flag=True, help="Show every factor of the score.")
@json_option
@pass_app
def search(
    app: App,
    words: tuple[str, ...],
    namespace: str,
    scope: str | None,
    session: str | None,
    limit: int,
    explain: bool,
    as_json: bool,
) -> int:
    """Find entries; counts as an access."""
    from memoryd.service.bank.search import search_memory  # noqa: PLC0415 - only here

    asked = {
        "query": " ".join(words),
        "namespace": namespace,
        "scope": scope,
        "session": session,
        "limit": limit,
    }
    answer = search_memory(app.home, app.config, asked)
    if as_json:
        print_json(answer)
        return 0 if answer["hits"] else 1
    for hit in answer["hits"]:
        entry = hit["entry"]
        click.secho(
            f"{entry['id']}  {local_stamp(entry['updated_at'])[:10]}  {entry['scope']}", fg="cyan"
        )
        click.echo("  " + entry["content"])
        if explain:
            click.echo(
                "  " + ", ".join(f"{name} {value:.3f}" for name, value in hit["why"].items())
            )
    for reason in answer.get("degraded", ()):
        click.secho(f"by words alone: {reason}", fg="yellow")
    if not answer["hits"]:
        click.echo("nothing found; `memoryd search` looks into the whole history")
    return 0 if answer["hits"] else 1


def _change(app: App, entry_id: str, how: str, as_json: bool, text: str | None = None) -> int:
    told = app.carry_out("memory.change", {"id": entry_id, "how": how, "text": text})
    if as_json:
        print_json(told["entry"])
    else:
        click.echo(f"{how}: {told['entry']['content']}")
    return 0


@memory.command()
@click.argument("entry_id", type=TEXT, metavar="ID")
@click.argument("text", type=TEXT)
@json_option
@pass_app
def replace(app: App, entry_id: str, text: str, as_json: bool) -> int:
    """Replace the words of an entry; they are now the user's."""
    return _change(app, entry_id, "replace", as_json, text)


def _simple_command(how: str, help_text: str) -> None:
    @memory.command(how, help=help_text)
    @click.argument("entry_id", type=TEXT, metavar="ID")
    @json_option
    @pass_app
    def command(app: App, entry_id: str, as_json: bool) -> int:
        return _change(app, entry_id, how, as_json)


for _how, _help in (
    (
        "remove",
        "Take an entry out of memory; `restore` brings it back.\n\n`memoryd forget --entry ID` erases it.",
    ),
    ("pin", "Never forget or rewrite an entry."),
    ("unpin", "Let an entry be forgotten and rewritten again."),
    ("restore", "Make a removed, archived or superseded entry active again."),
):
    _simple_command(_how, _help)


@memory.command()
@click.argument("entry_id", type=TEXT, metavar="ID")
@click.option("--wrong", is_flag=True, help="It goes, and never comes back from the same words.")
@click.option("--right", is_flag=True, help="It is surer.")
@click.option("--outdated", is_flag=True, help="It was true, and is history now.")
@click.option("--note", help="Why.")
@json_option
@pass_app
def feedback(
    app: App, /, entry_id: str, note: str | None, as_json: bool, **judgements: bool
) -> int:
    """Say that an entry is wrong, right or outdated."""
    judgement = the_one(*judgements)
    told = app.carry_out("memory.feedback", {"id": entry_id, "judgement": judgement, "note": note})
    if as_json:
        print_json(told["entry"])
    else:
        click.echo(f"{judgement}: {told['entry']['content']} (state {told['entry']['state']})")
    return 0


@memory.command()
@click.argument("entry_id", type=TEXT, metavar="ID")
@json_option
@pass_app
def history(app: App, entry_id: str, as_json: bool) -> int:
    """Every version of an entry: who, when, why."""
    from memoryd.service.bank.view import history as read_history  # noqa: PLC0415 - only here

    with app.reader() as reader:
        versions = read_history(reader, entry_id)
    if as_json:
        print_json({"history": versions})
        return 0
    for version in versions:
        after = version["after"]
        words = "(gone)" if after is None else f"[{after['state']}] {after['content']}"
        click.echo(f"{local_stamp(version['at'])}  {version['who']}  {version['why']}\n  {words}")
    return 0

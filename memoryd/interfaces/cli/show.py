"""`memoryd show`: a message with its neighbours, or an entry with everything it was made of."""

from typing import Any

import click

from memoryd.errors import UsageError
from memoryd.interfaces.cli.app import (
    App,
    json_option,
    local_stamp,
    local_time,
    message_json,
    pass_app,
    print_json,
)
from memoryd.interfaces.cli.parameters import TEXT
from memoryd.store.reader import Reader
from memoryd.store.records import StoredMessage

LONGEST_ID = 18  # digits that SQLite's integers hold


@click.command()
@click.argument("identity", type=TEXT, metavar="MESSAGE_ID|ENTRY_ID")
@click.option(
    "--context",
    type=click.IntRange(0, 1000),
    default=2,
    show_default=True,
    help="Neighbours on each side.",
)
@json_option
@pass_app
def show(app: App, identity: str, context: int, as_json: bool) -> int:
    """Show a message with its neighbours, or an entry with its whole provenance."""
    with Reader(app.home) as reader:
        if identity.isascii() and identity.isdigit():
            return _show_message(reader, identity, context, as_json)
        return _show_entry(reader, identity, as_json)


def _show_message(reader: Reader, identity: str, context: int, as_json: bool) -> int:
    message = reader.message(int(identity)) if len(identity) <= LONGEST_ID else None
    if message is None:
        click.echo(f"there is no message {identity}", err=True)
        return 1
    around = reader.neighbours(message.id, context)
    if as_json:
        place = {"path": message.path, "span": message.span}
        print_json(
            message_json(message) | place | {"context": [message_json(one) for one in around]}
        )
    else:
        _print_message(message, around)
    return 0


def _print_message(message: StoredMessage, around: list[StoredMessage]) -> None:
    for one in around:
        here = one.id == message.id
        head = f"{'▶' if here else ' '} {local_time(one.time)}  {one.role}  #{one.id}"
        click.secho(head, fg="cyan", bold=here)
        click.echo("  " + one.text.replace("\n", "\n  "))
    span = f", bytes {message.span[0]} to {message.span[1]}" if message.span else ""
    click.echo(
        f"\n{message.source} session {message.session_id}\n{message.path or 'transcript unknown'}{span}"
    )


def _show_entry(reader: Reader, identity: str, as_json: bool) -> int:
    from memoryd.service.bank.view import find_entry, provenance_tree  # noqa: PLC0415 - only for entries

    try:
        tree = provenance_tree(reader, find_entry(reader, identity))
    except UsageError as error:
        click.echo(str(error), err=True)
        return 1
    if as_json:
        print_json(tree)
    else:
        _print_tree(tree, 0)
    return 0


def _print_tree(tree: dict[str, Any], depth: int) -> None:
    indent = "  " * depth
    entry = tree["entry"]
    click.secho(f"{indent}{entry['id']}  [{entry['state']}]  {entry['content']}", fg="cyan")
    for source in tree["sources"]:
        who = " ".join(filter(None, (source["role"], local_stamp(source["time"]))))
        click.echo(f"{indent}  “{source['words'] or ''}”  {who}")
        where = f"message {source['message_id']}" if source["message_id"] else "no message"
        spot = f", bytes {source['bytes'][0]} to {source['bytes'][1]}" if source["bytes"] else ""
        click.echo(
            f"{indent}    {where}, session {source['session_id']}, {source['path'] or 'no file'}{spot}"
        )
    for one in tree["merged_from"]:
        click.echo(f"{indent}  made of:")
        _print_tree(one, depth + 2)

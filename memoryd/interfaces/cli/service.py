"""`memoryd service …`: run with the machine, by systemd or launchd."""

from typing import Any

import click

from memoryd.interfaces.cli.app import App, json_option, pass_app, print_json

dry_run_option = click.option("--dry-run", is_flag=True, help="Only say what would be done.")


@click.group()
def service() -> None:
    """Install memoryd as a service of your user, take it away, or ask how it is."""


@service.command()
@dry_run_option
@click.option("--linger", is_flag=True, help="Run also while you are not logged in (systemd).")
@click.option(
    "--network", is_flag=True, help="Allow network connections, for a configured rewriting model."
)
@json_option
@pass_app
def install(app: App, dry_run: bool, linger: bool, network: bool, as_json: bool) -> None:
    """Install and start, or bring an older installation up to date."""
    from memoryd.service.managers.managing import find_manager, install_service  # noqa: PLC0415 - only here

    answer = install_service(
        find_manager(),
        app.home,
        app.config_path,
        app.config,
        dry_run=dry_run,
        network=network,
        linger=linger,
    )
    _print_steps(answer, as_json)


@service.command()
@dry_run_option
@json_option
@pass_app
def uninstall(app: App, dry_run: bool, as_json: bool) -> None:
    """Stop and remove the service.

    Everything memoryd remembers stays.
    """
    from memoryd.service.managers.managing import find_manager, uninstall_service  # noqa: PLC0415 - only here

    _print_steps(uninstall_service(find_manager(), dry_run=dry_run), as_json)


@service.command()
@click.option("--dry-run", is_flag=True, hidden=True)  # asking never changes anything
@json_option
@pass_app
def status(app: App, dry_run: bool, as_json: bool) -> int:
    """Say what the service manager knows.

    Exit 1 when an installed service does not run.
    """
    from memoryd.service.managers.managing import describe_service  # noqa: PLC0415 - only here

    state = describe_service()
    if as_json:
        print_json(state)
    elif state["manager"] is None:
        click.echo("no systemd and no launchd here: start `memoryd run` by other means")
    else:
        for key, value in state.items():
            click.echo(f"{key}: {value}")
    return 1 if state["installed"] and not state["active"] else 0


def _print_steps(answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    for step in answer["steps"]:
        for verb, what in step.items():
            if verb != "text":
                click.echo(f"{verb} {' '.join(what) if isinstance(what, list) else what}")
        if answer["dry_run"] and "text" in step:
            click.echo("".join(f"    {line}\n" for line in step["text"].splitlines()), nl=False)
    if not answer["dry_run"]:
        click.echo("done" if answer["steps"] else "nothing to do")

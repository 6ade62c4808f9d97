"""Memory files: `memoryd files …`."""

from pathlib import Path
from typing import Any

import click

from memoryd.interfaces.cli.app import App, json_option, pass_app, print_json, print_table

paths_argument = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
profile_option = click.option(
    "--profile", help="Whose rules count; else the place and the content say."
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
    from memoryd.service.files import describe_files  # noqa: PLC0415 - only here

    found = describe_files(_absolute(paths), profile)
    if as_json:
        print_json({"files": found})
        return 0
    print_table(
        ("file", "profile", "used", "limit", "unit", "%"),
        [
            (
                one["path"],
                one["profile"],
                str(one["used"]),
                str(one["limit"] or ""),
                one["unit"],
                str(one["percent"] or ""),
            )
            for one in found
        ],
    )
    if not found:
        click.echo("no memory files found; name some: `memoryd files list PATH`")
    return 0


@files.command()
@paths_argument
@profile_option
@json_option
@pass_app
def check(app: App, paths: tuple[Path, ...], profile: str | None, as_json: bool) -> int:
    """Say why an agent does not remember: what is cut, never loaded, doubled, misplaced. Exit 1 if anything is cut."""
    from memoryd.service.files import check as examine  # noqa: PLC0415 - only here

    report = examine(app.home, _absolute(paths), profile)
    if as_json:
        print_json(report)
    else:
        for file in report["files"]:
            _print_file(file)
        total = report["total"]
        click.echo(
            f"together {total['used']}" + (f" of {total['limit']}" if total["limit"] else "")
        )
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
@pass_app
def snapshot(
    app: App,
    paths: tuple[Path, ...],
    profile: str | None,
    context_tokens: int | None,
    used_tokens: int,
) -> int:
    """Print the text an agent should load at the start of a session, within both limits."""
    from memoryd.service.files import snapshot as make  # noqa: PLC0415 - only here

    text = make(_absolute(paths), profile, context_tokens, used_tokens)
    click.echo(text, nl=False)
    return 0 if text else 1


@files.command()
@click.argument("path", type=click.Path(path_type=Path))
@profile_option
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--target-percent", type=click.FloatRange(1, 100), default=70.0, show_default=True)
@json_option
@pass_app
def compact(
    app: App, path: Path, profile: str | None, dry_run: bool, target_percent: float, as_json: bool
) -> int:
    """Rewrite a file within its limit; a dry run until the file is approved. `memoryd undo RUN` takes it back."""
    from memoryd.service.filing import compact as rewrite  # noqa: PLC0415 - only here

    told = rewrite(
        app.home,
        app.config,
        path.absolute(),
        profile=profile,
        target_percent=target_percent,
        dry_run=dry_run,
    )
    if as_json:
        print_json(told)
        return 0
    click.echo(told["diff"], nl=False)
    for one in told["moved"]:
        click.echo(f"to the bank ({one['reason']}): {one['content']}", err=True)
    for why in told["held_back"]:
        click.echo(f"held back: {why}", err=True)
    before, after = f"{told['used_before']} {told['unit']}", f"{told['used_after']} {told['unit']}"
    if told["written"]:
        click.echo(f"{before} → {after}; `memoryd undo {told['run']}` takes it back", err=True)
    else:
        click.echo(f"{before} → {after}, nothing written: {told['refused'] or 'dry run'}", err=True)
    return 0


@files.command()
@click.argument("name", metavar="PATH|PROFILE")
@click.option("--withdraw", is_flag=True, help="Take an approval back.")
@json_option
@pass_app
def approve(app: App, name: str, withdraw: bool, as_json: bool) -> int:
    """Approve a file, or every file of a profile, for rewriting."""
    known = Path(name).expanduser()
    told = app.carry_out(
        "files.approve",
        {"name": str(known.absolute()) if known.exists() else name, "withdraw": withdraw},
    )
    if as_json:
        print_json(told)
    else:
        click.echo("may be rewritten: " + (", ".join(told["approved"]) or "nothing"))
    return 0


def _absolute(paths: tuple[Path, ...]) -> list[Path]:
    return [path.expanduser().absolute() for path in paths]

"""The daemon and its health: run, status, doctor."""

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
    size_text,
)
from memoryd.store.lean import left_out


@click.command()
@click.option("--once", is_flag=True, help="One full scan and ingest, then exit.")
@json_option
@pass_app
def run(app: App, once: bool, as_json: bool) -> int:
    """Watch the transcripts of every agent and ingest what is new, until told to stop."""
    if not once:
        with left_out("rich"):
            from memoryd.interfaces.logs import configure_logs  # noqa: PLC0415 - only here
        from memoryd.service.daemon import run_daemon  # noqa: PLC0415
        from memoryd.service.night.scheduler import NightClock  # noqa: PLC0415

        configure_logs(app.home)
        return run_daemon(app.home, app.config_path, NightClock)
    from memoryd.interfaces.cli.history import print_ingest, progress_bar  # noqa: PLC0415 - only here

    with progress_bar() as tell:
        answer = app.carry_out("ingest", {}, tell)
    print_ingest(answer, as_json)
    if not as_json:
        _print_found(app)
    return 0


def _print_found(app: App) -> None:
    """What the first command of a new user says: which agents were found, and how to go on."""
    from memoryd.service.overview import describe_sources  # noqa: PLC0415 - only here

    found = [one for one in describe_sources(app.home, app.config) if one["messages"]]
    if not found:
        click.echo(
            "No agent's transcripts were found. `memoryd sources` lists the places that were looked at."
        )
        return
    print_table(
        ("agent", "sessions", "messages", "last activity"),
        [
            (
                one["title"],
                str(one["sessions"]),
                str(one["messages"]),
                local_stamp(one["last_activity"]),
            )
            for one in found
        ],
    )
    click.echo('\nSearch them:        memoryd search "words you remember"')
    click.echo("Keep them fresh:    memoryd run")


@click.command()
@json_option
@pass_app
def status(app: App, as_json: bool) -> int:
    """Say how memoryd is; exit 1 when something is degraded (a stopped daemon alone is not)."""
    from memoryd.service.client import daemon_state  # noqa: PLC0415 - only here
    from memoryd.service.overview import describe_status  # noqa: PLC0415

    described = describe_status(app.home, app.config, daemon_state(app.home))
    if as_json:
        print_json(described)
    else:
        _print_status(described)
    return 1 if described["degraded"] else 0


def _print_status(described: dict[str, Any]) -> None:
    database = described["database"]
    running = (
        f"running, pid {described['pid']}"
        if described["running"]
        else "not running (`memoryd run` starts it)"
    )
    click.echo(f"memoryd {described['version']}: {running}")
    click.echo(
        f"{counted(database['messages'], 'message')} ({database['tool_messages']} of tools) "
        f"in {counted(database['sessions'], 'session')}, "
        f"{size_text(database['bytes'])} at {database['path']}"
    )
    print_table(
        ("agent", "files", "behind", "damaged", "watch", "root"),
        [
            (
                one["name"],
                str(one["files"]),
                size_text(one["lag_bytes"]),
                str(one["quarantined"]),
                one["watch"],
                one["root"],
            )
            for one in described["sources"]
            if one["files"] or one["watch"] != "missing"
        ],
    )
    for one in described["sources"]:
        if one["skipped"]:
            click.echo(
                f"{one['name']} left out: "
                + ", ".join(f"{count} {reason}" for reason, count in one["skipped"].items())
            )
    for reason in described["degraded"]:
        click.secho(f"degraded: {reason}", fg="yellow")


@click.command()
@click.option("--fix", is_flag=True, help="Repair what can be repaired.")
@json_option
@pass_app
def doctor(app: App, fix: bool, as_json: bool) -> int:
    """Check everything, with or without the daemon; exit 1 when a check fails."""
    from memoryd.service.doctor import examine  # noqa: PLC0415 - only here

    checks = examine(app.home, app.config, fix)
    ok = all(check.ok for check in checks)
    if as_json:
        listed = [{"name": c.name, "ok": c.ok, "detail": c.detail, "fix": c.fix} for c in checks]
        print_json({"checks": listed, "ok": ok})
        return 0 if ok else 1
    for check in checks:
        click.secho("✓ " if check.ok else "✗ ", fg="green" if check.ok else "red", nl=False)
        click.echo(f"{check.name}: {check.detail}" + (f"  → {check.fix}" if check.fix else ""))
    return 0 if ok else 1

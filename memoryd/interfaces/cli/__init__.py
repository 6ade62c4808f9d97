"""The command line. What scripts rely on stands in the contract: fields, exit statuses, JSON on stdout.

Commands are imported when they are called, so that a search does not pay for the daemon's libraries.
"""

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO, TextIOWrapper, UnsupportedOperation
from pathlib import Path
from typing import Any

import click

from memoryd.errors import MemorydError, RetryError, UsageError
from memoryd.interfaces.cli.parameters import NamedPath

LONGEST_LINE = 1000  # characters of an error message

# What the system says where nobody asked it first; the rest is a failure.
_STATUS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), RetryError.exit_status),
    **dict.fromkeys((errno.ENAMETOOLONG, errno.ENOTDIR, errno.ELOOP), UsageError.exit_status),
}

# name -> (module below this package, function, one line of help)
COMMANDS = {
    "ingest": ("history", "ingest", "Read transcripts into the index."),
    "search": ("search", "search", "Find messages in the history of every agent."),
    "sessions": ("history", "sessions", "List conversations, the last active first."),
    "show": (
        "show",
        "show",
        "Show a message with its neighbours, or an entry with its provenance.",
    ),
    "sources": (
        "history",
        "sources",
        "List every known agent: found or not, what was read, what was skipped.",
    ),
    "memory": (
        "memory",
        "memory",
        "The memory bank: add, import, search, correct, export entries.",
    ),
    "stats": ("models", "stats", "Say how well memory serves: hit rate, freshness, cost."),
    "model": ("models", "model", "Embedding models: list, pull, use."),
    "files": (
        "files",
        "files",
        "Memory files: what an agent really loads, and keeping it within its limits.",
    ),
    "consolidate": (
        "runs",
        "consolidate",
        "Merge what says the same, supersede what was replaced; --dry-run shows the plan.",
    ),
    "nightly": ("keeping", "nightly", "Run the whole night now; --dry-run only plans."),
    "backup": ("keeping", "backup", "Make a verified copy of the database."),
    "restore": ("keeping", "restore", "Put a backup in place of the database."),
    "prune": ("keeping", "prune", "Put into the archive what the rules say, each with its reason."),
    "forget": ("keeping", "forget", "Remove for good, from every record, index and copy."),
    "reindex": ("keeping", "reindex", "Read everything again with the readers of today."),
    "runs": ("runs", "runs", "List runs, or inspect one: what it did and why."),
    "undo": ("runs", "undo", "Take back a run."),
    "review": ("runs", "review", "What waits for a person: doubtful entries and conflicts."),
    "run": ("daemon", "run", "Watch and ingest until told to stop; with --once, one full pass."),
    "service": ("service", "service", "Run with the machine: install, uninstall, status."),
    "status": ("daemon", "status", "Say how memoryd is: sources, lag, database, what is degraded."),
    "doctor": ("daemon", "doctor", "Check everything; with --fix, repair what can be repaired."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, function, _ = COMMANDS[cmd_name]
        command = getattr(importlib.import_module(f"{__name__}.{module}"), function)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}.{function} is not a command")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; click itself would call it a failure that nobody reads on."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _close_output()
            return 0

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


def _version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - 20 ms that only --version needs

        click.echo(f"memoryd {version('memoryd')}")
        context.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--home",
    type=NamedPath(file_okay=False),
    envvar="MEMORYD_HOME",
    help="Where everything memoryd owns is kept.",
)
@click.option(
    "--config",
    "config_path",
    type=NamedPath(dir_okay=False),
    envvar="MEMORYD_CONFIG",
    help="Another config.toml.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print the version.",
)
@click.pass_context
def cli(context: click.Context, home: Path | None, config_path: Path | None) -> None:
    """Keep the memory of AI agents in order: index their transcripts, search them, consolidate, forget by rule."""
    from memoryd.interfaces.cli.app import App  # noqa: PLC0415 - --help needs none of it

    context.obj = App(home, config_path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the status of the contract."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    os.umask(0o077)
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, TextIOWrapper
        ):  # a terminal that cannot show a character shows a mark
            stream.reconfigure(errors="replace")
    try:
        _check_encoding(words)
        status = cli.main(words, prog_name="memoryd", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        click.echo(_shortened(shown.getvalue()), err=True, nl=False)
        status = UsageError.exit_status
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        status = 130
    except MemorydError as error:
        click.echo(_shortened(f"memoryd: {error}"), err=True)
        status = error.exit_status
    except UnicodeEncodeError:  # JSON can hold what neither files nor the database can
        click.echo("memoryd: the input holds half a character (a lone surrogate)", err=True)
        status = UsageError.exit_status
    except BrokenPipeError:  # the reader of our output went away: nothing is wrong
        _close_output()
        status = 0
    except OSError as error:
        click.echo(_shortened(f"memoryd: {error}"), err=True)
        _close_output()
        status = _STATUS.get(error.errno or 0, MemorydError.exit_status)
    sys.exit(status if isinstance(status, int) else 0)


def _open_closed_streams() -> None:
    """Whoever closed a stream (`>&-`) wants to hear or say nothing there; Python has None for it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - until the end


def _check_encoding(words: Sequence[str]) -> None:
    """Refuse what is neither text nor the name of a file: bytes that are no UTF-8 cannot be stored or found.

    Raises:
        UsageError: there is such a word.
    """
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError as error:
            if not os.path.lexists(word):
                raise UsageError(f"{_shortened(ascii(word))} is not valid UTF-8") from error


def _shortened(message: str) -> str:
    """A message without the middle of its endless lines: somebody passed a megabyte as an id."""
    half = LONGEST_LINE // 2
    return "\n".join(
        line if len(line) <= LONGEST_LINE else f"{line[:half]} … {line[-half:]}"
        for line in message.split("\n")
    )


def _close_output() -> None:
    """Nothing more can be said there; what is still buffered must not fail again at exit."""
    with suppress(UnsupportedOperation):  # it may be no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

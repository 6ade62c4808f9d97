"""What is typed is meant: no option is empty, none is dropped in silence for another; and help is whole."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memoryd.interfaces.cli import cli
from memoryd.interfaces.cli.parameters import NamedPath
from tests.interfaces.conftest import Memoryd

MAY_BE_EMPTY = {"note", "name"}  # why something is wrong; a model's name, else its folder's


def parameters(command: click.Command, words: str = "") -> Iterator[tuple[str, click.Parameter]]:
    """Every parameter below a command, with the words that lead to it."""
    context = click.Context(command)
    for parameter in command.params:
        yield f"{words} {parameter.name}".strip(), parameter
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from parameters(below, f"{words} {name}")


def test_no_text_and_no_path_may_be_empty() -> None:
    plain = {
        words
        for words, one in parameters(cli)
        if one.type is click.STRING and one.name not in MAY_BE_EMPTY
    }
    paths = {words for words, one in parameters(cli) if isinstance(one.type, click.Path)}
    named = {words for words, one in parameters(cli) if isinstance(one.type, NamedPath)}

    assert plain == set()
    assert {"home", "config_path", "ingest paths", "backup file"} <= paths
    assert paths == named


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--home", "", "status"), "'--home': expected a path"),
        (("--config", "", "status"), "'--config': expected a path"),
        (("ingest", ""), "expected a path"),
        (("files", "check", ""), "expected a path"),
        (("backup", ""), "expected a path"),
        (("runs", "--html", ""), "'--html': expected a path"),
        (("ingest", "--source", ""), "'--source': expected a text"),
        (("reindex", "--source", " "), "'--source': expected a text"),
        (("consolidate", "--namespace", ""), "'--namespace': expected a text"),
        (("forget", "--match", " "), "'--match': expected a text"),
        (("search", ""), "expected a text"),
        (("search", "  ", "--json"), "expected a text"),
        (("memory", "search", ""), "expected a text"),
        (("memory", "search", " ", "--json"), "expected a text"),
        (("sessions", "--source", ""), "'--source': expected a text"),
    ],
)
def test_nothing_is_not_everything(memoryd: Memoryd, words: tuple[str, ...], said: str) -> None:
    done = memoryd(*words)

    assert (done.status, done.out) == (2, b"")
    assert said in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("memory feedback e-1 --right --wrong", "exactly one of --wrong, --right, --outdated"),
        ("memory feedback e-1", "exactly one of --wrong, --right, --outdated"),
        ("memory list --state merged --all", "--state and --all exclude each other"),
        ("memory list --namespace a/b --all-namespaces", "--namespace and --all-namespaces"),
        ("memory extract --dry-run", "--dry-run needs a FILE"),
        ("forget --session a --source b", "exactly one of --session, --source, --entry, --match"),
        ("forget", "exactly one of --session, --source, --entry, --match"),
    ],
)
def test_options_that_exclude_each_other_are_refused(
    memoryd: Memoryd, home: Path, words: str, said: str
) -> None:
    done = memoryd(*words.split())

    assert (done.status, done.out) == (2, b"")
    assert said in done.err
    assert not list(home.iterdir())


@pytest.mark.parametrize("group", ["memory", "model", "files", "review", "service"])
def test_no_line_of_help_is_cut_off(group: str) -> None:
    command = cli.get_command(click.Context(cli), group)
    assert isinstance(command, click.Group)
    told = command.get_help(click.Context(command, info_name=group, terminal_width=80))

    assert [line for line in told.splitlines()[1:] if line.endswith("...")] == []

"""Words that were given: none of them is empty, and of those that exclude each other there is one."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.types import StringParamType


class NamedPath(click.Path):
    """A path: an empty text is not the current folder."""

    def __init__(self, **options: Any) -> None:
        super().__init__(path_type=Path, **options)

    def convert(
        self, value: "str | PathLike[str]", param: click.Parameter | None, ctx: click.Context | None
    ) -> "str | bytes | PathLike[str]":
        if value == "":
            self.fail("expected a path, got nothing", param, ctx)
        return super().convert(value, param, ctx)


class _GivenText(StringParamType):
    """A text: a blank is what a script passes whose variable is empty, and means neither nothing nor everything."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(super().convert(value, param, ctx))
        if not text.strip():
            self.fail("expected a text, got nothing", param, ctx)
        return text


TEXT = _GivenText()


def the_one(*names: str) -> str:
    """Which of these options of the running command was given.

    Raises:
        click.UsageError: none, or more than one.
    """
    given = _given(names)
    if len(given) != 1:
        context = click.get_current_context()
        needed = ", ".join(one.opts[0] for one in context.command.params if one.name in names)
        raise click.UsageError(f"exactly one of {needed} is needed")
    return next(iter(given))


def refuse_together(*names: str) -> None:
    """Options of the running command that exclude each other; none is needed.

    Raises:
        click.UsageError: more than one was given.
    """
    given = _given(names)
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given.values())} exclude each other")


def _given(names: Sequence[str]) -> dict[str, str]:
    """Of these parameters those that were typed, with their options; a default was not."""
    context = click.get_current_context()
    return {
        one.name: one.opts[0]
        for one in context.command.params
        if one.name in names
        and context.get_parameter_source(one.name) is ParameterSource.COMMANDLINE
    }

"""The house keeps its own rules: sizes, the picture, the configuration file, the README."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_type_hints

import pytest
from click import Group

from memoryd.config import Config, SourceConfig, SourcesConfig, load_config
from memoryd.interfaces.cli import COMMANDS, cli
from tests.service.bank_helpers import ask, writing

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "memoryd"
README = (ROOT / "README.md").read_text(encoding="utf-8")
MODULES = sorted(PACKAGE.rglob("*.py"))


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    first = (
        function.body[1]
        if ast.get_docstring(function) and len(function.body) > 1
        else function.body[0]
    )
    return (function.end_lineno or 0) - first.lineno + 1


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert body_lines(node) <= 50, node.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_the_picture_names_exactly_the_rooms_there_are() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    plain = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}

    listed = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    drawn = set(re.findall(r"\w+", text.split("```")[1]))

    assert listed == rooms | plain
    assert rooms | plain <= drawn


def test_the_shipped_configuration_is_the_default() -> None:
    assert load_config(ROOT / "config.toml") == Config()


def keys(kind: type, table: str = "") -> Iterator[str]:
    for field in fields(kind):
        hint = get_type_hints(kind)[field.name]
        name = f"{table}.{field.name}" if table else field.name
        if is_dataclass(hint) and isinstance(hint, type):
            yield from keys(hint, name)
        else:
            yield name


def test_the_shipped_configuration_explains_every_key() -> None:
    text = (ROOT / "config.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    present = {f"{table}.{key}" for table, values in data.items() for key in values}

    assert present == set(keys(Config)) - {"sources.by_name"}
    for name in (
        *(field.name for field in fields(SourcesConfig)),
        *(f.name for f in fields(SourceConfig)),
    ):
        if name != "by_name":
            assert re.search(rf"^(# )?{name} = .*#", text, re.MULTILINE), name
    for line in text.splitlines():
        assert "=" not in line or "#" in line, line


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_stands_in_the_readme(name: str) -> None:
    command = cli.get_command(None, name)  # type: ignore[arg-type] # the context is not looked at

    assert command is not None
    assert command.help
    assert f"`memoryd {name}" in README


@pytest.mark.parametrize("document", ["README.md", "docs/architecture.md", "docs/decisions.md"])
def test_paths_named_in_the_documents_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"`((?:memoryd|docs|bench|systemd)/[\w/.-]+)`|\]\(([\w/.-]+)\)", text)

    for path in filter(None, (one for pair in named for one in pair)):
        assert (ROOT / path).exists() or (ROOT / document).parent.joinpath(path).exists(), path


def test_the_ci_script_runs_the_second_command_of_the_readme() -> None:
    assert "README.md" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert "<!-- tests -->\n```sh\npython3 -m venv .venv" in README


def test_the_readme_names_every_command_of_the_memory_bank() -> None:
    row = next(one for one in README.splitlines() if one.startswith("| `memoryd memory …`"))
    memory = cli.get_command(None, "memory")  # type: ignore[arg-type] # the context is not looked at

    assert isinstance(memory, Group)
    assert set(memory.commands) == set(re.findall(r"`(\w+)`", row))


def test_the_lines_to_import_in_the_readme_are_imported(home: Path) -> None:
    (lines,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    (home / "in.jsonl").write_text(lines, encoding="utf-8")
    with writing(home) as writer:
        told = ask(writer, "memory.import", path=str(home / "in.jsonl"), raw=False)

    assert (told["added"], told["errors"]) == (2, [])

"""docs/adding-a-source.md: its example and the example's test are run as they stand there."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from memoryd.config import parse_config
from memoryd.sources.registry import ENTRY_POINTS, build_sources

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "adding-a-source.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT, re.DOTALL | re.MULTILINE)


def test_the_example_keeps_the_contract(tmp_path: Path) -> None:
    source, test = blocks("python")
    (tmp_path / "parrot_source.py").write_text(source, encoding="utf-8")
    (tmp_path / "test_parrot.py").write_text(test, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "--import-mode=importlib", "-p", "no:cacheprovider", "test_parrot.py"]  # fmt: skip
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "passed" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout


def test_the_entry_point_names_the_example() -> None:
    announced = next(tomllib.loads(block) for block in blocks("toml") if "entry-points" in block)
    module, _, name = announced["project"]["entry-points"][ENTRY_POINTS]["parrot"].partition(":")

    assert f"class {name}(" in blocks("python")[0]
    assert f"{module}.py" in DOCUMENT


def test_the_generic_example_is_a_valid_configuration() -> None:
    table = next(tomllib.loads(block) for block in blocks("toml") if "[sources." in block)

    assert "my-bot" in {source.name for source in build_sources(parse_config(table, "document"))}


def test_every_module_it_names_exists() -> None:
    for module in re.findall(r"`memoryd\.sources\.(\w+)\.\w+`", DOCUMENT):
        assert (ROOT / "memoryd" / "sources" / f"{module}.py").exists(), module

"""The table of faults is complete, and names tests that exist."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.faults.sweep import MARKS

ROOT = Path(__file__).parents[2]
RELIABILITY = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs/security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.(?:py|c)(?:::\w+)?)`", RELIABILITY + SECURITY)))


@cache
def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_every_fault_has_its_row() -> None:
    rows = [int(number) for number in re.findall(r"^\| (\d+) \|", RELIABILITY, re.MULTILINE)]

    assert rows == list(range(1, 71))


@pytest.mark.parametrize("named", NAMED)
def test_every_named_test_exists(named: str) -> None:
    path, _, test = named.partition("::")

    assert not test or re.search(rf"def {test}\b", text_of(path))


def test_the_sweep_was_run_and_found_nothing() -> None:
    table = RELIABILITY.split(MARKS[0])[1].split(MARKS[1])[0]
    tried, wrong = re.findall(r"\| \*\*(\d+)\*\* \| \*\*(\d+)\*\* \|", table)[0]

    assert int(tried) >= 2000
    assert int(wrong) == 0

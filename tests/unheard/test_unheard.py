"""What the gate and the guards do with voices they have never heard.

The rows were written by authors who did not know the product, and no rule was made after reading them (the few that were
read are gone): run this when
rules change, look at the figures, and write rows of your own to work on. Tables that rules are made from lie beside
the tests of their room. Safety is a law here, recall a floor to be raised.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.updates import judge
from memoryd.memory.gate import extract
from memoryd.memory.sentences import Span
from tests.memory.gate.labelled import Labelled, added, score

FOLDER = Path(__file__).parent
FORBIDDEN = ("injection", "secret", "tool", "quoted-other", "external")


def rows(name: str) -> list[dict[str, Any]]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def labelled(row: dict[str, Any]) -> Labelled:
    starts = [(row["text"].index(part), len(part)) for part in row["keep"]]
    return Labelled(row["kind"], row["text"], tuple(Span(at, at + size) for at, size in starts))


@cache
def judged() -> list[tuple[str, bool, str]]:
    """(label, merged, what the second does to the first) of every pair in one language."""
    return [(row["label"], *_judge(row)) for row in rows("pairs.jsonl") if not row.get("optional")]


def _judge(row: dict[str, Any]) -> tuple[bool, str]:
    old, new, found = compare_texts(row["a"], row["b"])
    return found.merges, "" if found.merges else judge(old, new, found).relation


def test_no_two_facts_become_one() -> None:
    assert not [label for label, merged, _ in judged() if merged and label != "merge"]


def test_little_is_replaced_that_still_holds() -> None:
    replaced = [what == "update" for label, _, what in judged() if label != "update"]

    assert sum(replaced) <= 0.0125 * len(replaced)


def test_some_restatements_and_most_updates_are_recognised() -> None:
    merged = [merged for label, merged, _ in judged() if label == "merge"]
    replaced = [what == "update" for label, _, what in judged() if label == "update"]

    assert sum(merged) >= 0.25 * len(merged)
    assert sum(replaced) >= 0.47 * len(replaced)


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_nothing_forbidden_is_stored(kind: str) -> None:
    for row in rows("messages.jsonl"):
        if row["kind"] == kind:
            assert added(extract(row["text"], row["origin"])) == ()


def test_most_of_what_is_stored_is_worth_it() -> None:
    found = [
        score([labelled(row)], row["origin"])
        for row in rows("messages.jsonl")
        if row["origin"] in ("user", "assistant")
    ]

    extracted, kept = sum(one.extracted for one in found), sum(one.kept for one in found)

    assert sum(one.right for one in found) >= 0.88 * extracted
    assert sum(one.found for one in found) >= 0.72 * kept

"""Kinds of restatement that are recognised for sure, each with twins that stay apart.

kinds.tsv: kind, same or apart, text, text. Every line holds, in both orders.
"""

from pathlib import Path

import pytest

from memoryd.memory.consolidation.pairing import compare_texts

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("kinds.tsv").read_text("utf-8").splitlines()
    if line
]


@pytest.mark.parametrize(("kind", "relation", "a", "b"), ROWS)
def test_restatements_meet_and_twins_do_not(kind: str, relation: str, a: str, b: str) -> None:
    for one, other in ((a, b), (b, a)):
        comparison = compare_texts(one, other)[2]
        assert comparison.merges == (relation == "same"), (kind, comparison.reason)

"""Restatements in German, French, Spanish, Japanese and Korean as developers word them, each with a twin."""

import csv
from pathlib import Path

import pytest

from memoryd.memory.consolidation.pairing import compare_texts

TEXT = (Path(__file__).parent / "tongues.tsv").read_text("utf-8")
ROWS = list(csv.DictReader(TEXT.splitlines(), delimiter="\t"))
FLOORS = {"de": 16, "fr": 23, "es": 20, "ja": 20, "ko": 20}  # of 25


@pytest.mark.parametrize("language", FLOORS)
def test_a_twin_never_meets_what_it_differs_from(language: str) -> None:
    for row in ROWS:
        if row["language"] == language:
            for text in (row["text"], row["restatement"]):
                assert not compare_texts(text, row["twin"])[2].merges, (text, row["twin"])
                assert not compare_texts(row["twin"], text)[2].merges, (row["twin"], text)


@pytest.mark.parametrize("language", FLOORS)
def test_restatements_meet_as_often_as_they_did(language: str) -> None:
    met = sum(
        compare_texts(row["text"], row["restatement"])[2].merges
        for row in ROWS
        if row["language"] == language
    )

    assert met >= FLOORS[language]

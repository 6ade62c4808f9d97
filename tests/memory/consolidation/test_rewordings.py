"""Sentences told from another end are read alike, their twins are not.

rewordings.tsv: kind, same or apart, text, text. Every line holds, in both orders.
"""

import string
import time
from pathlib import Path

import pytest

from memoryd.memory.consolidation import rewording
from memoryd.memory.consolidation.lexicon import Language
from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.reading import guess_language
from memoryd.memory.consolidation.rewording import reworded

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("rewordings.tsv").read_text("utf-8").splitlines()
    if line
]


@pytest.mark.parametrize(("kind", "relation", "a", "b"), ROWS)
def test_what_is_told_from_another_end_meets_and_twins_do_not(
    kind: str, relation: str, a: str, b: str
) -> None:
    for one, other in ((a, b), (b, a)):
        comparison = compare_texts(one, other)[2]
        assert comparison.merges == (relation == "same"), (kind, comparison.reason)


def test_a_comparison_speaks_of_the_readings_beside_it() -> None:
    for _, _, a, b in ROWS:
        for one, other in ((a, b), (b, a)):
            first, second, comparison = compare_texts(one, other)
            places = comparison.alignment.pairs
            assert all(i < len(first.units) and j < len(second.units) for i, j in places), (
                one,
                other,
            )


TABLES = [(language, name) for name, known in rewording._TABLES.items() for language in known]


@pytest.mark.parametrize(("language", "table"), sorted(TABLES))
def test_a_row_reads_only_what_it_has_found(language: Language, table: str) -> None:
    for _, _, row in rewording._table(language, table).rows:
        named = {name for _, name, _, _ in string.Formatter().parse(row.read) if name}
        assert named <= rewording._compiled(row.said).groupindex.keys(), row.read


def test_what_no_row_speaks_of_stays_as_it_is() -> None:
    assert reworded("The kettle is blue.", "en") is None
    assert reworded("水壶是蓝色的。", "zh") is None
    assert reworded("주전자는 파란색이다.", "ko") is None


def test_a_row_turns_its_own_clause_only() -> None:
    text = "If the lamp is red, Kafka is needed by the audit service; call Ines."

    assert reworded(text, "en") == "If the lamp is red, the audit service needs Kafka; call Ines."


def test_rewording_twice_changes_nothing_more() -> None:
    for _, _, *texts in ROWS:
        for text in texts:
            language = guess_language(text)
            once = reworded(text, language) or text
            assert (reworded(once, language) or once) == once, text


def test_a_long_note_costs_no_time() -> None:
    notes: tuple[tuple[str, Language], ...] = (
        ("push the " * 4000, "en"),
        ("先看再说" * 4000, "zh"),
    )
    for text, language in notes:
        started = time.process_time()
        reworded(text, language)
        assert time.process_time() - started < 1

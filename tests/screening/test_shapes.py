"""The table itself: every row is in reach of the search, and every kind can be written in a mark."""

import re
import string

import pytest

from memoryd.screening.shapes import (
    ANYWHERE,
    AT_BEGINNING,
    BEFORE_RUN,
    CONTEXTS_OF_BLOCKS,
    CONTEXTS_OF_COMMANDS,
    CONTEXTS_OF_URLS,
)

TOKENS = [
    token
    for table in (ANYWHERE, AT_BEGINNING, BEFORE_RUN)
    for tokens in table.values()
    for token in tokens
]
CONTEXTS = [*CONTEXTS_OF_BLOCKS, *CONTEXTS_OF_COMMANDS, *CONTEXTS_OF_URLS]
KINDS = sorted({token.kind for token in TOKENS} | {context.kind for context in CONTEXTS})
RUN_CHARACTERS = set(string.ascii_letters + string.digits + "_-")


def test_the_table_has_more_than_sixty_kinds() -> None:
    assert len(KINDS) > 60


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_are_words_with_hyphens(kind: str) -> None:
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", kind)


@pytest.mark.parametrize("prefix", [*ANYWHERE, *AT_BEGINNING])
def test_prefixes_within_a_run_consist_of_its_characters(prefix: str) -> None:
    assert set(prefix) <= RUN_CHARACTERS


@pytest.mark.parametrize("prefix", BEFORE_RUN)
def test_prefixes_before_a_run_end_with_another_character(prefix: str) -> None:
    assert prefix[-1] not in RUN_CHARACTERS or prefix.endswith("%20")


def test_unmistakable_prefixes_are_long_enough_to_be_it() -> None:
    assert min(map(len, ANYWHERE)) >= 3

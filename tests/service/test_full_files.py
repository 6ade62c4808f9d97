"""Full Hermes files in three languages, through the real consolidation: room is made, no fact is lost, undo is exact."""

import re
from collections.abc import Iterable

import pytest

from memoryd.memory_files.sections import has_drifted, parse_sections
from memoryd.memory_files.threats import scan_as_hermes
from tests.service.file_helpers import Desk
from tests.service.full_files import LIMIT, PEOPLE, PROJECTS, make_entries

LANGUAGES = ("en", "zh", "de")
_TELLING = re.compile(
    r"https?://[\w./]+\w|/[\w/]+|\d+|"
    + "|".join([*PROJECTS, *(one for some in PEOPLE.values() for one in some)])
)
FREED_AT_LEAST = 0.25  # of the limit, by merges and by what moves together


def tokens(texts: Iterable[str]) -> set[str]:
    """Numbers, names, addresses and paths: what a fact cannot lose."""
    return set(_TELLING.findall("\n".join(texts)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 7))]
)
def test_a_full_file_gets_room_and_loses_nothing(desk: Desk, language: str, seed: int) -> None:
    entries = make_entries(language, seed)
    desk.write(*entries)
    before = desk.memory.read_bytes()
    told = desk.compact()

    assert told["used_before"] >= 0.97 * LIMIT
    assert told["used_before"] - told["used_after"] >= FREED_AT_LEAST * LIMIT
    out = [one for one in told["moved"] if one["reason"] in ("least valuable", "superseded")]
    assert len(out) <= 0.25 * len(entries)
    text = desk.memory.read_text(encoding="utf-8")
    assert not has_drifted(text)
    assert not any(scan_as_hermes(piece.content) for piece in parse_sections(text).entries)
    active = desk.bank()
    assert set(desk.contents()) - set(active) <= {
        one for one in desk.contents() if "memoryd" in one
    }
    assert set(entries) <= {*desk.states()}
    assert tokens(entries) <= tokens([*active])

    desk.undo(told["run"])
    assert desk.memory.read_bytes() == before
    assert set(desk.states().values()) == {"active"}


@pytest.mark.parametrize("language", ["en", "zh", "de"])
def test_nothing_is_outdated_where_nothing_changed(desk: Desk, language: str) -> None:
    desk.write(*make_entries(language, 0))
    told = desk.compact(dry_run=True)

    assert not [one for one in told["moved"] if one["reason"] == "superseded"]

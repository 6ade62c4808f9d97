"""An amount is the same in every notation of its language, and two amounts are never one: amounts.tsv (language, value, words)."""

from collections import defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from memoryd.memory.consolidation.pairing import compare_texts

SENTENCES = {
    "en": "Keep the backup for {}.",
    "zh": "备份保留{}。",
    "de": "Das Backup bleibt {} erhalten.",
    "fr": "La sauvegarde est gardée {}.",
    "es": "La copia se guarda {}.",
    "ja": "バックアップは{}保存する。",
    "ko": "백업은 {} 보관한다.",
}
RECOGNISED = 0.75  # of the notations of one value


def amounts() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in Path(__file__).with_name("amounts.tsv").read_text(encoding="utf-8").splitlines():
        language, value, words = line.split("\t")
        found[language].append((value, SENTENCES[language].format(words)))
    return found


@pytest.mark.parametrize("language", SENTENCES)
def test_two_amounts_are_never_one(language: str) -> None:
    merged = [
        (one, other)
        for (value, one), (another, other) in combinations(amounts()[language], 2)
        if value != another and compare_texts(one, other)[2].merges
    ]

    assert merged == []


def test_most_notations_of_an_amount_are_recognised() -> None:
    pairs = [
        compare_texts(one, other)[2].merges
        for mine in amounts().values()
        for (value, one), (same, other) in combinations(mine, 2)
        if value == same
    ]

    assert sum(pairs) >= RECOGNISED * len(pairs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("서버를 두 대 둔다.", "서버를 세 대 둔다."),
        ("두 번째 서버를 쓴다.", "세 번째 서버를 쓴다."),
        ("열두 명이 쓴다.", "열세 명이 쓴다."),
        ("Few people use the flag.", "A few people use the flag."),
        ("Little is known about the bug.", "A little is known about the bug."),
        ("Wenige nutzen das Flag.", "Ein paar nutzen das Flag."),
        ("Peu de gens utilisent ce drapeau.", "Quelques gens utilisent ce drapeau."),
        ("Poca gente usa la opción.", "Alguna gente usa la opción."),
        ("很少有人用这个开关。", "有些人用这个开关。"),
    ],
)
def test_few_is_not_a_few_and_two_are_not_three(one: str, other: str) -> None:
    assert not compare_texts(one, other)[2].merges

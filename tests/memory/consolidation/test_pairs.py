"""Restatements of many kinds and languages become one; how many is a floor that must not sink."""

import re
from collections import Counter
from pathlib import Path

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.reading import read

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("pairs.tsv").read_text("utf-8").splitlines()
    if line
]
# measured when the tables were written; raise it when they get better
FLOOR = 0.78


def _merged() -> Counter[tuple[str, bool]]:
    found: Counter[tuple[str, bool]] = Counter()
    for _, language, _, a, b in ROWS:
        found[language, compare(read(a), read(b)).merges] += 1
    return found


def test_most_restatements_are_recognised() -> None:
    found = _merged()

    assert sum(n for (_, merged), n in found.items() if merged) >= FLOOR * len(ROWS)


def test_english_and_chinese_restatements_are_recognised_alike() -> None:
    found = _merged()
    for language in ("en", "zh"):
        assert found[language, True] >= FLOOR * (found[language, True] + found[language, False])


def test_a_comparison_is_the_same_either_way_round() -> None:
    for _, _, _, a, b in ROWS:
        assert compare(read(a), read(b)).merges == compare(read(b), read(a)).merges, (a, b)


def test_every_text_is_the_same_as_itself() -> None:
    for _, _, _, *texts in ROWS:
        for text in texts:
            assert compare(read(text), read(text)).relation == "same", text


# what is changed -> what it becomes; every rule changes a fact of any sentence in which it finds something
CHANGES = [
    (r"\b(\d+)\b", lambda m: str(int(m.group(1)) + 1)),
    (r"\b(Mon|Tues|Fri|Sun)day", lambda m: "Wednesday"),
    (r"周[一二五日]", lambda m: "周四"),
    (r"\b(Marta|Tom|Kim|Hugo|Paul|Ines|Rita|Anna|Julie|Carmen|Petra|Helen)\b", lambda m: "Wendelin"),
    (r"小[胡赵保玉]|老王", lambda m: "小葛"),
    (r"\bin (Graz|Leeds|Porto|Kiel|Lille|Vigo)\b", lambda m: "in Uppsala"),
    (r"\b(staging|DATABASE_URL|main|pnpm|npm|Redis|Rust|Gradle|Postmark|S3|JSON)\b", lambda m: m.group(1) + "x"),
    (r"\b(always|Always)\b", lambda m: "never"),
    (r"\bat most\b", lambda m: "at least"),
    (r"最多", lambda m: "最少"),
    (r"\bbefore\b", lambda m: "after"),
    (r"必须", lambda m: "不必"),
    (r"\bmust not\b", lambda m: "may"),
    (r"\.$", lambda m: " unless the landlord objects."),
    (r"。$", lambda m: "，除非房东反对。"),
    (r"^", lambda m: "Maybe "),
]  # fmt: skip


def test_a_fact_changed_in_one_of_two_restatements_keeps_them_apart() -> None:
    changed = 0
    for _, language, _, a, b in ROWS:
        if compare(read(a), read(b)).relation != "same":
            continue
        for pattern, change in CHANGES:
            other = re.sub(pattern, change, b, count=1)
            foreign = language != {"^": "en", r"\.$": "en", r"。$": "zh"}.get(pattern, language)
            if other == b or foreign:
                continue
            changed += 1
            assert not compare(read(a), read(other)).merges, (a, other)

    assert changed > 350

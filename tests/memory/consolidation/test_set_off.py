"""What stands in front of a note or is set off behind it opens no way around the guards."""

from pathlib import Path

import pytest

from memoryd.memory.consolidation.pairing import compare_texts

TWINS = [
    (a, b)
    for name in ("rewordings", "kinds")
    for kind, relation, a, b in (
        line.split("\t")
        for line in Path(__file__).with_name(f"{name}.tsv").read_text("utf-8").splitlines()
        if line
    )
    if relation == "apart" and not any(ord(char) > 0x2E80 for char in a + b)
]


@pytest.mark.parametrize("part", range(4))
def test_twins_stay_apart_under_a_day_or_with_a_remark(part: int) -> None:
    for a, b in TWINS[part::4]:
        for one, other in (
            (f"2026-03-04: {a}", f"2026-03-04: {b}"),
            (f"2026-03-04: {a}", b),
            (a.rstrip(".") + " (noted by Kim)", b),
            (a, b.rstrip(".") + " (noted by Kim)"),
        ):
            assert not compare_texts(one, other)[2].merges, (one, other)

"""What is true and in use is never missing, the quota holds, and old questions are answered as well as new ones."""

from pathlib import Path
from typing import Any

import pytest

from bench.simulated_year import QUESTIONS, simulate
from bench.year_figures import Month, check, draw, table


def test_a_month_of_a_user_with_a_small_quota(tmp_path: Path) -> None:
    quota = 160  # above what is in use or new in that month, about 140
    months = simulate(tmp_path, 30, quota=quota, whole=False)

    assert check(months, quota) == []
    assert months[0].due > QUESTIONS
    assert months[0].active <= quota
    assert months[0].archived > 0
    assert months[0].answered >= 0.94


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_year(tmp_path: Path) -> None:
    months = simulate(tmp_path, 365)

    assert check(months) == []
    assert len(months) == 12


def month(number: int, **fields: Any) -> Month:
    told = {
        "active": 100,
        "answered": 0.9,
        "history_bytes": 100 * number,
        "database_bytes": 900 * number,
    }
    return Month(number, **{**told, **fields})


def test_what_breaks_a_claim_is_named() -> None:
    good = [month(number) for number in range(1, 13)]
    bad = [*good[:-1], month(12, active=500, missing=["x"], answered=0.5, database_bytes=99_000)]

    assert check(good) == []
    assert len(check(bad)) == 4
    assert table(bad).count("\n") == 13
    assert draw(bad).count("<polyline") == 3

"""What is true and in use is never missing, the quota holds, and old questions are answered as well as new ones."""

from pathlib import Path

import pytest

from bench.simulated_year import QUESTIONS, Month, check, draw, simulate, table


def test_a_month_of_a_user_with_a_small_quota(tmp_path: Path) -> None:
    quota = 120
    months = simulate(tmp_path, 30, quota=quota, whole=False)

    assert check(months, quota) == []
    assert months[0].due > QUESTIONS
    assert months[0].active <= quota + months[0].over_quota
    assert months[0].archived > 0
    assert months[0].answered >= 0.95


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_year(tmp_path: Path) -> None:
    months = simulate(tmp_path, 365)

    assert check(months) == []
    assert len(months) == 12


def test_what_breaks_a_claim_is_named() -> None:
    good = [
        Month(n, active=100, answered=0.9, history_bytes=100 * n, database_bytes=900 * n)
        for n in (1, 2, 3)
    ]
    bad = [
        *good[:2],
        Month(3, active=500, missing=["x"], answered=0.5, history_bytes=300, database_bytes=9000),
    ]

    assert check(good) == []
    assert len(check(bad)) == 4
    assert table(bad).count("\n") == 4
    assert draw(bad).count("<polyline") == 3

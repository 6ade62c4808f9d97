"""History goes only by a limit that a person has set, the oldest first, and never much at once without asking."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory.history_limits import AT_LEAST, HistoryFacts, HistoryPlan, plan_history

FACTS = HistoryFacts(messages=10_000, removable=9_000, too_old=300, used_bytes=1_000_000)
amounts = st.integers(0, 10**7)


@given(st.builds(HistoryFacts, amounts, amounts, amounts, amounts))
def test_without_a_limit_nothing_goes(facts: HistoryFacts) -> None:
    assert plan_history(facts, keep_days=0, max_bytes=0) == HistoryPlan()


def test_what_is_too_old_goes() -> None:
    plan = plan_history(FACTS, keep_days=30, max_bytes=0)

    assert plan == HistoryPlan(300, "older than 30 days")


def test_what_is_over_the_size_goes_in_proportion() -> None:
    plan = plan_history(FACTS, keep_days=0, max_bytes=900_000)

    assert plan == HistoryPlan(1000, "the database is 100000 bytes over its limit")


@pytest.mark.parametrize(
    ("jumped", "confirmed", "blocked"), [(True, False, True), (True, True, False)]
)
def test_a_jump_of_the_clock_blocks_until_confirmed(
    jumped: bool, confirmed: bool, blocked: bool
) -> None:
    plan = plan_history(FACTS, keep_days=30, max_bytes=0, clock_jumped=jumped, confirmed=confirmed)

    assert bool(plan.blocked) is blocked


@given(
    st.builds(HistoryFacts, amounts, amounts, amounts, amounts),
    st.floats(0, 1000),
    st.integers(0, 10**7),
)
def test_no_more_than_may_go_and_much_at_once_waits(
    facts: HistoryFacts, keep_days: float, max_bytes: int
) -> None:
    plan = plan_history(facts, keep_days=keep_days, max_bytes=max_bytes)

    assert plan.remove <= facts.removable
    assert bool(plan.blocked) == (plan.remove > max(AT_LEAST, facts.messages // 5))

"""One run settles everything: a second one finds nothing, whatever was said again, merged before or replaced meanwhile."""

import random
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory.consolidation import (
    ConsolidationPlan,
    ConsolidationPolicy,
    Merge,
    plan_consolidation,
)
from memoryd.model import Entry
from tests.memory.consolidation.made_banks import NOW, START, make_bank
from tests.memory.consolidation.test_planning import applied, entry

POLICY = ConsolidationPolicy()
SEEDS = st.integers(0, 1_000_000)


def plan(found: list[Entry], policy: ConsolidationPolicy = POLICY) -> ConsolidationPlan:
    return plan_consolidation(found, None, policy, NOW)


def night(found: list[Entry]) -> list[Entry]:
    return applied(found, plan(found))


def active(found: list[Entry]) -> list[str]:
    return sorted(one.content for one in found if one.state == "active")


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_a_second_run_finds_nothing_in_made_banks(seed: int) -> None:
    bank = make_bank(seed, night)
    first = plan(bank)
    second = plan(applied(bank, first))

    assert (first.held_back, second.merges, second.supersedes) == ((), (), ())
    # What stood between two entries that are one with others now was told by the first run, and stays noted.
    assert {(c.a, c.b) for c in second.conflicts} <= {(c.a, c.b) for c in first.conflicts}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_second_run_finds_nothing_in_four_hundred_banks() -> None:
    for seed in range(400):
        after = night(make_bank(seed, night))

        assert night(after) == after, f"seed {seed}"


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_what_a_limited_run_holds_back_is_all_that_the_next_one_finds(seed: int) -> None:
    bank = make_bank(seed, night)
    limited = ConsolidationPolicy(max_change_percent=0, min_changes=6)
    made = plan(bank, limited)
    while made.merges or made.supersedes:
        bank = applied(bank, made)
        made = plan(bank, limited)
    too_large = [one for one in made.held_back if isinstance(one.action, Merge)]

    assert all(len(one.action.from_ids) > 6 for one in too_large)  # type: ignore[union-attr]
    if not too_large:
        assert (made.held_back, night(bank)) == ((), bank)


@given(SEEDS, SEEDS)
@settings(max_examples=60, deadline=None)
def test_the_order_of_a_made_bank_changes_nothing(seed: int, order: int) -> None:
    bank = make_bank(seed, night)
    shuffled = random.Random(order).sample(bank, len(bank))

    assert plan(bank) == plan(shuffled)


@given(SEEDS)
@settings(max_examples=100, deadline=None)
def test_whatever_leaves_lives_on_in_an_active_entry_or_was_replaced_by_one(seed: int) -> None:
    bank = make_bank(seed, night)
    made = plan(bank)
    after = {one.id: one for one in applied(bank, made)}
    into = {gone: merge.into for merge in made.merges for gone in merge.from_ids}
    into |= {one.old: one.new for one in made.supersedes}
    for entry_id in into:
        place, steps = entry_id, 0
        while place in into:
            place, steps = into[place], steps + 1
            assert steps <= len(into)

        assert after[place].state == "active"


@given(SEEDS)
@settings(max_examples=100, deadline=None)
def test_what_the_user_said_is_only_replaced_by_what_the_user_said_later(seed: int) -> None:
    bank = make_bank(seed)
    made = plan(bank)
    by_id = {one.id: one for one in bank}
    parts = {merge.into: (merge.into, *merge.from_ids) for merge in made.merges}

    for one in made.supersedes:
        old = [_surely_said(by_id[m]) for m in parts.get(one.old, (one.old,))]
        new = [_perhaps_said(by_id[m]) for m in parts.get(one.new, (one.new,))]

        assert max(filter(None, old), default=START) < max(filter(None, new), default=NOW)


def _surely_said(one: Entry) -> datetime | None:
    return one.created_at if one.origin == "user" else None


def _perhaps_said(one: Entry) -> datetime | None:
    noted = one.metadata.get("confirmed_at")  # by the user, whoever said it first
    times = (
        one.updated_at if one.origin == "user" else None,
        noted and datetime.fromisoformat(noted),
    )
    return max(filter(None, times), default=None)


def test_an_old_value_that_was_said_again_is_the_newest() -> None:
    found = [
        entry(0, "The project uses Node 18."),
        entry(1, "The project uses Node 20."),
        entry(2, "The project uses Node 18"),
    ]
    made = plan(found)

    assert active(applied(found, made)) == ["The project uses Node 18"]
    assert [(one.old, one.new, one.since) for one in made.supersedes] == [
        ("e001", "e002", START + timedelta(days=2))
    ]


def test_an_assistant_that_repeats_the_old_value_does_not_overrule_the_user() -> None:
    found = [
        entry(0, "The project uses Node 18."),
        entry(1, "The project uses Node 20."),
        entry(2, "The project uses Node 18", origin="assistant"),
    ]
    made = plan(found)

    assert made.supersedes == ()
    assert [one.reason for one in made.conflicts] == [
        "project Node: the older is the user's own word"
    ]


def test_values_that_take_turns_leave_the_last_one_and_intervals_without_gaps() -> None:
    contents = [f"The retry limit is {n}." for n in (3, 5, 3, 8, 5)]
    made = plan([entry(number, content) for number, content in enumerate(contents)])
    after = {one.id: one for one in applied([entry(n, c) for n, c in enumerate(contents)], made)}

    assert active(list(after.values())) == ["The retry limit is 5."]
    (three, eight) = sorted(made.supersedes, key=lambda one: one.since)
    assert (after[three.old].valid_to, after[eight.old].valid_to) == (
        START + timedelta(days=3),
        START + timedelta(days=4),
    )


def test_who_decides_is_asked_of_entries_that_are_still_there() -> None:
    found = [
        entry(0, "The retry limit is 3."),
        entry(1, "Retry limit: 3"),
        entry(2, "The retry limit is 5.", origin="assistant"),
        entry(3, "Retry limit: 5", origin="assistant"),
    ]
    made = plan(found)
    present = {one.id for one in applied(found, made) if one.state == "active"}

    assert len(made.conflicts) == 1
    assert {made.conflicts[0].a, made.conflicts[0].b} == present


def test_a_pinned_entry_takes_in_what_the_one_that_left_had_kept_from_it() -> None:
    """The wider text is replaced; what only it had linked to is then free to become one with another."""
    found = [
        entry(0, "Never push to main, because CI deploys it."),
        entry(1, "Never push to main.", pinned=True),
        entry(2, "Never push to main"),
        entry(3, "Always push to main, because CI deploys it."),
    ]
    after = night(found)

    assert night(after) == after


def test_a_chain_of_values_has_no_gap_when_all_are_said_twice() -> None:
    found = [
        replace(entry(2 * n + k, text.format(limit)), id=f"e-{n}{k}")
        for n, limit in enumerate((3, 5, 8))
        for k, text in enumerate(("The retry limit is {}.", "Retry limit: {}"))
    ]
    after = night(found)
    ends = sorted(one.valid_to for one in after if one.valid_to)
    begins = sorted(one.valid_from for one in after if one.valid_from)

    assert ends == begins
    assert all(first < second for first, second in pairwise(ends))


def test_more_copies_than_one_run_may_change_become_one_night_by_night() -> None:
    signs = ["", "!", " ", "."]
    bank = [entry(n, "The lamp in room 4 is green" + signs[n % 4]) for n in range(90)]
    first = plan(bank)

    assert 0 < sum(len(one.from_ids) for one in first.merges) <= POLICY.most_changes(90)
    for _ in range(9):
        bank = night(bank)

    assert {content.strip(" .!") for content in active(bank)} == {"The lamp in room 4 is green"}
    assert len(active(bank)) == 1
    assert night(bank) == bank

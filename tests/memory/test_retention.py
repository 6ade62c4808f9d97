"""Retention forgets by rule only: every rule, every immunity, every brake."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory.retention import (
    RetentionPlan,
    RetentionPolicy,
    Use,
    activation,
    inherited_uses,
    plan_retention,
)
from memoryd.model import Entry
from tests.conftest import NOW

POLICY = RetentionPolicy()


def entry(name: str, age: float = 100.0, **fields: Any) -> Entry:
    """An entry made, and last confirmed, *age* days ago; read once then, unless given otherwise."""
    made = NOW - timedelta(days=age)
    return Entry(name, f"fact {name}", made, made, **{"access_count": 1, **fields})


def plan(
    *entries: Entry,
    policy: RetentionPolicy = POLICY,
    uses: Mapping[str, Sequence[Use]] | None = None,
    **options: Any,
) -> RetentionPlan:
    return plan_retention(entries, uses or {}, policy, NOW, **options)


def used(days: float, *, answered: bool = True) -> Use:
    return Use(NOW - timedelta(days=days), answered)


def retired(found: RetentionPlan) -> dict[str, str]:
    return {one.entry.id: one.how for one in found.retire}


class TestAge:
    @pytest.mark.parametrize(
        ("given_entry", "how"),
        [
            (entry("a", 2, kind="working", ttl_days=1.0), "expired"),
            (entry("a", 0.5, kind="working", ttl_days=1.0), None),
            (entry("a", 91, kind="episodic"), "expired"),
            (entry("a", 89, kind="episodic"), None),
            (entry("a", 61, access_count=0), "demoted"),
            (entry("a", 59, access_count=0), None),
            (entry("a", 5000), None),
            (entry("a", 5000, kind="procedural"), None),
            (entry("a", 31, ttl_days=30.0), "expired"),
            (entry("a", 31, ttl_days=30.0, last_accessed_at=NOW - timedelta(days=3)), None),
            (entry("a", 200, kind="episodic", last_accessed_at=NOW - timedelta(days=3)), None),
            (entry("a", 61, access_count=0, pinned=True), None),
            (entry("a", 6, ttl_days=1.0), None),
            (entry("a", 61, access_count=0, state="review"), None),
            (entry("a", 61, access_count=0, state="superseded"), None),
            (entry("a", 900, access_count=0, metadata={"recorded_at": NOW.isoformat()}), None),
            (
                entry(
                    "a", 89, access_count=0, metadata={"confirmed_at": "2026-01-01T00:00:00+00:00"}
                ),
                None,
            ),
            (
                entry(
                    "a", 91, access_count=0, metadata={"confirmed_at": "2026-01-01T00:00:00+00:00"}
                ),
                "demoted",
            ),
        ],
    )
    def test_each_rule_at_its_border(self, given_entry: Entry, how: str | None) -> None:
        assert retired(plan(given_entry)) == ({"a": how} if how else {})

    def test_what_stands_in_a_memory_file_is_loaded_every_time_and_stays(self) -> None:
        found = plan(entry("a", 500, access_count=0), entry("b", 500, access_count=0), held={"a"})

        assert retired(found) == {"b": "demoted"}
        assert found.kept_because == {"stands in a memory file": 1}

    def test_every_action_says_why_in_words(self) -> None:
        found = plan(entry("a", 61, access_count=0))

        assert found.retire[0].reason == "never read, and not confirmed for 61 days"

    def test_why_the_others_stay_is_counted(self) -> None:
        found = plan(entry("a", 500, pinned=True), entry("b", 1), entry("c", 50))

        assert found.kept_because == {"pinned": 1, "new": 1, "in use or not due": 1}


class TestQuota:
    POLICY = RetentionPolicy(quota=3)

    def test_the_least_used_goes_first_never_by_age_alone(self) -> None:
        old_but_used = entry("old", 300, last_accessed_at=NOW - timedelta(days=1), access_count=9)
        rest = [entry(name, 50 + number) for number, name in enumerate("abc")]

        assert retired(plan(old_but_used, *rest, policy=self.POLICY)) == {"c": "evicted"}

    def test_what_answered_stays_and_what_was_only_shown_makes_room(self) -> None:
        rest = [entry(name, 50) for name in "abc"]
        seen = NOW - timedelta(days=80)
        answer, shown = (entry(name, 300, last_accessed_at=seen) for name in ("answer", "shown"))
        uses = {"answer": [used(80)], "shown": [used(80, answered=False)]}

        found = plan(answer, shown, *rest, policy=replace(self.POLICY, quota=1), uses=uses)

        assert (set(retired(found)), found.over_quota) == ({*"abc", "shown"}, 0)

    def test_only_what_is_in_use_may_pass_the_quota_and_that_is_said(self) -> None:
        uses = {name: [used(1)] for name in "abcd"}
        found = plan(*[entry(name, 100) for name in "abcdef"], policy=self.POLICY, uses=uses)

        assert (set(retired(found)), found.over_quota) == ({*"ef"}, 1)

    @pytest.mark.parametrize(
        "kept", [{"merged_from": ("old",)}, {"superseded_by": "new"}, {"merged_from": ("old", "x")}]
    )
    def test_the_use_of_what_came_before_counts(self, kept: dict[str, Any]) -> None:
        forward = "superseded_by" in kept
        old = entry("old", 200, state="superseded" if forward else "merged")
        old = replace(old, superseded_by="new") if forward else old
        new = entry("new", 100, **({} if forward else kept))
        found = plan(
            old, new, entry("a", 9), policy=RetentionPolicy(quota=1), uses={"old": [used(50)]}
        )

        assert retired(found) == {"a": "evicted"}

    def test_lines_of_descent_that_bite_their_tail_end(self) -> None:
        ring = [
            entry("a", 100, merged_from=("b",), superseded_by="b"),
            entry("b", 100, merged_from=("a",), superseded_by="a"),
        ]

        assert inherited_uses(ring, {"a": [used(1)]}) == {"a": (used(1),), "b": (used(1),)}

    def test_immune_entries_make_no_room(self) -> None:
        found = plan(*[entry(name, 500, pinned=True) for name in "abcde"], policy=self.POLICY)

        assert (retired(found), found.over_quota) == ({}, 2)

    def test_one_run_takes_no_more_than_its_share(self) -> None:
        found = plan(*[entry(f"e{n:03}", 50) for n in range(200)], policy=self.POLICY)

        assert (len(found.retire), found.blocked) == (20, "")


class TestBrakes:
    def test_many_due_at_once_stop_the_run_until_confirmed(self) -> None:
        due = [entry(f"e{n:03}", 61, access_count=0) for n in range(30)]

        assert plan(*due).blocked == "30 entries are due at once, one run takes 20"
        assert plan(*due, confirmed=True).blocked == ""

    def test_a_clock_that_jumped_stops_it(self) -> None:
        due = entry("a", 61, access_count=0)

        assert "clock" in plan(due, clock_jumped=True).blocked
        assert plan(due, clock_jumped=True, confirmed=True).blocked == ""
        assert plan(entry("a", 50), clock_jumped=True).blocked == ""

    def test_an_entry_dated_in_the_future_is_left_alone(self) -> None:
        assert retired(plan(entry("a", -400, access_count=0, ttl_days=1.0))) == {}


class TestPurge:
    def archived(self, days: float, idle: float, **fields: Any) -> Entry:
        noted = {"archived_at": (NOW - timedelta(days=days)).isoformat()}
        return entry("a", idle, state="archived", metadata=noted, **fields)

    @pytest.mark.parametrize(
        ("days", "idle", "fields", "expected"),
        [
            (31, 366, {}, 1),
            (29, 366, {}, 0),
            (31, 364, {}, 0),
            (31, 366, {"pinned": True}, 0),
            (31, 5000, {"last_accessed_at": NOW - timedelta(days=100)}, 0),
        ],
    )
    def test_only_after_a_month_in_the_archive_and_a_year_unused(
        self, days: float, idle: float, fields: dict[str, Any], expected: int
    ) -> None:
        assert len(plan(self.archived(days, idle, **fields)).purge) == expected

    def test_what_another_entry_is_made_of_stays(self) -> None:
        assert plan(self.archived(31, 366), entry("b", 1, merged_from=("a",))).purge == ()


@pytest.mark.parametrize("noted", ["yesterday", 5, None, "", ["2026"]])
def test_odd_notes_of_a_caller_are_no_times(noted: object) -> None:
    odd = entry("a", 400, state="archived", metadata={"archived_at": noted, "recorded_at": noted})
    noted_active = entry("b", 40, metadata={"confirmed_at": noted})

    assert plan(odd).purge == ()
    assert retired(plan(noted_active, policy=RetentionPolicy(quota=0))) == {"b": "evicted"}


class TestActivation:
    def test_it_is_the_published_formula(self) -> None:
        one = entry("a", 100.0)

        assert activation(one, [used(4.0), used(25.0)], POLICY, NOW) == pytest.approx(
            math.log(1 / 2 + 1 / 5 + 1 / 10)
        )

    @given(st.lists(st.floats(1, 1000), min_size=1, max_size=10), st.floats(1, 1000))
    def test_every_further_use_raises_it(self, days: list[float], more: float) -> None:
        one = entry("a", 2000.0)
        before, again = [used(day) for day in days], used(more)
        if again in before:
            return

        assert activation(one, [*before, again], POLICY, NOW) > activation(one, before, POLICY, NOW)


ENTRIES = st.lists(
    st.builds(
        entry,
        name=st.from_regex(r"[a-z]{6}", fullmatch=True),
        age=st.floats(0, 2000),
        kind=st.sampled_from(["working", "episodic", "semantic", "procedural"]),
        access_count=st.integers(0, 3),
        pinned=st.booleans(),
        ttl_days=st.none() | st.floats(0, 500),
        state=st.sampled_from(["active", "active", "archived", "review", "merged"]),
    ),
    max_size=40,
    unique_by=lambda one: one.id,
)


@given(ENTRIES, st.integers(0, 30), st.randoms())
def test_laws_of_every_plan(entries: Sequence[Entry], quota: int, chance: random.Random) -> None:
    policy = replace(POLICY, quota=quota)
    found = plan(*entries, policy=policy)
    shuffled = list(entries)
    chance.shuffle(shuffled)

    assert plan(*shuffled, policy=policy) == found
    assert all(one.entry.state == "active" and not one.entry.pinned for one in found.retire)
    assert all(one.entry.state in ("archived", "removed") for one in found.purge)
    assert all(one.reason for one in found.retire)
    assert all(one.reason for one in found.purge)
    assert len({one.entry.id for one in found.retire}) == len(found.retire)
    active = sum(one.state == "active" for one in entries)
    assert len(found.retire) + sum(found.kept_because.values()) == active
    assert sum(one.how == "evicted" for one in found.retire) <= 20


class TestPromise:
    """What was used or confirmed within ninety days stays, whatever the quota."""

    @pytest.mark.parametrize(
        ("fields", "stays"),
        [
            ({"last_accessed_at": NOW - timedelta(days=89)}, True),
            ({"last_accessed_at": NOW - timedelta(days=91)}, False),
            ({"metadata": {"confirmed_at": (NOW - timedelta(days=89)).isoformat()}}, True),
            ({"metadata": {"confirmed_at": (NOW - timedelta(days=91)).isoformat()}}, False),
            ({}, False),
        ],
    )
    def test_the_quota_takes_only_what_nobody_needed(
        self, fields: dict[str, Any], stays: bool
    ) -> None:
        found = plan(entry("a", 200, **fields), policy=replace(POLICY, quota=0))

        assert retired(found) == ({} if stays else {"a": "evicted"})
        assert found.over_quota == int(stays)

    @given(st.lists(st.floats(0, 400), max_size=60), st.integers(0, 30), st.booleans())
    def test_nothing_in_use_is_ever_missing(
        self, ages: list[float], quota: int, confirmed: bool
    ) -> None:
        entries = [
            entry(f"{index}", 500, last_accessed_at=NOW - timedelta(days=age))
            for index, age in enumerate(ages)
        ]
        found = plan(*entries, policy=replace(POLICY, quota=quota), confirmed=confirmed)
        gone = retired(found)

        assert not any(age < 90 for age, one in zip(ages, entries, strict=True) if one.id in gone)
        assert len(entries) - len(gone) <= quota + found.over_quota

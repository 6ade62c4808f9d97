"""What a plan promises: the same for any order, nothing lost, nothing left to do, bounded, the pinned untouched."""

import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory.consolidation import (
    ConsolidationPlan,
    ConsolidationPolicy,
    merge_changes,
    plan_consolidation,
    supersede_changes,
)
from memoryd.memory.consolidation.neighbours import propose_by_vectors
from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.model import Entry, EntryState, Provenance

START = datetime(2026, 3, 1, tzinfo=UTC)
NOW = datetime(2026, 9, 1, tzinfo=UTC)
POLICY = ConsolidationPolicy()


def entry(number: int, content: str, **fields: Any) -> Entry:
    made = START + timedelta(days=number)
    return replace(
        Entry(id=f"e{number:03}", content=content, created_at=made, updated_at=made), **fields
    )


def entries(*contents: str) -> list[Entry]:
    return [entry(number, content) for number, content in enumerate(contents)]


def plan(found: list[Entry], policy: ConsolidationPolicy = POLICY) -> ConsolidationPlan:
    return plan_consolidation(found, None, policy, NOW)


def applied(found: list[Entry], made: ConsolidationPlan) -> list[Entry]:
    """Do what the shell does with a plan."""
    by_id = {e.id: e for e in found}
    for merge in made.merges:
        by_id |= {after.id: after for _, after in merge_changes(merge, by_id)}
    for supersede in made.supersedes:
        by_id |= {after.id: after for _, after in supersede_changes(supersede, by_id)}
    return list(by_id.values())


def facts(found: list[Entry]) -> set[str]:
    return {e.content for e in found if e.state == "active"}


def is_said(fact: str, others: set[str]) -> bool:
    """Does another text say the fact, whatever its words? A word that was superseded meanwhile is not kept."""
    return any(compare_texts(fact, other)[2].relation == "same" for other in others)


NOTES = [
    "Deploys happen on Tuesdays.",
    "Deploys happen on Thursdays.",
    "deploys happen on Tuesdays",
    "The cache lives for two hours.",
    "The cache lives for 120 minutes.",
    "The cache lives for 120 minutes; it is warmed at night.",
    "Marta maintains the billing module.",
    "The billing module is maintained by Marta.",
    "Never push to main.",
    "Do not push to main.",
    "Always push to main.",
    "接口返回 JSON。",
    "接口返回 JSON，编码是 UTF-8。",
    "周五不发版。",
    "禁止在周五发版。",
    "周五可以发版。",
    "Aunt Petra lives in Graz.",
    "Aunt Petra lives in Linz.",
]


@given(st.permutations(range(len(NOTES))))
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_entries_changes_nothing(order: list[int]) -> None:
    found = entries(*NOTES)

    assert plan(found) == plan([found[i] for i in order])


@given(st.lists(st.sampled_from(NOTES), min_size=2, max_size=12))
@settings(max_examples=40, deadline=None)
def test_planning_again_on_the_result_finds_nothing(contents: list[str]) -> None:
    found = entries(*contents)
    after = applied(found, plan(found))
    again = plan(after)

    assert again.merges == ()
    assert again.supersedes == ()


@given(st.lists(st.sampled_from(NOTES), min_size=2, max_size=10), st.integers(1, 9))
@settings(max_examples=30, deadline=None)
def test_two_runs_leave_the_same_facts_as_one(contents: list[str], cut: int) -> None:
    found = entries(*contents)
    first = applied(found[:cut], plan(found[:cut]))
    both = [*first, *found[cut:]]

    at_once, in_two = facts(applied(found, plan(found))), facts(applied(both, plan(both)))
    assert all(is_said(fact, in_two) for fact in at_once), (at_once, in_two)
    assert all(is_said(fact, at_once) for fact in in_two), (at_once, in_two)


def test_restatements_become_one_and_keep_the_longest_facts() -> None:
    found = entries("接口返回 JSON。", "接口返回 JSON，编码是 UTF-8。", "接口返回 JSON")
    (merge,) = plan(found).merges

    assert merge.into == "e001"
    assert merge.from_ids == ("e000", "e002")
    assert merge.content == "接口返回 JSON，编码是 UTF-8。"
    assert merge.saved_chars == sum(len(e.content) for e in found) - len(merge.content)


def test_the_clauses_of_a_merge_are_pieces_of_its_sources_and_make_up_its_text() -> None:
    found = entries("Use pnpm.", "Use pnpm, because the lockfile is checked in.")
    (merge,) = plan(found).merges
    by_id = {e.id: e for e in found}

    assert "".join(clause.text for clause in merge.clauses) == merge.content
    for clause in merge.clauses:
        assert by_id[clause.entry_id].content[clause.start : clause.end] == clause.text


def test_a_merge_inherits_age_from_evidence_and_unites_sources_accesses_and_tags() -> None:
    one, two = Provenance(message_id="m1"), Provenance(message_id="m2")
    found = [
        entry(
            0,
            "Never push to main.",
            sources=(one,),
            access_count=3,
            confidence=0.6,
            metadata={"tags": ["git"]},
        ),
        entry(
            5,
            "Do not push to main.",
            sources=(two, one),
            access_count=4,
            confidence=0.9,
            metadata={"tags": ["rules"]},
        ),
    ]
    (merge,) = plan(found).merges

    assert merge.cited == (one, two)
    assert merge.inherited["created_at"] == found[0].created_at
    assert merge.inherited["updated_at"] == found[1].updated_at
    assert merge.inherited["access_count"] == 7
    assert merge.inherited["confidence"] == 0.9
    assert merge.inherited["metadata"] == {
        "tags": ["git", "rules"],
        "confirmed_at": found[1].updated_at.isoformat(),  # the user said it again
    }


def test_a_merge_keeps_the_latest_confirmation_and_takes_none_from_an_agent() -> None:
    texts = ("Never push to main.", "Do not push to main.")
    older, newer = "2026-01-05T00:00:00+00:00", "2026-02-05T00:00:00+00:00"
    notes = ({"confirmed_at": newer}, {"confirmed_at": older})
    found = [
        entry(number, text, origin="assistant", metadata=note)
        for number, (text, note) in enumerate(zip(texts, notes, strict=True))
    ]
    silent = [replace(one, metadata={}) for one in found]

    assert plan(found).merges[0].inherited["metadata"]["confirmed_at"] == newer
    assert "confirmed_at" not in plan(silent).merges[0].inherited["metadata"]


def test_a_newer_value_replaces_the_older_and_is_named_by_its_attribute() -> None:
    (supersede,) = plan(entries("The launch port is 5432.", "The launch port is 6432.")).supersedes

    assert (supersede.old, supersede.new) == ("e000", "e001")
    assert "port" in supersede.attribute


def test_a_chain_of_values_is_a_chain_of_intervals() -> None:
    made = plan(entries("The retry limit is 3.", "The retry limit is 5.", "The retry limit is 8."))

    assert [(s.old, s.new) for s in made.supersedes] == [("e000", "e001"), ("e001", "e002")]


def test_a_value_that_was_confirmed_again_is_not_replaced_by_an_older_one() -> None:
    made = plan(entries("The retry limit is 3.", "The retry limit is 5.", "The retry limit is 3"))

    assert [(m.into, m.from_ids) for m in made.merges] == [("e002", ("e000",))]
    assert [(s.old, s.new) for s in made.supersedes] == [("e001", "e002")]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Lena speaks Polish.", "Lena speaks Dutch."),
        ("The user likes oolong tea.", "The user likes mint tea."),
        ("用户喜欢喝乌龙茶。", "用户喜欢喝薄荷茶。"),
        ("Rose is on the release team.", "Imran is on the release team."),
    ],
)
def test_values_of_which_there_may_be_several_stand_side_by_side(older: str, newer: str) -> None:
    made = plan(entries(older, newer))

    assert (made.merges, made.supersedes) == ((), ())


def test_the_users_word_is_not_replaced_by_the_assistants_and_a_person_is_asked() -> None:
    found = [
        entry(0, "The retry limit is 3."),
        entry(1, "The retry limit is 5.", origin="assistant"),
    ]
    made = plan(found)

    assert made.supersedes == ()
    (conflict,) = made.conflicts
    assert {conflict.a, conflict.b} == {"e000", "e001"}
    assert "user" in conflict.reason


def test_equally_new_values_are_a_conflict() -> None:
    found = [entry(0, "The retry limit is 3."), replace(entry(0, "The retry limit is 5."), id="x")]

    assert len(plan(found).conflicts) == 1


def test_scopes_and_sessions_are_never_compared() -> None:
    same = "Never push to main."
    found = [
        entry(0, same),
        entry(1, same, scope="/repo"),
        entry(2, same, kind="working", session_id="s1"),
        entry(3, same, kind="working", session_id="s2"),
    ]
    made = plan(found)

    assert made.merges == ()
    assert made.counts["compared"] == 0


@pytest.mark.parametrize(
    ("kinds", "kept"),
    [(("procedural", "semantic"), "semantic"), (("episodic", "procedural"), "procedural")],
)
def test_one_fact_of_two_kinds_becomes_one_entry_of_the_kind_that_lasts(
    kinds: tuple[str, str], kept: str
) -> None:
    texts = ("Never push to main.", "Do not ever push to main.")
    found = [
        entry(n, text, kind=kind) for n, (text, kind) in enumerate(zip(texts, kinds, strict=True))
    ]

    for ordered in (found, found[::-1]):
        (merge,) = plan(ordered).merges
        assert merge.inherited["kind"] == kept


@pytest.mark.parametrize("state", ["merged", "superseded", "archived", "review", "removed"])
def test_only_active_entries_change(state: EntryState) -> None:
    found = [entry(0, "Never push to main."), entry(1, "Never push to main.", state=state)]

    assert plan(found).merges == ()


def test_a_pinned_entry_is_kept_word_for_word() -> None:
    found = [
        entry(0, "接口返回 JSON，编码是 UTF-8。"),
        entry(1, "接口返回 JSON，编码是 UTF-8", pinned=True),
        entry(2, "接口返回 JSON。"),
    ]
    (merge,) = plan(found).merges

    assert merge.into == "e001"
    assert merge.content == found[1].content


def test_a_pinned_entry_that_says_less_takes_nothing_in() -> None:
    found = [entry(0, "接口返回 JSON，编码是 UTF-8。"), entry(1, "接口返回 JSON。", pinned=True)]

    assert plan(found).merges == ()


def test_two_pinned_entries_both_stay() -> None:
    found = [
        entry(0, "Never push to main.", pinned=True),
        entry(1, "Never push to main.", pinned=True),
    ]

    assert plan(found).merges == ()


def test_a_pinned_entry_is_not_replaced() -> None:
    found = [entry(0, "The retry limit is 3.", pinned=True), entry(1, "The retry limit is 5.")]
    made = plan(found)

    assert made.supersedes == ()
    assert len(made.conflicts) == 1


def test_what_exceeds_the_limit_of_a_run_is_held_back_with_a_reason() -> None:
    contents = [f"Service number {n} listens on port {5000 + n}." for n in range(40)]
    found = entries(*contents, *contents)
    made = plan(found, ConsolidationPolicy(max_change_percent=10))

    assert len(made.merges) == 20
    assert len(made.held_back) == 20
    assert all("limit" in held.reason for held in made.held_back)
    assert made.counts["held_back"] == 20


def test_a_merge_of_merged_entries_keeps_the_first_words() -> None:
    first = entry(0, "The cache lives for 120 minutes; it is warmed at night.", state="merged")
    shortened = entry(1, "The cache lives for 120 minutes.", merged_from=("e000",))
    found = [first, shortened, entry(2, "The cache lives for two hours.")]

    assert plan(found).merges == ()  # the lineage holds a fact that neither of the two texts has


def test_a_veto_names_what_stands_between_two_alike_entries() -> None:
    made = plan(entries("Room 3 is booked for the audit.", "Room 4 is booked for the audit."))
    (veto,) = made.vetoes

    assert veto.similarity > 0.6
    assert veto.reason


def test_copies_beyond_the_size_of_a_group_still_become_one() -> None:
    found = entries(*["Never push to main."] * 150)
    made = plan(found, ConsolidationPolicy(max_change_percent=100))

    assert len(made.merges) == 1
    assert len(made.merges[0].from_ids) == 149


def test_vectors_only_propose() -> None:
    numpy = pytest.importorskip("numpy")
    found = entries("Never push to main.", "Always push to main.", "The lamp is broken.")
    alike = numpy.asarray([1.0, 0.0], dtype=numpy.float32)
    made = plan_consolidation(found, {e.id: alike for e in found}, POLICY, NOW)

    assert made.merges == ()


def test_a_large_namespace_is_not_compared_pair_by_pair() -> None:
    contents = [
        f"Server srv-{n} of team {n % 97} stands in rack {n * 7 % 1009}." for n in range(1500)
    ]
    made = plan(entries(*contents))

    assert made.counts["compared"] < 1500 * 32
    assert made.merges == ()


@pytest.mark.slow
def test_planning_keeps_little_of_each_note() -> None:
    found = entries(*(f"Server srv-{n} of team {n % 97} stands in rack {n}." for n in range(4000)))
    plan(found[:50])  # the tables
    tracemalloc.start()
    plan(found)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most / len(found) < 8000


def test_vectors_join_what_no_word_does() -> None:
    numpy = pytest.importorskip("numpy")
    near, far = numpy.eye(2, dtype=numpy.float32)
    vectors = {"a": near, "b": far, "d": near, "e": near}

    assert [set(found) for found in propose_by_vectors(list("abcde"), vectors, 4, 0.6)] == [
        set(),
        set(),
        set(),
        {0},
        {0, 3},
    ]


@pytest.mark.parametrize(
    ("plain", "with_kana"),
    [
        ("参加費：二千円", "参加費は2000円です。"),
        ("予算：百万円", "予算は100万円です。"),
        ("会議室：三階", "会議室は3階です。"),
    ],
)
def test_a_text_in_kanji_only_is_compared_with_japanese_ones(plain: str, with_kana: str) -> None:
    others = [f"部屋{n}は{n * 3}番の鍵で開く。" for n in range(200)]

    assert any(
        {"e000", "e001"} == {merge.into, *merge.from_ids}
        for merge in plan(entries(plain, with_kana, *others)).merges
    )


def test_of_two_notations_of_a_number_the_one_in_digits_is_kept() -> None:
    (merge,) = plan(entries("日志保留两周。", "日志要保留 14 天。")).merges

    assert merge.into == "e001"

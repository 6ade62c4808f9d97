"""What a person undid is not planned again: not by a third entry, not by copies, not in other pairs; a changed text is free."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory.consolidation import (
    ConsolidationPlan,
    ConsolidationPolicy,
    plan_consolidation,
)
from memoryd.model import Apart, Entry
from memoryd.service.bank.apart import connected
from memoryd.store.entry_rows import content_key
from tests.memory.consolidation.made_banks import NOW, make_bank
from tests.memory.consolidation.test_planning import applied, entry
from tests.memory.consolidation.test_settling import active, night

POLICY = ConsolidationPolicy(max_change_percent=100)
SEEDS = st.integers(0, 1_000_000)
MOST_UNDOS = 8  # of one made bank until nothing is planned any more


def plan(found: Sequence[Entry], *apart: Apart) -> ConsolidationPlan:
    return plan_consolidation(found, None, POLICY, NOW, apart)


def pairs_of(made: ConsolidationPlan) -> Iterator[tuple[str, str]]:
    for merge in made.merges:
        yield from ((one, merge.into) for one in merge.from_ids)
    yield from ((one.old, one.new) for one in made.supersedes)


def touched(made: ConsolidationPlan) -> set[str]:
    return {one for pair in pairs_of(made) for one in pair}


def together(made: ConsolidationPlan) -> Iterator[set[str]]:
    """Entries that one action brings together."""
    yield from ({one.into, *one.from_ids} for one in made.merges)
    yield from ({one.old, one.new} for one in made.supersedes)


def undone(found: Sequence[Entry], *plans: ConsolidationPlan) -> list[Apart]:
    """What the store knows after runs with these plans were undone."""
    keys = {one.id: content_key(one.content) for one in found}
    saying: dict[bytes, list[str]] = defaultdict(list)
    for one in found:
        saying[keys[one.id]].append(one.id)
    decisions: list[Apart] = []
    for run, made in enumerate(plans):
        for group in connected(pairs_of(made)):
            sides: list[frozenset[str]] = []
            for key, count in sorted(Counter(keys[one] for one in group).items()):
                ids = saying[key]
                sides += map(frozenset, [ids] if count == 1 else [[one] for one in ids])
            decisions.append(Apart(len(decisions) + 1, f"c-{run}", tuple(sides)))
    return decisions


def apart(*sides: str, number: int = 1) -> Apart:
    return Apart(number, f"c-{number}", tuple(frozenset(side.split()) for side in sides))


@given(SEEDS)
@settings(max_examples=150)
def test_no_two_that_an_undone_run_touched_are_brought_together_again(seed: int) -> None:
    bank = make_bank(seed, night)
    first = plan(bank)
    again = plan(bank, *undone(bank, first))

    assert all(len(ids & touched(first)) < 2 for ids in together(again))


@given(SEEDS)
@settings(max_examples=60)
def test_undone_night_after_night_a_bank_is_left_in_peace(seed: int) -> None:
    bank = make_bank(seed, night)
    plans: list[ConsolidationPlan] = []
    for _ in range(MOST_UNDOS):
        made = plan(bank, *undone(bank, *plans))
        if not (made.merges or made.supersedes):
            return
        plans.append(made)

    pytest.fail("there is always something left to undo")


@given(SEEDS)
@settings(max_examples=80)
def test_a_second_run_finds_nothing_beside_what_is_kept_apart(seed: int) -> None:
    bank = make_bank(seed, night)
    decisions = undone(bank, plan(bank))
    bank = [*bank, *make_bank(seed + 1)]
    first = plan(bank, *decisions)
    after = applied(bank, first)
    second = plan(after, *decisions)

    assert (second.merges, second.supersedes) == ((), ()) or first.held_back


@given(SEEDS, SEEDS)
@settings(max_examples=60)
def test_neither_the_order_of_entries_nor_of_decisions_matters(seed: int, order: int) -> None:
    bank = make_bank(seed, night)
    decisions = undone(bank, plan(bank))
    chance = random.Random(order)
    shuffled = chance.sample(bank, len(bank)), chance.sample(decisions, len(decisions))

    assert plan(bank, *decisions) == plan(shuffled[0], *shuffled[1])


@given(SEEDS, SEEDS)
@settings(max_examples=60)
def test_what_an_undone_run_did_not_touch_is_planned_as_before(seed: int, other: int) -> None:
    """Two banks in two scopes have nothing to do with each other."""
    mine = make_bank(seed, night)
    theirs = [elsewhere(one) for one in make_bank(other, night)]
    decisions = undone(mine, plan(mine))
    alone = plan(theirs)
    both = plan([*mine, *theirs], *decisions)

    assert all(one in both.merges for one in alone.merges)
    assert all(one in both.supersedes for one in alone.supersedes)


def elsewhere(one: Entry) -> Entry:
    """An entry of another scope, with a lineage of its own."""
    lineage = tuple(f"x-{origin}" for origin in one.merged_from)
    return replace(one, id=f"x-{one.id}", scope="other", merged_from=lineage)


KAMAL = ("We deploy with Kamal", "We deploy using Kamal", "Kamal is what we deploy with")


def test_it_is_told_with_the_reason_and_what_lifts_it() -> None:
    found = [entry(0, KAMAL[0]), entry(1, KAMAL[1])]
    ports = [entry(2, "The database port is 5432"), entry(3, "The database port is now 6432")]
    made = plan([*found, *ports], apart("e000", "e001"), apart("e002", "e003", number=2))

    assert (made.merges, made.supersedes, made.conflicts) == ((), (), ())
    assert {(one.a, one.b, one.reason, one.apart) for one in made.vetoes} == {
        ("e000", "e001", "you undid this merge", 1),
        ("e002", "e003", "you undid this replacement", 2),
    }


def test_a_third_entry_goes_with_one_of_them_and_never_brings_them_together() -> None:
    found = [entry(n, text) for n, text in enumerate(("We deploy with Kamal.", *KAMAL[1:]))]
    decision = apart("e000", "e001")
    assert len(plan(found).merges[0].from_ids) == 2

    for _ in range(3):  # night after night: the third one stands for the one it took in
        made = plan(found, decision)
        assert all(not ids >= {"e000", "e001"} for ids in together(made))
        found = applied(found, made)

    assert len(active(found)) == 2


@pytest.mark.parametrize("sides", [("e000", "e004"), ("e001", "e004"), ("e002", "e001")])
def test_a_copy_of_both_copies_stands_for_one_of_them(sides: tuple[str, str]) -> None:
    found = [entry(n, "The staging server is in Frankfurt") for n in range(5)]
    after = applied(found, plan(found, apart(*sides)))
    again = applied(after, plan(after, apart(*sides)))

    assert (len(active(after)), again) == (2, after)


def test_an_entry_stands_for_what_lives_on_in_it_until_its_text_is_changed() -> None:
    found = [entry(0, KAMAL[0]), entry(1, KAMAL[1]), entry(2, KAMAL[2])]
    held = applied(found, plan([found[0], found[2]]))
    (keeper,) = (one for one in held if one.merged_from)
    decision = apart("e000" if keeper.id == "e002" else "e002", "e001")

    assert plan(held, decision).merges == ()
    changed = replace(keeper, content=f"{keeper.content}.")
    assert plan([changed if one is keeper else one for one in held], decision).merges != ()
    gone = [replace(one, state="removed") if one.state == "merged" else one for one in held]
    assert list(together(plan(gone, decision))) == [{keeper.id, "e001"}]


@pytest.mark.parametrize("clauses", ["x", [1, {"text": 2}, {}], {}, None])
def test_foreign_metadata_breaks_nothing(clauses: object) -> None:
    found = [entry(0, KAMAL[0]), entry(1, KAMAL[1])]
    found.append(replace(entry(2, KAMAL[2], state="merged"), merged_from=("e002", "nobody")))
    found[0] = replace(found[0], merged_from=("e002", "e000"), metadata={"clauses": clauses})

    plan(found, apart("e002", "e001"))


def test_what_is_said_later_still_replaces_both() -> None:
    found = [entry(0, "The database port is 5432"), entry(1, "The database port is now 6432")]
    found.append(entry(2, "The database port is now 7432"))
    made = plan(found, apart("e000", "e001"))

    assert {(one.old, one.new) for one in made.supersedes} == {("e000", "e002"), ("e001", "e002")}


def test_of_many_copies_one_pair_is_told() -> None:
    found = [entry(n, "The staging server is in Frankfurt") for n in range(60)]
    made = plan(found, Apart(1, "c-1", tuple(frozenset((one.id,)) for one in found)))

    assert made.merges == ()
    assert [(one.a, one.b) for one in made.vetoes] == [("e000", "e001")]


def test_what_a_person_decided_is_told_before_a_thousand_vetoes_of_guards() -> None:
    names = [
        first + rest
        for first in "BDFGKLMNPRS"
        for rest in ("ola", "iri", "umo", "eta", "ando", "osk", "ink", "arp", "usk", "elm")
    ]
    found = [entry(n, f"{name} likes the retry limit of 3") for n, name in enumerate(names)]
    found += [entry(200, KAMAL[0]), entry(201, KAMAL[1])]
    made = plan(found, apart("e200", "e201"))

    assert (len(made.vetoes), made.vetoes[0].apart) == (1000, 1)

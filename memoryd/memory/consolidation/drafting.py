"""Which of the entries at hand become one, and the merge of each such group."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from memoryd.memory.consolidation.apart import NO_SIDES, Sides, join_sides, parted_by
from memoryd.memory.consolidation.cap import Draft
from memoryd.memory.consolidation.clusters import cluster
from memoryd.memory.consolidation.findings import Findings, are_copies, holds_all
from memoryd.memory.consolidation.pairing import read_cached
from memoryd.memory.consolidation.partners import EXACT
from memoryd.memory.consolidation.plan import Merge
from memoryd.memory.consolidation.rewriting import (
    choose_keeper,
    cite,
    clauses_of,
    inherit,
    missing_fact,
)
from memoryd.model import Entry


def find_groups(
    present: Mapping[str, Entry], found: Findings, sides: Mapping[str, Sides]
) -> list[list[str]]:
    """Ids of entries that may become one, group by group.

    Args:
        sides: of the entries that a person wants kept apart from others; no group holds two such.
    """
    pinned = frozenset(entry.id for entry in present.values() if entry.pinned)
    scores = {
        pair: likeness.score
        for pair, likeness in found.alike.items()
        if pair[0] in present and pair[1] in present
    }
    copies, led = _collapse_copies(scores, pinned, sides)
    words = {one: present[one].content for pair in led for one in pair}
    groups, _ = cluster(led, pinned, found.policy.max_group, words)
    return _with_copies(groups, copies)


def _collapse_copies(
    scores: Mapping[tuple[str, str], float], pinned: frozenset[str], sides: Mapping[str, Sides]
) -> tuple[dict[str, list[str]], dict[tuple[str, str], float]]:
    """Let one of every set of copies stand for all; two pinned copies stand for themselves, and what is kept apart."""
    leader: dict[str, str] = {}
    stood_for = dict(sides)

    def find(entry_id: str) -> str:
        while leader.get(entry_id, entry_id) != entry_id:
            entry_id = leader[entry_id]
        return entry_id

    def are_apart(first: str, second: str) -> bool:
        ours, theirs = stood_for.get(first, NO_SIDES), stood_for.get(second, NO_SIDES)
        return parted_by(ours, theirs) is not None

    for a, b in sorted(pair for pair, score in scores.items() if score == EXACT):
        first, second = sorted((find(a), find(b)), key=lambda i: (i not in pinned, i))
        if first != second and second not in pinned and not are_apart(first, second):
            leader[second] = first
            if second in stood_for:
                stood_for[first] = join_sides(stood_for.get(first, NO_SIDES), stood_for[second])
    copies: dict[str, list[str]] = defaultdict(list)
    for entry_id in leader:
        copies[find(entry_id)].append(entry_id)
    led: dict[tuple[str, str], float] = {}
    for (a, b), score in scores.items():
        first, second = sorted((find(a), find(b)))
        if first != second and not are_apart(first, second):
            led[(first, second)] = max(score, led.get((first, second), 0.0))
    return copies, led


def _with_copies(
    groups: Sequence[tuple[str, ...]], copies: Mapping[str, list[str]]
) -> list[list[str]]:
    """Put the copies back beside the one that stood for them."""
    grouped = {member for group in groups for member in group}
    alone = [(leader,) for leader in copies if leader not in grouped]
    return [
        sorted({*group, *(c for i in group for c in copies.get(i, ()))})
        for group in sorted((*groups, *alone))
    ]


def draft_merge(
    chosen: Sequence[Entry], found: Findings, by_id: Mapping[str, Entry]
) -> Draft | str:
    """Write the merge of a group, or say why it must not be."""
    keeper = choose_keeper(chosen, found.holds)
    if keeper is None:
        return "no member holds the facts of all"
    content = read_cached(keeper.content)
    originals = {o.id: o for entry in chosen for o in _first_words(entry, by_id)}
    lost = missing_fact(keeper, (*chosen, *originals.values()), holds_all)
    if lost is not None:
        return f"would lose: {lost}"
    others = tuple(sorted(entry.id for entry in chosen if entry.id != keeper.id))
    ids = sorted((keeper.id, *others))
    inside = [found.alike.get((a, b)) for b in ids for a in ids if a < b]
    merge = Merge(
        into=keeper.id,
        from_ids=others,
        content=keeper.content,
        clauses=clauses_of(keeper, content),
        cited=cite(chosen),
        saved_chars=sum(len(entry.content) for entry in chosen) - len(keeper.content),
        reason="copies" if all(are_copies(keeper, entry) for entry in chosen) else "say the same",
        inherited=inherit(keeper, chosen),
    )
    return Draft(merge, min((one.score for one in inside if one is not None), default=EXACT))


def _first_words(entry: Entry, by_id: Mapping[str, Entry]) -> list[Entry]:
    """Follow a merged entry's lineage down to the entries that were never merged, as far as they are known."""
    found: list[Entry] = []
    waiting, seen = list(entry.merged_from), {entry.id}
    while waiting:
        origin = by_id.get(waiting.pop())
        if origin is None or origin.id in seen:
            continue
        seen.add(origin.id)
        waiting += origin.merged_from
        if origin.state == "merged":
            found.append(origin)
    return found

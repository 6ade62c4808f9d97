"""What comparing entries gave, kept from round to round: the words of an entry stay, so two of them are compared once."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from memoryd.memory.consolidation.candidates import Sketch, propose, side_by_side
from memoryd.memory.consolidation.neighbours import propose_by_vectors
from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.partners import EXACT, nearest
from memoryd.memory.consolidation.plan import ConsolidationPolicy, Veto
from memoryd.memory.consolidation.sketching import plain_form, sketch_of
from memoryd.memory.consolidation.updates import Judgement, judge
from memoryd.memory.noted import noted_time
from memoryd.model import Entry

_KANA = re.compile("[\u3041-\u30ff]")
_REPORTED = 0.6  # vetoes below this similarity are noise
_MOST_VETOES = 1000  # the most similar ones are reported
_BITS = 32  # of a place in a pair's number


@dataclass(slots=True)
class Vetoes:
    """The most similar pairs that are kept apart, those that a person decided first, and how many there were."""

    count: int = 0
    _best: list[tuple[tuple[bool, float, str, str], Veto]] = field(default_factory=list)

    def add(self, veto: Veto) -> None:
        """Count a veto; keep it while it is among the most similar ones."""
        self.count += 1
        self._best.append(((veto.apart is None, -veto.similarity, veto.a, veto.b), veto))
        if len(self._best) >= 2 * _MOST_VETOES:
            self._trim()

    def _trim(self) -> None:
        self._best = sorted(self._best, key=lambda kept: kept[0])[:_MOST_VETOES]

    def reported(self) -> tuple[Veto, ...]:
        """The most similar ones, best first."""
        self._trim()
        return tuple(veto for _, veto in self._best)


@dataclass(frozen=True, slots=True)
class Likeness:
    """Of two entries that may be one: how alike they are, and which holds all of the other ("": either does)."""

    score: float
    wider: Literal["", "a", "b"] = ""


@dataclass(slots=True)
class Findings:
    """What the comparisons in one group of entries gave.

    Attributes:
        alike: (a, b) with a < b, for every pair that may merge.
        judged: (older, newer) -> what the newer does to the older, where it does anything.
        compared: how many comparisons it took.
        places: of the entries, by id; those that share most of their words are near each other.
    """

    entries: Sequence[Entry]
    vectors: Mapping[str, Any] | None
    policy: ConsolidationPolicy
    vetoes: Vetoes
    alike: dict[tuple[str, str], Likeness] = field(default_factory=dict)
    judged: dict[tuple[str, str], Judgement] = field(default_factory=dict)
    compared: int = 0
    places: dict[str, int] = field(default_factory=dict)
    _sketches: list[Sketch] = field(default_factory=list)
    _near: "list[array[int]] | None" = None
    _met: "list[tuple[array[int], bytearray]]" = field(default_factory=list)

    def __post_init__(self) -> None:
        japanese = any(_KANA.search(entry.content) for entry in self.entries)
        sketches = [sketch_of(entry.content, japanese=japanese) for entry in self.entries]
        order = side_by_side(sketches)
        self.entries = [self.entries[n] for n in order]
        self.places = {entry.id: n for n, entry in enumerate(self.entries)}
        self._sketches = [sketches[n] for n in order]
        if self.vectors:
            ids = [entry.id for entry in self.entries]
            policy = self.policy
            self._near = propose_by_vectors(ids, self.vectors, policy.neighbours, policy.min_cosine)

    def compare(self, present: Mapping[str, Entry]) -> None:
        """Compare those of the entries that are present, as they are now, as far as that was not done before.

        Which of two is the older may have changed since; the words have not.
        """
        places = [n for n, entry in enumerate(self.entries) if entry.id in present]
        sketches = [self._sketches[n] for n in places]
        group = [present[self.entries[n].id] for n in places]
        ages = [(evidence_time(entry), entry.id) for entry in group]
        pairs, turns = array("Q"), bytearray()
        for i, j in nearest(sketches, self._proposed(places, sketches)):
            pair = places[i] << _BITS | places[j]
            first, second = (i, j) if group[i].id < group[j].id else (j, i)
            key = (group[first].id, group[second].id)
            if key in self.alike:
                continue
            if sketches[i].plain == sketches[j].plain:
                self.alike[key] = Likeness(EXACT)
                continue
            turned = ages[second] < ages[first]
            before = self._how_met(pair)
            if before == turned:
                continue
            pairs.append(pair)
            turns.append(turned)
            self._compare_pair(group[first], group[second], turned=turned, again=before is not None)
        self._met.append((pairs, turns))

    def _proposed(self, places: list[int], sketches: list[Sketch]) -> Any:
        proposed = propose(sketches)
        if self._near is None:
            return proposed
        near, number = self._near, {place: i for i, place in enumerate(places)}
        return (
            (i, partners.union(number[n] for n in near[places[i]] if n in number))
            for i, partners in proposed
        )

    def _how_met(self, pair: int) -> bool | None:
        """Was the second entry of a pair the older one when they were compared last? None: they were not."""
        for pairs, turns in reversed(self._met):
            n = bisect_left(pairs, pair)
            if n < len(pairs) and pairs[n] == pair:
                return bool(turns[n])
        return None

    def _compare_pair(self, a: Entry, b: Entry, *, turned: bool, again: bool) -> None:
        self.compared += 1
        first, second, comparison = compare_texts(a.content, b.content)
        if comparison.merges:
            self.alike[a.id, b.id] = Likeness(comparison.similarity, comparison.wider)
            return
        older, newer = (b, a) if turned else (a, b)
        if turned:
            first, second, comparison = second, first, comparison.turned()
        judgement = judge(first, second, comparison)
        if judgement.relation != "distinct":
            self.judged[older.id, newer.id] = judgement
        elif comparison.similarity >= _REPORTED and not again:
            similarity = round(comparison.similarity, 3)
            self.vetoes.add(Veto(a.id, b.id, similarity, judgement.reason))

    def holds(self, entry: Entry, other: Entry) -> bool:
        """Did the comparison find that *entry* says all that *other* does?"""
        first, second = sorted((entry.id, other.id))
        found = self.alike.get((first, second))
        if found is None:
            return holds_all(entry, other)
        return found.wider in ("", "a" if first == entry.id else "b")


def holds_all(entry: Entry, other: Entry) -> bool:
    """Does *entry* say all that *other* does? Read from scratch."""
    if are_copies(entry, other):
        return True
    comparison = compare_texts(entry.content, other.content)[2]
    return comparison.merges and comparison.wider in ("", "a")


def are_copies(a: Entry, b: Entry) -> bool:
    """Do two entries differ in nothing but spaces and signs at the end?"""
    return a.content == b.content or plain_form(a.content) == plain_form(b.content)


def evidence_time(entry: Entry) -> datetime:
    """When an entry was last known to hold: a merged one when last confirmed, any other when it came to be."""
    times = (
        entry.updated_at if entry.merged_from else entry.created_at,
        entry.valid_from,
        noted_time(entry, "confirmed_at"),  # the user said it again
    )
    return max(filter(None, times))

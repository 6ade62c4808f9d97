"""Entries of one namespace -> the plan of one consolidation run. Pure; the order of the input does not matter."""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memoryd.memory.consolidation.candidates import Sketch, propose
from memoryd.memory.consolidation.cap import Draft, within_cap
from memoryd.memory.consolidation.clusters import cluster
from memoryd.memory.consolidation.comparison import Comparison
from memoryd.memory.consolidation.neighbours import propose_by_vectors
from memoryd.memory.consolidation.pairing import compare_texts, read_cached
from memoryd.memory.consolidation.partners import EXACT, nearest
from memoryd.memory.consolidation.plan import (
    Conflict,
    ConsolidationPlan,
    ConsolidationPolicy,
    Merge,
    Supersede,
    Veto,
)
from memoryd.memory.consolidation.rewriting import (
    choose_keeper,
    cite,
    clauses_of,
    inherit,
    missing_fact,
)
from memoryd.memory.consolidation.stations import find_station
from memoryd.memory.consolidation.updates import judge
from memoryd.memory.noted import noted_time
from memoryd.memory.text import fold
from memoryd.model import Entry

_KANA = re.compile("[\u3041-\u30ff]")
_REPORTED = 0.6  # vetoes below this similarity are noise
_TERSE = 6  # units of a text that may only say where somebody is in life
_MOST_VETOES = 1000  # the most similar ones are reported


@dataclass(slots=True)
class _Vetoes:
    """The most similar pairs that a guard keeps apart, and how many there were."""

    count: int = 0
    _best: list[tuple[tuple[float, str, str], Veto]] = field(default_factory=list)

    def add(self, veto: Veto) -> None:
        """Count a veto; keep it while it is among the most similar ones."""
        self.count += 1
        self._best.append(((-veto.similarity, veto.a, veto.b), veto))
        if len(self._best) >= 2 * _MOST_VETOES:
            self._trim()

    def _trim(self) -> None:
        self._best = sorted(self._best, key=lambda kept: kept[0])[:_MOST_VETOES]

    def reported(self) -> tuple[Veto, ...]:
        """The most similar ones, best first."""
        self._trim()
        return tuple(veto for _, veto in self._best)


@dataclass(slots=True)
class _Findings:
    """What the comparisons of one group of entries gave."""

    scores: dict[tuple[str, str], float] = field(default_factory=dict)
    updates: list[tuple[Entry, Entry, str]] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    compared: int = 0


def plan_consolidation(
    entries: Sequence[Entry],
    vectors: Mapping[str, Any] | None,
    policy: ConsolidationPolicy,
    now: datetime,
) -> ConsolidationPlan:
    """Plan one run over the entries of one namespace.

    Args:
        entries: of one namespace, in any order. Only active ones change; the others serve as lineage.
        vectors: id -> float16 or float32 (d,), unit length; they only propose pairs. None: without.
        policy: what one run may do.
        now: entries that begin to hold later replace nothing yet.

    Returns:
        The plan: the same for the same input, whatever its order. Planning again on its result finds nothing
        but what was held back.
    """
    by_id = {entry.id: entry for entry in entries}
    drafts: list[Draft] = []
    supersedes: list[Supersede] = []
    conflicts: list[Conflict] = []
    vetoes = _Vetoes()
    compared = 0
    for group in _comparable_groups(entries):
        found = _compare_group(group, vectors, policy, now, vetoes)
        merged = _draft_merges(group, found, by_id, policy, vetoes)
        drafts += merged
        decided, undecided = _decide_updates(found, merged)
        supersedes += decided
        conflicts += (*found.conflicts, *undecided)
        compared += found.compared
    active = sum(entry.state == "active" for entry in entries)
    merges, supersedes, held = within_cap(drafts, supersedes, active, policy)
    return ConsolidationPlan(
        merges=tuple(sorted(merges, key=lambda m: m.into)),
        # the oldest first: what replaced one entry may itself be replaced by the next
        supersedes=tuple(sorted(supersedes, key=lambda s: (s.since, s.old, s.new))),
        conflicts=tuple(sorted(set(conflicts), key=lambda c: (c.a, c.b))),
        vetoes=vetoes.reported(),
        held_back=tuple(held),
        counts={
            "active": active,
            "compared": compared,
            "merged": sum(len(merge.from_ids) for merge in merges),
            "superseded": len(supersedes),
            "conflicts": len(set(conflicts)),
            "vetoed": vetoes.count,
            "held_back": len(held),
            "saved_chars": sum(merge.saved_chars for merge in merges),
        },
    )


def _comparable_groups(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Group active entries that may be compared at all: same scope, and working ones of one session.

    The other kinds are guessed from the words ("Do not …", "Never …"), so that the same fact may be of two of them.
    """
    groups: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.state == "active":
            working = entry.kind == "working"
            session = (entry.session_id or "") if working else ""
            groups[(entry.namespace, entry.scope, str(working), session)].append(entry)
    return [sorted(groups[key], key=lambda e: e.id) for key in sorted(groups)]


def _compare_group(
    group: list[Entry],
    vectors: Mapping[str, Any] | None,
    policy: ConsolidationPolicy,
    now: datetime,
    vetoes: _Vetoes,
) -> _Findings:
    japanese = any(_KANA.search(entry.content) for entry in group)
    sketches = [_sketch(entry.content, japanese=japanese) for entry in group]
    proposed = propose(sketches)
    if vectors:
        ids = [entry.id for entry in group]
        near = propose_by_vectors(ids, vectors, policy.neighbours, policy.min_cosine)
        proposed = ((i, partners.union(near[i])) for i, partners in proposed)
    found = _Findings()
    for i, j in nearest(sketches, proposed):
        if sketches[i].plain == sketches[j].plain:
            found.scores[(group[i].id, group[j].id)] = EXACT
        else:
            found.compared += 1
            _compare_pair(group[i], group[j], found, now, vetoes)
    return found


def _sketch(content: str, *, japanese: bool) -> Sketch:
    """Sketch a text; one without kana (参加費：二千円) may be Japanese beside Japanese ones (参加費は2000円です)."""
    reading = read_cached(content)
    units = reading.units
    if japanese and reading.language == "zh":
        units += read_cached(content, "ja").units
    values = dict.fromkeys(
        sys.intern(unit.key) for unit in units if unit.kind in ("quantity", "code", "name")
    )
    keys = [sys.intern(unit.key) for unit in units]
    if len(units) <= _TERSE and (station := find_station(reading.text, reading.language)):
        keys.append(sys.intern(f"{station.attribute} of {station.who}"))
    return Sketch(_plain(content), tuple(keys), tuple(values))


def _plain(content: str) -> str:
    """Bring text into the form in which copies are equal: folded, one kind of space, no full stop."""
    return re.sub(r"\s+", " ", fold(content).text).strip().rstrip(".。!！;；~ ")


def _compare_pair(a: Entry, b: Entry, found: _Findings, now: datetime, vetoes: _Vetoes) -> None:
    first, second, comparison = compare_texts(a.content, b.content)
    if comparison.merges:
        found.scores[(a.id, b.id)] = comparison.similarity
        return
    older, newer = sorted((a, b), key=lambda e: (evidence_time(e), e.id))
    if older is not a:
        first, second, comparison = second, first, comparison.turned()
    judgement = judge(first, second, comparison)
    if judgement.relation == "update":
        problem = _supersede_problem(older, newer, now)
        if problem:
            found.conflicts.append(Conflict(a.id, b.id, f"{judgement.reason}: {problem}"))
        else:
            found.updates.append((older, newer, judgement.reason))
    elif judgement.relation == "conflict":
        found.conflicts.append(Conflict(a.id, b.id, judgement.reason))
    elif comparison.similarity >= _REPORTED:
        vetoes.add(Veto(a.id, b.id, round(comparison.similarity, 3), judgement.reason))


def _compared(a: Entry, b: Entry) -> Comparison:
    return compare_texts(a.content, b.content)[2]


def evidence_time(entry: Entry) -> datetime:
    """When an entry was last known to hold: a merged one when last confirmed, any other when it came to be."""
    times = (
        entry.updated_at if entry.merged_from else entry.created_at,
        entry.valid_from,
        noted_time(entry, "confirmed_at"),  # the user said it again
    )
    return max(filter(None, times))


def _supersede_problem(older: Entry, newer: Entry, now: datetime) -> str | None:
    if evidence_time(older) == evidence_time(newer):
        return "both are equally new"
    if older.pinned:
        return "the older is pinned"
    if older.origin == "user" != newer.origin:
        return "the older is the user's own word"
    if newer.valid_from and newer.valid_from > now:
        return "the newer does not hold yet"
    return None


def _draft_merges(
    group: Sequence[Entry],
    found: _Findings,
    by_id: Mapping[str, Entry],
    policy: ConsolidationPolicy,
    vetoes: _Vetoes,
) -> list[Draft]:
    members = {entry.id: entry for entry in group}
    pinned = frozenset(entry.id for entry in group if entry.pinned)
    copies, scores = _collapse_copies(found.scores, pinned)
    groups, _ = cluster(scores, pinned, policy.max_group)
    drafts: list[Draft] = []
    for ids in _with_copies(groups, copies):
        chosen = [members[i] for i in ids]
        draft = _draft(chosen, found, by_id)
        if isinstance(draft, Draft):
            drafts.append(draft)
        else:
            vetoes.add(Veto(ids[0], ids[1], 1.0, draft))
    return drafts


def _collapse_copies(
    scores: Mapping[tuple[str, str], float], pinned: frozenset[str]
) -> tuple[dict[str, list[str]], dict[tuple[str, str], float]]:
    """Let one of every set of copies stand for all; two pinned copies stand for themselves."""
    leader: dict[str, str] = {}

    def find(entry_id: str) -> str:
        while leader.get(entry_id, entry_id) != entry_id:
            entry_id = leader[entry_id]
        return entry_id

    for a, b in sorted(pair for pair, score in scores.items() if score == EXACT):
        first, second = sorted((find(a), find(b)), key=lambda i: (i not in pinned, i))
        if first != second and second not in pinned:
            leader[second] = first
    copies: dict[str, list[str]] = defaultdict(list)
    for entry_id in leader:
        copies[find(entry_id)].append(entry_id)
    led: dict[tuple[str, str], float] = {}
    for (a, b), score in scores.items():
        first, second = sorted((find(a), find(b)))
        if first != second:
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


def _draft(chosen: Sequence[Entry], found: _Findings, by_id: Mapping[str, Entry]) -> Draft | str:
    """Write the merge of a group, or say why it must not be."""
    keeper = choose_keeper(chosen, _relation)
    if keeper is None:
        return "no member holds the facts of all"
    content = read_cached(keeper.content)
    originals = {o.id: o for entry in chosen for o in _first_words(entry, by_id)}
    lost = missing_fact(keeper, (*chosen, *originals.values()), _relation)
    if lost is not None:
        return f"would lose: {lost}"
    others = tuple(entry.id for entry in chosen if entry.id != keeper.id)
    inside = [
        found.scores.get((a, b))
        for b in (e.id for e in chosen)
        for a in (e.id for e in chosen)
        if a < b
    ]
    merge = Merge(
        into=keeper.id,
        from_ids=others,
        content=keeper.content,
        clauses=clauses_of(keeper, content),
        cited=cite(chosen),
        saved_chars=sum(len(entry.content) for entry in chosen) - len(keeper.content),
        reason="copies" if all(_are_copies(keeper, entry) for entry in chosen) else "say the same",
        inherited=inherit(keeper, chosen),
    )
    score = min((s for s in inside if s is not None), default=EXACT)
    return Draft(merge, score, max(evidence_time(entry) for entry in chosen))


def _relation(a: Entry, b: Entry) -> Comparison:
    return _compared(a, a) if _are_copies(a, b) else _compared(a, b)


def _are_copies(a: Entry, b: Entry) -> bool:
    return a.content == b.content or _plain(a.content) == _plain(b.content)


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


def _decide_updates(
    found: _Findings, drafts: Sequence[Draft]
) -> tuple[list[Supersede], list[Conflict]]:
    """Turn updates between entries into updates between what will be left after the merges."""
    home = {i: draft for draft in drafts for i in (draft.merge.into, *draft.merge.from_ids)}
    chosen: dict[str, tuple[datetime, Supersede]] = {}
    conflicts: list[Conflict] = []
    for older, newer, attribute in found.updates:
        old_home, new_home = home.get(older.id), home.get(newer.id)
        if old_home is not None and old_home is new_home:
            continue
        old_id = old_home.merge.into if old_home else older.id
        new_id = new_home.merge.into if new_home else newer.id
        old_time = old_home.latest if old_home else evidence_time(older)
        since = new_home.latest if new_home else evidence_time(newer)
        if since <= old_time:
            continue  # the older was confirmed again; the pair the other way round decides
        if old_home and old_id != older.id and not _are_alike(old_home, older):
            conflicts.append(
                Conflict(
                    min(old_id, new_id), max(old_id, new_id), f"part of {attribute} was replaced"
                )
            )
            continue
        supersede = Supersede(old_id, new_id, attribute, evidence_time(newer))
        if old_id not in chosen or (since, new_id) < (chosen[old_id][0], chosen[old_id][1].new):
            chosen[old_id] = (since, supersede)
    return [supersede for _, supersede in chosen.values()], conflicts


def _are_alike(home: Draft, member: Entry) -> bool:
    """Does the merged text say no more than this member, so that what replaces one replaces the other?"""
    return compare_texts(home.merge.content, member.content)[2].relation == "same"

"""Rounds over one group until nothing is left to do: what says the same becomes one, then the newer replaces the older.

What an entry weighs (when it was last said, by whom) is what all that became one with it weigh together. So a value that
was said again after the one between is the newest, and both steps begin anew with what the round before left. A run
thereby ends where a second one would find nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memoryd.memory.consolidation.apart import NO_SIDES, KeptApart, Sides, parted_by
from memoryd.memory.consolidation.cap import Draft
from memoryd.memory.consolidation.drafting import draft_merge, find_groups
from memoryd.memory.consolidation.effects import merge_changes
from memoryd.memory.consolidation.findings import Findings, evidence_time
from memoryd.memory.consolidation.plan import Conflict, Supersede, Veto
from memoryd.memory.noted import noted_time
from memoryd.model import Entry


@dataclass(slots=True)
class Settling:
    """One group of entries on its way to the state that a run leaves.

    Attributes:
        by_id: every entry of the namespace as the run found it.
        kept: what a person wants kept apart.
        present: those of the group that are active now, as they are now.
        drafts: the merge behind an entry, by its id.
        replaced: what replaced an entry that is not present any more, by its id.
    """

    found: Findings
    by_id: Mapping[str, Entry]
    now: datetime
    kept: KeptApart
    present: dict[str, Entry] = field(default_factory=dict)
    drafts: dict[str, Draft] = field(default_factory=dict)
    replaced: dict[str, Supersede] = field(default_factory=dict)
    _home: dict[str, str] = field(default_factory=dict)
    _refused: set[tuple[str, ...]] = field(default_factory=set)
    _put_off_once: set[tuple[str, str]] = field(default_factory=set)
    _told_apart: set[tuple[int, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.present = {entry.id: entry for entry in self.found.entries}

    def settle(self) -> None:
        """Go on until a round changes nothing. Each change leaves fewer entries, so that there is an end."""
        self.found.compare(self.present)
        while self._merge() | self._replace():  # both: a round that compares is what costs time
            self.found.compare(self.present)

    def supersedes(self) -> list[Supersede]:
        """What replaces what; the newer may have become one with another since."""
        return [replace(one, new=self._at_home(one.new)) for one in self.replaced.values()]

    def _at_home(self, entry_id: str) -> str:
        while entry_id in self._home:
            entry_id = self._home[entry_id]
        return entry_id

    def _members(self, entry_id: str) -> list[Entry]:
        """The entries that one present entry is made of, as the run found them."""
        draft = self.drafts.get(entry_id)
        ids = (draft.merge.into, *draft.merge.from_ids) if draft else (entry_id,)
        return [self.by_id[one] for one in ids]

    def _merge(self) -> bool:
        changed = False
        sides, places = self._sides(), self.found.places
        self._tell_kept_apart(sides)
        groups = find_groups(self.present, self.found, sides)
        groups.sort(key=lambda ids: places[ids[0]])  # texts that share words are read together
        for ids in (part for group in groups for part in self._parts(group)):
            chosen = sorted((m for one in ids for m in self._members(one)), key=lambda e: e.id)
            key = tuple(entry.id for entry in chosen)
            if key in self._refused:
                continue
            draft = draft_merge(chosen, self.found, self.by_id)
            if isinstance(draft, str):
                self._refused.add(key)
                self.found.vetoes.add(Veto(ids[0], ids[1], 1.0, draft))
                continue
            self._join(ids, draft)
            changed = True
        return changed

    def _sides(self) -> dict[str, Sides]:
        """What those present stand for in the decisions of a person, if in any."""
        if not self.kept:
            return {}
        known = {one: self.kept.sides(m.id for m in self._members(one)) for one in self.present}
        return {one: sides for one, sides in known.items() if sides}

    def _tell_kept_apart(self, sides: Mapping[str, Sides]) -> None:
        alike = self.found.alike if sides else ()
        for a, b in sorted(pair for pair in alike if pair[0] in sides and pair[1] in sides):
            self._are_apart(a, b, sides, "merge")

    def _are_apart(self, a: str, b: str, sides: Mapping[str, Sides], deed: str) -> bool:
        """Does a person keep two apart? Each decision is told once, by its first pair: of many copies all pairs are."""
        number = parted_by(sides.get(a, NO_SIDES), sides.get(b, NO_SIDES))
        if number is None:
            return False
        reason = self.kept.reason(number, deed)
        if (number, reason) not in self._told_apart:
            self._told_apart.add((number, reason))
            first, second = sorted((a, b))
            self.found.vetoes.add(Veto(first, second, 1.0, reason, number))
        return True

    def _parts(self, ids: Sequence[str]) -> Iterator[list[str]]:
        """Cut a group into parts that one run may change: as a whole it would be held back night after night."""
        most = self.found.policy.most_changes(len(self.found.entries)) + 1
        parts: list[list[str]] = [[]]
        size = 0
        for one in ids:
            members = len(self._members(one))
            if size + members > most and parts[-1]:
                self._put_off(parts[-1][0], one, most - 1)
                parts.append([])
                size = 0
            parts[-1].append(one)
            size += members
        return (part for part in parts if len(part) > 1)

    def _put_off(self, one: str, other: str, most: int) -> None:
        """Tell once that two entries stay two for this run."""
        first, second = sorted((one, other))
        if (first, second) not in self._put_off_once:
            self._put_off_once.add((first, second))
            reason = f"over the limit of {most} changes in one run"
            self.found.vetoes.add(Veto(first, second, 1.0, reason))

    def _join(self, ids: Sequence[str], draft: Draft) -> None:
        into = draft.merge.into
        for one in ids:
            del self.present[one]
            self.drafts.pop(one, None)
        for entry_id in (*ids, *draft.merge.from_ids):
            self._home[entry_id] = into
        self._home.pop(into, None)
        self.drafts[into] = draft
        self.present[into] = merge_changes(draft.merge, self.by_id)[0][1]

    def _replace(self) -> bool:
        """End what a newer entry replaces; of several the one that was said first after it ended it."""
        chosen: dict[str, Supersede] = {}
        for old, new, attribute, problem in self._judgements():
            if problem is not None:
                continue
            one = Supersede(old.id, new.id, attribute, self._since(old, new))
            rival = chosen.get(old.id)
            if rival is None or _turn(one) < _turn(rival):
                chosen[old.id] = one
        for entry_id in chosen:
            del self.present[entry_id]
        self.replaced |= chosen
        return bool(chosen)

    def _since(self, old: Entry, new: Entry) -> datetime:
        """The first time the newer was said after the older had been said last."""
        last = evidence_time(old)
        times = [evidence_time(member) for member in self._members(new.id)]
        return min((time for time in times if time > last), default=evidence_time(new))

    def conflicts(self) -> list[Conflict]:
        """What a person must decide: of entries that are still there, each two once."""
        reasons: dict[tuple[str, str], str] = {}
        for old, new, _, problem in self._judgements():
            if problem is not None:
                first, second = sorted((old.id, new.id))
                reasons[first, second] = min(problem, reasons.get((first, second), problem))
        return [Conflict(a, b, reason) for (a, b), reason in reasons.items()]

    def _judgements(self) -> Iterator[tuple[Entry, Entry, str, str | None]]:
        """Yield the older entry, the newer, the attribute and why it must not be replaced, for those now present.

        What was found of two entries holds for those they became one with, if these say no more.
        """
        sides = self._sides()
        for (older, newer), judgement in self.found.judged.items():
            old_id, new_id = self._at_home(older), self._at_home(newer)
            old, new = self.present.get(old_id), self.present.get(new_id)
            if old is None or new is None or old_id == new_id:
                continue
            if (evidence_time(old), old_id) > (evidence_time(new), new_id):
                continue  # the older was confirmed again; the pair the other way round decides
            if sides and self._are_apart(old_id, new_id, sides, "replacement"):
                continue
            problem: str | None = judgement.reason
            if judgement.relation == "update":
                problem = _supersede_problem(old, new, self.now)
                if problem is not None:
                    problem = f"{judgement.reason}: {problem}"
                elif not self.found.holds(self.by_id[older], self.by_id[old_id]):
                    problem = f"part of {judgement.reason} was replaced"
            yield old, new, judgement.reason, problem


def _turn(one: Supersede) -> tuple[datetime, str, str]:
    """The first to replace an entry comes first; one found in several ways is named in one, whatever the order."""
    return one.since, one.new, one.attribute


def _supersede_problem(older: Entry, newer: Entry, now: datetime) -> str | None:
    if evidence_time(older) == evidence_time(newer):
        return "both are equally new"
    if older.pinned:
        return "the older is pinned"
    if older.origin == "user" and (newer.origin != "user" or _said(newer) <= _said(older)):
        return "the older is the user's own word"
    if newer.valid_from and newer.valid_from > now:
        return "the newer does not hold yet"
    return None


def _said(entry: Entry) -> datetime:
    """When the user last said it: what became one with the user's word may have been said by others later."""
    if not entry.merged_from:
        return evidence_time(entry)
    return max(entry.created_at, noted_time(entry, "confirmed_at") or entry.created_at)

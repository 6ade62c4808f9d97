"""Plans how one memory file gets smaller without losing a fact. Pure: evidence comes in as values, a plan goes out.

First merges, denser wordings, supersedes and plain duplicates; if the file is still above its target, the least
valuable entries move to the bank, at most a quarter of them a run. The plan is checked against its promises before it
is handed out. The shell stores everything in `moved` in the bank before it lets the writer touch the file.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memoryd.errors import MemorydError, UsageError
from memoryd.memory_files.budgets import Loading, plan_loading
from memoryd.memory_files.contents import POINTER, judge_content, read_back
from memoryd.memory_files.documents import Piece
from memoryd.memory_files.editing import Edit, apply_edits, is_managed, make_diff
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.folding import first_words, fold
from memoryd.memory_files.profiles import Profile
from memoryd.memory_files.profiles.base import Permission
from memoryd.memory_files.units import Unit, encode, is_utf8, measure

TARGET_PERCENT = 70
MOVED_SHARE = (
    0.25  # of the entries, a run; OpenClaw's own dreaming has the same bound (MEMORY_FILES.md B1)
)

_MIDDLE = 0.5

MoveReason = Literal["merged", "superseded", "duplicate", "least valuable"]


@dataclass(frozen=True, slots=True)
class Merge:
    """Entries (by their index in `list_entries`) and the text that says all of them; one index: a denser wording."""

    entries: tuple[int, ...]
    content: str


@dataclass(frozen=True, slots=True)
class Supersede:
    """An entry whose value a newer one replaced; *new* is None when the newer one is in the bank only."""

    old: int
    new: int | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """An entry that leaves the file for the bank.

    Attributes:
        text: exactly as it stood in the file, annotations included.
        into: what says it in the file now, "" for nothing.
    """

    content: str
    text: str
    reason: MoveReason
    into: str = ""


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """What a compaction would do to one file.

    Attributes:
        edits: in the order of `editing.apply_edits`; apply them again if the file changed meanwhile.
        moved: to be stored in the bank first: every entry that does not stand in *after* word for word.
        held_back: what was not done, and why.
        used_before, used_after, limit: in *unit*, by the agent's own count.
        within_budget: False when more would have to move than one run may.
    """

    file: MemoryFile
    profile: str
    permission: Permission
    after: bytes
    edits: tuple[Edit, ...]
    moved: tuple[Moved, ...]
    held_back: tuple[str, ...]
    unit: Unit
    used_before: int
    used_after: int
    limit: int | None
    within_budget: bool

    @property
    def changes(self) -> bool:
        return self.after != (self.file.data or b"")

    @property
    def diff(self) -> str:
        return make_diff(self.file.data or b"", self.after, self.file.path.name)


@dataclass(slots=True)
class _Draft:
    """A plan in the making; *taken* are the indices of entries already dealt with."""

    file: MemoryFile
    profile: Profile
    pieces: Sequence[Piece]
    edits: list[Edit] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    held_back: list[str] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    unit: Unit = "codepoints"

    @property
    def movable(self) -> int:
        """How many entries may still move out in this run."""
        out = sum(item.reason in {"superseded", "least valuable"} for item in self.moved)
        return int(len(self.pieces) * MOVED_SHARE) - out

    def take(self, index: int, reason: MoveReason, into: str = "") -> str:
        piece = self.pieces[index]
        self.taken.add(index)
        self.moved.append(Moved(piece.content, piece.text, reason, into))
        return piece.content

    def result(self, extra: Sequence[Edit] = ()) -> bytes:
        name = self.file.path.name
        text = apply_edits(self.file.text, [*self.edits, *extra], self.profile, name)
        if text is None:
            raise MemorydError(
                f"cannot compact {self.file.path}: an edit does not fit the file it was made for"
            )
        after, before = encode(text), self.file.data or b""
        # White space at the ends alone is no reason to write: every agent reads over it.
        return before if after.strip() == before.strip() else after


def list_entries(file: MemoryFile, profile: Profile) -> tuple[Piece, ...]:
    """The entries that memoryd may rewrite, in file order; merges and values refer to their indices."""
    rule = profile.rule(file.path.name)
    pieces = profile.parse(file.path.name, file.text).entries
    return tuple(piece for piece in pieces if is_managed(piece, rule) and piece.content != POINTER)


def plan_compaction(
    file: MemoryFile,
    profile: Profile,
    *,
    merges: Sequence[Merge] = (),
    supersedes: Sequence[Supersede] = (),
    values: Mapping[int, float] | None = None,
    pinned: Collection[int] = (),
    target_percent: float = TARGET_PERCENT,
) -> CompactionPlan:
    """Plan to make a file smaller.

    Args:
        profile: with the limit that holds for this file.
        merges, supersedes: verified by the caller; indices are those of `list_entries`.
        values: worth of entries between 0 and 1, higher stays longer; 0.5 where none is given. Of equal worth, the
            later one stays.
        pinned: entries that never move out.
        target_percent: of the limit; above it the least valuable entries move to the bank.

    Raises:
        UsageError: the file is missing, no UTF-8, or people's own.
        MemorydError: the plan would break one of its promises; nothing may be written.
    """
    _check_rewritable(file, profile)
    draft = _Draft(file, profile, list_entries(file, profile))
    _apply_merges(draft, merges)
    _apply_supersedes(draft, supersedes)
    _drop_duplicates(draft)
    _move_least_valuable(draft, values or {}, pinned, target_percent)
    plan = _finish(draft)
    _verify(plan, draft)
    return plan


def _check_rewritable(file: MemoryFile, profile: Profile) -> None:
    if file.data is None:
        raise UsageError(f"cannot compact {file.path}: there is no such file")
    if not is_utf8(file.text):
        raise UsageError(f"cannot compact {file.path}: it is not valid UTF-8")
    if profile.rule(file.path.name).manage == "nothing":
        raise UsageError(f"cannot compact {file.path}: people write it, memoryd only reads it")


def _apply_merges(draft: _Draft, merges: Sequence[Merge]) -> None:
    for merge in merges:
        content = read_back(merge.content, draft.profile, draft.file.path.name)
        reason = (
            _judge_indices(draft, merge.entries)
            or judge_content(merge.content, draft.profile)
            or _judge_size(draft, merge)
            or ("" if content else "it would read back as something else")
        )
        if reason:
            draft.held_back.append(f"merge into {first_words(merge.content)!r}: {reason}")
            continue
        removed = tuple(draft.take(index, "merged", content) for index in merge.entries)
        draft.edits.append(Edit(removed, (content,)))


def _judge_indices(draft: _Draft, indices: Sequence[int]) -> str:
    if (
        not indices
        or len(set(indices)) != len(indices)
        or not all(0 <= index < len(draft.pieces) for index in indices)
    ):
        return "it names no entries of this file"
    return "an entry is already part of another change" if draft.taken & set(indices) else ""


def _judge_size(draft: _Draft, merge: Merge) -> str:
    join, rule = draft.profile.join, draft.profile.rule(draft.file.path.name)
    old, new = join(draft.pieces[index].content for index in merge.entries), join([merge.content])
    longer = measure(new, rule.unit) > measure(old, rule.unit) or (
        rule.max_lines is not None and new.count("\n") > old.count("\n")
    )
    return "it is longer than what it replaces" if longer else ""


def _apply_supersedes(draft: _Draft, supersedes: Sequence[Supersede]) -> None:
    for item in supersedes:
        reason = _judge_indices(draft, (item.old,))
        if not reason and item.new is not None:
            reason = _judge_replacement(draft, item.old, item.new)
        if not reason and draft.movable < 1:
            reason = f"more than {MOVED_SHARE:.0%} of the entries would leave the file in one run"
        if reason:
            draft.held_back.append(f"supersede: {reason}")
            continue
        into = "" if item.new is None else draft.pieces[item.new].content
        draft.edits.append(Edit((draft.take(item.old, "superseded", into),)))


def _judge_replacement(draft: _Draft, old: int, new: int) -> str:
    if not 0 <= new < len(draft.pieces) or new == old:
        return "it names no newer entry of this file"
    leaving = any(
        item.reason == "superseded" and item.content == draft.pieces[new].content
        for item in draft.moved
    )
    return "the newer entry leaves the file itself" if leaving else ""


def _drop_duplicates(draft: _Draft) -> None:
    """Entries that say the same in the same words under the same heading; the first one stays."""
    seen: dict[tuple[str, str], str] = {}
    headings: dict[str, set[str]] = {}
    for piece in draft.pieces:
        headings.setdefault(piece.content, set()).add(piece.heading)
    for index, piece in enumerate(draft.pieces):
        place = (piece.heading, fold(piece.content))
        # An edit names words: of the same words under two headings it could take the wrong ones.
        if index in draft.taken or not place[1] or len(headings[piece.content]) > 1:
            continue
        if place in seen:
            draft.edits.append(Edit((draft.take(index, "duplicate", seen[place]),)))
        else:
            seen[place] = piece.content


def _move_least_valuable(
    draft: _Draft, values: Mapping[int, float], pinned: Collection[int], target_percent: float
) -> None:
    candidates = [
        index
        for index in range(len(draft.pieces))
        if index not in draft.taken and index not in pinned
    ]
    candidates.sort(key=lambda index: (values.get(index, _MIDDLE), index))
    while (excess := _measure_excess(draft, target_percent)) > 0:
        if not candidates or draft.movable < 1:
            why = (
                f"one run moves at most {MOVED_SHARE:.0%} of the entries"
                if candidates
                else "the rest is pinned"
            )
            draft.held_back.append(f"still above {target_percent:g} % of the limit: {why}")
            return
        while excess > 0 and candidates and draft.movable > 0:
            index = candidates.pop(0)
            excess -= measure(draft.pieces[index].text, draft.unit)
            draft.edits.append(Edit((draft.take(index, "least valuable"),)))


def _measure_excess(draft: _Draft, target_percent: float) -> float:
    """By how much the file would be above its target, its pointer included."""
    loading = _load(draft, draft.result(_point(draft)))
    draft.unit = loading.unit
    return loading.raw - loading.limit * target_percent / 100 if loading.limit else 0.0


def _load(draft: _Draft, data: bytes) -> Loading:
    return plan_loading([MemoryFile(draft.file.path, data)], draft.profile)[0]


def _point(draft: _Draft) -> tuple[Edit, ...]:
    """A line that says where the rest is, once, where something lives in the bank alone and there is room for it."""
    pointer = (Edit((), (POINTER,)),)
    alone = any(item.reason == "least valuable" for item in draft.moved)
    entries = draft.profile.parse(draft.file.path.name, draft.file.text).entries
    there = any(piece.content == POINTER for piece in entries)
    if (
        not alone
        or there
        or not draft.profile.pointer
        or _load(draft, draft.result(pointer)).is_over
    ):
        return ()
    return pointer


def _finish(draft: _Draft) -> CompactionPlan:
    pointer = _point(draft)
    after = draft.result(pointer)
    if not draft.edits and not draft.profile.sidecar_lock:
        after = draft.file.data or b""
    before, now = _load(draft, draft.file.data or b""), _load(draft, after)
    return CompactionPlan(
        file=draft.file,
        profile=draft.profile.name,
        permission=draft.profile.rule(draft.file.path.name).permission,
        after=after,
        edits=(*draft.edits, *pointer),
        moved=tuple(draft.moved),
        held_back=tuple(draft.held_back),
        unit=now.unit,
        used_before=before.raw,
        used_after=now.raw,
        limit=now.limit,
        within_budget=not now.is_over,
    )


def _verify(plan: CompactionPlan, draft: _Draft) -> None:
    """The promises of a plan, checked on its result and not on its intentions."""
    name = plan.file.path.name
    profile = draft.profile
    entries = profile.parse(name, MemoryFile(plan.file.path, plan.after).text).entries
    kept = Counter(piece.content for piece in entries)
    bank = Counter(item.content for item in plan.moved)
    old = Counter(piece.content for piece in profile.parse(name, plan.file.text).entries)
    new = {content for edit in plan.edits for content in edit.added}
    left = sum(item.reason in {"superseded", "least valuable"} for item in plan.moved)
    promises = {
        "an entry would be lost": not old - kept - bank,
        "an entry would appear from nowhere": set(kept) <= set(old) | new,
        "too many entries would leave the file": left <= len(draft.pieces) * MOVED_SHARE,
        "the agent would block what it holds": not any(profile.scan(content) for content in new),
        "it would not read back as written": not plan.changes or _reads_back(plan, profile),
        "it would grow": plan.used_after <= max(plan.used_before, plan.limit or 0),
    }
    broken = [name for name, holds in promises.items() if not holds]
    if broken:
        raise MemorydError(f"cannot compact {plan.file.path}: {'; '.join(broken)}")


def _reads_back(plan: CompactionPlan, profile: Profile) -> bool:
    """Parsing and joining gives the same bytes, and for an agent with a guard, the form that it writes itself."""
    name = plan.file.path.name
    document = profile.parse(name, MemoryFile(plan.file.path, plan.after).text)
    if encode(document.text) != plan.after:
        return False
    canonical = encode(profile.join(piece.content for piece in document.entries))
    return not profile.sidecar_lock or canonical == plan.after

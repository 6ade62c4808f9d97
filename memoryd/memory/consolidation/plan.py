"""What consolidation decides, as values. Field names follow the command-line contract (`from` is `from_ids`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memoryd.model import Provenance


@dataclass(frozen=True, slots=True)
class ConsolidationPolicy:
    """What one run may do.

    Attributes:
        max_change_percent: of the active entries of the namespace; the rest is held back.
        min_changes: always allowed, however small the namespace.
        max_group: entries in one merge, exact duplicates not counted.
        neighbours: vector neighbours proposed for each entry.
        min_cosine: vector neighbours below this are not proposed.
    """

    max_change_percent: float = 20.0
    min_changes: int = 20
    max_group: int = 64
    neighbours: int = 8
    min_cosine: float = 0.6

    def most_changes(self, active: int) -> int:
        """How many of so many active entries one run may change."""
        return max(self.min_changes, int(self.max_change_percent * active / 100))


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a merged text: characters [start, end) of the content of entry *entry_id*."""

    text: str
    entry_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Merge:
    """Entries that become one.

    Attributes:
        into: the entry that stays; its content becomes *content*.
        from_ids: the entries whose facts live on in *into*.
        content: built of *clauses*, verified to hold every fact of every member.
        cited: the union of the members' sources.
        inherited: the other fields of the entry that stays (created_at, updated_at, ...).
    """

    into: str
    from_ids: tuple[str, ...]
    content: str
    clauses: tuple[Clause, ...]
    cited: tuple[Provenance, ...]
    saved_chars: int
    reason: str
    inherited: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Supersede:
    """Entry *new* replaces *old*: same subject and attribute, another value, from *since* on."""

    old: str
    new: str
    attribute: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two entries that cannot both hold, and no rule that says which does; both stay active."""

    a: str
    b: str
    reason: str


@dataclass(frozen=True, slots=True)
class Veto:
    """Two similar entries that a guard keeps apart, or a person, with the reason in words.

    Attributes:
        apart: the number of the person's decision; None: a guard's.
    """

    a: str
    b: str
    similarity: float
    reason: str
    apart: int | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A change that this run may not make; the next one or a person will."""

    action: Merge | Supersede
    reason: str


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    """Everything one run would do in one namespace."""

    merges: tuple[Merge, ...] = ()
    supersedes: tuple[Supersede, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    vetoes: tuple[Veto, ...] = ()
    held_back: tuple[Held, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

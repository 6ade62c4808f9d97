"""What the guards see of an entry: its content units, the facts of its clauses, and both as a reading."""

import sys
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from memoryd.memory.consolidation.lexicon import Language

POINTERS = frozenset({"it", "them", "they", "它", "es", "lo"})
LABEL = "label"  # the role of a noun that only says what kind of statement it is (这是 ... 的规定)
NEED = "need"  # the key of a word that says once more that something is needed
IMPERATIVE = "imperative"  # stands among the senses of a clause that opens with its verb
TIMES = frozenset(
    {
        "morning",
        "afternoon",
        "evening",
        "night",
        "noon_break",
        "weekend",
        "weekday",
        "today",
        "yesterday",
        "tomorrow",
        "last_week",
        "last_month",
        "last_year",
        "next_week",
        "next_month",
        "next_year",
        "month_end",
        "peak",
    }
)

_Member = TypeVar("_Member", bound=Hashable)
_SETS = 4096  # small sets kept as one, however many clauses have them


def shared(members: Iterable[_Member]) -> frozenset[_Member]:
    """Freeze a small set; equal ones are one object, for thousands of readings are in memory at a time."""
    return _one_of_equals(frozenset(members))


@lru_cache(maxsize=_SETS)
def _one_of_equals(found: frozenset[_Member]) -> frozenset[_Member]:
    return found


# Units and the facts of a clause are not frozen, though nothing changes them: that would triple the time it takes to make one.
@dataclass(slots=True)
class Unit:
    """One piece of content.

    Attributes:
        key: what is compared; *forms* are other spellings an unknown word may be met by.
        kind: an item's role.
        start, end: its place in the folded text.
        clause: the number of its clause.
        sign: 1 affirmed, -1 negated, 0 outside of the negation's reach.
        role: the class of the preposition or particle that governs it, or "".
        scope: the condition it stands in ("if", "before", ...), or "".
        listed: the number of the list it is a member of, or -1.
    """

    key: str
    kind: str
    surface: str
    start: int
    end: int
    clause: int
    forms: tuple[str, ...] = ()
    sign: int = 1
    role: str = ""
    scope: str = ""
    listed: int = -1
    joined: bool = False  # an "and" or "or" stands right before it


@dataclass(slots=True)
class ClauseFacts:
    """What is said about a whole clause.

    Attributes:
        start, end: its place in the folded text, separators excluded.
        divides: where its subject ends (offset in the folded text), or -1.
    """

    start: int
    end: int
    modals: frozenset[str] = frozenset()
    cues: frozenset[str] = frozenset()
    tense: str = ""
    negated: bool = False
    divides: int = -1
    opens_with_reason: bool = False
    inside: int = -1  # the clause in whose brackets it stands
    verbs: frozenset[str] = frozenset()  # senses of its light verbs: give, keep, use
    denials: int = 0  # negations in it, cancelled ones too
    needed: frozenset[int] = (
        frozenset()
    )  # numbers of the units that must be, of those that need them
    conditional: bool = False  # needed for something: without X no Y, only with X Y


@dataclass(frozen=True, slots=True)
class Reading:
    """An entry as the guards see it.

    Attributes:
        dropped: the function words, in lower case.
        question: asks something, and is no polite request.
        ordered: is about an order (steps, priorities).
        agents: numbers of the units behind "by", "由".
        text: the folded text; *offsets* lead back to the original.
        folded_keys: of the units, in lower case: what an equal unit is looked up by.
    """

    language: Language
    units: tuple[Unit, ...]
    clauses: tuple[ClauseFacts, ...]
    dropped: tuple[str, ...]
    persons: frozenset[str] = frozenset()
    question: bool = False
    ordered: bool = False
    quantifiers: frozenset[str] = frozenset()
    agents: frozenset[int] = field(default_factory=frozenset)
    text: str = ""
    offsets: Sequence[int] = ()
    folded_keys: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _cues: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Work out once what every comparison with another text asks for."""
        folded = tuple(sys.intern(unit.key.casefold()) for unit in self.units)
        object.__setattr__(self, "folded_keys", folded)
        cues = frozenset().union(*(clause.cues for clause in self.clauses))
        object.__setattr__(self, "_cues", shared(cues))

    def home(self, i: int) -> int:
        """Give the clause of a unit; brackets belong to the clause around them, a lone word to the record before it."""
        clause = self.units[i].clause
        if self.clauses[clause].inside >= 0:
            return self.clauses[clause].inside
        before = max((unit.clause for unit in self.units if unit.clause < clause), default=-1)
        alone = sum(unit.clause == clause for unit in self.units) == 1
        if not alone or before < 0 or self.clauses[clause].divides >= 0:
            return clause
        if self._is_hour(i):
            return before
        divides = self.clauses[before].divides
        label = divides >= 0 and self.text[divides : divides + 1] in (":", "：")
        return before if label else clause

    def _is_hour(self, i: int) -> bool:
        """Every Monday, 10:00: the hour behind the day that it is of."""
        days = ("weekday:", "date:", "every:")
        return self.units[i].key.startswith("time:") and self.units[i - 1].key.startswith(days)

    def cues(self, numbers: Iterable[int] | None = None) -> frozenset[str]:
        """Unite the cues of some clauses (all by default)."""
        if numbers is None:
            return self._cues
        return frozenset().union(*(self.clauses[n].cues for n in numbers))

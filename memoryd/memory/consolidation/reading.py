"""Items -> a reading: the content units of an entry, each with its clause, sign, role and scope.

A unit is what must find its equal in another entry before the two may be called the same. Function words are
not units, but they leave their mark: a preposition names the role of the units after it, a negation turns their
sign, a condition opens a scope.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.items import items
from memoryd.memory.consolidation.lexicon import UNSPACED, Language, Lexicon, lexicon
from memoryd.memory.text import fold, script

_CONTENT = frozenset(
    {
        "quality",
        "concept",
        "action",
        "name",
        "word",
        "char",
        "code",
        "quantity",
        "quantify",
        "compare",
        "condition",
    }
)
_SCOPED = frozenset({"if", "unless", "except", "until", "before", "after", "than"})
_BREAKS = frozenset(",;:.!?，。；：！？、—–\n→…")
_HENCEFORTH = frozenset({"以后", "今後", "앞으로"})
_GLUE = frozenset({"", "的", "の", "了", "过"})
_OPTIONAL_QUANTIFIERS = frozenset({"all", "exactly", "even"})
_OPTIONAL_CONDITIONS = frozenset({"when", "where", "though", "than", "including", "then"})
_OPENING = frozenset({"if", "when", "until", "before", "after", "unless", "except", "though"})
_POSTPOSED = frozenset(
    {"if", "when", "until", "before", "after", "except"}
)  # may stand behind, in Chinese
_ABBREVIATED = frozenset({"dr", "mr", "mrs", "ms", "prof", "st", "vs", "ca", "bzw", "no", "nr"})
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
        "month_end",
        "peak",
    }
)
_MEMBER = 2  # units in a list's member between commas
_ORDER_WORDS = frozenset({"first", "next", "last", "then"})


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of content.

    Attributes:
        key: what is compared; *forms* are other spellings an unknown word may be met by.
        kind: an item's role.
        start, end: its place in the original text.
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


@dataclass(frozen=True, slots=True)
class ClauseFacts:
    """What is said about a whole clause.

    Attributes:
        start, end: its place in the original text, separators excluded.
        divides: where its subject ends (offset in the original text), or -1.
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
    denials: int = 0  # negations in it, cancelled ones too


@dataclass(frozen=True, slots=True)
class Reading:
    """An entry as the guards see it."""

    language: Language
    units: tuple[Unit, ...]
    clauses: tuple[ClauseFacts, ...]
    dropped: tuple[str, ...]
    persons: frozenset[str] = frozenset()
    question: bool = False
    ordered: bool = False
    quantifiers: frozenset[str] = frozenset()
    agents: frozenset[int] = field(default_factory=frozenset)  # units behind "by", "由"
    text: str = ""

    def cues(self, numbers: Iterable[int] | None = None) -> frozenset[str]:
        """Unite the cues of some clauses (all by default)."""
        chosen = range(len(self.clauses)) if numbers is None else numbers
        return frozenset().union(*(self.clauses[n].cues for n in chosen))


_LETTERS = (("de", "äöüß"), ("fr", "éèêàçùœ"), ("es", "ñíóáú¿¡"))
_SPACED: tuple[Language, ...] = ("en", "de", "fr", "es")


def guess_language(text: str) -> Language:
    """Guess the language from scripts and function words; Latin text without a hint is English."""
    scripts = {script(char) for char in text}
    if "kana" in scripts:
        return "ja"
    if "hangul" in scripts:
        return "ko"
    if "han" in scripts:
        return "zh"
    words = re.findall(r"[^\W\d_]+'?", text.casefold())
    scores = {name: float(sum(word in lexicon(name).phrases for word in words)) for name in _SPACED}
    for name, letters in _LETTERS:
        scores[name] += any(letter in text.casefold() for letter in letters)
    return max(_SPACED, key=scores.__getitem__)  # the first of equals: English


def read(text: str) -> Reading:
    """Read one entry's text."""
    folded = fold(text)
    language = guess_language(folded.text)
    table = lexicon(language)
    builder = _Builder(table, folded.text)
    for item in items(folded.text, language):
        builder.take(item)
    return builder.finish(folded.offsets)


@dataclass(slots=True)
class _Clause:
    """A clause while it is being read; *units* are indexes, for a bracket may stand inside of it."""

    number: int
    units: list[int] = field(default_factory=list)
    started: int = -1
    ended: int = -1
    negations: list[tuple[str, int]] = field(default_factory=list)
    modals: set[str] = field(default_factory=set)
    cues: set[str] = field(default_factory=set)
    role: str = ""
    scope: str = ""
    joined: bool = False
    divides: int = -1
    past: bool = False
    auxiliary: bool = False  # be, have or a modal: what follows is a participle
    reason: bool = False
    participle: bool = False  # "-ed" alone does not tell moved from was moved
    last: Item | None = None
    light: Item | None = None  # the last dropped word, content after all if nothing else is negated


class _Builder:
    """Collects the units of one entry, clause by clause."""

    def __init__(self, table: Lexicon, text: str) -> None:
        self.table = table
        self.text = text
        self.units: list[Unit] = []
        self.clauses: list[ClauseFacts | None] = []
        self.outer: list[_Clause] = []
        self.dropped: list[str] = []
        self.persons: set[str] = set()
        self.quantifiers: set[str] = set()
        self.agents: set[int] = set()
        self.request = self.wish = self.asks = self.ordered = False
        self.now = self._open()

    def _open(self) -> _Clause:
        self.clauses.append(None)
        return _Clause(len(self.clauses) - 1)

    def take(self, item: Item) -> None:
        if item.role == "sign":
            self._sign(item)
            return
        if self._starts_clause(item):
            self.close()
        self.now.started = item.start if self.now.started < 0 else self.now.started
        self.now.ended = item.end
        self.now.cues |= item.aside
        if item.surface.casefold() in self.table.ordered:
            self.ordered = True
        self._dispatch(item)
        self.now.last = item

    def _sign(self, item: Item) -> None:
        if item.key in "?？":
            self.asks = True
        if (item.key == "、" and self.table.language == "zh") or (
            item.key == "/" and self.now.last
        ):
            self.now.joined = True
            return
        if item.key in "([":
            self.outer.append(self.now)
            self.now = self._open()
        elif item.key in ")]" and self.outer:
            self.close()
            self.now = self.outer.pop()
        if item.key == "." and self.now.last and self.now.last.surface.casefold() in _ABBREVIATED:
            return
        dash = item.key == "-" and self.text[max(item.start - 1, 0)].isspace()
        if (item.key in ":：" or dash or item.key == "—") and self._is_label():
            self.now.divides, self.now.role, self.now.scope = item.start, "", ""
            return
        if item.key in ",，" and self._is_topic():
            self.now.role = ""
            return
        if item.key in _BREAKS or dash:
            self.close()

    def _is_label(self) -> bool:
        """Port: 5432. What stands before the colon is what the rest is about; together they are one clause."""
        return self.now.divides < 0 and bool(self.now.units) and not self.now.negations

    def _is_topic(self) -> bool:
        """On Fridays, ...: where and when are said first and belong to what follows."""
        units = [self.units[i] for i in self.now.units]
        if (
            not units
            or self.now.number > 0
            or self.now.negations
            or self.now.divides >= 0
            or self.now.cues
        ):
            return False
        return all(unit.role or unit.kind == "quantity" or unit.key in TIMES for unit in units)

    def _starts_clause(self, item: Item) -> bool:
        if self.now.started < 0:
            return False
        unspaced = self.table.language in UNSPACED
        if "boundary" in item.aside or (item.role == "condition" and item.key in _OPENING):
            return not unspaced or item.key not in _POSTPOSED
        joined = self.now.last is not None and self.now.last.role == "join"
        if not joined or unspaced:
            return False
        return item.role == "negate" or (item.role == "action" and self.now.divides >= 0)

    def _dispatch(self, item: Item) -> None:
        handler = getattr(self, "_" + item.role, None)
        if handler is not None:
            handler(item)
        elif item.role in _CONTENT:
            self._add(item)
        elif item.role == "month":
            self._add(replace(item, role="quantity", key=f"month:-{int(item.key):02}"))
        else:
            self._drop(item)

    def _drop(self, item: Item) -> None:
        surface = item.surface.casefold()
        self.dropped.append(surface)
        self.now.light = item
        if item.role in ("drop", "modal") and self._divides_here(item) and self._is_copula(item):
            self.now.divides = item.start
        self._note_tense(item)
        if not self.now.units and item.role == "drop":
            self.now.reason = self.now.reason or "boundary" in item.aside

    def _divides_here(self, item: Item) -> bool:
        """Nothing divided the clause yet, or only a noun that might be a verb (the review is ...)."""
        last = self.now.last
        noun = last is not None and last.role == "action" and last.start == self.now.divides
        return self.now.divides < 0 or (noun and self.table.language not in UNSPACED)

    def _is_copula(self, item: Item) -> bool:
        words = item.surface.casefold()
        forms = (words, self.table.bases.get(words, words), words.removesuffix("s"))
        return any(form in self.table.copulas for form in forms)

    def _note_tense(self, item: Item) -> None:
        surface = item.surface.casefold()
        base = self.table.bases.get(surface, surface)
        if surface in self.table.past and (not self.now.auxiliary or base == "be"):
            self.now.past = True
        if item.role == "modal" or (item.role == "drop" and base in ("be", "have")):
            self.now.auxiliary = True

    def _frame(self, item: Item) -> None:
        self.dropped.append(item.surface.casefold())
        self.request = self.request or any(
            r in item.surface.casefold() for r in self.table.requests
        )

    def _person(self, item: Item) -> None:
        self.persons.add(item.key)
        self.dropped.append(item.surface.casefold())

    def _ignore(self, item: Item) -> None:
        self._add(replace(item, role="word")) if self.table.language in UNSPACED else self._drop(
            item
        )

    def _negate(self, item: Item) -> None:
        kind = item.key
        previous = self.now.last
        if kind == "verbal" and item.surface.casefold() == "not" and previous is not None:
            verbal = previous.role in ("drop", "modal", "person") or not self.now.units
            kind = "verbal" if verbal else "contrast"
        self.now.negations.append((kind, len(self.units)))
        if kind == "contrast" and not self.table.markers_after:
            self.now.scope = "without"

    def _modal(self, item: Item) -> None:
        last = self.now.last
        if item.surface.casefold() in self.table.frequency and last is not None and last.role == "negate":
            self.now.negations.pop()  # not always: sometimes
            self._add(replace(item, role="quantify", key="not_all"))
            return
        if item.key == "exempt":
            self.now.negations.append(("post" if self.table.markers_after else "verbal", len(self.units)))
        self.now.modals.add(item.key)
        self._drop(item)

    def _marker(self, item: Item) -> None:
        if self.table.markers_after:
            self._mark_back(item.key, item.start)
        elif item.key == "of" and item.surface in ("'s",):
            self._mark_back("of", item.start)
        else:
            self.now.role = item.key
            if self.now.scope and self.units[self.now.units[-1]].kind == "quantity":
                self.now.scope = ""  # after 3pm on Fridays
        self._drop(item)

    def _mark_back(self, role: str, near: int) -> None:
        """Give the units right before a particle their role."""
        for i in reversed(self.now.units):
            unit = self.units[i]
            if unit.role or near - unit.end > 1:
                break
            self.units[i] = replace(unit, role=role)
            near = unit.start
            if role == "by":
                self.agents.add(i)

    def _join(self, item: Item) -> None:
        self.now.joined = True
        self._drop(item)

    def _quantify(self, item: Item) -> None:
        if self._limits_negation(item):
            return
        self.quantifiers.add(item.key)
        if item.key in _ORDER_WORDS:
            self.ordered = True
        if item.key in _OPTIONAL_QUANTIFIERS or (item.key == "first" and self._scoped("before")):
            self._drop(item)
        else:
            self._add(item)

    def _limits_negation(self, item: Item) -> bool:
        """Not all, not every: some are and some are not, which is no negation of the rest."""
        last = self.now.last
        if item.key != "all" or last is None or last.role != "negate" or self.table.markers_after:
            return False
        self.now.negations.pop()
        self._add(replace(item, key="not_all"))
        return True

    def _scoped(self, key: str) -> bool:
        return any(unit.key == key for unit in (self.units[i] for i in self.now.units))

    def _condition(self, item: Item) -> None:
        self.now.cues.add(item.key)
        if item.key == "then":
            self.ordered = True
        if item.key in _OPTIONAL_CONDITIONS:
            if item.key == "than":
                self.now.scope = "than"
            self._drop(item)
            return
        backward = self.table.language in UNSPACED and (
            item.key in ("before", "after") or self._follows(item)
        )
        if item.key == "after" and item.surface in _HENCEFORTH and not self.now.units:
            self._drop(item)  # 以后用中文: from now on
            return
        if backward:
            self._scope_back(item.key, item.start)
            self._add(item)
        else:
            self._add(item)
            self.now.scope = item.key if item.key in _SCOPED else self.now.scope
        self.now.role = ""

    def _follows(self, item: Item) -> bool:
        return self.table.markers_after or item.surface in (
            "以外",
            "之外",
            "除外",
            "例外",
            "的话",
            "为止",
        )

    def _scope_back(self, key: str, near: int) -> None:
        for i in reversed(self.now.units):
            gap = re.sub(r"\W", "", self.text[self.units[i].end : near])
            if self.units[i].scope or gap not in _GLUE:
                break
            near = self.units[i].start
            self.units[i] = replace(self.units[i], scope=key)

    def _action(self, item: Item) -> None:
        if self.now.divides < 0:
            self.now.divides = item.start
        self._note_tense(item)
        self._add(item)
        self.now.role = ""

    def _add(self, item: Item) -> None:
        if item.key in ("", "unset_") and item.role == "concept":
            return
        self.now.participle = self.now.participle or item.surface.endswith("ed")
        unit = Unit(
            key=item.key,
            kind=item.role,
            surface=item.surface or self.text[item.start : item.end],
            start=item.start,
            end=item.end,
            clause=self.now.number,
            forms=item.forms,
            role=self._role_of(item),
            scope=self.now.scope,
            joined=self.now.joined,
        )
        if self.now.role == "by" and item.role not in ("action", "condition"):
            self.agents.add(len(self.units))
        self.now.joined = False
        self.now.units.append(len(self.units))
        self.units.append(unit)

    def _role_of(self, item: Item) -> str:
        """Nouns get the role of the preposition before them; "to archive" is a verb, "to the archive" a noun."""
        if item.role == "condition":
            return ""
        if item.role == "action":
            last = self.now.last
            noun = last is not None and (last.role == "drop" or (last.role == "marker" and last.key != "toward"))
            return self.now.role if noun else ""
        return self.now.role

    def close(self) -> None:
        """End the clause: give its units their sign and write down what holds for all of it."""
        now = self.now
        if now.started < 0:
            return
        if now.negations and not now.units and now.light is not None:
            self._add(replace(now.light, role="word", key=now.light.surface.casefold()))
        negated = self._settle_signs()
        bounded = any(self.units[i].key in ("at_most", "at_least") for i in now.units)
        modals = frozenset(now.modals) - ({"may"} if negated or bounded else set())
        self.clauses[now.number] = ClauseFacts(
            start=now.started,
            end=now.ended,
            modals=modals,
            cues=frozenset(now.cues),
            tense=self._tense(),
            inside=self.outer[-1].number if self.outer else -1,
            denials=len(now.negations),
            negated=negated,
            divides=now.divides,
            opens_with_reason=now.reason,
        )
        self.now = self._open()

    def _tense(self) -> str:
        if self.wish:
            return ""  # if you didn't ...: a wish, not the past
        if self.now.past or "past" in self.now.cues:
            return "past"
        if "future" in self.now.cues:
            return "future"
        return "participle" if self.now.participle else ""

    def _settle_signs(self) -> bool:
        """Apply the clause's negations; two of them affirm, and make it a must."""
        now = self.now
        if self._is_double():
            if now.negations:
                now.modals.discard("may")
                now.modals.add("must")
            return False
        kind, at = now.negations[0]
        if kind == "contrast" and now.units and now.units[-1] < at and not self.table.markers_after:
            return False  # findet ... statt: no negation
        reached = any(i >= at for i in now.units)
        for i in now.units:
            self.units[i] = replace(self.units[i], sign=self._sign_of(i, kind, at, reached))
        return True

    def _is_double(self) -> bool:
        """Do the clause's negations cancel out? Only if the second denies what the first does (never skip)."""
        found = self.now.negations
        if len(found) % 2:
            return False
        if not found or self.table.markers_after:
            return True
        (_, first), (kind, second) = found[0], found[1]
        then = not self.table.linking.isdisjoint(self.dropped)
        if second == len(self.units):  # 不填不行: nothing stands behind the second
            return True
        return first == second or kind in ("inherent", "contrast") or then

    def _sign_of(self, i: int, kind: str, at: int, reached: bool) -> int:
        if self.table.markers_after:  # the negation stands behind the predicate
            if self.units[i].role == "topic":
                return 0
            return 1 if kind == "contrast" and i >= at else -1
        if i >= at or not reached:
            return -1
        return 1 if kind == "contrast" else 0

    def finish(self, offsets: tuple[int, ...]) -> Reading:
        self.close()
        while self.outer:
            self.now = self.outer.pop()
            self.close()
        units = tuple(replace(u, start=offsets[u.start], end=offsets[u.end]) for u in self._lists())
        clauses = tuple(
            replace(
                c,
                start=offsets[c.start],
                end=offsets[c.end],
                divides=offsets[c.divides] if c.divides >= 0 else -1,
            )
            for c in (clause or ClauseFacts(0, 0) for clause in self.clauses)
        )
        return Reading(
            language=self.table.language,
            units=units,
            clauses=clauses,
            dropped=tuple(self.dropped),
            persons=frozenset(self.persons),
            question=self.asks and not self.request,
            ordered=self.ordered,
            quantifiers=frozenset(self.quantifiers),
            agents=frozenset(self.agents),
            text=self.text,
        )

    def _lists(self) -> list[Unit]:
        """Number the lists: what "and" joins, and the short clauses between commas before it."""
        units = list(self.units)
        number = -1
        for i, unit in enumerate(units):
            if not unit.joined or i == 0:
                continue
            if units[i - 1].listed < 0:
                number += 1
                self._begin_list(units, i, number)
            for k in range(i, self._run_end(units, i)):
                units[k] = replace(units[k], listed=units[i - 1].listed)
        return units

    def _run_end(self, units: list[Unit], i: int) -> int:
        """Single characters side by side are one member."""
        end = i + 1
        while (
            end < len(units)
            and units[end].kind == "char"
            and units[end].start == units[end - 1].end
        ):
            end += 1
        return end

    def _begin_list(self, units: list[Unit], i: int, number: int) -> None:
        """Mark the member before "and", and those before it that stand between commas."""
        clause = units[i].clause
        head = [k for k in range(i) if units[k].clause == clause]
        first = i - 1
        while (
            first > 0 and units[first].kind == "char" and units[first - 1].end == units[first].start
        ):
            first -= 1
        if head and head[0] == first and len(head) <= _MEMBER:
            while first > 0 and self._is_member(units, first - 1, clause):
                first -= 1
                units[first] = replace(units[first], clause=clause)
            first = self._adopt(units, first, clause)
        for k in range(first, i):
            units[k] = replace(units[k], listed=number)

    def _is_member(self, units: list[Unit], k: int, clause: int) -> bool:
        """Is unit *k* a clause of its own, two words at most, right before?"""
        mine = [u for u in units if u.clause == units[k].clause]
        facts = self.clauses[units[k].clause]
        return (
            units[k].clause < clause
            and len(mine) <= _MEMBER
            and facts is not None
            and facts.divides < 0
        )

    def _adopt(self, units: list[Unit], first: int, clause: int) -> int:
        """A, B and C: the clause that ends with the first member takes the others in."""
        if first == 0 or units[first - 1].sign != units[first].sign:
            return first
        head = units[first - 1].clause
        for k in range(first, len(units)):
            if units[k].clause == clause:
                units[k] = replace(units[k], clause=head)
        return first - 1

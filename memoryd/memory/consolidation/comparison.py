"""The guards: what two entries are to each other, with the reason in words. A guard's veto is final.

*same* needs every unit of each side to find its equal in the other, with the same sign, scope, role, modality, tense and
certainty. Anything less is contains, update, distinct or unsure.
"""

from dataclasses import dataclass
from typing import Literal

from memoryd.memory.consolidation.acting import voice_problem
from memoryd.memory.consolidation.additions import addition_problem
from memoryd.memory.consolidation.alignment import Alignment, align, light_verbs
from memoryd.memory.consolidation.bearing import is_announced
from memoryd.memory.consolidation.choices import choice_problem
from memoryd.memory.consolidation.deeds import (
    DIRECTIONS,
    ended_problem,
    may_be_one,
    states,
)
from memoryd.memory.consolidation.differences import difference
from memoryd.memory.consolidation.governing import governed_problem
from memoryd.memory.consolidation.inversion import halves
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.literals import is_said, literals
from memoryd.memory.consolidation.modifiers import modifier_problem
from memoryd.memory.consolidation.movement import turned
from memoryd.memory.consolidation.numbering import counted_problem
from memoryd.memory.consolidation.order import role_clash
from memoryd.memory.consolidation.reasons import reason_clash
from memoryd.memory.consolidation.scopes import scope_problem
from memoryd.memory.consolidation.shared_verbs import shared_verb_problem
from memoryd.memory.consolidation.small_words import small_word_problem
from memoryd.memory.consolidation.topics import may_float
from memoryd.memory.consolidation.unit import IMPERATIVE, Reading
from memoryd.memory.consolidation.wording import wording_problem

Relation = Literal["same", "contains", "update", "conflict", "distinct", "unsure"]
Side = Literal["", "a", "b"]
Flip = Literal["", "literal", "sign", "done", "modality", "order", "scope", "direction", "veto"]

_MEASURES = frozenset({"old", "size", "long", "high", "better"})
_BEING = frozenset({"be", "is", "are", "been", "get"})
_OTHER: dict[Side, Side] = {"": "", "a": "b", "b": "a"}
_COMMON = frozenset({"concept", "action", "quality"})  # words that many texts have
_THIRD = frozenset({"he", "she", "they"})


@dataclass(frozen=True, slots=True)
class Objection:
    """Why two aligned readings do not say the same; *flip* names what was turned round, if that is all."""

    reason: str
    flip: Flip = "veto"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two readings side by side.

    Attributes:
        relation: what b is to a; "contains" means that one holds all of the other.
        wider: "a" or "b": the one to keep when relation is "contains".
        reason: in words.
    """

    relation: Relation
    reason: str
    similarity: float
    alignment: Alignment
    wider: Side = ""
    objection: Objection | None = None

    def turned(self) -> "Comparison":
        """Give the same comparison with a and b exchanged."""
        alignment, wider = turned(self.alignment), _OTHER[self.wider]
        return Comparison(
            self.relation, self.reason, self.similarity, alignment, wider, self.objection
        )

    @property
    def merges(self) -> bool:
        """Does one text hold all of the other?"""
        return self.relation in ("same", "contains")


def compare(a: Reading, b: Reading) -> Comparison:  # noqa: PLR0911 - one answer for each case
    """Compare two readings; the answer is the same either way round (see `updates` for which is newer)."""
    if (len(a.units), a.text) < (len(b.units), b.text):
        return compare(b, a).turned()
    alignment = align(a, b)
    similarity = alignment.similarity(a, b)
    if not alignment.pairs or not _is_substantial(a, b, alignment):
        return Comparison("distinct", "too little in common", similarity, alignment)
    if (parts := halves(a, b, alignment)) and not _object_to_halves(a, b, alignment, parts):
        whole = Alignment(alignment.pairs, (), ())
        return Comparison("same", "the same order, named from its other end", similarity, whole)
    if alignment.only_a and alignment.only_b:
        return Comparison("distinct", difference(a, b, alignment), similarity, alignment)
    objection = object_to(a, b, alignment) or object_to_wording(a, b)
    if objection:
        return Comparison("distinct", objection.reason, similarity, alignment, objection=objection)
    if not alignment.only_a and not alignment.only_b:
        return Comparison("same", "every unit has its equal", similarity, alignment)
    side: Side = "a" if alignment.only_a else "b"
    problem = (
        addition_problem(a, b, alignment)
        if side == "a"
        else addition_problem(b, a, turned(alignment))
    )
    if problem:
        return Comparison("unsure", problem, similarity, alignment)
    return Comparison("contains", "adds a detail", similarity, alignment, wider=side)


def _is_substantial(a: Reading, b: Reading, alignment: Alignment) -> bool:
    """One shared word is a topic, not a statement."""
    if len(alignment.pairs) > 1 or max(len(a.units), len(b.units)) == 1:
        return True
    longer = a if len(a.units) > len(b.units) else b
    alone = sum(unit.clause == longer.units[0].clause for unit in longer.units) == 1
    named = longer.units[0].kind not in _COMMON  # "confirmed information" is no part of any text
    dated = all(unit.kind == "quantity" for unit in longer.units[1:])
    return min(len(a.units), len(b.units)) == 1 and alone and (named or dated)


def object_to(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    """Ask every guard in turn but those of the wording (`object_to_wording`); the first objection counts."""
    return (
        _object_to_words(a, b, alignment)
        or _scoped(a, b, alignment)
        or _roles(a, b, alignment)
        or _between(a, b, alignment)
    )


def _object_to_halves(
    a: Reading, b: Reading, alignment: Alignment, parts: tuple[Alignment, Alignment]
) -> bool:
    clash = any(role_clash(a, b, part) for part in parts)
    words = _object_to_words(a, b, alignment) or object_to_wording(a, b)
    return clash or words is not None


def _object_to_words(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    return (
        _certainty(a, b)
        or _literals(a, b, alignment)
        or _signs(a, b, alignment)
        or _modality(a, b, alignment)
        or _needs(a, b, alignment)
        or _tense(a, b, alignment)
        or _light_verbs(a, b, alignment)
        or _vetoed(choice_problem(a, b, alignment))
    )


def _certainty(a: Reading, b: Reading) -> Objection | None:
    if a.question != b.question:
        return Objection("a question is not a statement")
    if is_announced(a.text, a.language) != is_announced(b.text, b.language):
        return Objection("what somebody is about to do is no state of things")
    if ("doubt" in a.cues()) != ("doubt" in b.cues()):
        return Objection("one is certain, the other is not")
    alone_a, alone_b = a.persons - {"you"}, b.persons - {"you"}
    alone = alone_a | alone_b  # he: the user, but she is not me
    told = "user" in alone and bool(alone & _THIRD) and not (_speaks(a) or _speaks(b))
    if alone_a and alone_b and not alone_a & alone_b and not told:
        return Objection("about another person")
    return None


def _speaks(reading: Reading) -> bool:
    return not lexicon(reading.language).speaking.isdisjoint(reading.dropped)


def object_to_wording(a: Reading, b: Reading) -> Objection | None:
    """Ask the guards that look at the words themselves; they take longest, so that they come last."""
    return _vetoed(wording_problem(a, b))


def _vetoed(problem: str | None) -> Objection | None:
    return Objection(problem) if problem else None


def _literals(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    """What is spelled as it is in one of them must be spelled so in the other."""
    for here, there, numbers in (
        (a, b, {i for i, _ in alignment.pairs}),
        (b, a, {j for _, j in alignment.pairs}),
    ):
        for start, end, plain in literals(here.text):
            inside = {n for n, unit in enumerate(here.units) if start <= unit.start < end}
            if (not inside or inside & numbers) and not is_said(plain, there.text):
                reason = f"{plain!r} is spelled so in only one of them"
                return Objection(reason, "literal")
    return None


def _signs(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    negative_a = negative_b = False
    for i, j in alignment.pairs:
        u, v = a.units[i], b.units[j]
        if u.sign * v.sign < 0:
            return Objection(f"{u.surface!r} is negated in one of them", "sign")
        negative_a, negative_b = negative_a or u.sign < 0, negative_b or v.sign < 0
    if negative_a != negative_b:
        return Objection("one of them is negated", "sign")
    if (
        a.language == b.language
        and (a.language in UNSPACED or _denies_twice(a) or _denies_twice(b))
        and (
            _denies(a, {a.units[i].clause for i, _ in alignment.pairs})
            != _denies(b, {b.units[j].clause for _, j in alignment.pairs})
        )
    ):
        return Objection("one of them is negated", "sign")
    return None


def _denies_twice(reading: Reading) -> bool:
    """Does a clause deny two things (offline mode is not supported)?"""
    return any(clause.denials > 1 for clause in reading.clauses)


def _denies(reading: Reading, clauses: set[int]) -> bool:
    """Does a clause deny an odd number of times (what is untested must not ship, what is untested may ship)?"""
    return any(reading.clauses[n].denials % 2 == 1 for n in clauses)


def _modality(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    clauses = [(a.units[i].clause, b.units[j].clause) for i, j in alignment.pairs]
    modals_a = _modals(a, {n for n, _ in clauses} | _labels(a))
    modals_b = _modals(b, {m for _, m in clauses} | _labels(b))
    for weak in ("exempt", "may"):
        if (weak in modals_a) != (weak in modals_b):
            return Objection(f"one says {weak!r}, the other does not", "modality")
    strict, mild = modals_a & {"must", "should"}, modals_b & {"must", "should"}
    if strict and mild and not strict & mild:
        return Objection("must is not should", "modality")
    for said, other, silent, places in (
        (a, modals_b, b, clauses),
        (b, modals_a, a, [(m, n) for n, m in clauses]),
    ):
        ruled = {m for n, m in places if "should" in said.clauses[n].modals}
        if not other and any(states(silent, m) for m in ruled):
            return Objection("what should be is not what is")
    return None


def _modals(reading: Reading, clauses: set[int]) -> frozenset[str]:
    return frozenset().union(*(reading.clauses[n].modals for n in clauses))


def _labels(reading: Reading) -> set[int]:
    """Optional: enable 2FA. Formerly, we used it. A clause without a unit of its own is said of the others."""
    if all(not (clause.modals or clause.tense or clause.cues) for clause in reading.clauses):
        return set()
    return set(range(len(reading.clauses))) - {unit.clause for unit in reading.units}


def _was_done(a: Reading, b: Reading, tenses: set[str], clauses: set[int]) -> bool:
    """Ann approved, Ann should approve: is a past, as no passive is meant, and b an order?"""
    ordered = any(clause.modals & {"must", "should"} for clause in b.clauses)
    if tenses != {"participle"} or not ordered or _modals(a, clauses):
        return False
    return _BEING.isdisjoint((*a.dropped, *b.dropped))


def _needs(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    """Without X no Y: X must be for Y to be, which is not Y must be where X is."""
    for i, j in alignment.pairs:
        ours, theirs = a.clauses[a.units[i].clause], b.clauses[b.units[j].clause]
        if not (ours.conditional or theirs.conditional) or not (ours.needed and theirs.needed):
            continue
        first, second = i in ours.needed, j in theirs.needed
        plain = (second and not theirs.conditional) or (first and not ours.conditional)
        if first != second and not plain and not may_float(a, b, i, j):
            return Objection(f"{a.units[i].surface!r} is needed in only one of them")
    return None


def _tense(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    places = [(a.units[i].clause, b.units[j].clause) for i, j in alignment.pairs]
    clauses_a = {n for n, _ in places} | _labels(a)
    clauses_b = {m for _, m in places} | _labels(b)
    tenses_a = {a.clauses[n].tense for n in clauses_a}
    tenses_b = {b.clauses[n].tense for n in clauses_b}
    for tense in ("past", "future"):
        if (tense in tenses_a) != (tense in tenses_b):
            beside_a = {b.clauses[m].tense for n, m in places if a.clauses[n].tense == tense}
            beside_b = {a.clauses[n].tense for n, m in places if b.clauses[m].tense == tense}
            if tense == "future" or "participle" not in beside_a | beside_b:
                return Objection(f"only one speaks of the {tense}")
    if ("past" in a.cues(clauses_a)) != ("past" in b.cues(clauses_b)):
        silent_tenses = tenses_b if "past" in a.cues(clauses_a) else tenses_a
        if "past" not in silent_tenses:
            return Objection("only one speaks of the past")  # formerly, labels are printed
    if _was_done(a, b, tenses_a, clauses_a) or _was_done(b, a, tenses_b, clauses_b):
        return Objection("what is done is not what is to be done", "done")
    for cue in ("pending", "done"):
        if (cue in a.cues(clauses_a)) != (cue in b.cues(clauses_b)):
            silent = b if cue in a.cues(clauses_a) else a
            if cue == "done" and (_is_perfective(silent) or "past" in (tenses_a | tenses_b)):
                continue
            return Objection("what is done is not what is to be done", "done")
    return None


def _is_perfective(reading: Reading) -> bool:
    """坏了: is done, without 已经."""
    endings = lexicon(reading.language).perfective
    if not endings.isdisjoint(reading.dropped):
        return True
    return any(unit.surface.endswith(tuple(endings)) for unit in reading.units)


def _light_verbs(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    """Give lessons, get lessons: a verb that may be missing must not be another one."""
    ours = light_verbs(a, [i for i, _ in alignment.pairs], alignment.only_a)
    theirs = light_verbs(b, [j for _, j in alignment.pairs], alignment.only_b)
    if ours & _MEASURES and theirs & _MEASURES and not ours & theirs & _MEASURES:
        return Objection("another measure")
    ours, theirs = ours - _MEASURES, theirs - _MEASURES
    if ours - {IMPERATIVE} and theirs - {IMPERATIVE} and not may_be_one(ours, theirs, a, b):
        changed = not (ours | theirs) - DIRECTIONS - {IMPERATIVE}  # raised to 5, now lowered to 3
        return Objection(
            f"another verb: {min(ours)} / {min(theirs)}", "direction" if changed else "veto"
        )
    if (
        bool(ours) != bool(theirs)
        and a.language not in UNSPACED
        and any(a.units[i].role == b.units[j].role == "by" for i, j in alignment.pairs)
    ):
        return Objection("only one tells what is done")  # installed by Ben, called by Ben
    if ("go" in ours) != ("go" in theirs) and any(
        {a.units[i].role, b.units[j].role} == {"toward", "in"} for i, j in alignment.pairs
    ):
        return Objection("who goes there is not there yet")
    return None


def _scoped(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    word = scope_problem(a, b, alignment)
    return Objection(f"{word!r} stands in another condition", "scope") if word else None


def _roles(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    reason = role_clash(a, b, alignment) or reason_clash(a, b, alignment)
    reason = reason or modifier_problem(a, b, alignment)
    return Objection(reason, "order") if reason else None


def _between(a: Reading, b: Reading, alignment: Alignment) -> Objection | None:
    """What the words between the units tell: who acts, and small words of the same text."""
    reason = voice_problem(a, b, alignment) or counted_problem(a, b, alignment)
    reason = reason or small_word_problem(a, b, alignment) or governed_problem(a, b, alignment)
    reason = reason or ended_problem(a, b, alignment) or shared_verb_problem(a, b, alignment)
    return _vetoed(reason)

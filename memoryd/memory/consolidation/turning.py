"""The same words with a sign, a modality or an order turned round: does the newer text say the opposite of the older?"""

from collections import Counter

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.attributes import mentions
from memoryd.memory.consolidation.comparison import Objection
from memoryd.memory.consolidation.exchange import are_crossed
from memoryd.memory.consolidation.lexicon import lexicon
from memoryd.memory.consolidation.order import role_clash
from memoryd.memory.consolidation.site import WORDS_OF_DEGREE, value_kind
from memoryd.memory.consolidation.unit import Reading

_STEPS = frozenset(
    {
        "after",
        "before",
        "next",
        "last",
        "first",
        "then",
        "finally",
        "second",
        "ordinal:1",
        "ordinal:2",
    }
)

_CROSSING = frozenset({"code", "name", "word", "char", "concept"})


def is_turned_round(old: Reading, new: Reading, alignment: Alignment, objection: Objection) -> bool:
    """Is what the guards object to all there is between the two, so that the newer replaces the older?"""
    if _is_told_otherwise(old, new, alignment, objection):
        return False
    if objection.flip == "sign" and (
        role_clash(old, new, alignment) or _have_crossed(old, new, alignment)
    ):
        return False  # copy from staging to prod, never copy from prod to staging
    if objection.flip in ("sign", "order") and _is_governed_otherwise(old, new, alignment):
        return False
    bounded = any(
        unit.kind == "compare" for unit in old.units
    )  # may have at most 3 = must not have more
    if objection.flip == "modality" and not bounded and _says_how(old) and _says_how(new):
        return True
    if objection.flip in ("sign", "done") and (
        "change" in new.cues() or _is_plain_denial(old, new)
    ):
        return True
    steps = old.ordered and new.ordered and _steps_exchanged(old, new, alignment)
    swapped = steps or (objection.flip == "order" and _values_swapped(old, new, alignment))
    return swapped and _is_assignment(old) and _is_assignment(new)


def _have_crossed(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """A is B's boss, B is not A's boss: did two change places that are neither verbs nor amounts?"""
    pairs = [(i, j) for i, j in alignment.pairs if old.units[i].kind in _CROSSING]
    return are_crossed(pairs)


def _ends_exchanged(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """Before X there must be Y, no X before there was Y: the same order told from its other end."""
    scopes = {(old.units[i].scope, new.units[j].scope) for i, j in alignment.pairs}
    return {("before", ""), ("", "before")} <= scopes


def _is_governed_otherwise(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """Lives in Graz, is no longer employed by Graz; A reports to B, B reports on A: do other prepositions stand there?"""
    ours = Counter(old.units[i].role for i, _ in alignment.pairs)
    theirs = Counter(new.units[j].role for _, j in alignment.pairs)
    mine, yours = ours - theirs, theirs - ours
    return bool(set(mine) - {""}) and bool(set(yours) - {""})


def _is_told_otherwise(
    old: Reading, new: Reading, alignment: Alignment, objection: Objection
) -> bool:
    """Is the newer text built another way, so that what looks turned round may only be told from another end?

    Steps that changed places stand in one list or in clauses of one kind; anything else keeps its place.
    """
    if objection.flip == "sign":
        return _ends_exchanged(old, new, alignment)
    pairs = sorted(alignment.pairs)
    moved = [(i, k) for n, (i, j) in enumerate(pairs) for k, m in pairs[n + 1 :] if j > m]
    if objection.flip == "order":
        return any(
            old.units[i].scope != old.units[k].scope
            or {old.units[i].kind, old.units[k].kind} & set(WORDS_OF_DEGREE)
            for i, k in moved
        )
    return objection.flip == "modality" and bool(moved)


def _is_plain_denial(old: Reading, new: Reading) -> bool:
    return negations(old) + negations(new) == 1 and not _both_must(old, new)


def _both_must(old: Reading, new: Reading) -> bool:
    """Must do it / not to do it is not to be: two ways to say the same, one of them not understood."""
    return all(any("must" in clause.modals for clause in reading.clauses) for reading in (old, new))


def _says_how(reading: Reading) -> bool:
    """Does the text say in words whether something must or may be?"""
    return any(clause.modals & {"must", "may", "should", "exempt"} for clause in reading.clauses)


def negations(reading: Reading) -> int:
    """How often a text denies or puts off."""
    return sum(max(clause.denials, "pending" in clause.cues) for clause in reading.clauses)


def _values_swapped(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """Did two values of one kind change places, or the steps of an order?"""
    if (old.ordered or new.ordered) and _are_steps(old) and _are_steps(new):
        return True
    values = [
        (i, j) for i, j in alignment.pairs if old.units[i].kind in ("code", "name", "quantity")
    ]
    return any(
        i < k and j > m and value_kind(old.units[i]) == value_kind(old.units[k])
        for i, j in values
        for k, m in values
    )


def _are_steps(reading: Reading) -> bool:
    """Does a text that orders anything name more than one step? Of unspaced ones it must say which comes then."""
    keys = {unit.key for unit in reading.units}
    listed = any(unit.listed >= 0 for unit in reading.units)
    said = {*keys, *(word.casefold() for word in reading.dropped)}
    return listed or not said.isdisjoint(_STEPS)


def _steps_exchanged(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """Was something first that is now then, and the other way round?"""
    scopes = {(old.units[i].scope, new.units[j].scope) for i, j in alignment.pairs}
    return {("after", ""), ("", "after")} <= scopes


def _is_assignment(reading: Reading) -> bool:
    """Does the text only say what (or who) something is, or in which order?"""
    if reading.ordered:
        return True
    owner = lexicon(reading.language).attributes.get("owner", frozenset())
    verbs = [unit for unit in reading.units if unit.kind == "action"]
    return all(mentions(unit.surface.casefold(), owner) for unit in verbs)

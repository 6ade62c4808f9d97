"""Which verbs that are no units may stand for each other: a wish and an order, a ban and what is denied, get and give."""

from memoryd.memory.consolidation.alignment import Alignment, is_cancelled
from memoryd.memory.consolidation.lexicon import lexicon
from memoryd.memory.consolidation.unit import IMPERATIVE, Reading

DIRECTIONS = frozenset({"up", "down", "longer", "shorter", "later", "earlier"})  # of a change
_WISHES = frozenset({"want", "prefer"})
_BEING = frozenset({"be", "is", "are", "been", "get"})
_USED = frozenset({"use", IMPERATIVE})
_PROVIDED = frozenset({"give", "have", "get", "use", "make", "stay", "put", IMPERATIVE})
_BANS = frozenset({"forbid", "omit"})
_DENIALS = _BANS | {"forget", "cease", "refuse", "loathe"}
_ORDERING = frozenset({"do", "don't", "dont", "not", "never", "always", "please", "to"})


def may_be_one(  # noqa: PLR0911 - one answer for each pair of verbs
    ours: frozenset[str], theirs: frozenset[str], a: Reading, b: Reading
) -> bool:
    """Do they share a sense, or is one what is wanted and the other what to do, or one a ban and the other denied?"""
    if ours & theirs - {IMPERATIVE}:
        return True
    for mine, other, reading in ((ours, theirs, b), (theirs, ours, a)):
        if _is_received(mine, other) or _is_wished(mine, other, reading):
            return True
        if (
            "omit" in mine
            and other & {"have", "need", "make"}
            and has_cancelled(a if reading is b else b)
        ):
            return True
        denied = any(clause.denials for clause in reading.clauses)
        if "have" in mine and _USED & other and all(_is_denied(r) for r in (a, b)):
            return True  # no jokes may be used in it = it must not contain jokes
        if mine <= _WISHES and IMPERATIVE in other:
            return True
        if "need" in mine and {"use", IMPERATIVE} <= other:
            return True  # production needs three replicas = use three replicas in production
        if "loathe" in mine and other <= _WISHES and denied:
            return True
        if mine & _BANS and not other & _DENIALS and any(c.denials for c in reading.clauses):
            return True
    return not (ours | theirs) & _DENIALS and any(c.denials > 1 for c in (*a.clauses, *b.clauses))


def _is_denied(reading: Reading) -> bool:
    return any(clause.denials % 2 for clause in reading.clauses)


def _is_received(mine: frozenset[str], other: frozenset[str]) -> bool:
    """The dog gets none = give the dog none."""
    return "get" in mine and {"give", IMPERATIVE} <= other


def _is_wished(mine: frozenset[str], other: frozenset[str], reading: Reading) -> bool:
    """Wants replies without jokes = replies are to be given without jokes."""
    directive = any(clause.modals & {"must", "should"} for clause in reading.clauses)
    ordered = not lexicon(reading.language).directing.isdisjoint(reading.dropped)
    return mine <= _WISHES | {IMPERATIVE} and other <= _PROVIDED and (directive or ordered)


def has_cancelled(reading: Reading) -> bool:
    """Does the text deny what it denies (may not be omitted)?"""
    return any(is_cancelled(clause) for clause in reading.clauses)


def ended_problem(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """The bank closed, the bank closes at noon: a form in -ed without an auxiliary is not one in -s."""
    if not a.language == b.language == "en" or a.agents or b.agents:
        return None
    for i, j in alignment.pairs:
        forms = (a.units[i], b.units[j])
        ends = tuple(unit.surface.endswith("ed") for unit in forms)
        acts = all(unit.kind == "action" for unit in forms) and ends[0] != ends[1]
        if (
            acts
            and forms[ends[0]].surface.endswith("s")
            and _BEING.isdisjoint((*a.dropped, *b.dropped))
        ):
            return "only one speaks of the past"
    return None


def states(reading: Reading, clause: int) -> bool:
    """Does the clause tell what something does (the API returns JSON), rather than what to do?"""
    divides, verbs = reading.clauses[clause].divides, reading.clauses[clause].verbs
    if "use" in verbs and IMPERATIVE not in verbs and "we" in reading.persons:
        return True
    subject = reading.text[max(reading.clauses[clause].start, 0) : max(divides, 0)].casefold()
    if all(word in _ORDERING or word.endswith("ly") for word in subject.split()):
        return False  # don't manually edit them
    return divides > 0 and any(
        u.kind == "action" and u.start >= divides for u in reading.units if u.clause == clause
    )

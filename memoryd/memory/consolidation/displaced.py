"""What a newer text says outright about the older one's value: B and not A, or another name where A was spelled."""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.literals import literals
from memoryd.memory.consolidation.site import value_kind
from memoryd.memory.consolidation.unit import Reading, Unit

_LEFT = frozenset({"from", "of"})  # German "von" is both
_ARRIVED = frozenset({"toward", "in", "from"})  # "auf"; 从 A 换成 B reaches to B
_THINGS = frozenset({"concept", "word", "char", "name", "code"})
_MOVING = frozenset({"move"})
_STANDING = frozenset(
    {"execute", "listen", "live", "stand", "sit", "host", "address", "ip", "port"}
)  # no more than where it is


def is_denied_for_another(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """Use pnpm for this repo, not npm: is the older value denied, and all that is new another of its kind in its place?"""
    if len(alignment.only_b) != 1 or alignment.only_a:
        return False
    denied = [(i, j) for i, j in alignment.pairs if new.units[j].sign < 0 < old.units[i].sign]
    if len(denied) != 1:
        return False
    before, after = old.units[denied[0][0]], new.units[alignment.only_b[0]]
    signs = all(
        new.units[j].sign in (0, old.units[i].sign)  # 0: outside of what is denied
        for i, j in alignment.pairs
        if (i, j) not in denied
    )
    alike = _are_of_a_kind(before, after) and before.role == after.role
    return signs and alike and after.sign > 0 and before.kind != "action"


def is_left_for_another(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """We switched from Slack to Mattermost: is what the older text uses said to be left for another of its kind?"""
    if "change" not in new.cues():
        return False
    for i, j in alignment.pairs:
        before, after = old.units[i], new.units[j + 1 : j + 2]
        left = new.units[j].role in _LEFT and before.role not in _LEFT
        used = "use" in old.clauses[before.clause].verbs or before.role == "with"
        if not (left and used and after and "change" in new.cues({new.units[j].clause})):
            continue
        if _are_of_a_kind(after[0], before) and after[0].role in _ARRIVED:
            return True
    return False


def has_moved(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """The office moved from Berlin to Leipzig: does what the older text places somewhere stand elsewhere now?

    The newer text speaks of nothing else, and the older says no more than where it is.
    """
    alone = [old.units[i] for i in alignment.only_a]
    if any(unit.key not in _STANDING for unit in alone):
        return False
    return any(_is_left_behind(old, new, alignment, i, j) for i, j in alignment.pairs)


def is_of_another(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """张伟的父母住在上海, 张伟从上海搬到了北京: is what the newer text leaves or denies said of another thing in the older?

    Then a noun stands before it there that the newer text does not have: his parents, the service's database.
    """
    given_up = [
        i
        for i, j in alignment.pairs
        if old.units[i].sign > 0 and (new.units[j].sign < 0 or new.units[j].role == "from")
    ]
    return any(
        k < i
        and old.units[k].clause == old.units[i].clause
        and old.units[k].kind in _THINGS
        and old.units[k].key not in _STANDING
        for i in given_up
        for k in alignment.only_a
    )


def _is_left_behind(old: Reading, new: Reading, alignment: Alignment, i: int, j: int) -> bool:
    """Is the older place or value named as what was left, for another of its kind?"""
    before, left = old.units[i], new.units[j]
    if left.role not in _LEFT or before.role in _LEFT or min(before.sign, left.sign) <= 0:
        return False
    clause, was = new.clauses[left.clause], old.clauses[before.clause]
    if clause.modals or clause.tense == "future" or "pending" in clause.cues or was.tense == "past":
        return False
    paired = {m for _, m in alignment.pairs}
    mine = [m for m, unit in enumerate(new.units) if unit.clause == left.clause]
    moving = {m for m in mine if new.units[m].key in _MOVING}
    named = [m for m in mine if m < j and m not in moving]
    arrived = [m for m in mine if m > j and new.units[m].role in _ARRIVED]
    said = bool(moving) or "change" in clause.cues
    if not said or not named or not paired.issuperset(named) or not arrived:
        return False
    return _are_of_a_kind(before, new.units[arrived[-1]])


def _are_of_a_kind(before: Unit, after: Unit) -> bool:
    kinds = {value_kind(before), value_kind(after)}
    return len(kinds) == 1 or kinds == {"word", "code"}


def spelled_apart(old: Reading, new: Reading, alignment: Alignment) -> Alignment:
    """The branch is called master, the branch is called main: names that mean the same are two values all the same."""
    spans = [[(start, end) for start, end, _ in literals(one.text)] for one in (old, new)]
    if not all(spans):
        return alignment

    def is_apart(i: int, j: int) -> bool:
        before, after = old.units[i], new.units[j]
        if before.surface.casefold() == after.surface.casefold():
            return False
        inside = [
            any(start <= unit.start < end for start, end in those)
            for unit, those in zip((before, after), spans, strict=True)
        ]
        return all(inside)

    apart = [(i, j) for i, j in alignment.pairs if is_apart(i, j)]
    if not apart:
        return alignment
    return Alignment(
        tuple(pair for pair in alignment.pairs if pair not in apart),
        tuple(sorted((*alignment.only_a, *(i for i, _ in apart)))),
        tuple(sorted((*alignment.only_b, *(j for _, j in apart)))),
    )

"""A clause while it is being read, and what its negations do to its units."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.lexicon import Lexicon
from memoryd.memory.consolidation.unit import Unit

_ALLOWED = frozenset({"forbid"})  # what is not forbidden is allowed


@dataclass(slots=True)
class Clause:
    """A clause while it is being read; *units* are indexes, for a bracket may stand inside of it."""

    number: int
    units: list[int] = field(default_factory=list)
    started: int = -1
    ended: int = -1
    negations: list[tuple[str, int]] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)  # the words of the negations
    attributes: list[int] = field(default_factory=list)  # where what is said of a noun ends (的)
    modals: set[str] = field(default_factory=set)
    cues: set[str] = field(default_factory=set)
    role: str = ""
    scope: str = ""
    joined: bool = False
    divides: int = -1
    past: bool = False
    auxiliary: bool = False  # be, have or a modal: what follows is a participle
    reason: bool = False
    verbs: set[str] = field(default_factory=set)  # senses of the verbs that are no units
    perfect: str = ""  # a form of have or get that turns out an auxiliary if a participle follows
    needed: list[range] = field(default_factory=list)  # units that a "must" is about
    conditional: bool = False
    opens: bool = False  # with a condition, at its very start
    participle: bool = False  # "-ed" alone does not tell moved from was moved
    ruled: bool = False  # what may or must be is said before a comma (es ist erlaubt, ...)
    last: Item | None = None
    light: Item | None = None  # the last dropped word, content after all if nothing else is negated


def role_of(clause: Clause, item: Item) -> str:
    """Nouns get the role of the preposition before them; "to archive" is a verb, "to the archive" a noun."""
    if item.role == "condition":
        return ""
    if item.role == "action":
        last = clause.last
        noun = last is not None and (
            last.role == "drop" or (last.role == "marker" and last.key != "toward")
        )
        return clause.role if noun else ""
    return clause.role


def signs(
    clause: Clause, units: list[Unit], dropped: Iterable[str], table: Lexicon
) -> dict[int, int]:
    """Give the new sign of the clause's units; empty if it affirms.

    Two negations of which the second denies what the first does (never skip) affirm, and make it a must.
    """
    if not clause.negations:
        return {}
    if (
        not table.markers_after
    ):  # findet ... statt: a contrast with nothing behind it is no negation
        clause.negations = [n for n in clause.negations if n[0] != "contrast" or n[1] < len(units)]
    if _is_double(clause, units, dropped, table):
        if len(clause.negations) == 1:
            clause.negations = []
            clause.modals.add("must")
        if clause.negations:
            (_, first), (_, second) = clause.negations[0], clause.negations[-1]
            if clause.denied[0] in table.admitting and clause.denied[-1] in table.forbidding:
                clause.modals = (clause.modals - {"must", "exempt"}) | {"may"}  # 不是不可以
                return {}
            if second == first:
                said = next((at for at in clause.attributes if at > second), len(units))
                when = [i for i in range(second, said) if units[i].scope == "when"]
                said = when[-1] + 1 if when else said  # 不能没有备份就升级
                opens = clause.denied[0] in table.forbidding | table.nobody
                clause.needed = [range(second, said)]
                clause.conditional = opens and clause.denied[-1] in table.lacking
            elif _needs(clause, dropped, table):
                said = next((at for at in clause.attributes if first < at < second), second)
                clause.needed, clause.conditional = [range(first, said)], True
            clause.modals -= {"may", "exempt"}
            allowed = clause.negations[1][0] == "inherent" and clause.verbs >= _ALLOWED
            clause.modals.add("may" if allowed and "omit" not in clause.verbs else "must")
        return {}
    kind, at = clause.negations[0]
    reached = any(i >= at for i in clause.units)
    if table.markers_after:
        turned = {i: _sign_before(units[i], i, kind, at) for i in clause.units}
        nothing = kind != "contrast" and not any(turned.values())
        return dict.fromkeys(turned, -1) if nothing else turned  # 旧APIは使わない
    outside = 1 if kind == "contrast" else 0
    return {i: -1 if i >= at or not reached else outside for i in clause.units}


def _sign_before(unit: Unit, i: int, kind: str, at: int) -> int:
    """Where the negation stands behind the predicate, all but the topic is in its reach."""
    if unit.role == "topic":
        return 0
    return 1 if kind == "contrast" and i >= at else -1


def _needs(clause: Clause, dropped: Iterable[str], table: Lexicon) -> bool:
    """Without X, then not Y; without X Y is forbidden."""
    if not table.linking.isdisjoint(dropped):
        return True
    first, second = clause.denied[:2]
    return first in table.lacking and second in table.forbidding


def _is_double(clause: Clause, units: list[Unit], dropped: Iterable[str], table: Lexicon) -> bool:
    """Do the clause's negations cancel out?"""
    found = clause.negations
    if len(found) == 1 and found[0][1] == len(units) and not table.insisting.isdisjoint(dropped):
        return clause.denied[0] in table.forbidding  # 非得对完不可
    if len(found) % 2:
        return False
    if not found or table.markers_after:
        return True
    (_, first), (kind, second) = found[0], found[1]
    if second == len(units):  # 不填不行: nothing stands behind the second
        return True
    if clause.denied[0] in table.nobody:
        return True  # 没有一个接口不鉴权: all of them do
    linked = _needs(clause, dropped, table)  # 没付款就取消 denies nothing that was denied
    return first == second or (kind in ("inherent", "contrast")) != linked

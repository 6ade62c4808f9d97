"""Who does what to whom: may the units of two readings stand in another order and still say the same?

PAWS-type twins (A reviews B, B reviews A) have the same words. Two units that changed places need a reason:
other kinds that cannot be confused, the same preposition, a passive, a list, whole clauses that moved.
"""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.belonging import belongs_to_another
from memoryd.memory.consolidation.chinese_order import is_fronted, is_relative
from memoryd.memory.consolidation.exchange import exchanged, parts_exchanged
from memoryd.memory.consolidation.identity import is_identity, is_named, is_turned
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.movement import (
    acts,
    clauses_match,
    follows_another,
    is_addressed,
    is_attributive,
    is_deed,
    is_means,
    is_more_than,
    is_other_means,
    may_move,
    singled_out,
    turned,
)
from memoryd.memory.consolidation.passive import passive_clash
from memoryd.memory.consolidation.unit import Reading, Unit
from memoryd.memory.consolidation.voice import STRONG, is_passive, voice_clash, when

_VERBS = frozenset({"action", "condition", "compare", "quantify"})
_PLACING = frozenset({"in", "for", "with", "at"})
_CONDITIONS = frozenset({"if", "when", "unless", "before", "after"})
_WHEN = {"if": "when"}  # when it fails = if it fails
_GENERAL = frozenset({"all", "some", "most", "many", "only"})
_OPPOSED = frozenset(
    frozenset(pair)
    for pair in (
        ("by", "toward"), ("by", "from"), ("by", "for"), ("from", "toward"), ("from", "for"), ("from", "in"),
        ("of", "by"), ("as", "with"), ("subj", "obj"), ("subj", "toward"), ("obj", "toward"), ("from", "obj"), ("at", "toward"), ("of", "toward"),
    )
)  # fmt: skip


def role_clash(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Name the first pair of units whose roles differ or were exchanged."""
    for i, j in alignment.pairs:
        u, v = a.units[i], b.units[j]
        by_or_to = u.key.startswith("pct:") and (u.role == "toward") != (v.role == "toward")
        if by_or_to or (frozenset((u.role, v.role)) in _OPPOSED and not when(u)):
            return f"{u.surface!r} plays another role"
    if is_other_means(a, b, alignment) or is_other_means(b, a, turned(alignment)):
        return "what is used is another"
    if clash := voice_clash(a, b, alignment) or passive_clash(a, b, alignment):
        return clash
    if _is_only_of_another(a, b, alignment):
        return "'only' is said of another"
    if reason := belongs_to_another(a, b, alignment):
        return reason
    return (
        parts_exchanged(a, b, alignment)
        or exchanged(a, b, alignment)
        or _turned_whole(a, b, alignment)
        or _changed_places(a, b, alignment)
    )


def _turned_whole(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    general = (a.quantifiers | b.quantifiers) & _GENERAL and all(
        u.kind != "quantity" for u in a.units
    )
    if general and is_turned(a, b, alignment):
        return "the two sides of a statement about all changed places"
    if not _verbs_stay(a, b, alignment):
        return "the verbs of two clauses changed places"
    return None


def _changed_places(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    steps = a.ordered or b.ordered
    movable = [
        (i, j) for i, j in alignment.pairs if steps or not (_is_verb(a, i) and _is_verb(b, j))
    ]
    for n, (i, j) in enumerate(movable):
        for k, m in movable[n + 1 :]:
            if j < m or (_may_be_verb(a, i, k) and not _is_mirrored(alignment, (i, j), (k, m))):
                continue
            if _needed(a, b, (i, j)) != _needed(a, b, (k, m)):
                continue
            if _are_steps(a, b, i, k) or not _may_swap(a, b, (i, j), (k, m), alignment):
                return f"{a.units[i].surface!r} and {a.units[k].surface!r} changed places"
    return None


def _is_only_of_another(a: Reading, b: Reading, alignment: Alignment) -> bool:
    """Only admins delete projects, admins delete only projects: whom the word singles out must be the same."""
    partner = dict(alignment.pairs)
    for i, j in alignment.pairs:
        if a.units[i].key != "only":
            continue
        if lexicon(a.language).markers_after and follows_another(a, b, partner, (i, j)):
            return True
        if _opens(a, i) == _opens(b, j) or partner.get(i + 1) == j + 1:
            continue
        if not {partner.get(k) for k in singled_out(a, i)} & singled_out(b, j):
            return True
    return False


def _opens(reading: Reading, i: int) -> bool:
    return reading.units[i].start == reading.clauses[reading.units[i].clause].start


def _verbs_stay(a: Reading, b: Reading, alignment: Alignment) -> bool:
    """Mornings we interview, afternoons we train: did two verbs of two clauses exchange what stands with them?"""
    verbs = [(i, j) for i, j in alignment.pairs if _is_verb(a, i) and _is_verb(b, j)]
    rest = [pair for pair in alignment.pairs if pair not in verbs]
    return not any(
        _went_over(a, b, rest, verb, other) and _went_over(a, b, rest, other, verb)
        for n, verb in enumerate(verbs)
        for other in verbs[n + 1 :]
    )


def _went_over(
    a: Reading, b: Reading, rest: list[tuple[int, int]], old: tuple[int, int], new: tuple[int, int]
) -> bool:
    """Does a unit stand with the one verb in a, with the other in b?"""
    here, there = a.units[old[0]].clause, b.units[new[1]].clause
    if here == a.units[new[0]].clause or there == b.units[old[1]].clause:
        return False
    return any(a.units[i].clause == here and b.units[j].clause == there for i, j in rest)


def _may_be_verb(reading: Reading, i: int, k: int) -> bool:
    deeds = lexicon(reading.language).deeds
    pair = (reading.units[i], reading.units[k])
    verbs = sum(acts(u, reading) or u.surface in deeds for u in pair)
    together = pair[0].clause == pair[1].clause and pair[0].scope == pair[1].scope
    return verbs > 0 and (not reading.ordered or (verbs == 1 and together))


def _is_mirrored(alignment: Alignment, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Does a third unit between the two stand between them in the other text too (A calls B, B calls A)?"""
    return any(first[0] < i < second[0] and second[1] < j < first[1] for i, j in alignment.pairs)


def _is_verb(reading: Reading, i: int) -> bool:
    """Of several words that may be verbs (orders trigger invoices) none is taken for sure."""
    unit = reading.units[i]
    if not acts(unit, reading):
        return unit.kind in _VERBS - {"action"}
    if reading.language == "zh":  # 需求变更要登记: of several, the last one is the verb
        deeds = lexicon("zh").deeds
        after = (u for u in reading.units[i + 1 :] if u.clause == unit.clause)
        return all(u.kind != "action" and u.surface not in deeds for u in after)
    return sum(u.kind == "action" and u.clause == unit.clause for u in reading.units) == 1


def _may_swap(  # noqa: PLR0911 - one answer for each reason
    a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int], alignment: Alignment
) -> bool:
    u, v = a.units[first[0]], a.units[second[0]]
    u2, v2 = b.units[first[1]], b.units[second[1]]
    if u.kind == v.kind == "char" and u.end == v.start and v2.end == u2.start:
        return False  # 田中, 中田
    if (
        (u.kind == "quantity") != (v.kind == "quantity")
        or when(u) != when(v)
        or _states(a, b, u, v)
        or (u.kind == "quality") != (v.kind == "quality")
        or _counted(a, b, first) != _counted(a, b, second)
    ):
        return True
    if u.listed >= 0 and u.listed == v.listed and u2.listed == v2.listed >= 0:
        return True
    if any(is_addressed(a, b, one) for one in (first, second)):
        return True
    if any(may(a, b, first, second) for may in (may_move, is_fronted, is_relative)):
        return True
    if u.clause != v.clause and u2.clause != v2.clause:
        whole = (
            _is_reason(a, b, u, u2)
            or _is_reason(a, b, v, v2)
            or (is_more_than(u, a) and is_more_than(v, a))
        )
        return whole and clauses_match(a, b, alignment)
    if u.kind == "quantity":
        return False
    if is_identity(a, b, alignment):
        return True
    return (
        _same_role(u, u2, v, v2)
        or _is_labelled(a, b, first, second)
        or _is_holder(a, b, (u, u2), (v, v2))
        or _is_holder(a, b, (v, v2), (u, u2))
        or _is_attribute(a, b, (u, u2), (v, v2))
        or _is_attribute(a, b, (v, v2), (u, u2))
        or is_passive(a, b, alignment)
        or _is_compound(u, v, u2, v2)
        or _is_nominal(a, b, (u, u2), (v, v2))
        or is_deed((u, u2), (v, v2))
        or _is_tool(a, b, (u, u2), (v, v2))
        or is_means(a, b, (u, u2), (v, v2))
        or is_attributive(a, b, (u, u2), (v, v2))
    )


def _needed(a: Reading, b: Reading, pair: tuple[int, int]) -> bool:
    """Is the unit what is needed, in two texts of which one says without it, not (`comparison` compares which)?"""
    ours, theirs = a.clauses[a.units[pair[0]].clause], b.clauses[b.units[pair[1]].clause]
    if not (ours.conditional or theirs.conditional):
        return False
    return pair[0] in ours.needed and pair[1] in theirs.needed


def _counted(a: Reading, b: Reading, pair: tuple[int, int]) -> bool:
    """Does the plain word move with the quantity behind it, or with the "only" before it?"""
    i, j = pair
    before = [
        r.units[n - 1] for r, n in ((a, i), (b, j)) if n and r.units[n - 1].kind == "quantify"
    ]
    if len(before) == 2 and before[0].key == before[1].key == "only":  # noqa: PLR2004 - in both
        return True
    if i + 1 >= len(a.units) or j + 1 >= len(b.units) or is_named(a.units[i]):
        return False
    u, v = a.units[i + 1], b.units[j + 1]
    near = u.start - a.units[i].end <= 1 and v.start - b.units[j].end <= 1
    return near and u.kind == "quantity" and u.key == v.key


def _are_steps(a: Reading, b: Reading, i: int, k: int) -> bool:
    """In a text about an order, what stands in other clauses or in a list are its steps."""
    u, v = a.units[i], a.units[k]
    if {u.scope, v.scope} & _CONDITIONS and u.scope != v.scope:
        return False  # when it happens is no step
    return (a.ordered or b.ordered) and (u.clause != v.clause or u.listed >= 0 or u.kind in _VERBS)


def _states(a: Reading, b: Reading, u: Unit, v: Unit) -> bool:
    """Without a verb a sentence only says what something is: either side may come first."""
    verbs = any(unit.kind == "action" for unit in (*a.units, *b.units))
    named = is_named(u) and is_named(v)
    return not verbs and not named and (u.kind == "code") != (v.kind == "code")


def _same_role(u: Unit, u2: Unit, v: Unit, v2: Unit) -> bool:
    """Does one of the two have the same preposition in both texts, and the other not always the same one?

    Two phrases with the same preposition (on Friday in the lab) may follow each other in any order.
    """
    if u.role == u2.role == v.role == v2.role != "":
        return u.role in _PLACING and not (is_named(u) and is_named(v))
    return any(
        _part(x) == _part(x2) != "" and {_part(y), _part(y2)} != {_part(x)}
        for x, x2, y, y2 in ((u, u2, v, v2), (v, v2, u, u2))
    )


def _part(unit: Unit) -> str:
    """Name the phrase that a unit belongs to: its preposition, or the condition it stands in."""
    if unit.role == "toward" and not is_named(unit):
        return "in"  # 发到群里, 在群里发
    return unit.role if unit.role in STRONG else _WHEN.get(unit.scope, unit.scope)


def _is_reason(a: Reading, b: Reading, unit: Unit, other: Unit) -> bool:
    """Does the clause begin with because in both texts?"""
    return a.clauses[unit.clause].opens_with_reason and b.clauses[other.clause].opens_with_reason


def _is_nominal(
    a: Reading, b: Reading, first: tuple[Unit, Unit], second: tuple[Unit, Unit]
) -> bool:
    """The job listens on a port = the port of the job: one of the texts has no verb, and "of" instead."""
    for verbal, nominal, side in ((a, b, 0), (b, a, 1)):
        if any(x.kind == "action" for x in nominal.units) or all(
            x.kind != "action" for x in verbal.units
        ):
            continue
        return any(
            x[side].role == ""
            and x[1 - side].role == "of"
            and y[1 - side].role == ""
            and y[side].role in ("in", "with")
            for x, y in ((first, second), (second, first))
        )
    return False


def _is_tool(a: Reading, b: Reading, first: tuple[Unit, Unit], second: tuple[Unit, Unit]) -> bool:
    """We use X for the site = the site is built with X = the site is X."""
    for tool, purpose in ((first, second), (second, first)):
        for here, reading in enumerate((a, b)):
            if (
                "use" in reading.clauses[tool[here].clause].verbs
                and (tool[here].role, purpose[1 - here].role) == ("", "")
                and purpose[here].role in ("for", "as")
                and tool[1 - here].role in ("", "with", "in")
            ):
                return purpose[1 - here].start < tool[1 - here].start
    return False


def _is_labelled(a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """仓库采用 MIT 许可证, 许可证是 MIT: a name and the noun that says what it names stand side by side."""
    if a.language not in UNSPACED or any(
        abs(x - y) != 1 for x, y in zip(first, second, strict=True)
    ):
        return False
    u, v = a.units[first[0]], a.units[second[0]]
    labels = lexicon(a.language).labels
    return (is_named(u) and v.key in labels) or (is_named(v) and u.key in labels)


def _is_holder(a: Reading, b: Reading, doer: tuple[Unit, Unit], thing: tuple[Unit, Unit]) -> bool:
    """田中さんが決済を担当する, 決済の担当は田中さん: who does it is named as what the deed's noun is."""
    for verbal, nominal, reading in ((0, 1, b), (1, 0, a)):
        said = doer[verbal].role == "subj" and thing[verbal].role == "obj"
        named = doer[nominal].role == "" and thing[nominal].role in ("of", "")
        if said and named:
            return any(unit.kind == "action" and unit.role == "topic" for unit in reading.units)
    return False


def _is_attribute(
    a: Reading, b: Reading, first: tuple[Unit, Unit], second: tuple[Unit, Unit]
) -> bool:
    """靠窗的座位, 座位要靠窗: what a noun is said to do may stand before it with 的, or behind it."""
    deed, noun = first, second
    if any(u.kind != "action" for u in deed) or any(u.kind != "concept" for u in noun):
        return False
    texts = [r.text[u.end : v.start] for r, u, v in ((a, deed[0], noun[0]), (b, deed[1], noun[1]))]
    return any(text == "的" for text in texts)


def _is_compound(u: Unit, v: Unit, u2: Unit, v2: Unit) -> bool:
    """links in the draft = the draft's links; type hints on functions = functions have type hints.

    One of the two has a preposition in one sentence and none in the other, while the second has none in both.
    """
    for moved, moved2, still, still2 in ((u, u2, v, v2), (v, v2, u, u2)):
        if (
            still.role
            or still2.role
            or ("name" in (moved.kind, moved2.kind) and "name" in (still.kind, still2.kind))
        ):
            continue
        roles = {moved.role, moved2.role}
        if "by" in roles:
            continue
        if roles & {"of", "in", "for", "from", "with", "toward"} and ("" in roles or "of" in roles):
            return True
    return False

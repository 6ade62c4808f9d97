"""Chinese nouns that stand elsewhere and play the same part: fronted objects, relative clauses."""

from memoryd.memory.consolidation.lexicon import lexicon
from memoryd.memory.consolidation.unit import Reading, Unit


def is_fronted(a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """客户不接受塑料筐, 塑料筐客户不接受: one who can act stays before the verb, a thing goes to the front."""
    if a.language != "zh" or b.language != "zh":
        return False
    if is_told_after(a, b, first) != is_told_after(a, b, second):
        return True
    for here, there, x in ((a, b, 0), (b, a, 1)):
        for doer, thing in ((first, second), (second, first)):
            n, m, k, o = doer[x], thing[x], doer[1 - x], thing[1 - x]
            if not _can_act(here.units[n]) or _can_act(here.units[m]):
                continue
            between = any(u.kind == "action" for u in here.units[n:m]) if n < m else False
            if between and o < k and _ends_with_verb(there, k):
                return True
    return False


def is_told_after(a: Reading, b: Reading, pair: tuple[int, int]) -> bool:
    """Is the unit named as what it is all about behind the statement in one text (这是 ...)?"""
    return "topic" in (a.units[pair[0]].role, b.units[pair[1]].role)


def is_relative(a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """含附子的方子, 方子含附子: what a thing has or does may stand before it with 的, or behind it."""
    if a.language != "zh" or b.language != "zh":
        return False
    for here, there, x in ((a, b, 0), (b, a, 1)):
        for what, head in ((first, second), (second, first)):
            i, k = what[x], head[x]
            if k != i + 1 or i == 0 or here.text[here.units[i].end : here.units[k].start] != "的":
                continue
            verb = here.units[i - 1]
            said = there.units[head[1 - x] + 1 : what[1 - x]]
            if verb.kind == "action" and any(u.key == verb.key for u in said):
                return True
    return False


def _can_act(unit: Unit) -> bool:
    return unit.kind == "name" or unit.surface.endswith(tuple(lexicon("zh").people))


def _ends_with_verb(reading: Reading, k: int) -> bool:
    """Does the clause of unit *k* end with the verb right behind it?"""
    after = [u for u in reading.units[k + 1 :] if u.clause == reading.units[k].clause]
    return len(after) == 1 and after[0].kind == "action"

"""Whose attribute a word is: what stands before 的, の, 의 or 's belongs to the next word, and to no other."""

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.unit import Reading

_OWNERS = frozenset({"concept", "name", "word", "char", "code"})
_GENITIVES = ("的", "の", "의")


def belongs_to_another(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """评论里的链接, 评论里的系统: name the word that is said of two different ones, if there is one."""
    if a.language != b.language or a.language not in UNSPACED | {"en"}:
        return None
    if a.language == "en" and "'s " not in a.text and "'s " not in b.text:
        return None
    partner = dict(alignment.pairs)
    for i, j in alignment.pairs:
        if not (_is_attribute(a, i) and _is_attribute(b, j)):
            continue
        head = partner.get(i + 1, -1)
        told = head >= 0 and head != j + 1 and j + 1 in partner.values()
        if told and not _is_attribute(a, i + 1) and not _is_attribute(b, j + 1):
            return f"{a.units[i].surface!r} is said of another"
    for i, j in alignment.pairs:  # and the other way round: 义工的时长, 站长的时长
        if not (_is_owned(a, i) and _is_owned(b, j)):
            continue
        if partner.get(i - 1, j - 1) != j - 1 and j - 1 in partner.values():
            return f"{a.units[i].surface!r} is another's"
    return _agent_owns(a, b, alignment) or _turned_relative(a, b, partner)


def _agent_owns(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """代码由老王合并, 老王的代码要合并: who does it in one text owns what it is done to in the other."""
    partner = dict(alignment.pairs)
    back = {j: i for i, j in alignment.pairs}
    for i, j in alignment.pairs:
        for acting, n, owning, m, other in ((a, i, b, j, back), (b, j, a, i, partner)):
            if not _is_attribute(owning, m) or owning.units[m].kind not in _OWNERS:
                continue
            if _is_attribute(acting, n) or _is_own_deed(acting, n, owning, m + 1):
                continue
            thing = other.get(m + 1, -1)
            does = n in acting.agents or _acts_on(acting, n, thing)
            if does and m not in owning.agents:
                return f"{owning.units[m].surface!r} does it in one, owns it in the other"
    return None


def _is_own_deed(acting: Reading, n: int, owning: Reading, deed: int) -> bool:
    """Farid's approval, Farid approves; but not his claims, where it is claims that he approves."""
    if owning.units[deed].kind != "action":
        return False
    does = acting.units[n + 1 : n + 2]
    return owning.language in UNSPACED or not does or does[0].key == owning.units[deed].key


def _acts_on(reading: Reading, doer: int, thing: int) -> bool:
    """Does a verb stand right behind the one and before the other, in one clause?"""
    if not doer + 1 < thing:
        return False
    verb, clause = reading.units[doer + 1], reading.units[doer].clause
    return verb.kind == "action" and verb.clause == clause == reading.units[thing].clause


def _turned_relative(a: Reading, b: Reading, partner: dict[int, int]) -> str | None:
    """审核小李的小王, 小李审核的小王: of the same words before 的 the verb is the last in only one of the texts."""
    back = {j: i for i, j in partner.items()}
    for i, j in partner.items():
        if not (i and j and _is_attribute(a, i - 1) and _is_attribute(b, j - 1)):
            continue
        ends = (a.units[i - 1].kind == "action", b.units[j - 1].kind == "action")
        mine, yours = partner.get(i - 1, j), back.get(j - 1, i)
        inside = mine < j and yours < i and a.units[yours].clause == a.units[i].clause
        if ends[0] != ends[1] and inside:
            return f"{a.units[i].surface!r} is what does it in one, what it is done to in the other"
    return None


def _is_owned(reading: Reading, i: int) -> bool:
    """Does a thing or person stand right before this unit, with a genitive particle between?"""
    return i > 0 and _is_attribute(reading, i - 1) and reading.units[i - 1].kind in _OWNERS


def _is_attribute(reading: Reading, i: int) -> bool:
    """Does a genitive particle stand between this unit and the next, perhaps behind a word for inside?"""
    if i + 1 >= len(reading.units) or reading.units[i].clause != reading.units[i + 1].clause:
        return False
    gap = reading.text[reading.units[i].end : reading.units[i + 1].start].strip()
    if gap == "'s":
        return True
    if not gap.endswith(_GENITIVES):
        return False
    place = gap[:-1]
    return not place or place in lexicon(reading.language).postpositions

"""Anna lives in Rome, Anna now works in Milan: what is new of the same person or thing need not be about the same of it."""

from collections.abc import Sequence

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.deeds import DIRECTIONS
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.several import is_wish_and_fact, works_otherwise
from memoryd.memory.consolidation.site import Site, value_kind
from memoryd.memory.consolidation.subject import has_another_subject
from memoryd.memory.consolidation.unit import Reading, Unit

_AMOUNTS = frozenset({"amount", "bytes", "seconds"})
_NOUNS = frozenset({"concept", "char", "word"})
_CHANGING = frozenset(
    {"move", "relocate", "change", "replace", "switch", "migrate", "rename", "update"}
)


def is_another_property(old: Reading, new: Reading, alignment: Alignment, site: Site) -> bool:
    """Do the texts share no more than what they speak of, and does the newer tell something else of it?

    It has another verb, or an amount where the older has none; or it only denies another value.
    """
    if _denies_another(old, new, site):
        return True
    subject = all(
        old.units[i].start < old.clauses[old.units[i].clause].divides or i == 0
        for i, _ in alignment.pairs
    )
    if not subject:
        return False
    said, told = _verbs(old, alignment.only_a), _verbs(new, alignment.only_b)
    if told and said.isdisjoint(told):
        return True
    return _has_amount(new, alignment.only_b) and not _has_amount(old, alignment.only_a)


def _denies_another(old: Reading, new: Reading, site: Site) -> bool:
    """Anna eats fish, Anna no longer eats meat."""
    if not site.old or not site.new:
        return False
    denied = all(new.units[j].sign < 0 for j in site.new)
    return denied and all(old.units[i].sign > 0 for i in site.old)


def _verbs(reading: Reading, numbers: Sequence[int]) -> set[str]:
    """The verbs that a text has alone, those that are no units too."""
    clauses = {reading.units[i].clause for i in numbers}
    light = {verb for n in clauses for verb in reading.clauses[n].verbs}
    needed = {"need" for n in clauses if "must" in reading.clauses[n].modals}
    verbs = [u for i in numbers if (u := reading.units[i]).kind == "action"]
    return (
        {u.key for u in verbs if not is_change(reading, u)}
        | (light - DIRECTIONS - _CHANGING)
        | needed
    )


def is_change(reading: Reading, unit: Unit) -> bool:
    """変更, moved, 现在: does a unit say that something changed, and nothing else?"""
    sense = lexicon(reading.language).phrases.get(unit.surface.casefold())
    return unit.key in _CHANGING or (sense is not None and "change" in sense.aside)


def _has_amount(reading: Reading, numbers: Sequence[int]) -> bool:
    return any(value_kind(reading.units[i]) in _AMOUNTS for i in numbers)


def difference_in_kind(
    old: Reading, new: Reading, site: Site, alignment: Alignment, *, changed: bool
) -> str | None:
    """Say why the two do not speak of one attribute of one thing, or None."""
    if works_otherwise(old, new) or is_wish_and_fact(old, new):
        return "said in another sense"
    if _tells_which(old, site.old) and _tells_which(new, site.new):
        return "about the other of two"
    if not changed:
        apart = _is_what_should_be(old) != _is_what_should_be(new)
        return "what should be is not what is" if apart else None
    if has_another_subject(old, new, alignment, site):
        return "about another subject"
    other = is_another_property(old, new, alignment, site)
    return "about something else of the same" if other else None


def _tells_which(reading: Reading, numbers: Sequence[int]) -> bool:
    """奶奶左膝疼, 关闭首页很慢: does it say which is spoken of (a character, a deed), before it is said how that is?"""
    if len(numbers) != 1 or reading.language not in UNSPACED:
        return False
    unit = reading.units[numbers[0]]
    clause = [one for one in reading.units if one.clause == unit.clause]
    place = clause.index(unit)
    before, after = clause[:place], clause[place + 1 :]
    if unit.kind == "action":  # and what is told of the deed is only how it goes
        return not before and len(after) > 1 and after[-1].kind == "quality"
    if len(after) < 2 or len(unit.surface) > 1 or after[0].start != unit.end:  # noqa: PLR2004 - a noun, and what is told of it
        return False
    if after[0].kind not in _NOUNS or any(u.role or u.kind == "action" for u in (*before, unit)):
        return False
    divides = reading.clauses[unit.clause].divides
    return divides < 0 or unit.start < divides


def _is_what_should_be(reading: Reading) -> bool:
    return any("should" in clause.modals and clause.divides > 0 for clause in reading.clauses)

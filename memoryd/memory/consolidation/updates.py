"""Two entries about the same thing with another value: does the newer replace the older?

Only where exactly one place differs (or only a sign, a bound, a modality was turned round), the rest being equal.
A value is replaced if its attribute can have one value at a time or the newer text signals a change; values of
which there may be several hold side by side; what cannot be told is a conflict for a person.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.comparison import Comparison, Objection, object_to
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.subject import is_subject
from memoryd.memory.consolidation.unit import Reading, Unit

_CLOSED = ("quantity", "code", "compare", "quantify", "condition")
_POINTS = frozenset(
    {"number", "ordinal", "time", "date", "day", "weekday", "month", "seconds", "bytes"}
)
_CLOSED_KEYS = frozenset({
    "english", "german", "french", "spanish", "italian", "japanese", "korean", "chinese", "simplified", "traditional",
})  # fmt: skip
_MIN_SHARED = 0.5  # of the older entry's units; below it two notes merely share a topic
_LIMITING = frozenset({"except", "unless", "only", "some", "not_all", "most"})
_WORDS_OF_DEGREE = frozenset({"quantify", "compare", "condition"})


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the newer entry does to the older, and the attribute or reason in words."""

    relation: Literal["update", "conflict", "distinct"]
    reason: str


@dataclass(frozen=True, slots=True)
class _Site:
    """The one place in which two readings differ: unit numbers of the older and the newer."""

    old: tuple[int, ...]
    new: tuple[int, ...]


def judge(old: Reading, new: Reading, comparison: Comparison) -> Judgement:
    """Decide what *new* does to *old*; both must have been compared and not merged."""
    alignment = comparison.alignment
    if not alignment.pairs or not _may_be_judged(old, new):
        return Judgement("distinct", comparison.reason)
    changed = "change" in new.cues()
    site = None
    if alignment.only_a or alignment.only_b:
        site = _site(old, new, alignment, loose=changed)
        if site is None or not _is_about_the_same(old, alignment, changed):
            return Judgement("distinct", comparison.reason)
    objection = comparison.objection or object_to(old, new, alignment)
    if objection and objection.flip == "veto":
        return Judgement("distinct", objection.reason)
    if site is None:
        return _turned(old, new, comparison, objection)
    if objection and not changed and (objection.flip != "scope" or not _is_degree(old, new, site)):
        return Judgement("distinct", objection.reason)
    return _replaced(old, new, site, comparison, changed)


def _may_be_judged(old: Reading, new: Reading) -> bool:
    """Doubts, questions and texts in two languages replace nothing and are not replaced."""
    if old.language != new.language or old.question or new.question:
        return False
    return "doubt" not in old.cues() and "doubt" not in new.cues()


def _turned(
    old: Reading, new: Reading, comparison: Comparison, objection: Objection | None
) -> Judgement:
    """All words are equal, but a sign, a modality or an order was turned round."""
    if objection is None:
        return Judgement("distinct", comparison.reason)
    bounded = any(
        unit.kind == "compare" for unit in old.units
    )  # may have at most 3 = must not have more
    if objection.flip == "modality" and not bounded and _says_how(old) and _says_how(new):
        return Judgement("update", objection.reason)
    if (
        objection.flip == "sign"
        and _negations(old) + _negations(new) == 1
        and ("change" in new.cues() or not _both_must(old, new))
    ):
        return Judgement("update", objection.reason)
    steps = old.ordered and new.ordered and objection.flip == "scope"
    swapped = steps or (
        objection.flip == "order" and _values_swapped(old, new, comparison.alignment)
    )
    if swapped and _is_assignment(old) and _is_assignment(new):
        return Judgement("update", objection.reason)
    return Judgement("distinct", objection.reason)


def _both_must(old: Reading, new: Reading) -> bool:
    """Must do it / not to do it is not to be: two ways to say the same, one of them not understood."""
    return all(any("must" in clause.modals for clause in reading.clauses) for reading in (old, new))


def _says_how(reading: Reading) -> bool:
    """Does the text say in words whether something must or may be?"""
    return any(clause.modals & {"must", "may", "should", "exempt"} for clause in reading.clauses)


def _negations(reading: Reading) -> int:
    return sum(max(clause.denials, "pending" in clause.cues) for clause in reading.clauses)


def _values_swapped(old: Reading, new: Reading, alignment: Alignment) -> bool:
    """Did two values of one kind change places, or the steps of an order?"""
    if old.ordered or new.ordered:
        return True
    values = [
        (i, j) for i, j in alignment.pairs if old.units[i].kind in ("code", "name", "quantity")
    ]
    return any(
        i < k and j > m and _value_kind(old.units[i]) == _value_kind(old.units[k])
        for i, j in values
        for k, m in values
    )


def _is_assignment(reading: Reading) -> bool:
    """Does the text only say what (or who) something is, or in which order?"""
    if reading.ordered:
        return True
    owner = lexicon(reading.language).attributes.get("owner", frozenset())
    verbs = [unit for unit in reading.units if unit.kind == "action"]
    return all(_mentions(unit.surface.casefold(), owner) for unit in verbs)


def _is_about_the_same(old: Reading, alignment: Alignment, changed: bool) -> bool:
    shared = len(alignment.pairs)
    solid = [i for i, _ in alignment.pairs if old.units[i].kind not in _WORDS_OF_DEGREE]
    if not solid:
        return False
    return shared >= _MIN_SHARED * len(old.units) - (1 if changed else 0)


def _site(old: Reading, new: Reading, alignment: Alignment, *, loose: bool) -> _Site | None:  # noqa: PLR0911 - one answer for each case
    """Find the one place that differs; with a signal of change the newer text may say more around it."""
    left, right = alignment.only_a, alignment.only_b
    if _is_degree(old, new, _Site(left, right)):
        return _Site(left, right)
    if loose and left and right:
        return _loose_site(old, new, left, right)
    if not _is_run(left) or not _is_run(right):
        return None
    if len(_kinds(old, left)) > 1 or len(_kinds(new, right)) > 1:
        return None  # a name and a number: two differences side by side
    if len({old.units[i].role for i in left}) > 1 or len({new.units[j].role for j in right}) > 1:
        return None  # a preposition stands between them
    ends = (
        bool(left and right) and left[-1] == len(old.units) - 1 and right[-1] == len(new.units) - 1
    )
    if left and right and not ends and not _same_place(alignment, left, right):
        return None
    return _Site(left, right)


def _kinds(reading: Reading, numbers: Sequence[int]) -> set[str]:
    return {_value_kind(reading.units[i]) for i in numbers}


def _loose_site(
    old: Reading, new: Reading, left: Sequence[int], right: Sequence[int]
) -> _Site | None:
    """Of all that differs, take the values of a kind that both have; plain words only if they stand together."""
    shared = _kinds(old, left) & _kinds(new, right)
    closed = shared - {"word"}
    if not closed and not (shared and _is_run(left)):
        return None
    kinds = closed or shared
    return _Site(
        tuple(i for i in left if _value_kind(old.units[i]) in kinds),
        tuple(j for j in right if _value_kind(new.units[j]) in kinds),
    )


def _is_run(numbers: Sequence[int]) -> bool:
    return not numbers or numbers[-1] - numbers[0] == len(numbers) - 1


def _same_place(alignment: Alignment, left: Sequence[int], right: Sequence[int]) -> bool:
    """Do the two runs follow or precede the same unit?"""
    partner = dict(alignment.pairs)
    before, after = partner.get(left[0] - 1, -1), partner.get(left[-1] + 1, -2)
    return before == right[0] - 1 or after == right[-1] + 1


def _value_kind(unit: Unit) -> str:
    prefix = unit.key.partition(":")[0]
    if unit.kind == "quantity":
        return prefix if prefix in _POINTS else "amount"
    if prefix == "unit":
        return "unit"
    if unit.key in _CLOSED_KEYS:
        return "language"
    return "word" if unit.kind in ("name", "concept", "char", "word", "action") else unit.kind


def _is_degree(old: Reading, new: Reading, site: _Site) -> bool:
    """Is all that differs a bound, a quantity word or a condition, against another or a limiting one against none?"""
    units = _units(old, new, site)
    if not all(unit.kind in _WORDS_OF_DEGREE for unit in units):
        return False
    return bool(site.old and site.new) or all(unit.key in _LIMITING for unit in units)


def _replaced(  # noqa: PLR0911 - one answer for each case
    old: Reading, new: Reading, site: _Site, comparison: Comparison, changed: bool
) -> Judgement:
    attribute = _attribute(old, site) or comparison.reason
    if not site.old or not site.new:
        if _is_degree(old, new, site) or (changed and site.old):
            return Judgement("update", attribute)
        return Judgement("distinct", comparison.reason)
    if _is_added(new, site) or not _is_comparable(old, new, site):
        return Judgement("distinct", "holds beside the other")
    if _leaves_facts(old, comparison.alignment, site):
        return Judgement("conflict", f"part of {attribute} was replaced")
    if changed or _are_opposites(old, new, site) or _is_degree(old, new, site):
        return Judgement("update", attribute)
    if is_subject(old, site.old) or is_subject(new, site.new):
        return _other_subject(old, new, site, attribute)
    if (
        not _is_counted(old, site)
        and not _is_in_list(old, site)
        and (_is_multiple(old, site.old) or _is_multiple(new, site.new))
    ):
        return Judgement("distinct", "several values may hold at once")
    if _is_vague(old, new, site):
        return Judgement("distinct", comparison.reason)
    if (
        all(_is_closed(unit) for unit in _units(old, new, site))
        or _is_single(old, site.old)
        or _is_single(new, site.new)
    ):
        return Judgement("update", attribute)
    return Judgement("conflict", f"two values of {attribute}")


def _units(old: Reading, new: Reading, site: _Site) -> list[Unit]:
    return [*(old.units[i] for i in site.old), *(new.units[j] for j in site.new)]


def _leaves_facts(old: Reading, alignment: Alignment, site: _Site) -> bool:
    """Does the older text say something beside the value that the newer does not take up?"""
    touched = {old.units[i].clause for i, _ in alignment.pairs} | {
        old.units[i].clause for i in site.old
    }
    return any(old.units[i].clause not in touched for i in alignment.only_a if i not in site.old)


def _is_comparable(old: Reading, new: Reading, site: _Site) -> bool:
    """A number is replaced by a number, a day by a day, a name by a name."""
    kinds_old = {_value_kind(old.units[i]) for i in site.old}
    kinds_new = {_value_kind(new.units[j]) for j in site.new}
    return bool(kinds_old & kinds_new)


def _are_opposites(old: Reading, new: Reading, site: _Site) -> bool:
    pairs = lexicon(new.language).opposites
    kinds = {unit.kind for unit in _units(old, new, site)}
    return len(site.old) == len(site.new) == len(kinds) == 1 and any(
        (u, v) in pairs
        for u in (old.units[site.old[0]].key, old.units[site.old[0]].surface.casefold())
        for v in (new.units[site.new[0]].key, new.units[site.new[0]].surface.casefold())
    )


def _other_subject(old: Reading, new: Reading, site: _Site, attribute: str) -> Judgement:
    """Another person who owns the same thing is a new owner; another thing is another fact."""
    owner = lexicon(old.language).attributes.get("owner", frozenset())
    people = all(unit.kind in ("name", "char", "word") for unit in _units(old, new, site))
    owned = _is_owned(old, site.old, owner) or _is_owned(new, site.new, owner)
    if people and not owned and _mentions_any(old, owner) and _mentions_any(new, owner):
        return Judgement("update", attribute)
    return Judgement("distinct", "about another subject")


def _is_owned(reading: Reading, site: Sequence[int], owner: frozenset[str]) -> bool:
    """Is it what somebody has: of X, X's owner, run by another?"""
    ran_by_another = reading.agents and not reading.agents & set(site)
    if reading.units[site[0]].role in ("of", "for") or ran_by_another:
        return True
    after = reading.units[site[-1] + 1 :][:1]
    return any(unit.kind == "concept" and unit.surface.casefold() in owner for unit in after)


def _is_vague(old: Reading, new: Reading, site: _Site) -> bool:
    """Might the two be synonyms that the tables do not know?"""
    units = _units(old, new, site)
    kinds = {unit.kind for unit in units}
    mixed = "char" in kinds and len(kinds) > 1
    return (
        mixed
        or not all(_is_told_apart(unit) for unit in units)
        or _share_characters(old, new, site)
    )


def _is_told_apart(unit: Unit) -> bool:
    """Do the tables know the word, or is it a name or value, so that another word is another thing?"""
    if unit.kind == "word":  # German nouns have capitals and may be names
        return unit.start > 0 and unit.surface[:1].isupper()
    return unit.kind != "action"


def _share_characters(old: Reading, new: Reading, site: _Site) -> bool:
    left = {c for i in site.old if old.units[i].kind == "char" for c in old.units[i].surface}
    return any(left & set(new.units[j].surface) for j in site.new)


def _is_closed(unit: Unit) -> bool:
    return unit.kind in _CLOSED or _value_kind(unit) in ("unit", "language")


def _is_added(new: Reading, site: _Site) -> bool:
    return "also" in new.cues({new.units[j].clause for j in site.new})


def _is_counted(old: Reading, site: _Site) -> bool:
    """6 steps, 14 days: how many there are is one value, whatever the verb."""
    if len(site.old) != 1 or old.units[site.old[0]].kind != "quantity":
        return False
    unit, after = old.units[site.old[0]], site.old[0] + 1
    if _value_kind(unit) in ("amount", "seconds", "bytes"):
        return True
    follows = (
        after < len(old.units)
        and old.units[after].clause == unit.clause
        and not old.units[after].role
    )
    return _value_kind(unit) == "number" and (follows or old.language == "zh")


def _is_in_list(old: Reading, site: _Site) -> bool:
    """One member of a list was replaced: the list as a whole has a new value."""
    unit = old.units[site.old[0]]
    if unit.listed >= 0:
        return True
    sizes = [sum(u.clause == n for u in old.units) for n in range(len(old.clauses))]
    return sizes[unit.clause] == 1 and sum(size == 1 for size in sizes) > 1


def _is_multiple(reading: Reading, site: Sequence[int]) -> bool:
    """Is the verb of the clause one that takes several objects over time (likes, handles, supports)?"""
    table = lexicon(reading.language)
    phrases = table.attributes.get("multi", frozenset())
    if reading.language in UNSPACED:
        said = {unit.surface for unit in reading.units} | set(reading.dropped)
        return bool(said & phrases)
    divides = reading.clauses[reading.units[site[0]].clause].divides
    rest = " ".join(reading.text[max(divides, 0) :].casefold().split()) + " "
    return any(
        rest.startswith(f"{phrase} ") or (f" {phrase} " in rest[:40] and " " in phrase)
        for phrase in phrases
    )


def _is_single(reading: Reading, site: Sequence[int]) -> bool:
    """Does the text say what something is (a copula, a colon), or what it has one of at a time?"""
    table = lexicon(reading.language)
    if _mentions_any(reading, table.attributes.get("single", frozenset())):
        return True
    clause = reading.units[site[0]].clause
    divides = reading.clauses[clause].divides
    verbs = (unit for unit in reading.units if unit.clause == clause and unit.kind == "action")
    return divides >= 0 and all(unit.start != divides for unit in verbs)


def _mentions_any(reading: Reading, phrases: frozenset[str]) -> bool:
    return _mentions(reading.text.casefold(), phrases)


def _mentions(text: str, phrases: frozenset[str]) -> bool:
    """Does one of the phrases stand in the text (whole words, where words are spaced)?"""
    spaced = f" {text} ".replace(",", " ").replace(".", " ").replace(":", " ").replace("'", " '")
    return any(
        (f" {phrase} " in spaced) if phrase.isascii() else phrase in text for phrase in phrases
    )


def _attribute(old: Reading, site: _Site) -> str:
    """Name the attribute: the words of the older text around the value."""
    inside = set(site.old)
    return " ".join(unit.surface for i, unit in enumerate(old.units) if i not in inside)[:60]

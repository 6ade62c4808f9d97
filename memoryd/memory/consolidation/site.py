"""The one place in which two readings differ: where a newer note may have put another value."""

from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.unit import Reading, Unit

_POINTS = frozenset(
    {"number", "ordinal", "time", "date", "day", "weekday", "month", "seconds", "bytes"}
)
_CLOSED_KEYS = frozenset({
    "english", "german", "french", "spanish", "italian", "japanese", "korean", "chinese", "simplified", "traditional",
})  # fmt: skip
_LIMITING = frozenset({"except", "unless", "only", "some", "not_all", "most"})
WORDS_OF_DEGREE = frozenset({"quantify", "compare", "condition"})


@dataclass(frozen=True, slots=True)
class Site:
    """The one place in which two readings differ: unit numbers of the older and the newer."""

    old: tuple[int, ...]
    new: tuple[int, ...]


def find_site(old: Reading, new: Reading, alignment: Alignment, *, loose: bool) -> Site | None:  # noqa: PLR0911 - one answer for each case
    """Find the one place that differs; with a signal of change the newer text may say more around it."""
    left, right = alignment.only_a, alignment.only_b
    if is_degree(old, new, Site(left, right)):
        return Site(left, right)
    if loose and left and right:
        return _loose_site(old, new, left, right)
    if not is_run(left) or not is_run(right):
        return None
    if _is_mixed(_kinds(old, left)) or _is_mixed(_kinds(new, right)):
        return None  # a name and a number: two differences side by side
    if len({old.units[i].role for i in left}) > 1 or len({new.units[j].role for j in right}) > 1:
        return None  # a preposition stands between them
    ends = (
        bool(left and right) and left[-1] == len(old.units) - 1 and right[-1] == len(new.units) - 1
    )
    if left and right and not ends and not _same_place(alignment, left, right):
        return None
    return Site(left, right)


def _is_mixed(kinds: set[str]) -> bool:
    """Are these values of two kinds? An identifier may be a part of a name (GitHub Actions)."""
    return len(kinds) > 1 and not kinds <= {"word", "code"}


def _kinds(reading: Reading, numbers: Sequence[int]) -> set[str]:
    return {value_kind(reading.units[i]) for i in numbers}


def _loose_site(
    old: Reading, new: Reading, left: Sequence[int], right: Sequence[int]
) -> Site | None:
    """Of all that differs, take the values of a kind that both have; plain words only if they stand together."""
    shared = _kinds(old, left) & _kinds(new, right)
    closed = shared - {"word"}
    if not closed and not (shared and is_run(left)):
        return None
    kinds = closed or shared
    return Site(
        tuple(i for i in left if value_kind(old.units[i]) in kinds),
        tuple(j for j in right if value_kind(new.units[j]) in kinds),
    )


def is_run(numbers: Sequence[int]) -> bool:
    """Do units stand side by side?"""
    return not numbers or numbers[-1] - numbers[0] == len(numbers) - 1


def _same_place(alignment: Alignment, left: Sequence[int], right: Sequence[int]) -> bool:
    """Do the two runs follow or precede the same unit?"""
    partner = dict(alignment.pairs)
    before, after = partner.get(left[0] - 1, -1), partner.get(left[-1] + 1, -2)
    return before == right[0] - 1 or after == right[-1] + 1


def is_degree(old: Reading, new: Reading, site: Site) -> bool:
    """Is all that differs a bound, a quantity word or a condition, against another or a limiting one against none?"""
    units = units_of(old, new, site)
    if any(unit.kind not in WORDS_OF_DEGREE for unit in units):
        return False
    if {unit.key for unit in units} & {"before", "after"} and not _same_conditions(old, new):
        return False
    if site.old and site.new:
        return len(site.old) == len(site.new)
    return all(unit.key in _LIMITING for unit in units)


def are_both_bounds(old: Reading, new: Reading, site: Site) -> bool:
    """At least 2, at most 8: a floor and a ceiling hold side by side."""
    return {unit.key for unit in units_of(old, new, site)} == {"at_least", "at_most"}


def _same_conditions(old: Reading, new: Reading) -> bool:
    """谢幕之前, 谢幕之后: do the same words stand in both conditions?"""
    inside = [
        {unit.key for unit in reading.units if unit.scope in ("before", "after")}
        for reading in (old, new)
    ]
    return inside[0] == inside[1]


def value_kind(unit: Unit) -> str:
    prefix = unit.key.partition(":")[0]
    if unit.kind == "quantity":
        return prefix if prefix in _POINTS else "amount"
    if prefix == "unit":
        return "unit"
    if unit.key in _CLOSED_KEYS:
        return "language"
    return "word" if unit.kind in ("name", "concept", "char", "word", "action") else unit.kind


def units_of(old: Reading, new: Reading, site: Site) -> list[Unit]:
    return [*(old.units[i] for i in site.old), *(new.units[j] for j in site.new)]

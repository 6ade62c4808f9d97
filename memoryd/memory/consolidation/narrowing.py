"""Does one note speak of a part of what the older one speaks of: standup on Fridays, the price for students?"""

from collections.abc import Sequence

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.properties import is_change
from memoryd.memory.consolidation.site import Site
from memoryd.memory.consolidation.unit import Reading

_NOUNS = frozenset({"concept", "name", "word", "char", "code"})
_LIMITING = frozenset({"for", "of", "in", "with", "at"})
_DAYS = ("weekday:", "date:", "day:")
_GENITIVES = frozenset({"", "'s", "的", "の", "의"})


def told_in(new: Reading, site: Site) -> Sequence[int]:
    """Give the units of the newer value, without words that only say that it changed; all, if it has no others."""
    return [j for j in site.new if not is_change(new, new.units[j])] or site.new


def is_narrowed(old: Reading, new: Reading, alignment: Alignment, site: Site) -> bool:
    """Has the newer text words beside its value that say of which part, day or owner it speaks?"""
    shared = {j for _, j in alignment.pairs}
    clauses = {new.units[j].clause for j in (*shared, *site.new)}
    value = told_in(new, site)
    if _is_told_of_a_part(new, value, shared) or _is_told_of_a_part(
        old, site.old, {i for i, _ in alignment.pairs}
    ):
        return True
    measured = value[-1] + 1 in alignment.only_b and new.units[value[-1] + 1].kind == "quantity"
    if measured and all(old.units[i].kind != "quantity" for i in alignment.only_a):
        return True  # uses SQLite, uses port 9000
    more = [j for j in alignment.only_b if j not in site.new and new.units[j].clause in clauses]
    return any(_limits(new, j, shared, value) for j in more)


def _is_told_of_a_part(reading: Reading, value: Sequence[int], shared: set[int]) -> bool:
    """公司的仓库搬到嘉定: does what differs begin right behind what is shared, and go on behind other words?"""
    if len(value) == 1 or value[0] - 1 not in shared:
        return False
    return _gap(reading, value[0] - 1, value[0]) in _GENITIVES and bool(
        _gap(reading, value[0], value[1])
    )


def leaves_some(old: Reading, alignment: Alignment, site: Site) -> bool:
    """Does the older text tell more beside the value, which the newer does not take up (staging and production)?"""
    if len(site.old) > 1 and any(old.units[i].listed >= 0 for i in site.old):
        return True
    return any(
        i not in site.old and old.units[i].kind in _NOUNS | {"quantity"} for i in alignment.only_a
    )


def _limits(new: Reading, j: int, shared: set[int], value: Sequence[int]) -> bool:
    unit = new.units[j]
    if is_change(new, unit):
        return False
    if unit.key.startswith(_DAYS):
        return unit.role not in ("from", "toward")
    if unit.kind not in _NOUNS or (j == value[0] - 1 and not _gap(new, j, value[0])):
        return False  # GitLab CI
    if j > value[-1]:
        return unit.role in ("for", "of")
    if unit.role in _LIMITING or (unit.role == "toward" and j < value[0]):
        return True
    after = j + 1 in shared and _gap(new, j, j + 1) in _GENITIVES  # Anna's office
    behind = j - 1 in shared and _gap(new, j - 1, j) in _GENITIVES  # the birthday party
    return j < value[0] and (after or behind)


def _gap(reading: Reading, left: int, right: int) -> str:
    return reading.text[reading.units[left].end : reading.units[right].start].strip()

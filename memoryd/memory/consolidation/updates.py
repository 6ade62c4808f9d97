"""Two entries about the same thing with another value: does the newer replace the older?

Only where exactly one place differs (or only a sign, a bound, a modality was turned round), the rest being equal.
A value is replaced if its attribute can have one value at a time or the newer text signals a change; values of
which there may be several hold side by side; what cannot be told is a conflict for a person.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.attributes import (
    is_multiple,
    is_single,
    mentions_any,
)
from memoryd.memory.consolidation.bearing import bears_on, is_announced, is_mere_name
from memoryd.memory.consolidation.changing import as_it_is_now
from memoryd.memory.consolidation.comparison import (
    Comparison,
    Objection,
    object_to,
    object_to_wording,
)
from memoryd.memory.consolidation.displaced import (
    has_moved,
    is_denied_for_another,
    is_left_for_another,
    is_of_another,
    spelled_apart,
)
from memoryd.memory.consolidation.events import are_events
from memoryd.memory.consolidation.exchange import are_crossed, exchanged
from memoryd.memory.consolidation.lexicon import lexicon
from memoryd.memory.consolidation.numbering import acts, is_label, is_used
from memoryd.memory.consolidation.properties import difference_in_kind
from memoryd.memory.consolidation.ranging import are_all_and_only
from memoryd.memory.consolidation.several import (
    are_poles,
    is_counted_off,
    is_gained,
    is_of_many,
    is_one_of,
    may_be_several,
    says_both_ended,
    was_done,
)
from memoryd.memory.consolidation.site import (
    Site,
    are_both_bounds,
    find_site,
    is_degree,
    units_of,
    value_kind,
)
from memoryd.memory.consolidation.stations import find_station, is_of_the_moment, kin_of
from memoryd.memory.consolidation.subject import is_subject
from memoryd.memory.consolidation.things import are_two_things, is_in_charge_of, is_said_whose
from memoryd.memory.consolidation.turning import is_turned_round, negations
from memoryd.memory.consolidation.unit import Reading
from memoryd.memory.consolidation.values import (
    are_ruled_out,
    is_closed,
    is_comparable,
    is_counted,
    is_in_list,
    is_vague,
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the newer entry does to the older, and the attribute or reason in words."""

    relation: Literal["update", "conflict", "distinct"]
    reason: str


def judge(old: Reading, new: Reading, comparison: Comparison) -> Judgement:
    """Decide what *new* does to *old*; both must have been compared and not merged."""
    judgement = _judge_stations(old, new) or _judge_readings(old, new, comparison)
    said = as_it_is_now(old, new) if judgement.relation == "distinct" else None
    if said is None:
        return judgement
    again = _judge_readings(old, *said)
    return again if again.relation == "update" else judgement


def _judge_readings(old: Reading, new: Reading, comparison: Comparison) -> Judgement:
    judgement = _judge_values(old, new, comparison)
    if judgement.relation == "distinct":
        return judgement
    objection = object_to_wording(old, new)
    return Judgement("distinct", objection.reason) if objection else judgement


def _judge_values(old: Reading, new: Reading, comparison: Comparison) -> Judgement:
    alignment = spelled_apart(old, new, comparison.alignment)
    if not alignment.pairs or not _may_be_judged(old, new):
        return Judgement("distinct", comparison.reason)
    if displaced := _judge_displaced(old, new, alignment):
        return displaced
    changed = _is_changed(old, new)
    site = None
    if alignment.only_a or (alignment.only_b and not _says_more(new, alignment)):
        site = find_site(old, new, alignment, loose=changed)
        apart = site is None or not bears_on(old, new, alignment, site, changed=changed)
        # Most pairs end here, before the guards are asked.
        if apart or (site is not None and not changed and _is_another_subject(old, new, site)):
            return Judgement("distinct", comparison.reason if apart else "about another subject")
        if are_two_things(old, new, alignment):
            return Judgement("distinct", "about another thing")
    if site is not None:
        return _judge_site(old, new, site, comparison, alignment, changed)
    objection = _objection(old, new, comparison, alignment)
    turned = objection is not None and is_turned_round(old, new, alignment, objection)
    reason = objection.reason if objection else comparison.reason
    return Judgement("update" if turned else "distinct", reason)


def _objection(
    old: Reading, new: Reading, comparison: Comparison, alignment: Alignment
) -> Objection | None:
    if comparison.objection is not None and alignment == comparison.alignment:
        return comparison.objection
    return object_to(old, new, alignment)


def _is_changed(old: Reading, new: Reading) -> bool:
    """Does the newer text signal a change? What is said to be over of two things is no sign that one replaced the other."""
    return "change" in new.cues() and not says_both_ended(old, new)


def _judge_stations(old: Reading, new: Reading) -> Judgement | None:
    """I live in Munich, I moved to Hamburg: told in other words, but one of them holds at a time.

    Without a word about a change one may lie in the other (Munich, Germany): a person decides.
    """
    if old.language != new.language:
        return None
    before, after = (find_station(one.text, one.language) for one in (old, new))
    if not before or not after or (before.attribute, before.who) != (after.attribute, after.who):
        return None
    if before.value in after.value or after.value in before.value:
        return None  # Shanghai, Shanghai Pudong
    if before.sure and after.sure and "change" in new.cues():
        return Judgement("update", after.attribute)
    return Judgement("conflict", f"two values of {after.attribute}")


def _judge_displaced(  # noqa: PLR0911 - one answer for each way to say it
    old: Reading, new: Reading, alignment: Alignment
) -> Judgement | None:
    """Does the newer text name the older value and say that it does not hold any more?"""
    if "also" in new.cues() and "also" not in old.cues():
        return Judgement("distinct", "holds beside the other")
    if "change" in new.cues() and is_of_another(old, new, alignment):
        return Judgement("distinct", "about another subject")
    if is_denied_for_another(old, new, alignment):
        return Judgement("update", "the older value is said not to hold")
    if has_moved(old, new, alignment):
        return Judgement("update", "said to have moved")
    if not is_left_for_another(old, new, alignment):
        return None
    if alignment.only_a:
        return Judgement("conflict", "what it uses was left for another")
    return Judgement("update", "left for another")


def _judge_site(
    old: Reading,
    new: Reading,
    site: Site,
    comparison: Comparison,
    alignment: Alignment,
    changed: bool,
) -> Judgement:
    """One place differs: is it a newer value of the same? The guards are asked last, of the few that are left."""
    placed = alignment != comparison.alignment and _is_where(old, new, site)
    apart = difference_in_kind(old, new, site, alignment, changed=changed)
    judgement = (
        Judgement("distinct", apart)
        if apart
        else _told_from_the_other_end(old, new, alignment, site, changed=changed)
        or _replaced(old, new, site, comparison, changed)
    )
    if judgement.relation == "distinct" and not placed:
        return judgement
    objection = _objection(old, new, comparison, alignment)
    if objection is None:
        return Judgement("update", _attribute(old, site)) if placed else judgement
    happened = objection.flip == "done" and "done" in new.cues()
    degree = objection.flip == "scope" and is_degree(old, new, site)
    vetoed = objection.flip in ("veto", "literal")
    if vetoed or not (changed or happened or degree):
        return Judgement("distinct", objection.reason)
    return judgement


def _told_from_the_other_end(
    old: Reading, new: Reading, alignment: Alignment, site: Site, *, changed: bool
) -> Judgement | None:
    if exchanged(old, new, alignment) or (not changed and _is_converse(old, new, alignment, site)):
        return Judgement("distinct", "told from the other end")
    return None


def _is_converse(old: Reading, new: Reading, alignment: Alignment, site: Site) -> bool:
    """A reports to B, B is A's manager: a word for the relation differs, and who stands in it changed places."""
    if are_crossed((i, j) for i, j in alignment.pairs if value_kind(old.units[i]) == "number"):
        return True  # game 1: 3-2, game 2: 1-0
    degree = is_degree(old, new, site)
    if not degree and all(is_closed(unit) for unit in units_of(old, new, site)):
        return False
    said = [(i, j) for i, j in alignment.pairs if old.units[i].kind != "quantity"]
    return are_crossed(said)


def _says_more(new: Reading, alignment: Alignment) -> bool:
    """标本柜不上锁，敞着通风: is all that the newer text has alone a clause of its own?"""
    shared = {new.units[j].clause for _, j in alignment.pairs}
    alone = {new.units[j].clause for j in alignment.only_b}
    return min(alone) > max(shared) and not new.clauses[min(alone)].cues


def _may_be_judged(old: Reading, new: Reading) -> bool:
    """Doubts, questions and texts in two languages replace nothing and are not replaced."""
    if old.language != new.language or old.question or new.question:
        return False
    if kin_of(old.text, old.language) != kin_of(new.text, new.language):
        return False
    if any(is_announced(one.text, one.language) for one in (old, new)):
        return False
    if is_of_the_moment(old.text, old.language) and is_of_the_moment(new.text, new.language):
        return False
    return "doubt" not in old.cues() and "doubt" not in new.cues()


def _replaced(  # noqa: PLR0911 - one answer for each case
    old: Reading, new: Reading, site: Site, comparison: Comparison, changed: bool
) -> Judgement:
    attribute = _attribute(old, site) or comparison.reason
    if not site.old or not site.new:
        silent = negations(old) == negations(new)  # "only" may be said with two negations
        left = changed and bool(site.old) and not _are_deeds(old, site.old)
        if (is_degree(old, new, site) and silent and not are_all_and_only(old, new)) or left:
            return Judgement("update", attribute)
        return Judgement("distinct", comparison.reason)
    opposed = _are_opposites(old, new, site)
    beside = _is_added(new, site) or are_both_bounds(old, new, site)
    if beside or not (opposed or is_comparable(old, new, site)):
        return Judgement("distinct", "holds beside the other")
    if _leaves_facts(old, comparison.alignment, site):
        return Judgement("conflict", f"part of {attribute} was replaced")
    opposed = opposed or is_degree(old, new, site)
    named = is_subject(old, site.old) and is_subject(new, site.new)
    when = all(unit.kind == "quantity" for unit in units_of(old, new, site))
    if named and not (changed and when) and not is_degree(old, new, site):
        return _other_subject(old, new, site, attribute)
    if not opposed and (_are_deeds(old, site.old) or _are_deeds(new, site.new)):
        return Judgement("distinct", "another deed")
    if are_ruled_out(old, new, site):
        return Judgement("distinct", "both may be ruled out")
    if changed or opposed:
        gained = not opposed and is_gained(old, new, units_of(old, new, site))
        more = gained or _has_in_charge(old, new, site)  # now maintains: beside or instead
        return Judgement("conflict" if more else "update", attribute)
    if is_subject(old, site.old) or is_subject(new, site.new):
        return _other_subject(old, new, site, attribute)
    return _by_attribute(old, new, site, comparison, attribute)


def _is_where(old: Reading, new: Reading, site: Site) -> bool:
    """Is what bears the label itself the value: the meeting is in room 12? Not where it is what acts: 快递柜 7 监听 3650 端口."""
    if acts(old, site.old) and acts(new, site.new):
        return False
    return is_single(old, site.old) or is_single(new, site.new)


def _by_attribute(
    old: Reading, new: Reading, site: Site, comparison: Comparison, attribute: str
) -> Judgement:
    """Without a word about a change: may the attribute have several values at once? What is told of a mere name may."""
    reason, mere = comparison.reason, is_mere_name(old, comparison.alignment)
    if beside := _holds_beside(old, new, site):
        return Judgement("distinct", beside)
    if is_vague(old, new, site):
        return Judgement("distinct", reason)
    several = may_be_several(old, site.old) or may_be_several(new, site.new)
    closed = all(is_closed(unit) for unit in units_of(old, new, site))
    both = is_single(old, site.old) and is_single(new, site.new)
    single = closed or (both and not mere)
    if several or (was_done(old, site.old) and was_done(new, site.new)) or not single:
        return Judgement("conflict", f"two values of {attribute}")
    return Judgement("update", attribute)


def _holds_beside(old: Reading, new: Reading, site: Site) -> str | None:
    """Say why the two are no values of one attribute: another thing, another event, one of several."""
    labels = is_label(old, site.old) and is_label(new, site.new)
    labels = labels or (is_counted_off(old, site.old) and is_counted_off(new, site.new))
    many = is_of_many(old, site.old) and is_of_many(new, site.new)
    if many or (labels and not _is_where(old, new, site)):
        return "about another of its kind"
    if are_events(old, new, site):
        return "two events"
    if _has_in_charge(old, new, site):
        return "several values may hold at once"
    one = is_counted(old, site) or is_in_list(old, site)
    one = one or (is_used(old, site.old) and is_used(new, site.new))
    if not one and (is_multiple(old, site.old) or is_multiple(new, site.new)):
        return "several values may hold at once"
    return None


def _has_in_charge(old: Reading, new: Reading, site: Site) -> bool:
    return is_in_charge_of(old, site.old) and is_in_charge_of(new, site.new)


def _are_deeds(reading: Reading, numbers: Sequence[int]) -> bool:
    """A verb alone is no value: another deed with the same things leaves the first one as it was. WARN is no verb."""
    units = [reading.units[i] for i in numbers]
    return all(unit.kind == "action" and not unit.surface.isupper() for unit in units)


def _leaves_facts(old: Reading, alignment: Alignment, site: Site) -> bool:
    """Does the older text say something beside the value that the newer does not take up?"""
    touched = {old.units[i].clause for i, _ in alignment.pairs} | {
        old.units[i].clause for i in site.old
    }
    return any(old.units[i].clause not in touched for i in alignment.only_a if i not in site.old)


def _are_opposites(old: Reading, new: Reading, site: Site) -> bool:
    pairs = lexicon(new.language).opposites
    if are_poles(units_of(old, new, site)):
        return False
    return len(site.old) == len(site.new) == 1 and any(
        (u, v) in pairs
        for u in (old.units[site.old[0]].key, old.units[site.old[0]].surface.casefold())
        for v in (new.units[site.new[0]].key, new.units[site.new[0]].surface.casefold())
    )


def _is_another_subject(old: Reading, new: Reading, site: Site) -> bool:
    """Is all that differs what the two texts speak of, and no owner of one thing?"""
    if not site.old or not site.new or is_degree(old, new, site):
        return False
    if not (is_subject(old, site.old) and is_subject(new, site.new)):
        return False
    return _other_subject(old, new, site, "").relation == "distinct"


def _other_subject(old: Reading, new: Reading, site: Site, attribute: str) -> Judgement:
    """Another person who owns the same thing is a new owner; another thing is another fact."""
    owner = lexicon(old.language).attributes.get("owner", frozenset())
    people = all(unit.kind in ("name", "char", "word") for unit in units_of(old, new, site))
    owned = _is_owned(old, site.old, owner) or _is_owned(new, site.new, owner)
    if (
        people
        and not owned
        and not is_one_of(new, owner)
        and mentions_any(old, owner)
        and mentions_any(new, owner)
    ):
        return Judgement("update", attribute)
    return Judgement("distinct", "about another subject")


def _is_owned(reading: Reading, site: Sequence[int], owner: frozenset[str]) -> bool:
    """Is it what somebody has: of X, X's owner, run by another?"""
    ran_by_another = reading.agents and not reading.agents & set(site)
    told = ran_by_another or is_said_whose(reading, site)
    if reading.units[site[0]].role in ("of", "for") or told:
        return True
    after = reading.units[site[-1] + 1 :][:1]
    return any(unit.kind == "concept" and unit.surface.casefold() in owner for unit in after)


def _is_added(new: Reading, site: Site) -> bool:
    return "also" in new.cues({new.units[j].clause for j in site.new})


def _attribute(old: Reading, site: Site) -> str:
    """Name the attribute: the words of the older text around the value."""
    inside = set(site.old)
    return " ".join(unit.surface for i, unit in enumerate(old.units) if i not in inside)[:60]

"""Whether what one note says beyond another is a detail that may be kept with it, or a fact that stands for itself."""

from functools import cache
from itertools import chain

from memoryd.memory.consolidation.alignment import Alignment, names_a_part
from memoryd.memory.consolidation.lexicon import FINISHED, UNSPACED, lexicon
from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import IMPERATIVE, POINTERS, TIMES, Reading, Unit

_LIMITS = frozenset(
    {
        "if",
        "unless",
        "except",
        "only",
        "though",
        "change",
        "past",
        "doubt",
        "future",
        "pending",
        "also",
    }
)
_MIN_NOMINAL = 2  # units beside the verb
_PHRASE = 3  # words of a phrase before its noun
_MIN_POINTING = 3  # units: enough said for the pointing to be clear
_SETTINGS = frozenset(
    {"production", "staging", "development", "test", "build", "weekend", "weekday"}
)
_ZONES = frozenset({"utc", "cet", "UTC"})
_RESTRICTING = frozenset({"denied", "if", "unless", "except", "only", "until"})
_TIMING = frozenset({"after", "before"})


def addition_problem(wider: Reading, narrow: Reading, alignment: Alignment) -> str | None:
    """Say why the extra units of the wider text change what it shares with the narrower, or None."""
    extra = set(alignment.only_a)
    if _has_rival(wider, narrow, alignment):
        return "it is said of another"
    if _denies_the_narrower(wider, narrow, alignment):
        return "the addition denies what the other says"
    shared = {wider.units[i].clause for i, _ in alignment.pairs}
    denied = any(one.denials for one in narrow.clauses)  # not A; use B instead
    for clause in sorted({wider.units[i].clause for i in extra}):
        mine = [i for i, unit in enumerate(wider.units) if unit.clause == clause]
        facts = wider.clauses[clause]
        beside = _LIMITS - ({"also", "change"} if denied else {"also"})
        if any(wider.units[i].key in _RESTRICTING for i in mine if i in extra) or facts.cues & (
            _LIMITS if clause in shared else beside
        ):
            return "the addition limits the statement"
        if clause in shared:
            problem = _tail_problem(wider, mine, extra, narrow)
        elif clause < min(shared) and not facts.opens_with_reason:
            problem = "the addition comes first"
        elif mine[0] - 1 not in extra and _is_time_of(wider, wider.units[mine[0]]):
            problem = "the addition says when it is so"
        else:
            problem = _clause_problem(wider, mine, narrow)
        if problem:
            return problem
    return None


def _has_rival(wider: Reading, narrow: Reading, alignment: Alignment) -> bool:
    """Keys in Vault, keys of Vault on paper; CI on A and CD on B, both on B: does an addition stand where another word stood?"""
    for i in alignment.only_a:
        extra = wider.units[i]
        if not extra.role or extra.kind == "action":
            continue
        beside = {n for k, n in alignment.pairs if wider.units[k].clause == extra.clause}
        for k, n in alignment.pairs:
            mine, yours = wider.units[k], narrow.units[n]
            if yours.role != extra.role:
                continue
            if mine.clause == extra.clause:
                moved = mine.role not in ("", extra.role)
            else:
                together = any(narrow.units[m].clause == yours.clause for m in beside)
                moved = mine.role == extra.role and together
            if moved:
                return True
    return False


def _denies_the_narrower(wider: Reading, narrow: Reading, alignment: Alignment) -> bool:
    """Npm is slow, never use it; use npm, it is slow: does a clause deny once more of the same thing what the other text affirms?"""
    verbs = frozenset().union(*(clause.verbs for clause in narrow.clauses))
    said = {(narrow.units[j].key, narrow.units[j].role) for _, j in alignment.pairs}
    for i in alignment.only_a:
        unit = wider.units[i]
        if unit.sign >= 0:
            continue
        again = unit.key in POINTERS or any(unit.key == key for key, _ in said)
        shared = wider.clauses[unit.clause].verbs & verbs
        if again and (shared or (unit.role and (unit.key, unit.role) in said)):
            return True
    return False


def _clause_problem(wider: Reading, mine: list[int], narrow: Reading) -> str | None:
    units = [wider.units[i] for i in mine]
    facts = wider.clauses[units[0].clause]
    if any(unit.surface.casefold() in _words_for("stretches") for unit in units):
        return "the addition says when it is so"
    if facts.inside >= 0:
        of_label = wider.text[facts.end : facts.end + 2] in ("):", "）：")
        limits = of_label and any(unit.key in _SETTINGS for unit in units)
        return "the addition says of which it holds" if limits else None
    acts = any(unit.kind in ("action", "condition") for unit in units) and not wider.ordered
    if units[0].listed >= 0 and not acts:
        return "a longer list"
    if not acts and not facts.verbs and _is_set_off(wider, units[0]) and not _is_dated(narrow):
        return f"{units[0].surface!r} may limit the statement"
    if (
        len(units) == 1
        and units[0].kind != "code"
        and not units[0].role
        and units[0].sign > 0
        and not acts
    ):
        return "a single word more, perhaps a member of a list"
    return None


def _is_time_of(wider: Reading, first: Unit) -> bool:
    """Parking is free after 18:00; but: created as CSV, deleted after 30 days."""
    parted = wider.text[: first.start].rstrip()[-1:] in ",;:.!?(-–—，；：。、（"
    return first.key in _TIMING and not parted


def _is_set_off(wider: Reading, first: Unit) -> bool:
    """Tabs over spaces, in Python files: does a phrase that says where it holds stand behind a comma?"""
    start = wider.clauses[first.clause].start
    comma = wider.text[:start].rstrip().endswith((",", "，", "、"))
    return comma and first.role in ("in", "for", "topic")


def _tail_problem(wider: Reading, mine: list[int], extra: set[int], narrow: Reading) -> str | None:  # noqa: PLR0911 - one answer for each case
    """Inside a shared clause only a time of day or date at its end may be added."""
    tail = [i for i in mine if i in extra]
    if _is_spelled_out(wider, tail, mine, narrow) or _says_how(wider, tail, mine):
        return None
    if _is_antecedent(wider, tail, narrow) or _says_where(wider, tail, mine, narrow):
        return None
    if all(_is_round(wider, i) for i in tail):
        return None
    if tail != mine[-len(tail) :]:
        return "a word more inside the statement"
    if limits := next((one for i in tail if (one := _limits(wider.units[i], wider, narrow))), None):
        return limits
    if _is_dated(narrow) and any(_is_point(wider.units[i]) for i in tail):
        return "another time"
    return None


def _limits(unit: Unit, wider: Reading, narrow: Reading) -> str | None:
    """Does a unit at the end of what is said say of which, where or when it is so?"""
    if unit.listed >= 0 and not _opens_phrase(wider, unit):
        return "a longer list"
    if _is_stretch(unit):
        return f"{unit.surface!r} limits the statement"
    timed = unit.key.startswith(("time:", "date:", "day:")) or unit.key in _ZONES
    if timed or (unit.role == "in" and _is_dated(narrow) and _is_place(wider, unit)):
        return None
    return f"{unit.surface!r} may limit the statement"


def _is_place(wider: Reading, unit: Unit) -> bool:
    """In the blue room, in Berlin, in room 4; not on request, in tests, sometimes."""
    if (
        wider.language in UNSPACED
        or unit.kind in ("name", "code")
        or unit.key.startswith("number:")
    ):
        return True
    before = wider.text[: unit.start].casefold().split()
    near = before[-_PHRASE:]
    return unit.kind != "quantify" and not _words_for("articles").isdisjoint(near)


def _is_round(wider: Reading, i: int) -> bool:
    """每周一闭馆, 周一闭馆: a weekday without a date comes round."""
    after = wider.units[i + 1 : i + 2]
    return wider.units[i].key == "every:week" and any(u.key.startswith("weekday:") for u in after)


def _is_spelled_out(wider: Reading, tail: list[int], mine: list[int], narrow: Reading) -> bool:
    """The fee: 5 euros / The fee costs 5 euros: the narrower has no verb at all, the wider one that says no more."""
    verbs = [i for i in mine if wider.units[i].kind == "action"]
    if wider.text[wider.units[tail[0]].end :].startswith("的"):
        return False  # 共享的数据库
    return (
        tail == verbs[:1] == tail[:1]
        and _are_equally_strict(wider, mine, narrow)
        and len(mine) > _MIN_NOMINAL
        and all(u.kind != "action" for u in narrow.units)
        and _says_no_more(wider, tail[0], narrow)
    )


def _says_no_more(wider: Reading, i: int, narrow: Reading) -> bool:
    """Is the verb what the narrower says with a light one (is, has, gets), and no noun (the base image)?"""
    unit, words = wider.units[i], lexicon(wider.language)
    if names_a_part(i, wider):
        return False  # the paid endpoints
    facts = wider.clauses[unit.clause]
    opens = i == 0 or wider.units[i - 1].clause != unit.clause
    if opens and wider.text[facts.start : unit.start].strip():
        return False  # an article stands before it
    finished = any(other.key == FINISHED for other in wider.units[i + 1 : i + 2])  # 开会, 开完会
    if finished or any(other.role == "by" for other in narrow.units):
        return False  # paid by Ben, called by Ben: he does something, if no table knows what
    verbs = frozenset().union(*(clause.verbs for clause in narrow.clauses))
    if not verbs <= words.light_verbs.get(unit.key, frozenset()):
        return False
    if unit.key == "start" and not any(other.key.startswith("time:") for other in narrow.units):
        return False  # the fair is on Monday, the fair begins on Monday
    return unit.key in words.existing or bool(verbs - {"use"})


def _are_equally_strict(wider: Reading, mine: list[int], narrow: Reading) -> bool:
    """The app requires a password: "requires" is a verb, though it is read as a must."""
    strict = wider.clauses[wider.units[mine[0]].clause].modals
    return frozenset().union(*(clause.modals for clause in narrow.clauses)) <= strict


def _says_how(wider: Reading, tail: list[int], mine: list[int]) -> bool:
    """The addition ends the statement and says with what or to what end: it limits nothing."""
    if tail != mine[-len(tail) :] or len(tail) == len(mine):
        return False
    first = wider.units[tail[0]]
    facts = wider.clauses[first.clause]
    does = facts.verbs or any(wider.units[i].kind == "action" for i in mine if i not in tail)
    each = wider.text[: first.start].casefold().split()[-1:] in (["per"], ["pro"])
    if first.role == "by" and wider.language in ("fr", "es"):
        each = each or wider.units[tail[0] - 1].kind == "quantity"  # 2000 € par région
    limited = (first.role == "with" and not does) or any(_is_stretch(wider.units[i]) for i in tail)
    if each or limited:
        return False  # lunch is free with a coupon; use it as a fallback
    another = first.joined and first.role != wider.units[tail[0] - 1].role  # in English and as PDF
    if any(wider.units[i].key in TIMES for i in tail):
        return False  # por la tarde
    governed = wider.language in UNSPACED or _opens_preposition(wider, tail[0])
    return governed and (first.listed < 0 or another) and first.role in ("with", "by", "as")


def _says_where(wider: Reading, tail: list[int], mine: list[int], narrow: Reading) -> bool:
    """The addition says where, or at which moment, what is told happens; a rule would be limited by it."""
    if tail != mine[-len(tail) :] or wider.language in UNSPACED:
        return False
    units = [wider.units[i] for i in tail]
    plain = all(
        u.kind in ("concept", "word", "quality", "action")
        and u.key not in _SETTINGS | TIMES
        and u.listed < 0
        and not u.scope
        for u in units
    )
    acts = (
        any(wider.units[i].kind == "action" for i in mine if i not in tail)
        and wider.units[0].kind != "action"
    )
    facts = (wider.clauses[units[0].clause], *narrow.clauses)
    told = facts[0].tense == "past" or all(_is_moment(unit) for unit in units)
    ruled = any(f.modals or f.negated or IMPERATIVE in f.verbs for f in facts)
    opens = _opens_preposition(wider, tail[0])
    return (
        plain
        and told
        and opens
        and units[0].role == "in"
        and acts
        and not ruled
        and not wider.quantifiers
    )


def _is_moment(unit: Unit) -> bool:
    """At startup: when it is done anyway, and not one of several places where it might be."""
    return unit.surface.casefold() in _words_for("moments")


def _is_stretch(unit: Unit) -> bool:
    """In summer, before noon: of all the time in which it may be so, a part."""
    return bool(unit.scope) or unit.surface.casefold() in _words_for("stretches")


@cache
def _words_for(name: str) -> frozenset[str]:
    return frozenset(chain.from_iterable(table("things")[name].values()))


def _opens_preposition(reading: Reading, i: int) -> bool:
    """Does a preposition stand right before the unit?"""
    phrases = lexicon(reading.language).phrases
    gap = reading.text[reading.units[i - 1].end : reading.units[i].start].casefold().split()
    return any(word in phrases and phrases[word].role == "marker" for word in gap)


def _is_antecedent(wider: Reading, tail: list[int], narrow: Reading) -> bool:
    """keep it short / keep answers short: the longer text names what the shorter only points at."""
    unit = wider.units[tail[0]]
    points = not set(narrow.dropped).isdisjoint(POINTERS)
    return (
        points
        and len(tail) == 1
        and unit.kind in ("concept", "action")
        and len(narrow.units) > _MIN_POINTING
    )


def _is_point(unit: Unit) -> bool:
    return unit.key.startswith(("time:", "date:", "day:"))


def _is_dated(narrow: Reading) -> bool:
    """At a given time only one thing happens: where it happens does not limit the statement."""
    return any(unit.key.startswith(("time:", "date:", "day:")) for unit in narrow.units)


def _opens_phrase(wider: Reading, unit: Unit) -> bool:
    return bool(unit.role)

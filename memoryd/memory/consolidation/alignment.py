"""Pair the units of two readings; what finds no partner is the difference between them."""

import re
from bisect import insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from memoryd.memory.consolidation.lexicon import FINISHED, UNSPACED, Language, lexicon
from memoryd.memory.consolidation.notation import pair_notations
from memoryd.memory.consolidation.spelling import pair_spellings
from memoryd.memory.consolidation.synonyms import pair_synonyms
from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import IMPERATIVE, LABEL, NEED, ClauseFacts, Reading, Unit
from memoryd.memory.consolidation.value_labels import names_kind_of_value

_STEM = 3  # letters that a word's forms and spellings begin with
_TOLD = re.compile(r" (?:is|are|was|were|has|have|must|should|can|may|needs?)\b")
_MIN_SHARED = 2  # syllables that two Korean words must share when neither is the other's stem


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pairs of unit numbers (a, b) in the order of a, and the numbers that stay alone."""

    pairs: tuple[tuple[int, int], ...]
    only_a: tuple[int, ...]
    only_b: tuple[int, ...]

    def similarity(self, a: Reading, b: Reading) -> float:
        """Give the share of units that found a partner, 0 to 1 (Dice)."""
        total = len(a.units) + len(b.units)
        return (total - len(self.only_a) - len(self.only_b)) / total if total else 0.0


def align(a: Reading, b: Reading) -> Alignment:
    """Pair equal units, repeated ones in order; a repetition or a light word of the other side is no difference."""
    waiting: dict[str, list[int]] = defaultdict(list)
    for j, key in enumerate(b.folded_keys):
        waiting[key].append(j)
    pairs: list[tuple[int, int]] = []
    only_a: list[int] = []
    for i, (unit, key) in enumerate(zip(a.units, a.folded_keys, strict=True)):
        candidates = waiting.get(key)
        if not candidates:
            only_a.append(i)
            continue
        found = _best(unit, [j for j in candidates if same_unit(unit, b.units[j])], a, b)
        if found is None:
            only_a.append(i)
        else:
            candidates.remove(found)
            pairs.append((i, found))
    taken = {j for _, j in pairs}
    only_b = [j for j in range(len(b.units)) if j not in taken]
    keys = {a.units[i].key for i, _ in pairs}
    said_a = [i for i in only_a if _owns_alone(i, a) or not _is_redundant(a.units[i], keys, b)]
    said_b = [j for j in only_b if _owns_alone(j, b) or not _is_redundant(b.units[j], keys, a)]
    if len(said_a) < len(only_a) or len(said_b) < len(only_b):
        said_a, said_b = (
            said_a + _ends(a, only_a, said_a, b, said_b),
            said_b + _ends(b, only_b, said_b, a, said_a),
        )
    only_a, only_b = sorted(said_a), sorted(said_b)
    pair_notations(a, b, only_a, only_b, pairs)
    pair_spellings(a, b, only_a, only_b, pairs)
    pair_synonyms(a, b, only_a, only_b, pairs)
    _part_names(a, b, only_a, only_b, pairs)
    only_a = [i for i in only_a if not names_kind_of_value(a, i)]
    only_b = [j for j in only_b if not names_kind_of_value(b, j)]
    if not only_a or not only_b:
        only_a = [i for i in only_a if not _is_light(i, a) and not _is_tool_verb(i, a, b)]
        only_b = [j for j in only_b if not _is_light(j, b) and not _is_tool_verb(j, b, a)]
    return Alignment(tuple(sorted(pairs)), tuple(only_a), tuple(only_b))


def _ends(
    here: Reading, alone: list[int], said: list[int], there: Reading, others: list[int]
) -> list[int]:
    """Test with make test, test with make check: find repetitions that end their clause where another word ends the other's."""
    ends = {(there.units[j].kind, there.units[j].role) for j in others if _ends_clause(j, there)}
    repeated = (i for i in alone if i not in said and _ends_clause(i, here))
    return [i for i in repeated if (here.units[i].kind, here.units[i].role) in ends]


def _ends_clause(i: int, reading: Reading) -> bool:
    after = reading.units[i + 1 : i + 2]
    return not after or after[0].clause != reading.units[i].clause


def _part_names(
    a: Reading, b: Reading, only_a: list[int], only_b: list[int], pairs: list[tuple[int, int]]
) -> None:
    """Part words that only mean the same inside of hyphenated names: quick-fox and fast-fox are two."""
    for i, j in tuple(pairs):
        u, v = a.units[i], b.units[j]
        if _is_spelled_alike(u, v) or not (_is_hyphenated(u, a) and _is_hyphenated(v, b)):
            continue
        pairs.remove((i, j))
        insort(only_a, i)
        insort(only_b, j)


def _is_spelled_alike(u: Unit, v: Unit) -> bool:
    """The same word, inflected or in another spelling at most."""
    first, second = u.surface.casefold(), v.surface.casefold()
    return first[:_STEM] == second[:_STEM]


def _is_hyphenated(unit: Unit, reading: Reading) -> bool:
    around = (
        reading.text[max(unit.start - 2, 0) : unit.start],
        reading.text[unit.end : unit.end + 2],
    )
    return any(len(x) == len("a-") and "-" in x and x.strip("-").isalnum() for x in around)


def _beside(i: int, reading: Reading) -> list[Unit]:
    return [reading.units[k] for k in (i - 1, i + 1) if 0 <= k < len(reading.units)]


def _is_placed(unit: Unit, other: Unit, reading: Reading) -> bool:
    """The server is in the CET zone: does a preposition stand between the two?"""
    phrases = lexicon(reading.language).phrases
    first, second = sorted((unit, other), key=lambda one: one.start)
    between = reading.text[first.end : second.start].casefold().split()
    return any(word in phrases and phrases[word].role == "marker" for word in between)


def _measures(i: int, reading: Reading) -> bool:
    """Does a quantity stand beside the unit, perhaps behind a bound (a length of at least 12 characters)?"""
    near = reading.units[max(i - 1, 0) : i + 3]
    bounded = len(near) > 2 and near[-2].kind == "compare"  # noqa: PLR2004 - the bound and what it bounds
    return any(unit.kind == "quantity" for unit in (near if bounded else _beside(i, reading)))


def _is_tool_verb(i: int, reading: Reading, other: Reading) -> bool:
    """The site is built with X = we use X for the site."""
    unit = reading.units[i]
    if unit.kind != "action" or "use" not in lexicon(reading.language).light_verbs.get(
        unit.key, ()
    ):
        return False
    used = any("use" in clause.verbs for clause in other.clauses)
    done = unit.surface.casefold() in lexicon(reading.language).bases or unit.surface[-2:] == "ed"
    return used and done and any(x.role in ("for", "as") for x in other.units)


def _is_said_anyway(unit: Unit, reading: Reading) -> bool:
    """A light verb, 先 beside 再, 完 of what is affirmed."""
    light = unit.kind in ("action", "concept") and unit.key in lexicon(reading.language).light
    first = unit.key == "first" and "after" in reading.cues({unit.clause})
    if unit.role == LABEL:
        return True
    return light or first or (unit.key == FINISHED and unit.sign > 0)


def _is_in_path(i: int, reading: Reading) -> bool:
    """Strings are in res/strings.xml: the path beside it says the word once more."""
    unit = reading.units[i]
    word = unit.surface.casefold()
    plain = unit.kind in ("concept", "word") or (unit.kind == "name" and unit.start == 0)
    if not plain or unit.sign < 0 or len(word) < _STEM:
        return False
    paths = (u.surface for u in _beside(i, reading) if u.kind == "code" and u.clause == unit.clause)
    return any(word in re.split(r"[^a-z]+", path.casefold()) for path in paths)


def _is_of_number(i: int, reading: Reading) -> bool:
    """Pinned Python version for services: 3.11; Node version: 18. The number of what has versions, or one with points in it, is its version."""
    if reading.units[i].key != "version" or i == 0:
        return False
    after = reading.units[i + 1 : i + 2]
    if after and after[0].key.startswith("number:"):
        named = reading.units[i - 1].surface.casefold() in _versioned()
        return named or "." in after[0].key
    return any(re.fullmatch(r"number:\d+(\.\d+)+", u.key) for u in reading.units[i + 1 : i + 4])


@cache
def _versioned() -> frozenset[str]:
    return frozenset(table("numbering")["versioned"]["names"])


def _names_a_part(i: int, reading: Reading) -> bool:
    """The sprint planning starts, staging 的 connect timeout: does a verb only say which of its kind is meant?"""
    unit, after = reading.units[i], reading.units[i + 1 : i + 2]
    if not after or after[0].clause != unit.clause:
        return False
    if unit.kind == "action" and after[0].start <= unit.end + 1 and _is_part_of_noun(i, reading):
        return True
    if not unit.surface.isascii():
        return False
    before = reading.units[i - 1] if i else None
    if unit.surface.endswith("ing") and before and before.end + 1 == unit.start:
        return after[0].kind == "action"
    owned = reading.text[: unit.start].rstrip().endswith(("的", "'s"))
    noun = after[0].kind in ("concept", "word", "name") and after[0].start == unit.end + 1
    return owned and noun and unit.kind == "action"


def _is_part_of_noun(i: int, reading: Reading) -> bool:
    """All write requests; write requests are logged; 쓰기 요청: does a verb stand before a noun, and the whole before what is told?"""
    unit, after = reading.units[i], reading.units[i + 1]
    if _of_all(reading.language).search(reading.text[: unit.start]):
        return True
    if reading.language == "ko":
        return unit.surface.endswith("기")
    told = _TOLD.match(reading.text, after.end)
    return told is not None and reading.language == "en" and unit.surface.casefold() == unit.key


@cache
def _of_all(language: Language) -> re.Pattern[str]:
    return re.compile(table("things")["of_all"].get(language, "(?!)"), re.IGNORECASE)


def _is_light(i: int, reading: Reading) -> bool:  # noqa: PLR0911 - one answer for each kind of word
    """May this word be missing on one side: a verb that its object implies, a noun that only labels a name?"""
    unit = reading.units[i]
    table = lexicon(reading.language)
    if _is_hyphenated(unit, reading) or _names_a_part(i, reading):
        return False
    if _is_said_anyway(unit, reading) or _is_in_path(i, reading) or _is_of_number(i, reading):
        return True
    if unit.key in table.keeping and is_cancelled(reading.clauses[unit.clause]):
        return True
    before = reading.units[i - 1] if i else None
    gap = 0 if reading.language in UNSPACED else 1
    said = unit.kind in ("action", "concept") and unit.surface in table.heads
    head = unit.key in table.heads or said
    if head and before is not None and before.end + gap == unit.start:
        return True
    if unit.key in table.helping and table.markers_after:
        return any(u.kind == "action" and u.clause == unit.clause for u in reading.units[:i])
    if unit.key in table.helping and i + 1 < len(reading.units):
        return reading.units[i + 1].kind == "action"
    if unit.key == "x:1":
        return "all" in reading.quantifiers or any(
            other.key.startswith(("every:", "weekday:")) and other.clause == unit.clause
            for other in reading.units
        )
    if not {unit.key, unit.surface}.isdisjoint(table.extents):
        return _measures(i, reading)
    near = _beside(i, reading)
    foreign = reading.language in UNSPACED
    named = any(
        other.clause == unit.clause
        and not (not foreign and _is_placed(unit, other, reading))
        and (
            other.kind in ("code", "name")
            or (foreign and other.surface.isascii())
            or (other.kind == "concept" and other.surface[:2].isupper())  # PDF files
        )
        for other in near
    )
    return named and unit.key in lexicon("en").labels | lexicon(reading.language).labels


def light_verbs(reading: Reading, paired: Sequence[int], alone: Sequence[int]) -> frozenset[str]:
    """Give the senses of the verbs of the clauses of *paired* that no partner was asked of."""
    clauses = {reading.units[i].clause for i in paired}
    table = lexicon(reading.language)
    senses = frozenset().union(*(reading.clauses[n].verbs for n in clauses))
    for i in set(range(len(reading.units))) - {*paired, *alone}:
        unit = reading.units[i]
        if unit.kind == "action" and unit.clause in clauses and unit.key in table.light:
            senses |= table.light_verbs.get(unit.key, frozenset({unit.key}))
            if unit.start == 0 and unit.surface.casefold() == unit.key:
                senses |= {IMPERATIVE}  # write short functions
    return senses


def _clause_keys(reading: Reading, clause: int) -> set[str]:
    return {unit.key for unit in reading.units if unit.clause == clause}


def _best(unit: Unit, candidates: list[int], a: Reading, b: Reading) -> int | None:
    """Choose among repeated units: the same sign first, then the clause that shares most, then the order."""
    if len(candidates) < 2:  # noqa: PLR2004 - nothing to choose
        return candidates[0] if candidates else None
    mine = _clause_keys(a, unit.clause)
    return min(
        candidates,
        key=lambda j: (
            b.units[j].sign != unit.sign,
            -len(mine & _clause_keys(b, b.units[j].clause)),
            j,
        ),
    )


def same_unit(u: Unit, v: Unit) -> bool:
    """Do two units mean the same? Names must be spelled alike; ordinary words may be inflected."""
    if u.forms and v.forms:
        if (len(u.forms) > 1 or len(v.forms) > 1) and u.forms[0] != v.forms[0]:
            return _share_stem(u.forms, v.forms)
        return u.forms[0] == v.forms[0] or (u.key == v.key and _may_inflect(u, v))
    if u.key == v.key:
        return (u.kind in ("quantity", "code")) == (v.kind in ("quantity", "code"))
    return u.kind == v.kind == "code" and u.key.casefold() == v.key.casefold() and "_" not in u.key


def _may_inflect(u: Unit, v: Unit) -> bool:
    """A capital at the very start may be any word's, if the other text writes it small."""
    if u.kind == v.kind == "name":
        return False
    return all(unit.kind != "name" or unit.start == 0 for unit in (u, v))


def _share_stem(u: tuple[str, ...], v: tuple[str, ...]) -> bool:
    shared = set(u) & set(v)
    return any(len(stem) >= _MIN_SHARED or stem in (u[0], v[0]) for stem in shared)


def is_cancelled(clause: ClauseFacts) -> bool:
    """No X without Y: two denials."""
    return clause.denials > 0 and clause.denials % 2 == 0


def _owns_alone(i: int, reading: Reading) -> bool:
    """Julia invited Marc to Marc's wedding: is it said once more, but now as an owner, or the other way round?"""
    unit, text = reading.units[i], reading.text
    if reading.language != "en" or "'s" not in text:
        return False
    same = [other for other in reading.units if other.key == unit.key and other is not unit]
    owns = [text.startswith("'s ", one.end) for one in (unit, *same)]
    near = any(other.clause == unit.clause for other in same)
    return near and any(owns) and not all(owns)


def _is_redundant(unit: Unit, matched: set[str], other: Reading) -> bool:
    """Was the unit matched once already, or does the other text have it among its light words?"""
    if unit.key in ("before", NEED) and any(
        clause.conditional or is_cancelled(clause) for clause in other.clauses
    ):
        return True
    if unit.kind == "condition" and unit.key == "if" and "when" in other.cues():
        return True
    if unit.key in matched and unit.sign > 0:
        return unit.kind not in ("condition", "quantify")
    if unit.kind not in ("word", "concept", "action") or unit.sign < 0:
        return False
    return unit.key not in ("user", "team") and unit.surface.casefold() in other.dropped

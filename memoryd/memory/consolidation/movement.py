"""What may stand elsewhere in a sentence without saying anything else: whole clauses, records, phrases with their preposition."""

import re
from collections.abc import Iterable

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.unit import IMPERATIVE, POINTERS, Reading, Unit

_ADDRESSING = frozenset({"toward", "by"})
_IS = re.compile(r" (?:is|are|(?:(?:must|has to|have to|should) )?be) ")
_OPENERS = frozenset({"we", "please", "always", "to"})
_ARTICLES = frozenset({"the", "our", "all", "every", "each", "your", "my"})
_AUXILIARIES = frozenset({"is", "are", "be", "gets", "get", "being", "been"})
_NEAR = 2  # units between a name and the noun that says what it names


def clauses_match(a: Reading, b: Reading, alignment: Alignment) -> bool:
    """Do the clauses hold the same units, so that they moved as a whole?

    What opens both texts governs every clause; so does what a pronoun points back to. A lone verb may be said in
    one clause and understood in the other.
    """
    verbs = [i for i, _ in alignment.pairs if a.units[i].kind == "action"]
    anywhere = set(verbs) if len(verbs) == 1 else set()
    if not POINTERS.isdisjoint((*a.dropped, *b.dropped)):
        anywhere |= {i for i, j in alignment.pairs if i == 0 or j == 0}
    firm = [pair for pair in alignment.pairs[shared_topic(alignment) :] if pair[0] not in anywhere]
    at_home = [(i, a.home(i), b.home(j)) for i, j in firm]
    # what stands in brackets may be a clause of its own: (use strings.xml)
    by_number = [(i, a.units[i].clause, b.units[j].clause) for i, j in firm]
    return _same_groups(at_home) or _same_groups(by_number)


def _same_groups(places: Iterable[tuple[int, int, int]]) -> bool:
    """Are units that share a clause in one text (the second number) those that share one in the other (the third)?"""
    left: dict[int, set[int]] = {}
    right: dict[int, set[int]] = {}
    for i, here, there in places:
        left.setdefault(here, set()).add(i)
        right.setdefault(there, set()).add(i)
    return {frozenset(x) for x in left.values()} == {frozenset(x) for x in right.values()}


def is_more_than(unit: Unit, reading: Reading) -> bool:
    """A clause of one word says nothing by itself: its place tells what it belongs to; an order (use X) does."""
    if IMPERATIVE in reading.clauses[unit.clause].verbs:
        return True
    return (
        sum(
            reading.home(i) == reading.home(reading.units.index(unit))
            for i in range(len(reading.units))
        )
        > 1
    )


def shared_topic(alignment: Alignment) -> int:
    """Count the units that open both texts alike; they govern every clause."""
    return next(
        (n for n, pair in enumerate(alignment.pairs) if pair != (n, n)), len(alignment.pairs)
    )


def are_members(a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Reviewers: Ines, Kofi = reviewers: Kofi, Ines: names behind one label, in a text about no order."""
    if a.ordered or b.ordered:
        return False
    for reading, i, k in ((a, first[0], second[0]), (b, first[1], second[1])):
        u, v = reading.units[i], reading.units[k]
        if u.kind != "name" or v.kind != "name" or u.clause == v.clause:
            return False
        later = max(u.clause, v.clause)
        alone = sum(unit.clause == later for unit in reading.units) == 1
        if not alone or reading.home(i) != reading.home(k):
            return False
    return True


def may_move(a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """May one of two units stand elsewhere, whatever else the texts say?"""
    ways = (keep_prepositions, is_label_beside, are_members, are_opposed, is_commanded, is_said_of)
    return any(may(a, b, first, second) for may in ways)


def acts(unit: Unit, reading: Reading) -> bool:
    """Is the unit a verb? A capital between Chinese words makes a name of it: 用 React, 不用 Swift."""
    named = reading.language in UNSPACED and unit.surface.isascii() and unit.surface[:1].isupper()
    return unit.kind == "action" and not named


def are_opposed(a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Not npm but yarn = yarn, not npm: the one is said and the other denied, in both texts."""
    u, v = a.units[first[0]], a.units[second[0]]
    kept = (u.sign, v.sign) == (b.units[first[1]].sign, b.units[second[1]].sign)
    return kept and u.sign * v.sign < 0


def opening_clause(reading: Reading) -> list[Unit]:
    """Give the units of the first clause."""
    return [unit for unit in reading.units if unit.clause == reading.units[0].clause]


def is_addressed(a: Reading, b: Reading, pair: tuple[int, int]) -> bool:
    """Is the unit the only one of its text that stands behind "to" or "by", in both? Its preposition tells its part."""
    role = a.units[pair[0]].role
    if (
        role not in _ADDRESSING
        or b.units[pair[1]].role != role
        or UNSPACED & {a.language, b.language}
    ):
        return False
    return all(_heads(reading, role) == [i] for reading, i in ((a, pair[0]), (b, pair[1])))


def _heads(reading: Reading, role: str) -> list[int]:
    return [
        i for i, unit in enumerate(reading.units) if unit.role == role and unit.kind != "action"
    ]


def keep_prepositions(
    a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]
) -> bool:
    """On rainy days in the small hall: either phrase may come first, if each keeps its preposition."""
    words = [
        _preposition(r, i) for pair in (first, second) for r, i in zip((a, b), pair, strict=True)
    ]
    return "" not in words and words[0] == words[1] != words[2] == words[3]


def _preposition(reading: Reading, i: int) -> str:
    """Give the preposition that opens the unit's phrase; "" if none surely does."""
    if reading.units[i].role != "in" or reading.language in UNSPACED:
        return ""
    phrases = lexicon(reading.language).phrases
    start = reading.units[i].start
    words: list[str] = re.findall(r"\w+|[^\w\s]", reading.text[:start].casefold())
    for word in reversed(words[-4:]):
        sense = phrases.get(word)
        if sense is not None and sense.role == "marker":
            return word
        if not word.isalnum():
            return ""
    return ""


def is_label_beside(
    a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]
) -> bool:
    """The variable X, the X variable: a name and the noun that says what it names, in one phrase of both texts."""
    if a.language in UNSPACED or any(
        abs(x - y) > _NEAR for x, y in zip(first, second, strict=True)
    ):
        return False
    u, v = a.units[first[0]], a.units[second[0]]
    labels = lexicon(a.language).labels
    return (u.kind == "code" and v.key in labels) or (v.kind == "code" and u.key in labels)


def is_means(a: Reading, b: Reading, first: tuple[Unit, Unit], second: tuple[Unit, Unit]) -> bool:
    """Gas is used to heat the house = the house is heated with gas."""
    for means in (first, second):
        for here, reading in enumerate((a, b)):
            clause = means[here].clause
            leads = means[here] is next(unit for unit in reading.units if unit.clause == clause)
            used = leads and "use" in reading.clauses[clause].verbs
            if used and means[here].role == "" and means[1 - here].role == "with":
                return True
    return False


def is_other_means(used: Reading, other: Reading, alignment: Alignment) -> bool:
    """The house is used to heat gas: what is used leads; what the other text does it "with" must be that."""
    if used.language != "en" or all("used" not in word.split() for word in used.dropped):
        return False
    for i, j in alignment.pairs:
        clause = used.units[i].clause
        leads = i == next(k for k, unit in enumerate(used.units) if unit.clause == clause)
        means = other.units[j].role == "with" and used.units[i].role == ""
        if means and not leads and "use" in used.clauses[clause].verbs:
            return True
    return False


def turned(alignment: Alignment) -> Alignment:
    """Exchange the two texts."""
    return Alignment(tuple((j, i) for i, j in alignment.pairs), alignment.only_b, alignment.only_a)


def is_attributive(
    a: Reading, b: Reading, first: tuple[Unit, Unit], second: tuple[Unit, Unit]
) -> bool:
    """A leaking boiler = the boiler leaks: the deed stands right before its noun in one text, behind it in the other."""
    if UNSPACED & {a.language, b.language}:
        return False
    for deed, noun in ((first, second), (second, first)):
        for here, reading in enumerate((a, b)):
            gap = reading.text[deed[here].end : noun[here].start]
            if deed[here].surface.endswith("ing") and gap == " ":
                return deed[1 - here].start > noun[1 - here].start
    return False


def follows_another(a: Reading, b: Reading, partner: dict[int, int], only: tuple[int, int]) -> bool:
    """金曜は会議のみ, 会議は金曜だけ: does it stand right behind another word, which both texts have?"""
    i, j = only
    if (
        not i
        or not j
        or a.units[i - 1].end < a.units[i].start
        or b.units[j - 1].end < b.units[j].start
    ):
        return False
    return i - 1 in partner and j - 1 in partner.values() and partner[i - 1] != j - 1


def singled_out(reading: Reading, i: int) -> set[int]:
    """The phrase behind "only", or before it if nothing follows; who does it, if a passive follows."""
    if reading.language in UNSPACED:
        return set()
    clause = reading.units[i].clause
    step = 1 if i + 1 < len(reading.units) and reading.units[i + 1].clause == clause else -1
    k = i + step
    if not 0 <= k < len(reading.units):
        return set()
    if step > 0 and reading.units[k].kind == "action" and reading.agents:
        return set(reading.agents)
    found = {k}
    while 0 <= k + step < len(reading.units) and _touch(reading, k, k + step):
        k += step
        found.add(k)
    return found


def _touch(reading: Reading, i: int, k: int) -> bool:
    first, second = sorted((i, k))
    return reading.units[second].start - reading.units[first].end <= 1


def is_commanded(a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Vacuum the hall = the hall is vacuumed: a word that opens an order in one text is the participle of the other.

    Many verbs are nouns, too, so that no table calls them verbs (cache, partition, vacuum).
    """
    if not a.language == b.language == "en":
        return False
    for deed, thing in ((first, second), (second, first)):
        for order, passive, i, j in ((a, b, deed[0], deed[1]), (b, a, deed[1], deed[0])):
            if _opens_order(order, i) and _is_done(passive, j):
                mine, yours = (thing[0], thing[1]) if order is a else (thing[1], thing[0])
                return order.units[mine].start > order.units[i].start and yours < j
    return False


def is_said_of(a: Reading, b: Reading, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Green CI = CI is green: an ordinary word right before its noun in one text, behind it and "is" in the other."""
    if not a.language == b.language == "en" or "also" in a.cues() | b.cues():
        return False
    for said, noun in ((first, second), (second, first)):
        for near, far, i, j, k, m in (
            (a, b, said[0], said[1], noun[0], noun[1]),
            (b, a, said[1], said[0], noun[1], noun[0]),
        ):
            word, thing = near.units[i], near.units[k]
            small = word.surface.islower() and word.kind in ("word", "concept")
            beside = small and k == i + 1 and near.text[word.end : thing.start] == " "
            if (
                beside
                and j == m + 1
                and _IS.fullmatch(far.text[far.units[m].end : far.units[j].start].casefold())
            ):
                return _ends_clause(far, j)
    return False


def _ends_clause(reading: Reading, i: int) -> bool:
    return i + 1 == len(reading.units) or reading.units[i + 1].clause != reading.units[i].clause


def _opens_order(reading: Reading, i: int) -> bool:
    """Does the word open its text, but for "we" or "please", with no other verb behind it?"""
    unit = reading.units[i]
    before = reading.text[: unit.start].casefold().rpartition(":")[2].split()
    behind = reading.text[unit.end :].casefold().split()[:1]
    sure = bool(before) or not _ARTICLES.isdisjoint(behind)
    verbs = any(other.kind == "action" for other in reading.units[i + 1 :])
    alone = not verbs and reading.clauses[unit.clause].divides < 0
    leads = i == 0 or reading.text[: unit.start].rstrip().endswith(":")
    return leads and _OPENERS.issuperset(before) and (sure or alone)


def _is_done(reading: Reading, j: int) -> bool:
    """Is the word a participle behind "is" or "gets"?"""
    unit = reading.units[j]
    before = reading.text[: unit.start].casefold().split()
    while before and (before[-1] == "always" or before[-1].endswith("ly")):
        before.pop()
    return unit.surface.endswith("ed") and not _AUXILIARIES.isdisjoint(before[-1:])


def is_deed(first: tuple[Unit, Unit], second: tuple[Unit, Unit]) -> bool:
    """The validation of inputs = inputs are validated: a noun with "of" in one text, a participle in the other."""
    for deed, thing in ((first, second), (second, first)):
        for here in (0, 1):
            if thing[here].role == "of" and not thing[1 - here].role:
                verb = deed[1 - here].surface
                return verb.endswith("ed") and not deed[here].surface.endswith("ed")
    return False

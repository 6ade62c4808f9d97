"""Who is acted upon: Anna reviews, Anna is reviewed. And what is past by its auxiliary: hat geprüft, a envoyé.

A participle is told by its form; the words that make a passive or a perfect of it stand in the tables.
"""

import re
from collections.abc import Sequence

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED, Lexicon, lexicon
from memoryd.memory.consolidation.unit import Reading, Unit
from memoryd.memory.consolidation.voice import when

_PARTICIPLES = {
    "en": re.compile(r"(?:ed|en|wn|pt|lt|nt|ld|id|de|ne)$"),
    "de": re.compile(r"^(?:\w*ge\w+(?:t|en)|(?:be|er|ver|zer|ent|emp|miss|über|unter)\w+(?:t|en)|\w+iert)$"),
    "fr": re.compile(r"(?:é|i|u|is|it|ert)e?s?$|ees?$"),
    "es": re.compile(r"(?:ad|id|t|ch|s)[oa]s?$"),
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_GE = re.compile(r"\w*ge\w+t$")
_REGULAR = re.compile(r"[ai]d[oa]s?$")  # avisa is none
_SUBJECT = frozenset({"", "subj", "topic"})
_SERVED = frozenset({"for", "toward", "from"})
_THINGS = frozenset({"concept", "word", "name", "char", "code", "action"})  # a lead, a build


def is_participle(word: str, language: str) -> bool:
    """May the word be a participle, by its form?"""
    pattern = _PARTICIPLES.get(language)
    return pattern is None or pattern.search(word.casefold()) is not None


def is_perfect(text: str, end: int, deeds: Sequence[Unit], table: Lexicon) -> bool:
    """Does the clause that ends there say by its auxiliary that something was done (hat geprüft)?"""
    if not deeds or not table.perfects or table.perfects.isdisjoint(_words(_up_to(text, end))):
        return False
    return any(is_participle(unit.surface, table.language) for unit in deeds)


def passive_clash(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Name the first unit that does in one text what is done to it in the other."""
    if a.language != b.language:
        return None
    if noun := _in_other_case(a, b, alignment):
        return f"{noun!r} does it in only one of them"
    partner = dict(alignment.pairs)
    back = {j: i for i, j in alignment.pairs}
    for i, j in alignment.pairs:
        if a.units[i].kind != "action" or b.units[j].kind != "action":
            continue
        first, second = is_done_to(a, i), is_done_to(b, j)
        if first == second:
            continue
        acted = (
            _is_also_subject(a, i, b, j, partner) if first else _is_also_subject(b, j, a, i, back)
        )
        if acted is None:
            acted = _is_served(a, b, j, back) if first else _is_served(b, a, i, partner)
        if acted is not None:
            return f"{acted.surface!r} does it in only one of them"
    return None


def _in_other_case(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Der Bot informiert, den Bot informiert: give the noun that the article makes another part of an active deed."""
    table = lexicon(a.language)
    deeds = [(i, j) for i, j in alignment.pairs if a.units[i].kind == b.units[j].kind == "action"]
    if not table.doers or not deeds or any(is_done_to(a, i) or is_done_to(b, j) for i, j in deeds):
        return None
    for i, j in alignment.pairs:
        first, second = _before(a, i), _before(b, j)
        if (first in table.doers and second in table.objects) or (
            first in table.objects and second in table.doers
        ):
            return a.units[i].surface
    return None


def _before(reading: Reading, i: int) -> str:
    words = reading.text[: reading.units[i].start].casefold().split()
    return words[-1] if words else ""


def is_done_to(reading: Reading, i: int) -> bool:
    """Is the deed one that is done to its subject (is reviewed, must be reviewed)?"""
    table = lexicon(reading.language)
    said = _up_to(reading.text, reading.clauses[reading.units[i].clause].end)
    if reading.language in UNSPACED:
        return any(word in said for word in table.passives)
    if reading.language == "es" and reading.text[: reading.units[i].start].endswith(" se "):
        return True  # el papel se pide
    if table.passives.isdisjoint(_words(said)):
        return False
    word = reading.units[i].surface
    borrowed = reading.language == "de" and not word.endswith("n")  # wird reviewt
    return borrowed or is_participle(word, reading.language)


def _is_also_subject(
    passive: Reading, i: int, active: Reading, j: int, partner: dict[int, int]
) -> Unit | None:
    """Give the subject of the passive deed, if it is the subject of the active one, too."""
    deed = active.units[j]
    if active.persons - passive.persons or not _is_finite(deed, active.language):
        return None
    for k in range(len(passive.units)):
        here = passive.units[k].clause == passive.units[i].clause
        if k == i or not here or not _may_act(passive, k):
            continue
        m = partner.get(k, -1)
        if m < 0 or m >= j or active.units[m].clause != deed.clause or not _may_act(active, m):
            return None
        return active.units[m] if _leads(active, m) else None
    return None


def _is_served(passive: Reading, active: Reading, j: int, partner: dict[int, int]) -> Unit | None:
    """Karin books flights, flights are booked for Karin: give who acts in the one, and has it done for her in the other."""
    if active.language in UNSPACED:
        return None
    doers = (m for m in range(j) if active.units[m].clause == active.units[j].clause)
    doer = next((m for m in doers if _may_act(active, m)), -1)
    served = doer in partner and passive.units[partner[doer]].role in _SERVED
    return active.units[doer] if served else None


def _is_finite(deed: Unit, language: str) -> bool:
    """Is the active verb one that has a subject, no infinitive (Logs löschen) and no participle (logs deleted)?"""
    word = deed.surface.casefold()
    if language in UNSPACED:
        return True
    if language == "en":
        return word.endswith("s")
    if language == "de":  # informiert, bestellt may be either
        return not word.endswith("n") and not _GE.match(word)
    if language == "es":
        return not _REGULAR.search(word)
    return not is_participle(word, language)


def _may_act(reading: Reading, k: int) -> bool:
    unit = reading.units[k]
    if unit.kind not in _THINGS or when(unit) or k in reading.agents:
        return False
    if reading.language in ("ja", "ko"):
        return unit.role == "subj"
    return unit.role in _SUBJECT


def _leads(active: Reading, m: int) -> bool:
    """Is nothing before the unit that may act, too?"""
    clause = active.units[m].clause
    before = (k for k in range(m) if active.units[k].clause == clause)
    return not any(_may_act(active, k) for k in before)


def _up_to(text: str, end: int) -> str:
    """Give the words before *end* back to the last sign: a clause that opens with "after" has its auxiliary before it."""
    return re.split(r"[.,;:!?()。，；：！？\n]", text[:end])[-1]


def _words(said: str) -> frozenset[str]:
    return frozenset(_WORD.findall(said.casefold()))

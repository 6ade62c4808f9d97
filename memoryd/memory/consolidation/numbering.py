"""A number right behind a noun: a value (port 5432), a version (Node 20), or the label of one of many (job 10242)?"""

import re
from collections.abc import Sequence
from functools import cache

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED, lexicon
from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import Reading

_LETTERED = re.compile(r"\d+[A-Za-z]|(?![vV])[A-Za-z]\d+")  # seat 12A, vitamin B6; v3 is a version
_NOUNS = frozenset({"concept", "word", "char", "name"})
_KINDS = _NOUNS | {"quality"}
_GOVERNING = frozenset({"of", "for", "in", "with", "from"})
_COUNTED = _NOUNS - {"name"}
_ARTICLES = (" the ", " our ", " le ", " la ", " der ", " die ", " das ", " el ")
_COUNTING = 3  # characters between a number and what it counts: 3 个文件


def is_label(reading: Reading, site: Sequence[int]) -> bool:
    """Does the differing place tell which of many things is spoken of, so that another number is another thing?"""
    end = _noun_end(reading, site)
    label = reading.units[site[0]].surface
    told = label.isdigit() or _LETTERED.fullmatch(label) is not None
    return end > 0 and told and not _has_numbers(reading, end)


def acts(reading: Reading, site: Sequence[int]) -> bool:
    """Does a verb follow the number of a thing that no preposition governs, in a language that tells who acts by the order?"""
    number = reading.units[site[0]]
    after = reading.units[site[0] + 1 :][:1]
    verb = bool(after) and after[0].kind == "action" and after[0].clause == number.clause
    return reading.language == "zh" and not number.role and verb and _noun_end(reading, site) > 0


def is_used(reading: Reading, site: Sequence[int]) -> bool:
    """Is it the number of what is used (we use Node 20, the API uses port 5432), of which there is one at a time?"""
    used = "use" in reading.clauses[reading.units[site[0]].clause].verbs
    return used and len(site) == 1 and is_of_a_number(reading, site[0])


def counted_problem(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Two dogs and a cat, a dog and two cats: say that a number counts another of the things that both texts name."""
    partner = dict(alignment.pairs)
    back = {j: i for i, j in alignment.pairs}
    for i, j in alignment.pairs:
        unit, other = a.units[i], b.units[j]
        if unit.key != other.key or not unit.key.startswith("number:"):
            continue
        if _counts(a, i) and _counts(b, j) and partner.get(i + 1, j + 1) != j + 1 and j + 1 in back:
            return f"{unit.surface!r} counts another"
    return None


def _counts(reading: Reading, i: int) -> bool:
    """Does the number stand right before what it counts?"""
    if i + 1 >= len(reading.units) or reading.units[i + 1].clause != reading.units[i].clause:
        return False
    gap = reading.text[reading.units[i].end : reading.units[i + 1].start]
    return len(gap) <= 1 and reading.units[i + 1].kind in (*_NOUNS, "action")


def is_of_a_number(reading: Reading, i: int) -> bool:
    """Port 80, Node 20: is it the number of what has a number or versions?"""
    end = _noun_end(reading, (i,))
    return end > 0 and _has_numbers(reading, end)


def _noun_end(reading: Reading, site: Sequence[int]) -> int:
    """Where the noun ends that the number at *site* stands right behind; 0: there is none."""
    number, before = reading.units[site[0]], site[0] - 1
    label = number.key.startswith("number:") or _LETTERED.fullmatch(number.surface)
    if len(site) != 1 or not label or before < 0:
        return 0
    noun = reading.units[before]
    near = not reading.text[noun.end : number.start].strip(" #") and noun.clause == number.clause
    named = noun.kind in _NOUNS or _is_object(reading, site[0]) or _is_named_deed(reading, site[0])
    return noun.end if near and named else 0


def _is_object(reading: Reading, number: int) -> bool:
    """运行备份 7: is the verb before the number what another verb acts on, a noun then?"""
    mine = [i for i, u in enumerate(reading.units) if u.clause == reading.units[number].clause]
    verbs = [i for i in mine if reading.units[i].kind == "action"]
    return reading.language in UNSPACED and number == mine[-1] and verbs[1:][-1:] == [number - 1]


def _is_named_deed(reading: Reading, number: int) -> bool:
    """Run the night backup 7, 夜间备份 7 由 Bao 维护, for build 7: is the verb before the number a noun, as another verb acts on it?

    What stands right before it tells so. Not where the number counts what follows: jobs backup 3 servers to replay them.
    """
    noun, label = reading.units[number - 1], reading.units[number]
    if noun.kind != "action":
        return False
    mine = [unit for unit in reading.units if unit.clause == label.clause]
    after = reading.units[number + 1 :][:1]
    near = after and after[0].start - label.end <= _COUNTING
    if near and after[0].kind in _COUNTED and not after[0].role:
        return False
    if noun.role in _GOVERNING or (number == 1 and _goes_on_with_verb(reading, label.end)):
        return True
    if not _follows_noun_or_article(reading, number - 1):
        return number > 1 and mine[0].kind == "action" and noun is mine[1] and mine[2:3] == [label]
    light = reading.clauses[label.clause].verbs or _goes_on_with_verb(reading, label.end)
    return bool(light) or any(unit.kind == "action" and unit is not noun for unit in mine)


def _goes_on_with_verb(reading: Reading, end: int) -> bool:
    """Build 7 has, build 7 keeps, Backup 17 wartet: does a verb stand right behind the number?"""
    word = re.match(r"\s*(\w+)", reading.text[end:])
    if word is None or reading.language in UNSPACED:
        return False
    known, said = lexicon(reading.language), word[1].casefold()
    if {said, known.bases.get(said)} & {*known.light_verbs, *known.copulas}:
        return True
    sense = known.phrases.get(known.bases.get(said, said)) or known.phrases.get(said)
    return sense is not None and sense.role in ("action", "modal")


def _follows_noun_or_article(reading: Reading, i: int) -> bool:
    """Does a noun, a quality or an article stand right before the unit?"""
    if f" {reading.text[: reading.units[i].start]}".casefold().endswith(_ARTICLES):
        return True
    before = reading.units[i - 1] if i else None
    if before is None or not (before.kind in _KINDS or before.key.startswith("every:")):
        return False
    gap = 0 if reading.language in UNSPACED else 1
    return reading.units[i].start - before.end == gap


def _has_numbers(reading: Reading, end: int) -> bool:
    """Is the noun that ends there one that has a number or versions?"""
    text, nouns = reading.text[:end].casefold(), _numbered_nouns()[reading.language]
    if reading.language in UNSPACED:
        return text.endswith(nouns)
    return text.split()[-1].strip("*`\"'") in nouns


@cache
def _numbered_nouns() -> dict[str, tuple[str, ...]]:
    """By language: the nouns that have a number, and the names of what has versions."""
    nouns_of = table("numbering")
    names = nouns_of["versioned"]["names"]
    return {language: (*nouns, *names) for language, nouns in numbered_nouns().items()}


@cache
def numbered_nouns() -> dict[str, tuple[str, ...]]:
    """By language: the nouns that have a number."""
    return {language: tuple(nouns) for language, nouns in table("numbering")["valued"].items()}

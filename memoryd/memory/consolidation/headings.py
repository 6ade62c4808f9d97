"""What stands in front of a note and says nothing more: the heading it was under, the day on which it was taken down.

"Testing: slow tests are marked" says of what it speaks twice. A heading is left out only where the note repeats its words,
where it names the sort of note, or where a word of the note belongs to nothing else (languages/headings.toml). A day is a fact and goes
behind the note, in brackets, where a day is a detail.
"""

import re
from functools import cache, lru_cache

from memoryd.memory.consolidation.lexicon import UNSPACED, Language
from memoryd.memory.consolidation.reading import read
from memoryd.memory.consolidation.tables import any_of, table
from memoryd.memory.consolidation.unit import Reading, Unit

_LISTED = re.compile(r"\s*(?:[-*•]|#+)\s+(?=\S)")
_LABEL = r"[^\W\d_][^\n:：.;,，。；、()\[\]【】「」/]{0,38}?"
_HEADING = re.compile(
    rf"(?:\*\*)?(?:(?P<plain>{_LABEL})(?:\*\*)?\s*(?:[:：](?:\*\*)?|\s[-–—]|—)\s*|[\[【](?P<boxed>{_LABEL})[\]】]\s*[:：]?\s*)(?=\S)"
)
_DAY = r"(?:\d{4}-\d\d-\d\d|\d{4}/\d\d/\d\d|\d{1,2}\.\d{1,2}\.\d{4}|\d{4}年\d{1,2}月\d{1,2}日)"
_STAMP = re.compile(
    rf"(?:[\[(（【](?P<boxed>{_DAY})[\])）】]\s*[:：]?|(?P<plain>{_DAY})\s*(?:[:：]|[-–—](?=\s)))\s*"
)
_NAMED = "<name>"
_NOUNS = frozenset({"concept", "word", "name", "action", "quality", "char"})
_JOINS = frozenset({"&", "and", "und", "et", "y", "/", "+", "和", "与"})
_FEWEST = 2  # units of a note: of less the heading says what it is about


@lru_cache(maxsize=16384)
def bare(text: str, language: Language) -> str:
    """Give folded *text* without list mark, day and heading in front of it; the day stands behind it."""
    note = text[mark.end() :] if (mark := _LISTED.match(text)) else text
    note, day = _without_day(note, language)
    note = _without_heading(note, language)
    if day:
        note = f"{note.rstrip().rstrip('.。')} ({day})"
    return note


def _without_day(note: str, language: Language) -> tuple[str, str]:
    match = _STAMP.match(note)
    if match is None or match.end() == len(note):
        return note, ""
    rest = note[match.end() :]
    if said := _taken_down(language).match(rest):
        rest = rest[said.end() :]
    return rest, match["boxed"] or match["plain"]


@cache
def _taken_down(language: Language) -> re.Pattern[str]:
    phrases = any_of(table("headings")["stamps"].get(language, ()))
    return re.compile(rf"(?:{phrases})(?:\s*[:：]\s*|\s+)(?=\S)", re.IGNORECASE)


def _without_heading(note: str, language: Language) -> str:
    match = _HEADING.match(note)
    if match is None:
        return note
    label, rest = match["plain"] or match["boxed"], note[match.end() :]
    return rest if _says_nothing(label.strip(), rest, language) else note


def _says_nothing(label: str, rest: str, language: Language) -> bool:
    rows = table("headings").get(language)
    if rows is None:
        return False
    said = read(rest, language)
    if len(said.units) < _FEWEST or not _states(said):
        return False
    plain = " ".join(w for w in label.casefold().split() if w not in _JOINS)
    if plain in rows["sorts"]:
        return True
    return _is_repeated(_read(label, language), said) or _is_about(
        plain, said, rest, language, rows["about"]
    )


def _states(said: Reading) -> bool:
    """Has the note a verb of its own? Of a mere value (Editor: Helix) the heading is half."""
    verbs = any(u.kind == "action" for u in said.units)
    return verbs or any(facts.verbs or facts.modals or facts.divides > 0 for facts in said.clauses)


def _is_repeated(label: Reading, said: Reading) -> bool:
    """Does the note say every word of its heading?"""
    if not label.units or any(u.kind not in _NOUNS or u.sign < 0 for u in label.units):
        return False
    if label.quantifiers or any(facts.modals or facts.cues for facts in label.clauses):
        return False
    known = {form for unit in said.units for form in _forms(unit)}
    return all(known & _forms(unit) for unit in label.units)


def _forms(unit: Unit) -> set[str]:
    return {unit.key.casefold(), *unit.forms}


def _is_about(
    plain: str, said: Reading, rest: str, language: Language, about: dict[str, list[str]]
) -> bool:
    """Has the note a word that speaks of nothing but what the heading names?"""
    words = next((found for names, found in about.items() if plain in (names, *names.split())), [])
    if _NAMED in words and any(unit.kind == "name" and not unit.role for unit in said.units):
        return True
    if language in UNSPACED:
        return any(word in rest for word in words)
    return any(_is_repeated(_read(word, language), said) for word in words if word != _NAMED)


_read = lru_cache(maxsize=1024)(read)

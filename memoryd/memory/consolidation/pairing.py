"""Two texts read for each other's sake: in one language, and with what is only a slip of the pen read as it was meant."""

import re
from dataclasses import replace
from functools import lru_cache

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.belonging import belongs_to_another
from memoryd.memory.consolidation.comparison import Comparison, compare
from memoryd.memory.consolidation.headings import bare, dated
from memoryd.memory.consolidation.lexicon import UNSPACED
from memoryd.memory.consolidation.reading import (
    LONGEST,
    common_language,
    read,
    sure_language,
)
from memoryd.memory.consolidation.reasons import reason_clash
from memoryd.memory.consolidation.respelling import respellings
from memoryd.memory.consolidation.rewording import reworded
from memoryd.memory.consolidation.unit import Reading
from memoryd.memory.consolidation.wording import exchanged_words, wording_problem
from memoryd.memory.text import fold

_READINGS = 16384  # kept at a time; about 4 kB each

_MOST_UNITS = 200  # of a text that is compared place by place
_MOST_SLIPS = 6  # units that only one of the texts has

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_DECIMAL = "decimal"
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
_THOUSAND = re.compile(r"(?<=\d)k\b", re.IGNORECASE)
_HOUR = re.compile(r"\b(\d{1,2})(?:[:.](\d\d))? ?([ap])\.?m\b", re.IGNORECASE)
_HALF_DAY = 12

read_cached = lru_cache(maxsize=_READINGS)(read)


def compare_texts(a: str, b: str) -> tuple[Reading, Reading, Comparison]:
    """Read two texts and compare them; if they differ, once more told from the same end, and without slips of the pen.

    Of a text that says more than the other what is set off behind is cut off: the rest must be the same.
    """
    first, second, found = _compare(a, b)
    if found.relation == "contains" and (cut := _without_tail(first, second, found)):
        rest = _compare(*cut)[2]
        particle = first.language in UNSPACED and rest.reason.startswith("only one says")
        if not rest.merges and not particle:
            return first, second, replace(found, relation="distinct", reason=rest.reason, wider="")
    return first, second, found


def _without_tail(first: Reading, second: Reading, found: Comparison) -> tuple[str, str] | None:
    """Give both texts, the wider without the clauses at its end that only add something; None if it has none such."""
    wider, narrow = (first, second) if found.wider == "a" else (second, first)
    shared = {pair[found.wider == "b"] for pair in found.alignment.pairs}
    last = max((wider.units[i].clause for i in shared), default=-1)
    added = [unit.clause for unit in wider.units if unit.clause > last]
    if not added or len(wider.clauses) <= min(added):
        return None
    rest = wider.text[: wider.clauses[min(added)].start].rstrip(" \t\n(（[,，;；:：.。-–—")
    return (rest, narrow.text) if rest else None


def _compare(a: str, b: str) -> tuple[Reading, Reading, Comparison]:
    first, second = read_both(a, b)
    if first.language != second.language or _are_sure_of_two(a, b):
        return first, second, _apart("told in two languages")
    if max(len(first.units), len(second.units)) > _MOST_UNITS or max(len(a), len(b)) > LONGEST:
        return first, second, _as_wholes(a, b)
    plain = _bare(first, second)
    found = _compare_read(*plain)
    if found[2].merges or (plain[0] is first) == (plain[1] is second):
        return found
    whole = _compare_read(
        first, second
    )  # dependencies: yarn install = install dependencies with yarn
    return whole if whole[2].merges else found


def _compare_read(first: Reading, second: Reading) -> tuple[Reading, Reading, Comparison]:
    comparison = compare(first, second)
    if turned := _told_alike(first, second):
        again = compare(*turned)
        exchanged = exchanged_words(*turned) or reason_clash(*turned, again.alignment)
        exchanged = exchanged or _only_one_limits(*turned)
        told = again.merges and not wording_problem(first, second)
        told = told and not belongs_to_another(first, second, comparison.alignment)
        told = told and not _hides_denial(comparison, *turned)
        if exchanged if comparison.merges else told:  # who depends on whom
            return (*turned, again)  # its units are those of the turned texts
    if comparison.merges or not _may_be_slips(first, second, comparison):
        return first, second, comparison
    slips_a, slips_b = respellings(first.text, second.text, first.language)
    if not slips_a and not slips_b:
        return first, second, comparison
    respelled = (
        read(first.text, first.language, tuple(sorted(slips_a.items()))),
        read(second.text, first.language, tuple(sorted(slips_b.items()))),
    )
    again = compare(*respelled)
    return (*respelled, again) if again.merges else (first, second, comparison)


def _bare(first: Reading, second: Reading) -> tuple[Reading, Reading]:
    """Read two texts without what stands in front of them and says nothing more: headings, the same day in both."""
    (note, day), (other, other_day) = (bare(r.text, r.language) for r in (first, second))
    if day != other_day:
        note, other = dated(note, day), dated(other, other_day)
    return (
        first if note == first.text else read_cached(note, first.language),
        second if other == second.text else read_cached(other, second.language),
    )


def _as_wholes(a: str, b: str) -> Comparison:
    """Compare texts too long for a fact: the guards look at every pair of places, and would take minutes."""
    if fold(a).text == fold(b).text:
        return Comparison("same", "the same words", 1.0, Alignment((), (), ()))
    return _apart("too long to be compared word by word")


def _apart(reason: str) -> Comparison:
    return Comparison("distinct", reason, 0.0, Alignment((), (), ()))


def _are_sure_of_two(a: str, b: str) -> bool:
    """Most guards know one language: what a translation leaves out or turns round, none of them would see."""
    first, second = sure_language(a), sure_language(b)
    return bool(first and second) and first != second


def _only_one_limits(first: Reading, second: Reading) -> str | None:
    """Just Ann may open it, Ann may open it: a row reads "only" where the words as such carry nothing."""
    limits = ["only" in reading.quantifiers for reading in (first, second)]
    return "one says 'only', the other does not" if limits[0] != limits[1] else None


def _told_alike(first: Reading, second: Reading) -> tuple[Reading, Reading] | None:
    """Read two texts as they are told from the same end; None if no row of the table turns either."""
    if first.language != second.language:
        return None
    ours, theirs = reworded(first.text, first.language), reworded(second.text, second.language)
    if ours is None and theirs is None:
        return None
    numbers, others = _numbers(ours or first.text), _numbers(theirs or second.text)
    if numbers - others and others - numbers and _DECIMAL not in numbers | others:
        return None  # told from whichever end, another value; most pairs of a large bank end here
    return (
        read_cached(ours, first.language) if ours else first,
        read_cached(theirs, first.language) if theirs else second,
    )


def _hides_denial(plain: Comparison, first: Reading, second: Reading) -> bool:
    """React 换成 Vue denies React without a word for not: what is denied in one only is so when told so, too."""
    denied = plain.objection is not None and plain.objection.flip == "sign"
    return denied and ("change" in first.cues()) != ("change" in second.cues())


@lru_cache(maxsize=_READINGS)
def _numbers(text: str) -> frozenset[str]:
    """The whole numbers in a text; a decimal may be one of them in another unit (2.5 s, 2500 ms)."""
    plain = _THOUSAND.sub("000", _HOUR.sub(_hour, _THOUSANDS.sub("", text)))
    return frozenset(
        number.lstrip("0") or "0" if number.isdigit() else _DECIMAL
        for number in _NUMBER.findall(plain)
    )


def _hour(match: re.Match[str]) -> str:
    """Give an hour of twelve as one of twenty-four: 6 pm, 18:00."""
    hour = int(match[1]) % _HALF_DAY + (_HALF_DAY if match[3] in "pP" else 0)
    return f"{hour}:{match[2] or '00'}"


def _may_be_slips(first: Reading, second: Reading, comparison: Comparison) -> bool:
    """Is what differs little, and ordinary words only, in a language that puts spaces between them?"""
    if UNSPACED & {first.language, second.language}:
        return False
    only_a, only_b = comparison.alignment.only_a, comparison.alignment.only_b
    if not 0 < len(only_a) + len(only_b) <= _MOST_SLIPS or not comparison.alignment.pairs:
        return False
    units = (*(first.units[i] for i in only_a), *(second.units[j] for j in only_b))
    return all(unit.kind not in ("quantity", "code") for unit in units)


def read_both(a: str, b: str) -> tuple[Reading, Reading]:
    """Read two texts in one language, if both are in Latin script, or one in Han and the other in kana too."""
    first, second = read_cached(a), read_cached(b)
    both = {first.language, second.language}
    if len(both) == 1 or (UNSPACED & both and both != {"ja", "zh"}):
        return first, second
    language = common_language(a, b)
    return read_cached(a, language), read_cached(b, language)

"""Who acts on whom, told by articles: der Hund folgt dem Kind, dem Hund folgt das Kind; María dirige, a María la dirige."""

import re
from functools import cache, lru_cache

from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import Reading

_GERMAN = re.compile(r"\b(der|die|das|dem|den)\s+(\w+)")
_GERMAN_PASSIVE = re.compile(r"\b(?:wird|werden|wurden?|worden|bekommt|bekam)\b")
_TAKING = frozenset({"dem", "den"})
_ACTING = frozenset({"der", "die", "das"})
_FRONTED = re.compile(r"^a (\w+) (?:l[oae]s?) \w+")  # a María la dirige el equipo


def case_problem(a: Reading, b: Reading) -> str | None:
    """Say that the articles of two nouns tell that they changed parts, or None."""
    if a.language != b.language:
        return None
    if a.language == "de":
        told = _have_changed_parts(a.text, b.text) or _opens_otherwise(a.text, b.text)
    elif a.language == "en":
        told = _is_done_to(a.text, b.text) or _is_done_to(b.text, a.text)
    else:
        told = a.language == "es" and (_is_fronted(a, b) or _is_fronted(b, a))
    return "who acts is another" if told else None


def _have_changed_parts(one: str, other: str) -> bool:
    """Does one noun act in the first text only, and another in the second only?"""
    ours, theirs = _articles(one), _articles(other)
    both = [noun for noun in ours if ours[noun] != theirs.get(noun, ours[noun])]
    acts = {noun for noun in both if _takes(ours[noun], theirs[noun])}
    bears = {noun for noun in both if _takes(theirs[noun], ours[noun])}
    return bool(acts - bears) and bool(bears - acts)


def _is_done_to(one: str, other: str) -> bool:
    """Clients are paid (or we pay clients), clients pay: is it done to what does it in the other text?"""
    bears, acts = _parts(one)[0], _parts(other)[1]
    return bool(bears & acts) and not bears & _parts(other)[0]


@lru_cache(maxsize=16384)
def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of those to whom it is done, and of those who do it."""
    text = text.casefold()
    passive, active = _english()
    bears = frozenset(first or second for first, second in passive.findall(text))
    return bears, frozenset(active.findall(text))


@cache
def _english() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """To whom it is done (clients are paid, we pay clients), and who does it (clients pay)."""
    doing, done = table("voices")["doing"]["en"], table("voices")["done"]["en"]
    passive = (
        rf"\b(\w+) (?:is|are|was|were|gets?|must be|should be|can be|may be|will be) (?:{doing}|{done})(?:d|ed)?\b"
        rf"|\bwe (?:{doing}) (?:the |our |all )?(\w+)"
    )
    active = rf"\b(\w+) (?:must |should |can |may |will )?(?:{doing})e?s?\b"
    return re.compile(passive), re.compile(active)


def _opens_otherwise(one: str, other: str) -> bool:
    """Der Berater hat die Firma verklagt, den Berater hat die Firma verklagt: neither is a passive."""
    first, second = (_GERMAN.match(text.casefold()) for text in (one, other))
    if first is None or second is None or first[2] != second[2]:
        return False
    passive = any(_GERMAN_PASSIVE.search(text.casefold()) for text in (one, other))
    return not passive and {first[1], second[1]} in ({"der", "den"}, {"der", "dem"}, {"das", "dem"})


def _takes(first: str, second: str) -> bool:
    """Does a noun with the first article act, that does not with the second?"""
    return (first in _ACTING and second in _TAKING) or (first, second) == ("die", "der")


def _is_fronted(said: Reading, plain: Reading) -> bool:
    """A María la dirige el equipo: she does not lead it, as she does where she stands first without the preposition."""
    match = _FRONTED.match(said.text.casefold())
    return match is not None and plain.text.casefold().startswith(match[1] + " ")


@lru_cache(maxsize=16384)
def _articles(text: str) -> dict[str, str]:
    return {noun: article for article, noun in _GERMAN.findall(text.casefold())}

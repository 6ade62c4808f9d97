"""Who acts on whom, where only pronouns tell: Eva trusts me, I trust Eva; they audit us, we audit them."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from memoryd.memory.consolidation.unit import Reading

_THINGS = frozenset({"name", "word", "concept", "code"})
_WORD = re.compile(r"[^\W\d_]+")


def acting_problem(a: Reading, b: Reading) -> str | None:
    """Say that a person acts in one of two texts of one language and is acted on in the other, or None.

    Orders (give me short answers) and what is told of another's deed (I was hired by Tom) tell nothing of that.
    """
    if a.language != b.language or a.agents or b.agents:
        return None
    ours, theirs = (set(_words(reading)) for reading in (a, b))
    for forms in _pronouns().get(a.language, {}).values():
        for acts, bears, told in ((ours, theirs, b), (theirs, ours, a)):
            turned = acts & forms["subject"] and not acts & forms["object"]
            borne = bears & forms["object"] and not bears & forms["subject"]
            if turned and borne and _somebody_acts(told, forms["object"]):
                return "who acts is another"
    return None


def _words(reading: Reading) -> dict[str, int]:
    """Every word, and where it stands first."""
    found: dict[str, int] = {}
    for match in _WORD.finditer(reading.text.casefold()):
        found.setdefault(match[0], match.start())
    return found


def _somebody_acts(reading: Reading, objects: frozenset[str]) -> bool:
    """Is a thing or another person named before the pronoun that is acted on?"""
    words = _words(reading)
    here = min(place for word, place in words.items() if word in objects)
    subjects = set().union(*(forms["subject"] for forms in _pronouns()[reading.language].values()))
    spoken = any(words.get(word, here) < here for word in (*subjects, "you", "du"))
    return spoken or any(unit.kind in _THINGS and unit.start < here for unit in reading.units)


@cache
def _pronouns() -> dict[str, dict[str, dict[str, frozenset[str]]]]:
    path = files("memoryd.memory.consolidation") / "languages" / "pronouns.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        language: {
            person: {role: frozenset(words) for role, words in forms.items()}
            for person, forms in persons.items()
        }
        for language, persons in table.items()
    }

"""Sentences around a fact that only say that somebody said it, or ask politely for it.

The templates stand in [sayings] of the language tables: words and <slots> (lists of words), each perhaps followed by
"?" (may be missing) or "*" (any number of times).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby

_STARTS = re.compile(r"^\s*|[.;:!?,(—–-]\s*|\s(?=as |wie |comme |como )")
_WORD = re.compile(r"\w+")


class Sayings:
    """The templates of one language, by the words that they can begin with; compiled when a text has one of these."""

    def __init__(self, slots: Mapping[str, Sequence[str]], templates: Sequence[str]) -> None:
        self._slots = slots
        self._templates: dict[str, list[str]] = {}
        for line in templates:
            for word in _openings(line, slots):
                self._templates.setdefault(word, []).append(line)
        self._compiled: dict[str, re.Pattern[str]] = {}

    def spans(self, text: str) -> dict[int, int]:
        """Find the longest match at every place where a clause may begin: start -> end."""
        found: dict[int, int] = {}
        for start in {match.end() for match in _STARTS.finditer(text)}:
            first = _WORD.match(text, start)
            templates = self._templates.get(first.group().casefold()) if first else None
            if templates is None:
                continue
            matches = (self._pattern(line).match(text, start) for line in templates)
            end = max((match.end() for match in matches if match), default=start)
            rest = (
                text[end:].strip(" .!") or text[:start].strip()
            )  # a note of nothing else is a note
            if end > start and rest:
                found[start] = end
        return found

    def _pattern(self, template: str) -> re.Pattern[str]:
        if template not in self._compiled:
            pattern = _compiled(template, self._slots)
            self._compiled[template] = re.compile(pattern, re.IGNORECASE)
        return self._compiled[template]


@cache
def _parts(template: str) -> tuple[tuple[str, str], ...]:
    """Cut a template into (word or slot, "" or "?" or "*")."""
    return tuple(
        (part.rstrip("?*"), part[len(part.rstrip("?*")) :]) if part not in "?*" else (part, "")
        for part in template.split()
    )


def _choices(part: str, slots: Mapping[str, Sequence[str]]) -> Sequence[str]:
    return slots[part[1:-1]] if part.startswith("<") else (part,)


def _openings(template: str, slots: Mapping[str, Sequence[str]]) -> set[str]:
    words: set[str] = set()
    for part, often in _parts(template):
        firsts = (_WORD.match(choice) for choice in _choices(part, slots))
        words |= {match.group().casefold() for match in firsts if match}
        if not often:
            break
    return words


def _compiled(template: str, slots: Mapping[str, Sequence[str]]) -> str:
    pieces = []
    for part, often in _parts(template):
        choices = sorted(_choices(part, slots), key=len, reverse=True)
        alike = groupby(choices, key=lambda choice: choice[-1].isalnum())
        forms = "|".join(_form(some, are_words) for are_words, some in alike)
        pieces.append(rf"(?:(?:{forms})\s*){often}")
    return "".join(pieces)


def _form(choices: Iterable[str], are_words: bool) -> str:
    """A word must end where it ends; a sign may stand anywhere."""
    plain = "|".join(r"\s+".join(map(re.escape, choice.split())) for choice in choices)
    return rf"(?<!\w)(?:{plain})(?!\w)" if are_words else plain

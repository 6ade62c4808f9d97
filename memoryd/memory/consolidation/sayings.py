"""Sentences around a fact that only say that somebody said it, or ask politely for it.

The templates stand in [sayings] of the language tables: words and <slots> (lists of words), each perhaps followed by
"?" (may be missing) or "*" (any number of times).
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

_STARTS = re.compile(r"(?:^|(?<=[.;:!?,(—–-]))\s*|(?<=\s)(?=as |wie |comme |como )")
_WORD = re.compile(r"\w+")


class Sayings:
    """The templates of one language, compiled; *words* are those that a match can begin with."""

    def __init__(self, slots: Mapping[str, Sequence[str]], templates: Sequence[str]) -> None:
        self.words = frozenset(word for line in templates for word in _openings(line, slots))
        self.patterns = tuple(
            re.compile(_compiled(line, slots), re.IGNORECASE) for line in templates
        )

    def spans(self, text: str) -> dict[int, int]:
        """Find the longest match at every place where a clause may begin: start -> end."""
        found: dict[int, int] = {}
        for start in {match.end() for match in _STARTS.finditer(text)}:
            first = _WORD.match(text, start)
            if first is None or first.group().casefold() not in self.words:
                continue
            matches = (pattern.match(text, start) for pattern in self.patterns)
            end = max((match.end() for match in matches if match), default=start)
            rest = (
                text[end:].strip(" .!") or text[:start].strip()
            )  # a note of nothing else is a note
            if end > start and rest:
                found[start] = end
        return found


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
        forms = "|".join(_form(choice) for choice in choices)
        pieces.append(rf"(?:(?:{forms})\s*){often}")
    return "".join(pieces)


def _form(choice: str) -> str:
    """A word must end where it ends; a sign may stand anywhere."""
    plain = r"\s+".join(re.escape(word) for word in choice.split())
    return rf"(?<!\w){plain}(?!\w)" if choice[-1].isalnum() else plain

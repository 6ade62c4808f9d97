"""Numbers with their nouns, for people."""

import re

_Y = re.compile(r"(?<=[^aeiou])y$")


def counted(number: float, noun: str) -> str:
    """A number with its noun, in the plural unless it is one: 1 entry, 3 entries, 1.5 days.

    Args:
        noun: in the singular; the plural of its last word is made by rule.
    """
    shown = f"{number:g}" if isinstance(number, float) else str(number)
    if number == 1:
        return f"{shown} {noun}"
    return f"{shown} {_Y.sub('ie', noun)}s"

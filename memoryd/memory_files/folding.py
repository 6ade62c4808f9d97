"""Folds an entry's words, so that the same fact written twice is recognised, and different facts never are."""

import re

from memoryd.memory_files.markdown import clean_content
from memoryd.screening import screen
from memoryd.screening.copy_form import copy_form

# Letters, digits and the signs that make another fact of the same letters: C and C++, 1.5 and 15, -5 and 5, 👍 and 👎.
_DROPPED = re.compile(
    r"(?<=\d)[.,:](?=\d)|(?<=\d)-(?=\d)|(?<!\w)-(?=\d)|[\w+#%$€£¥<>=≠≤≥/@~&|⁰¹²³⁴-⁹⁻ⁿ\U0001f300-\U0001faff✀-➿]|(.)",
    re.DOTALL,
)


def fold(text: str) -> str:
    """An entry's words without the capital of plain words, width, annotations, spacing and plain punctuation."""
    plain = re.sub(r"(?<=\d)\s+(?=\d)", "|", copy_form(clean_content(text)))  # "1 2" is not "12"
    return _DROPPED.sub(lambda found: "" if found[1] else found[0], plain)


def first_words(text: str, chars: int = 80) -> str:
    """The beginning of an entry on one line, to be recognised by; a secret in it is never repeated."""
    line = " ".join(screen(text).text.split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"

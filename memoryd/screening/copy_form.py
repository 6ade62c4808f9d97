"""The one form that two copies of a text share: what differs beyond it may be another fact.

Spacing, width and the capital of a plain word say nothing. Other capitals and powers do: -v is not -V, lib/App not
lib/app, x² not x2.
"""

import re
import unicodedata

_BETWEEN_POWERS = re.compile("[^⁰¹²³⁴-⁹⁻ⁿ]+")
_CAPITALISED = re.compile(r"(?<![\w/\\.$@#-])[A-Z][a-z]+(?![\w/\\(-]|\.\w)")


def copy_form(text: str) -> str:
    """*text* with one width, single spaces and plain words in lower case."""
    folded = _BETWEEN_POWERS.sub(lambda run: unicodedata.normalize("NFKC", run.group()), text)
    folded = re.sub(r"\s+", " ", folded).strip()
    return _CAPITALISED.sub(lambda word: word.group().casefold(), folded)

"""Finds instructions to agents that somebody planted in a text: for memory writes and memory files.

Not for the history, which keeps what was said. What is found is for a person to judge; nothing is
removed. The whole text is searched, so no length of harmless text in front hides anything.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from memoryd.screening.instructions import RULES
from memoryd.screening.invisible import is_invisible
from memoryd.screening.views import View, translate

# Letters of other scripts that look like Latin ones (the confusables of Unicode TS 39 that matter).
_LOOK_ALIKES = {
    look_alike: letter
    for letter, look_alikes in {
        "a": "аαɑᴀ",
        "b": "ƅьвʙ",
        "c": "сϲᴄ",
        "d": "ԁɗᴅ",
        "e": "еєεᴇ",
        "f": "ғꜰ",
        "g": "ɡɢ",
        "h": "һнʜ",
        "i": "іιıɩɪ",
        "j": "јϳᴊ",
        "k": "кκᴋ",
        "l": "ӏʟ∣ǀ",
        "m": "мᴍ",
        "n": "пηոɴ",
        "o": "оοσօᴏ",
        "p": "рρᴘ",
        "q": "ԛ",
        "r": "гʀ",
        "s": "ѕꜱ",
        "t": "тτᴛ",
        "u": "υսᴜ",
        "v": "ѵνᴠ",
        "w": "ԝωᴡ",
        "x": "хχ",
        "y": "уүγʏ",
        "z": "ᴢ",
        "-": "‐‑‒–—−",
        "'": "‘’ʼ`",
        '"': "“”„",
    }.items()
    for look_alike in look_alikes
}
_LEET = str.maketrans("013457@$", "oieastas")
_LEET_WORD = re.compile(r"[a-z][013457@$]{1,2}[a-z]|\b[01345@$][a-z]{2}")
_COMBINING_LATIN = 0x24F  # the last of the Latin letters with accents


@dataclass(frozen=True, slots=True)
class Finding:
    """Characters [start, end) read like an instruction to an agent; *rule* says of which kind."""

    start: int
    end: int
    rule: str


def find_instructions(text: str) -> list[Finding]:
    """Every place in *text* that reads like an instruction planted for an agent, ascending.

    Look-alike letters, full-width forms, accents, invisible characters and digits for letters do
    not hide one. Languages: English, Chinese, Japanese, Korean, German, French, Spanish.
    """
    view = _fold(text)
    readings = [view.text]
    if _LEET_WORD.search(view.text):
        readings.append(view.text.translate(_LEET))
    found = {
        Finding(*view.origin(*match.span()), rule.name)
        for reading in readings
        for rule in RULES
        if not (rule.is_east_asian and reading.isascii())
        for match in rule.pattern.finditer(reading)
        if rule.inside is None or rule.inside.search(match[0])
    }
    return sorted(found, key=lambda finding: (finding.start, finding.end, finding.rule))


def _fold(text: str) -> View:
    """*text* as the rules read it, with the way back."""
    return translate(text, {character: _fold_character(character) for character in set(text)})


@cache
def _fold_character(character: str) -> str:
    if is_invisible(character):
        return ""
    plain = unicodedata.normalize("NFKC", character).casefold()
    if len(plain) == 1:
        plain = _LOOK_ALIKES.get(plain, plain)
        if plain <= chr(_COMBINING_LATIN):
            plain = unicodedata.normalize("NFD", plain)[0]
    return "" if unicodedata.category(plain[:1] or " ") == "Mn" and plain < "\u0370" else plain

"""Folding, scripts and numerals of plain text: what every decision about words starts from.

Entry point: `fold`, `script`, `parse_han_numeral`, `parse_korean_numeral`. May import: nothing of memoryd. Values in, values out.
"""

from memoryd.memory.text.folding import Folded, fold, unaccent
from memoryd.memory.text.numerals import HAN_NUMERAL, parse_han_numeral, parse_korean_numeral
from memoryd.memory.text.scripts import Script, script

__all__ = [
    "HAN_NUMERAL",
    "Folded",
    "Script",
    "fold",
    "parse_han_numeral",
    "parse_korean_numeral",
    "script",
    "unaccent",
]

"""Estimates tokens without a tokeniser: so much for each character, by its script.

Calibrated in November 2026 on 1,321 texts (memory entries and technical Markdown; English, Chinese, Japanese, Korean,
German, French, Spanish, mixed) against three tokenisers: o200k_base, cl100k_base and Anthropic's published one. The
weights are fitted to the largest of the three counts and rounded up: of texts above 100 characters 5 % are estimated
too low, by at most 17 %; the median estimate is 20 % high. Chinese is 1.06 of the largest count, English 1.18.
"""

from bisect import bisect_right
from collections import Counter

_ASCII = {"letter": 0.26, "digit": 0.9, "space": 0.15, "sign": 1.0}

# First code point of a range and what a character in it costs, until the next range begins.
_RANGES: tuple[tuple[int, float], ...] = (
    (0x80, 3.5),  # accented Latin: it breaks its word into more tokens
    (0x370, 0.6),  # Greek, Cyrillic
    (0x530, 1.5),  # Armenian to the other scripts of Asia and Africa
    (0x2000, 1.3),  # punctuation, arrows, mathematical and other signs
    (0x2E80, 1.15),  # Han radicals
    (0x3000, 1.3),  # CJK punctuation
    (0x3040, 1.3),  # kana
    (0x3100, 1.15),  # Han
    (0xAC00, 1.5),  # Hangul
    (0xD7B0, 1.5),
    (0xF900, 1.15),  # Han compatibility
    (0xFB00, 1.5),
    (0xFE00, 1.3),  # selectors, full-width forms
    (0x10000, 2.5),  # emoji and historic scripts
    (0x20000, 1.15),  # Han extensions
)
_STARTS = [start for start, _ in _RANGES]


def estimate_tokens(text: str) -> float:
    """About how many tokens a text takes, rather too many than too few; additive over concatenation."""
    return sum(_weigh(char) * count for char, count in Counter(text).items())


def _weigh(char: str) -> float:
    if not char.isascii():
        return _RANGES[bisect_right(_STARTS, ord(char)) - 1][1]
    if char.isalpha():
        return _ASCII["letter"]
    if char.isdigit():
        return _ASCII["digit"]
    return _ASCII["space" if char.isspace() else "sign"]

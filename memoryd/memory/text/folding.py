"""Bring text into one form without losing the way back: every folded character knows its place."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

# One sign for each family; NFKC leaves these apart.
_SIGNS = str.maketrans(
    {
        "’": "'", "‘": "'", "ʼ": "'", "`": "`", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "「": '"', "」": '"', "『": '"', "』": '"', "《": '"', "》": '"', "‐": "-", "‑": "-", "‒": "-",
        "–": "–", "—": "—", "−": "-", "〜": "~", "\u00a0": " ", "\u3000": " ", "\u200b": " ",
    }
)  # fmt: skip
_POWERS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ")


@dataclass(frozen=True, slots=True)
class Folded:
    """Text in one form (NFKC, signs unified, case kept).

    Attributes:
        text: the folded text.
        offsets: for every folded character the index of its origin, and one past the last.
    """

    text: str
    offsets: Sequence[int]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Turn a half-open span of the folded text into one of the original text."""
        return self.offsets[start], self.offsets[end] if end > start else self.offsets[start]


def fold(text: str) -> Folded:
    """Fold *text* character by character (base with its combining marks), keeping offsets."""
    if text.isascii():
        return Folded(text, range(len(text) + 1))
    if unicodedata.is_normalized("NFKC", text) and text.translate(_SIGNS) == text:
        return Folded(text, range(len(text) + 1))
    pieces: list[str] = []
    offsets: list[int] = []
    for start, end in _clusters(text):
        cluster = text[start:end]
        form: Literal["NFC", "NFKC"] = "NFC" if _is_power(text, start) else "NFKC"
        piece = unicodedata.normalize(form, cluster).translate(_SIGNS)
        pieces.append(piece)
        offsets.extend([start] * len(piece))
    offsets.append(len(text))
    same = range(len(text) + 1)
    return Folded("".join(pieces), same if offsets == list(same) else tuple(offsets))


def _is_power(text: str, at: int) -> bool:
    """x² is not x2; m² is written m2 by many."""
    return text[at] in _POWERS and text[max(at - 1, 0)] != "m"


def _clusters(text: str) -> list[tuple[int, int]]:
    starts = [i for i, char in enumerate(text) if i == 0 or not unicodedata.combining(char)]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def unaccent(word: str) -> str:
    """Take the accents off: congés -> conges, für -> fur."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))

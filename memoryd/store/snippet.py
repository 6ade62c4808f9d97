"""The part of a text that shows why it was found, matches in brackets."""

import re
from collections.abc import Sequence

WIDTH = 240


def make_snippet(text: str, words: Sequence[str], width: int = WIDTH) -> str:
    """About *width* characters of the original text around the densest matches, each marked `[so]`.

    Words match at word starts where they begin with a letter of a spaced script, anywhere otherwise, in any case; a stem
    (the word without a common English ending) marks its inflected forms.
    """
    pattern = _pattern(words)
    if pattern is None:
        return _cut(text, 0, width)
    spans = _find(pattern, text)
    if not spans:
        return _cut(text, 0, width)
    start = max(0, _densest(spans, width) - width // 4)
    end = min(len(text), start + width)
    parts, position = [], start
    for left, right in spans:
        if start <= left and right <= end:
            parts += [text[position:left], "[", text[left:right], "]"]
            position = right
    parts.append(text[position:end])
    return ("…" if start else "") + "".join(parts).strip() + ("…" if end < len(text) else "")


def _find(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Where the words stand. Those of a script without spaces come as pairs of characters: what overlaps or
    touches is one match, so that a word stands in one pair of brackets."""
    spans: list[tuple[int, int]] = []
    match = pattern.search(text)
    while match:
        left, right = match.span()
        if spans and left <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(right, spans[-1][1]))
        else:
            spans.append((left, right))
        match = pattern.search(text, right if match[0].isascii() else left + 1)
    return spans


def _cut(text: str, start: int, width: int) -> str:
    return text[start : start + width].strip() + ("…" if len(text) > start + width else "")


def _pattern(words: Sequence[str]) -> re.Pattern[str] | None:
    forms = sorted({_form(word) for word in words if word.strip()}, key=len, reverse=True)
    return re.compile("|".join(forms), re.IGNORECASE) if forms else None


def _form(word: str) -> str:
    if not word.isascii():
        return re.escape(word)
    stem = re.sub(r"(?<=\w{3})(ing|ed|es|s|ly)$", "", word)
    tail = r"\w*" if stem != word or (word.isalpha() and len(word) > 3) else ""  # noqa: PLR2004 - shorter words inflect too oddly
    return (r"(?<!\w)" if stem[:1].isalnum() else "") + re.escape(stem) + tail


def _densest(spans: Sequence[tuple[int, int]], width: int) -> int:
    """The start of the window of *width* characters that holds most matches, the first of equals."""
    best, best_count, last = spans[0][0], 0, 0
    for first, (left, _) in enumerate(spans):
        last = max(last, first)
        while last < len(spans) and spans[last][1] <= left + width:
            last += 1
        if last - first > best_count:
            best, best_count = left, last - first
    return best

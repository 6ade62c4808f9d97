"""Text to sentences, for seven languages and their mixtures, without a model.

A span never ends inside a code fence, inline code, a URL or a quotation of one line; a line break ends a
sentence unless the line was only wrapped. Every pattern here is bounded, so the time is linear in the
text: keep it so (transcripts hold megabytes without a single full stop).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t]{0,8}(?:>[ \t]?)?(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_ITEM = re.compile(
    r"[ \t]{0,40}(?:[-*+–](?=[ \t])|[•·‣▪]|\(?\d{1,3}[.)](?=[ \t])|\d{1,2}、|#{1,6}(?=[ \t])|>+|\|)[ \t]*(?=\S)"
)
# Inline code, and quotations within a line, of every style of the seven languages.
_QUOTATION = (
    r"(?<!`)(?P<ticks>`{1,2})[^`\n]{1,300}(?P=ticks)"
    r"|“[^“”\n]{1,400}”|「[^「」\n]{1,400}」|『[^『』\n]{1,400}』|«[^«»\n]{1,400}»|„[^„“”\n]{1,400}[“”]"
    r"|‘[^‘’\n]{1,400}’(?!\w)"
    r"|(?<![a-zA-Z0-9\"])\"[^\"\n]{1,400}\"(?![a-zA-Z0-9])"
    r"|(?<![a-zA-ZÀ-ÿ0-9'])'(?=[^\s'])[^'\n]{1,400}(?<=[^\s'])'(?![a-zA-ZÀ-ÿ0-9])"
)
_INLINE = re.compile(_QUOTATION)
# What is skipped as a whole, then the marks that may end a sentence.
_EVENT = re.compile(
    rf"(?P<kept>{_QUOTATION}"
    r"|(?:https?|ftp|file|ssh|git)://[^\s<>\"'“”、。，；）」]{0,2000}[^\s<>\"'“”、。，；）」.,;:!?)]"
    r")"
    r"|(?P<wide>[。！？｡]+|…{2,})[”’」』）)\"']{0,3}"
    r"|(?P<narrow>[.!?…]{1,20})[\"'”’»)\]]{0,3}(?=\s|$|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])",
)
_LAST_WORD = re.compile(r"[^\s(\[“\"«„,;/]{1,24}$")
_TERMINAL_INSIDE = re.compile(r"[.!?。！？…][”’」』»\"']$")
# Words whose full stop does not end a sentence (en, de, fr, es), without the stop, lower case.
_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        """
    e.g i.e etc vs cf approx ca al mr mrs ms dr prof st jr sr pp
    ed rev est min max dept inc ltd corp co jan feb mar apr jun jul aug sep sept oct nov
    dec mon tue tues wed thu thurs fri sat z.b z b bzw d.h h u.a u usw bspw ggf evtl inkl
    exkl zzgl abs hr fr str tel mio mrd vgl sog o.ä geb p.ex ex m mme mlle mm av env
    sra srta ud uds ee.uu pág núm p.ej ej aprox dpto
    """,
    )
)
# Those that only shorten something before a number ("no. 5") or a lower-case word ("2 a.m. on Friday").
_BEFORE_NUMBER = frozenset({"no", "nr", "fig", "eq", "sec", "ch", "vol", "art"})
_AFTER_NUMBER = frozenset({"a.m", "p.m", "h", "s", "m", "g", "l"})
# A number before one of these, or after one of those, is a German ordinal: "bis zum 31. Mai".
_GERMAN_MONTH = re.compile(
    r"\s+(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|"
    r"jan|feb|mär|apr|jun|jul|aug|sep|okt|nov|dez|quartal|kalenderwoche|woche|tag|stock|klasse)\b",
    re.IGNORECASE,
)
_NUMBER_OPENER = re.compile(
    r"\b(?:am|zum|vom|der|dem|den|jeden|jedem|im|beim|ab)\s+$", re.IGNORECASE
)
# After "z." of "z. B." or "d." of "d. h. wir".
_NO_NEW_SENTENCE = re.compile(r"\s*(?:[^\W\d_]\.|[a-zäöüß])")
_WRAPPED_LINE_CHARS = 55  # a shorter line was ended on purpose


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of a text."""

    start: int
    end: int


def split_sentences(text: str) -> list[Span]:
    """Cut *text* into sentences.

    Returns:
        Spans in order, without overlap, each free of white space at its ends. A code fence is one span;
        list marks and quote marks stay at the head of their line. What is between spans is white space.
    """
    spans: list[Span] = []
    position = 0
    for fence in find_fences(text):
        spans.extend(_split_prose(text, position, fence.start))
        spans.append(fence)
        position = fence.end
    spans.extend(_split_prose(text, position, len(text)))
    return spans


def find_fences(text: str) -> list[Span]:
    """Find code fences with their marks; an unclosed one reaches to the end (CommonMark 0.31, 4.5)."""
    fences: list[Span] = []
    start, mark = -1, ""
    for line in _FENCE.finditer(text):
        if start < 0:
            if "`" not in line[2]:
                start, mark = line.start(), line[1]
        elif line[1].startswith(mark) and not line[2].strip():
            fences.append(Span(start, line.end()))
            start = -1
    if start >= 0:
        fences.append(Span(start, len(text.rstrip())))
    return fences


def find_quotations(text: str) -> Iterator[Span]:
    """Find inline code and quotations that begin and end in one line."""
    return (Span(*match.span()) for match in _INLINE.finditer(text))


def list_mark(text: str, start: int, end: int) -> int:
    """The end of the list, heading or quote mark at *start*, or *start* if there is none."""
    mark = _ITEM.match(text, start, end)
    return mark.end() if mark else start


def _split_prose(text: str, start: int, end: int) -> Iterator[Span]:
    for block in _blocks(text, start, end):
        yield from _split_block(text, block)


def _blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield lines, with wrapped ones joined."""
    block_start = position = start
    while position < end:
        line_end = text.find("\n", position, end)
        line_end = end if line_end < 0 else line_end
        if line_end == end or not _wraps(text, position, line_end, end):
            yield Span(block_start, line_end)
            block_start = line_end + 1
        position = line_end + 1


def _wraps(text: str, start: int, line_end: int, end: int) -> bool:
    """Does the sentence of this line go on in the next one?"""
    following = text[line_end + 1 : min(line_end + 42, end)]
    if line_end - start < _WRAPPED_LINE_CHARS or not following[:1].strip():
        return False
    if text[line_end - 1] in ".!?。！？:：;；" or _ITEM.match(following):
        return False
    return following[0].islower() or not following[0].isascii()


def _split_block(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    for event in _EVENT.finditer(text, list_mark(text, block.start, block.end), block.end):
        if _ends_sentence(text, event, start, block.end):
            yield from _trimmed(text, start, event.end())
            start = event.end()
    yield from _trimmed(text, start, block.end)


def _ends_sentence(text: str, event: re.Match[str], start: int, end: int) -> bool:
    following = text[event.end() : min(event.end() + 24, end)]
    if event["kept"]:
        return bool(_TERMINAL_INSIDE.search(event["kept"])) and _opens_sentence(following)
    if event["wide"]:
        return not following.startswith(("，", "、", "…", "~", "～"))
    marks = event["narrow"]
    if len(marks) > 1 and set(marks) <= {".", "…"}:
        return not following.strip()[:1].islower()
    if marks == ".":
        return not _is_abbreviation(text[max(start, event.start() - 24) : event.start()], following)
    return marks != "…" or not following.strip()[:1].islower()


def _opens_sentence(following: str) -> bool:
    rest = following.lstrip()
    return not rest or (following[0].isspace() and not rest[0].islower())


def _is_abbreviation(before: str, following: str) -> bool:
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    token = word[0].lower()
    if token.isdigit():
        return _is_ordinal(before[: word.start()], token, following)
    if token in _BEFORE_NUMBER:
        return following.lstrip()[:1].isdigit()
    if token in _AFTER_NUMBER and before[: word.start()].rstrip()[-1:].isdigit():
        return following.lstrip()[:1].islower()
    single_letter = len(token) == 1 and token.isascii() and token not in {"i", "a"}
    single_letter &= word[0].isupper() or bool(_NO_NEW_SENTENCE.match(following))
    return bool(following.strip()) and (token in _ABBREVIATIONS or single_letter)


def _is_ordinal(before: str, number: str, following: str) -> bool:
    if len(number) > 2 or not following.strip():  # noqa: PLR2004 - the days of a month have two digits
        return False
    if following.lstrip()[:1].islower() or _GERMAN_MONTH.match(following):
        return True
    return bool(_NUMBER_OPENER.search(before))


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        start += len(piece) - len(piece.lstrip())
        yield Span(start, start + len(stripped))

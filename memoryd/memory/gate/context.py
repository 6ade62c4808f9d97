"""A message as the gate reads it: its sentences, and what their surroundings say of each.

A sentence is not judged alone: a heading speaks for its list, "she wrote:" disowns what follows, a
statement beside a request is there to explain it, and in pasted text nothing is the writer's own news.
"""

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memoryd.memory.gate.language import home_language
from memoryd.memory.gate.reading import is_confirmed, read_families, read_header, weigh
from memoryd.memory.gate.tables import load_families
from memoryd.memory.gate.zones import Zone, gaps
from memoryd.memory.sentences import Span, list_mark, split_sentences
from memoryd.model import Origin
from memoryd.screening import find_instructions, screen

_SMALL_TALK = 6  # sentences; in a longer message a statement is rarely there to explain the request
_EXPLAINING = 2  # statements; a longer tale that leads up to a request is not its background


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without its list mark, with the families of its words and of its surroundings."""

    span: Span
    text: str
    families: frozenset[str]


def read_sentences(text: str, zones: Sequence[Zone], origin: Origin) -> list[Sentence]:
    """Read every sentence of a message outside of its *zones*, in order.

    Of an assistant's text, by far the most there is, only what confirms something is read closely.
    """
    home = home_language(text)
    closely = origin == "user"
    sentences = [
        one for gap in gaps(zones, len(text)) for one in _between(text, gap, home, closely=closely)
    ]
    sentences = _with_references(_with_planted(sentences, text))
    is_small = len(sentences) <= _SMALL_TALK
    if not is_small or any(one.families & {"identifier", "review"} for one in sentences):
        return [_with(one, "pasted") for one in sentences]
    return _with_requests(sentences)


def _between(text: str, gap: Span, home: str, *, closely: bool) -> Iterator[Sentence]:
    """Read the sentences between two zones.

    A heading ("Some background:") speaks for the list items right below it; one that announces other
    people's words ("she wrote:") for everything down to the next blank line after them.
    """
    heading: frozenset[str] = frozenset()
    fresh = False
    position = gap.start
    for found in split_sentences(text[gap.start : gap.end]):
        start, end = found.start + gap.start, found.end + gap.start
        body = list_mark(text, start, end)
        if "\n\n" in text[position:start] and not fresh:
            heading = frozenset()
        families = frozenset[str]()
        if closely or "confirmed" in heading or is_confirmed(text[body:end], home):
            families = read_families(text[body:end], home)
        header = read_header(text[body:end], families, home)
        if screen(text[start:end]).secrets:
            families |= {"secret"}
        spoken = heading if body > start else heading & {"taint"}
        yield Sentence(Span(body, end), text[body:end], families | spoken)
        heading, fresh, position = header or heading, bool(header), end


def _with(sentence: Sentence, family: str) -> Sentence:
    return replace(sentence, families=sentence.families | {family})


def _with_planted(sentences: Sequence[Sentence], text: str) -> list[Sentence]:
    """Mark the sentences in which an instruction to agents was planted."""
    planted = find_instructions(text) if any(one.families for one in sentences) else []
    ends = [find.end for find in planted]
    starts = [find.start for find in planted] + [len(text)]
    return [
        _with(one, "injection")
        if starts[bisect.bisect_right(ends, one.span.start)] < one.span.end
        else one
        for one in sentences
    ]


def _with_references(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Mark what the next sentence orders to be changed ("fix it"): news of the work at hand."""
    following = [*(one.families for one in sentences[1:]), frozenset[str]()]
    return [
        _with(one, "referred") if "refers" in after and "question" not in one.families else one
        for one, after in zip(sentences, following, strict=False)
    ]


def _with_shadows(sentences: list[Sentence], scores: list[float]) -> list[Sentence]:
    """Mark the mere statements beside a sentence that speaks for itself: they lead up to it."""
    table = load_families()
    speaks = [
        score >= table.add and bool(one.families & table.evidence.keys())
        for one, score in zip(sentences, scores, strict=True)
    ]
    if not any(speaks):
        return sentences
    return [
        one if one.families & table.evidence.keys() else _with(one, "overshadowed")
        for one in sentences
    ]


def _with_requests(sentences: list[Sentence]) -> list[Sentence]:
    """Mark the best statement beside a question or an order, unless a sentence speaks for itself."""
    scores = [weigh(one.families).score for one in sentences]
    if any(score >= load_families().add for score in scores):
        return _with_shadows(sentences, scores)
    if not any(one.families & {"question", "order"} for one in sentences):
        return sentences
    statements = [
        score for one, score in zip(sentences, scores, strict=True) if "statement" in one.families
    ]
    if len(statements) > _EXPLAINING:
        return sentences
    best = max(statements, default=0.0)
    return [
        _with(one, "beside_request") if "statement" in one.families and score == best else one
        for one, score in zip(sentences, scores, strict=True)
    ]

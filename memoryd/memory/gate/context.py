"""A message as the gate reads it: its sentences, and what their surroundings say of each.

A sentence is not judged alone: a heading speaks for its list, "she wrote:" disowns what follows, a
statement beside a request is there to explain it, and in pasted text nothing is the writer's own news.
"""

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memoryd.memory.gate.clauses import split_off_question
from memoryd.memory.gate.language import home_language
from memoryd.memory.gate.reading import (
    is_confirmed,
    read_families,
    read_header,
    without_overruled,
)
from memoryd.memory.gate.tables import load_families
from memoryd.memory.gate.zones import Zone, gaps
from memoryd.memory.sentences import Span, list_mark, split_sentences
from memoryd.model import Origin
from memoryd.screening import find_instructions, screen

_SMALL_TALK = 6  # sentences; in a longer message a statement is rarely there to explain the request
_REQUEST = frozenset({"question", "order"})
_ASSISTANTS = frozenset({"confirmed", "progress"})  # cues that only count in an assistant's words
_SAYS_NOTHING = frozenset({"question", "greeting", "thanks", "heading", "short", "pointer"})
_PLEASANTRIES = frozenset({"greeting", "thanks"})
_CONTAGIOUS = frozenset({"joke", "fixture", "hypothetical"})
_CHAT = frozenset({"emotion", "evaluation", "transient"})


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
    if closely:
        sentences = [replace(one, families=one.families - _ASSISTANTS) for one in sentences]
    sentences = _with_references(_with_pointed(_with_planted(sentences, text)))
    if len(sentences) > _SMALL_TALK or any(
        one.families & {"identifier", "review"} for one in sentences
    ):
        sentences = [_with(one, "pasted") for one in sentences]
    if len(sentences) > 1 and any("review" in one.families for one in sentences):
        sentences = [_with(one, "reviewed") for one in sentences]
    return _with_marks(sentences)


def _between(text: str, gap: Span, home: str, *, closely: bool) -> Iterator[Sentence]:
    """Read the sentences between two zones.

    A heading ("Some background:") speaks for the list items right below it; one that announces other
    people's words ("she wrote:") for everything down to the next blank line after them.
    """
    heading: frozenset[str] = frozenset()
    fresh = False
    position = gap.start
    for start, end in _spans(text, gap, home, closely=closely):
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


def _spans(text: str, gap: Span, home: str, *, closely: bool) -> Iterator[tuple[int, int]]:
    for found in split_sentences(text[gap.start : gap.end]):
        whole = Span(found.start + gap.start, found.end + gap.start)
        parts = split_off_question(text, whole, home) if closely else (whole,)
        yield from ((part.start, part.end) for part in parts)


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


def _with_pointed(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Let "write that down" ask for what stands before it, if that says anything."""
    following = [*(one.families for one in sentences[1:]), frozenset[str]()]
    return [
        _with(one, "remember") if "pointer" in after and not one.families & _SAYS_NOTHING else one
        for one, after in zip(sentences, following, strict=False)
    ]


def _with_references(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Mark what the next sentence orders to be changed ("fix it"): news of the work at hand."""
    following = [*(one.families for one in sentences[1:]), frozenset[str]()]
    return [
        _with(one, "referred") if "refers" in after and "question" not in one.families else one
        for one, after in zip(sentences, following, strict=False)
    ]


def _with_marks(sentences: list[Sentence]) -> list[Sentence]:
    """Mark where each sentence stands and what stands beside it, greetings and thanks left aside."""
    evidence = load_families().evidence.keys() - {"listed"}
    company = [
        index
        for index, one in enumerate(sentences)
        if "heading" not in one.families
        and (one.families & evidence or not one.families & _PLEASANTRIES)
    ]
    sentences = [replace(one, families=without_overruled(one.families)) for one in sentences]
    told = [sentences[index].families for index in company]
    requests = sum(bool(one & _REQUEST) for one in told)
    evident = sum(bool(one & evidence) for one in told)
    for position, index in enumerate(company):
        marks = frozenset(_marks(told, position, requests, evident))
        one = sentences[index]
        sentences[index] = replace(one, families=one.families | marks)
    return sentences


def _marks(
    told: Sequence[frozenset[str]], position: int, requests: int, evident: int
) -> Iterator[str]:
    """Name the marks of the sentence at *position*; *requests* and *evident* count the whole message."""
    table = load_families()
    own = told[position]
    before = told[position - 1] if position else frozenset[str]()
    after = told[position + 1] if position + 1 < len(told) else frozenset[str]()
    evidence, doubts = own & table.evidence.keys(), own & table.doubt.keys()
    is_only = len(told) == 1
    marks = {
        "only": is_only,
        "bare": is_only and not evidence,
        "first": not is_only and not position,
        "last": not is_only and position + 1 == len(told),
        "many": len(told) > _SMALL_TALK,
        "request_next": bool(after & _REQUEST),
        "request_before": bool(before & _REQUEST),
        "request_elsewhere": requests > bool(own & _REQUEST),
        "evidence_elsewhere": evident > bool(evidence),
        "retracted": "retraction" in after,
        "doubt_beside": bool((before | after) & _CONTAGIOUS),
        "chat_beside": bool((before | after) & _CHAT),
        "evidence": bool(evidence),
        "more_evidence": len(evidence) > 1,
        "doubt": bool(doubts),
        "more_doubts": len(doubts) > 1,
    }
    return (name for name, is_so in marks.items() if is_so)

"""The write gate: what of a message is worth remembering. Pure: a text and its origin in, spans out.

First the zones that are nobody's own words are cut out, then each remaining sentence is judged by the
cues of its language and by its neighbours. Nothing of a tool, a web page or the system passes at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memoryd.memory.gate.language import home_language
from memoryd.memory.gate.placement import classify_kind, rate_confidence
from memoryd.memory.gate.reading import Weighing, read_families, read_header, weigh
from memoryd.memory.gate.tables import load_families
from memoryd.memory.gate.zones import find_zones, gaps
from memoryd.memory.sentences import Span, list_mark, split_sentences
from memoryd.model import EntryKind, Origin
from memoryd.screening import find_instructions, screen

_SMALL_TALK = 6  # sentences; in a longer message a statement is rarely there to explain the request
Outcome = Literal["added", "review"]


@dataclass(frozen=True, slots=True)
class Extracted:
    """A span worth remembering; *content* is exactly text[start:end]."""

    start: int
    end: int
    content: str
    kind: EntryKind
    confidence: float
    outcome: Outcome
    reason: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A span that stays out, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What the gate says of one message; both in order of the text."""

    entries: tuple[Extracted, ...]
    rejected: tuple[Rejected, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence without its list mark, the families in it, and what the heading above it says."""

    span: Span
    text: str
    families: frozenset[str]
    heading: frozenset[str]


def extract(text: str, origin: Origin) -> Extraction:
    """Decide what of a message becomes memory.

    Args:
        text: the whole message.
        origin: whose words they are; only a user's and an assistant's can pass.

    Returns:
        Entries to add or to review, and everything left out with its reason. Spans never overlap.
    """
    if origin not in ("user", "assistant"):
        return Extraction((), (Rejected(0, len(text), f"origin {origin}"),) if text else ())
    zones = find_zones(text)
    home = home_language(text)
    sentences = [one for gap in gaps(zones, len(text)) for one in _sentences(text, gap, home)]
    sentences = _with_requests(_with_planted(sentences, text))
    judged = list(_judge_all(sentences, origin))
    rejected = [Rejected(zone.start, zone.end, zone.reason) for zone in zones]
    rejected += [one for one in judged if isinstance(one, Rejected)]
    return Extraction(
        tuple(one for one in judged if isinstance(one, Extracted)),
        tuple(sorted(rejected, key=lambda one: one.start)),
    )


def _sentences(text: str, gap: Span, home: str) -> Iterator[_Sentence]:
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
        families = read_families(text[body:end], home)
        if screen(text[start:end]).secrets:
            families |= {"secret"}
        spoken = heading if body > start else heading & {"taint"}
        yield _Sentence(Span(body, end), text[body:end], families, spoken)
        header = read_header(text[body:end], families, home)
        fresh, position = bool(header), end
        heading = header or heading


def _with_planted(sentences: Sequence[_Sentence], text: str) -> list[_Sentence]:
    """Mark the sentences in which an instruction to agents was planted; the findings are in order."""
    planted = find_instructions(text)
    return [
        replace(one, families=one.families | {"injection"})
        if any(find.start < one.span.end and find.end > one.span.start for find in planted)
        else one
        for one in sentences
    ]


def _with_requests(sentences: list[_Sentence]) -> list[_Sentence]:
    """Mark the best statement beside a question or an order, unless a sentence speaks for itself."""
    asks = any(one.families & {"question", "order"} for one in sentences)
    if not asks or len(sentences) > _SMALL_TALK:
        return sentences
    scores = [weigh(one.families).score for one in sentences]
    if any(score >= load_families().add for score in scores):
        return sentences
    is_statement = ["statement" in one.families for one in sentences]
    best = max(
        (score for score, is_one in zip(scores, is_statement, strict=True) if is_one), default=0.0
    )
    return [
        replace(one, families=one.families | {"beside_request"})
        if is_one and score == best
        else one
        for one, score, is_one in zip(sentences, scores, is_statement, strict=True)
    ]


def _judge_all(sentences: Sequence[_Sentence], origin: Origin) -> Iterator[Extracted | Rejected]:
    """Judge each sentence beside its neighbours; where a secret or a planted order is, nothing is sure."""
    families = [sentence.families for sentence in sentences]
    poisoned = any(found & {"secret", "injection"} for found in families)
    contagious = {name for name, doubt in load_families().doubt.items() if doubt.beside}
    for index, sentence in enumerate(sentences):
        before = families[index - 1] if index else frozenset[str]()
        after = families[index + 1] if index + 1 < len(families) else frozenset[str]()
        yield _judge(
            sentence, (before & contagious) | (after & {"joke"}), origin, poisoned=poisoned
        )


def _judge(
    sentence: _Sentence, carried: frozenset[str], origin: Origin, *, poisoned: bool
) -> Extracted | Rejected:
    families = sentence.families | sentence.heading
    if origin == "user":
        families -= {"confirmed", "progress"}
    weighing = weigh(families, carried)
    barrier = _barrier(families, weighing, origin)
    limits = load_families()
    if barrier or weighing.score < limits.review:
        reason = barrier or next(iter(weighing.doubts), "too little to go by")
        return Rejected(sentence.span.start, sentence.span.end, reason)
    sure = weighing.score >= limits.add and not poisoned
    return Extracted(
        sentence.span.start,
        sentence.span.end,
        sentence.text,
        classify_kind(families),
        rate_confidence(families, origin, sure=sure),
        "added" if sure else "review",
        _reason(weighing, poisoned=poisoned),
    )


def _barrier(families: frozenset[str], weighing: Weighing, origin: Origin) -> str:
    """What keeps a sentence out whatever it weighs, or an empty string."""
    for name in ("secret", "injection", "long", "heading", "taint"):
        if name in families:
            return name
    if not weighing.evidence:
        return next(iter(weighing.doubts), "nothing to remember")
    if origin == "assistant" and "confirmed" not in families:
        return "unconfirmed"
    if origin == "assistant" and families & {"remember", "standing"} and "decision" not in families:
        return "an assistant's instruction"
    return ""


def _reason(weighing: Weighing, *, poisoned: bool) -> str:
    parts = list(weighing.evidence)
    if weighing.doubts:
        parts.append(f"in spite of {', '.join(weighing.doubts)}")
    if poisoned:
        parts.append("beside a secret or a planted instruction")
    return ", ".join(parts)

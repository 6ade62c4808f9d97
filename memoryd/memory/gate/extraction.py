"""The write gate: what of a message is worth remembering. Pure: a text and its origin in, spans out.

First the zones that are nobody's own words are cut out, then each remaining sentence is judged by the
cues of its language and by its neighbours. Nothing of a tool, a web page or the system passes at all.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from memoryd.memory.gate.context import Sentence, read_sentences
from memoryd.memory.gate.placement import classify_kind, rate_confidence
from memoryd.memory.gate.reading import Weighing, weigh
from memoryd.memory.gate.tables import load_families, load_weights
from memoryd.memory.gate.zones import find_zones
from memoryd.model import EntryKind, Origin

_OUT = ("secret", "injection", "long", "heading", "taint", "retracted")
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
    judged = list(_judge_all(read_sentences(text, zones, origin), origin))
    rejected = [Rejected(zone.start, zone.end, zone.reason) for zone in zones]
    rejected += [one for one in judged if isinstance(one, Rejected)]
    return Extraction(
        tuple(one for one in judged if isinstance(one, Extracted)),
        tuple(sorted(rejected, key=lambda one: one.start)),
    )


def _judge_all(sentences: Sequence[Sentence], origin: Origin) -> Iterator[Extracted | Rejected]:
    """Judge each sentence; where a secret or a planted order is, nothing is sure."""
    poisoned = any(one.families & {"secret", "injection"} for one in sentences)
    for sentence in sentences:
        yield _judge(sentence, origin, poisoned=poisoned)


def _judge(sentence: Sentence, origin: Origin, *, poisoned: bool) -> Extracted | Rejected:
    families = sentence.families
    weighing = weigh(families)
    barred = barrier(families, origin)
    limits = load_weights()
    if barred or weighing.score < limits.waits(families):
        reason = barred or next(iter(weighing.doubts), "too little to go by")
        return Rejected(sentence.span.start, sentence.span.end, reason)
    sure = weighing.score >= limits.needed(families) and not poisoned
    return Extracted(
        sentence.span.start,
        sentence.span.end,
        sentence.text,
        classify_kind(families),
        rate_confidence(families, origin, sure=sure),
        "added" if sure else "review",
        _reason(weighing, poisoned=poisoned),
    )


def barrier(families: AbstractSet[str], origin: Origin) -> str:
    """What keeps a sentence out whatever it weighs, or an empty string."""
    table = load_families()
    for name in _OUT:
        if name in families:
            return name
    for name in sorted(families & table.doubt.keys()):
        if table.doubt[name].bars and not families & table.doubt[name].unless:
            return name
    if not families & (table.evidence.keys() | table.part.keys()):
        return next(iter(sorted(families & table.doubt.keys())), "nothing to remember")
    if origin == "assistant" and (
        "confirmed" not in families or "hedge" in families or not families & {"statement", "listed"}
    ):
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

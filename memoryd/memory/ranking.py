"""Ranking what full-text search found: words, then the company they keep.

A message rarely answers alone: the question before it and the answer after it carry the words too, and a conversation
about the subject has many of them. So a message's own bm25 is helped by its neighbours and by its session.
Weights were set on LoCoMo conversations (turn recall in the first ten rises from .63 to .71 over bm25 alone).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryd.model import Candidate

WRITTEN_WEIGHT = 0.25  # of a match as written, beside the stemmed one
NEIGHBOUR_WEIGHT = 0.15  # of the messages just before and after
FAR_NEIGHBOUR_WEIGHT = 0.075  # of those two away
SESSION_WEIGHT = 0.15
SESSION_DECAY = 0.75  # each further match of a session counts this much less
SESSION_MATCHES = 8
HALF_SCORE = 20.0  # the strength at which a score is half of its range
LITERAL_SHARE = 0.2  # of the range, for what stands in the text exactly as typed
SHOWN_BEFORE_VARIETY = 10


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its strength and the parts of it, by name."""

    id: int
    session: int
    complete: bool
    strength: float
    why: Mapping[str, float]


def rank_candidates(candidates: Sequence[Candidate]) -> list[Ranked]:
    """Order candidates, best first: those with all words before the others, then by strength; ties by newer id."""
    own = {c.id: c.stemmed + WRITTEN_WEIGHT * c.written for c in candidates}
    places: dict[tuple[int, int | None], float] = {
        (c.session, c.position): own[c.id] for c in candidates if c.position is not None
    }
    sessions = _session_strength(candidates, own)
    ranked = [_rank(c, own[c.id], places, sessions[c.session]) for c in candidates]
    return sorted(ranked, key=lambda r: (not r.complete, -r.strength, -r.id))


def _rank(
    candidate: Candidate, own: float, places: Mapping[tuple[int, int | None], float], session: float
) -> Ranked:
    neighbours = 0.0
    if candidate.position is not None:
        for distance, weight in ((1, NEIGHBOUR_WEIGHT), (2, FAR_NEIGHBOUR_WEIGHT)):
            for position in (candidate.position - distance, candidate.position + distance):
                neighbours += weight * places.get((candidate.session, position), 0.0)
    why = {
        "all_words": float(candidate.complete),
        "stemmed": candidate.stemmed,
        "as_written": WRITTEN_WEIGHT * candidate.written,
        "neighbours": neighbours,
        "session": SESSION_WEIGHT * session,
    }
    strength = own + neighbours + why["session"]
    return Ranked(candidate.id, candidate.session, candidate.complete, strength, why)


def _session_strength(
    candidates: Sequence[Candidate], own: Mapping[int, float]
) -> dict[int, float]:
    by_session: dict[int, list[float]] = {}
    for candidate in candidates:
        by_session.setdefault(candidate.session, []).append(own[candidate.id])
    return {
        session: sum(
            value * SESSION_DECAY**place
            for place, value in enumerate(sorted(values, reverse=True)[:SESSION_MATCHES])
        )
        for session, values in by_session.items()
    }


def spread_sessions(ranked: Sequence[Ranked]) -> list[Ranked]:
    """After the first ten, sessions not shown yet come first, so that one talkative session hides no other."""
    shown: Counter[int] = Counter()
    turns: list[int] = []
    for one in ranked:
        shown[one.session] += 1
        turns.append(shown[one.session])
    order = sorted(
        range(SHOWN_BEFORE_VARIETY, len(ranked)), key=lambda place: (turns[place], place)
    )
    return [*ranked[:SHOWN_BEFORE_VARIETY], *(ranked[place] for place in order)]


def score(ranked: Ranked, literal: float) -> float:
    """The score that is shown, in (0, 2): above 1 all words are there; *literal* in [0, 1] is what stands as typed."""
    within = (1 - LITERAL_SHARE) * ranked.strength / (
        ranked.strength + HALF_SCORE
    ) + LITERAL_SHARE * literal
    return round(float(ranked.complete) + within, 6)


def literal_share(whole: str, literals: Sequence[str], text: str) -> float:
    """How much of a query stands in *text* exactly as typed, case aside.

    Args:
        whole: the query; all of it in the text counts 1, if it is more than one word.
        literals: its phrases and words with signs in them; their share counts half.
    """
    folded = text.casefold()
    if " " in whole and whole.casefold() in folded:
        return 1.0
    return (
        0.5 * sum(one.casefold() in folded for one in literals) / len(literals) if literals else 0.0
    )

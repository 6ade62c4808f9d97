"""Which entries answer best: words and meaning fused, then confidence, freshness and use, in that order of weight.

Source of the fusion: Cormack, Clarke & Büttcher, SIGIR 2009 (reciprocal rank fusion, k = 60).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryd.model import Entry

FUSION_CONSTANT = 60
DAY_SECONDS = 86_400.0
ANSWERS = 3  # hits of one search that may count as used in full


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """Weights of what is not the match itself; each factor is in [0, 1].

    Attributes:
        decay_per_day: lambda of exp(-lambda * days) since the entry was last confirmed or changed.
        confidence_floor: below it an entry answers only if the match is strong.
        strong: the share of the best possible fused score that counts as strong.
    """

    confidence_weight: float = 0.3
    freshness_weight: float = 0.15
    use_weight: float = 0.05
    decay_per_day: float = 0.01
    confidence_floor: float = 0.3
    strong: float = 0.8


@dataclass(frozen=True, slots=True)
class Recalled:
    """An entry that answers, with its score and every factor by name."""

    entry: Entry
    score: float
    why: Mapping[str, float]


def rank_entries(
    lexical: Sequence[Entry],
    complete: frozenset[str],
    semantic: Sequence[Entry],
    now: datetime,
    policy: RecallPolicy,
) -> list[Recalled]:
    """Merge two rankings and weigh them.

    Args:
        lexical: best first by words; *complete* holds the ids that have all the words of the query.
        semantic: best first by cosine; may be empty when there are no vectors.

    Returns:
        Every entry once, best first: those with all the words first, ties by id.
    """
    ranks: dict[str, dict[str, float]] = {}
    for name, ranking in (("lexical", lexical), ("semantic", semantic)):
        for rank, entry in enumerate(ranking, 1):
            ranks.setdefault(entry.id, {})[name] = 1.0 / (FUSION_CONSTANT + rank)
    best = (1 + bool(semantic)) / (FUSION_CONSTANT + 1)
    entries = {entry.id: entry for entry in (*lexical, *semantic)}
    recalled = [
        _weigh(entries[entry_id], parts, best, entry_id in complete, now, policy)
        for entry_id, parts in ranks.items()
    ]
    kept = [one for one in recalled if _is_believed(one, policy)]
    return sorted(kept, key=lambda one: (-one.score, one.entry.id))


def answering(complete: Sequence[bool]) -> list[int]:
    """The places of those hits that answered: the first, and others at the top that hold every word of the question.

    Args:
        complete: for each hit, best first, whether it holds every word.
    """
    return [place for place, whole in enumerate(complete[:ANSWERS]) if whole or not place]


def _weigh(
    entry: Entry,
    parts: Mapping[str, float],
    best: float,
    complete: bool,
    now: datetime,
    policy: RecallPolicy,
) -> Recalled:
    match = sum(parts.values()) / best
    days = max(0.0, (now - entry.updated_at).total_seconds() / DAY_SECONDS)
    freshness = math.exp(-policy.decay_per_day * days)
    use = 1.0 - 1.0 / (1.0 + math.log1p(entry.access_count))
    factor = (
        1.0
        + policy.confidence_weight * entry.confidence
        + policy.freshness_weight * freshness
        + policy.use_weight * use
    )
    score = match * factor + float(complete)
    why = {
        **parts,
        "match": match,
        "all_words": float(complete),
        "confidence": entry.confidence,
        "freshness": freshness,
        "use": use,
    }
    return Recalled(entry, round(score, 6), {name: round(value, 6) for name, value in why.items()})


def _is_believed(recalled: Recalled, policy: RecallPolicy) -> bool:
    """Is the entry trusted enough, or the match strong enough, to be shown?"""
    strong = recalled.why["all_words"] > 0 or recalled.why["match"] >= policy.strong
    return recalled.entry.confidence >= policy.confidence_floor or strong

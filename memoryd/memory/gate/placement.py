"""Where an entry belongs: its kind, its confidence, and the scope that is proposed for it."""

from collections.abc import Set as AbstractSet

from memoryd.memory.gate.language import home_language
from memoryd.memory.gate.reading import read_families
from memoryd.memory.gate.tables import Family, load_families
from memoryd.model import EntryKind, Origin

_ASSISTANT_CEILING = 0.6  # never as sure as anything a user said and was understood to mean
_HEDGED = 0.15  # taken off when the writer was not sure
_REVIEW_CEILING = 0.4


def classify_kind(families: AbstractSet[str]) -> EntryKind:
    """The kind that the strongest evidence speaks for; what holds only now is working memory."""
    if "working" in families and not families & {"remember", "deadline", "state"}:
        return "working"
    kinds = (family.kind for family in _sound(families))
    return next((kind for kind in kinds if kind), "semantic")


def rate_confidence(families: AbstractSet[str], origin: Origin, *, sure: bool) -> float:
    """How far an entry may be trusted, 0 to 1: the strongest evidence, lowered by doubt and by origin."""
    evidence = load_families().evidence
    confidence = max(
        (evidence[name].confidence for name in families & evidence.keys()), default=0.5
    )
    if "hedge" in families:
        confidence -= _HEDGED
    if origin == "assistant":
        confidence = min(confidence, _ASSISTANT_CEILING)
    return round(confidence if sure else min(confidence, _REVIEW_CEILING), 2)


def _sound(families: AbstractSet[str]) -> list[Family]:
    table = load_families()
    sound = [*table.evidence.values(), *table.part.values()]
    return [family for family in sound if family.name in families]


def propose_scope(text: str, project: str | None) -> str:
    """Propose where an entry holds: "global", or *project* (its root folder) where it was said.

    What a person says about themselves holds everywhere; what they say about a repository, a team or
    its services holds there. Without a project everything is global.
    """
    if not project:
        return "global"
    families = read_families(text, home_language(text))
    if families & {"identity", "person"} and "project" not in families:
        return "global"
    if "preference" in families and "project" not in families:
        return "global"
    return project

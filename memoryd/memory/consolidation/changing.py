"""What is told of a change, read as what holds now: "the limit was raised to 60" is "the limit is now 60".

The older text says what held then ("the limit is 30"), and only what holds now can be compared with it place by place.
"""

from functools import lru_cache

from memoryd.memory.consolidation.lexicon import Language
from memoryd.memory.consolidation.reading import read
from memoryd.memory.consolidation.rewording import reworded
from memoryd.memory.consolidation.unit import Reading

_CHANGES = "changes"


def as_it_is_now(reading: Reading) -> Reading | None:
    """Read a text that tells of a change as what holds since; None if it tells of none, or of more."""
    if any(clause.tense == "future" or clause.modals for clause in reading.clauses):
        return None
    return _as_it_is_now(reading.text, reading.language)


@lru_cache(maxsize=4096)
def _as_it_is_now(text: str, language: Language) -> Reading | None:
    told = reworded(text, language, _CHANGES)
    return read(told, language) if told else None

"""What is told of a change, read as what holds now: "the limit was raised to 60" is "the limit is now 60".

The older text says what held then ("the limit is 30"), and only what holds now can be compared with it place by place.
"""

from functools import lru_cache

from memoryd.memory.consolidation.comparison import Comparison, compare
from memoryd.memory.consolidation.lexicon import Language
from memoryd.memory.consolidation.reading import read
from memoryd.memory.consolidation.rewording import reworded
from memoryd.memory.consolidation.site import find_site
from memoryd.memory.consolidation.unit import Reading

_CHANGES = "changes"


def as_it_is_now(old: Reading, new: Reading) -> tuple[Reading, Comparison] | None:
    """Read a newer text that tells of a change as what holds since, and compare it with the older.

    None if it tells of none or of more, and where more than one place differs: in staging, the food budget.
    """
    if old.language != new.language or "also" in new.cues():
        return None
    if any(clause.tense == "future" or clause.modals for clause in new.clauses):
        return None
    said = _as_it_is_now(new.text, new.language)
    if said is None:
        return None
    comparison = compare(old, said)
    if comparison.merges or find_site(old, said, comparison.alignment, loose=False) is None:
        return None
    return said, comparison


@lru_cache(maxsize=4096)
def _as_it_is_now(text: str, language: Language) -> Reading | None:
    told = reworded(text, language, _CHANGES)
    return read(told, language) if told else None

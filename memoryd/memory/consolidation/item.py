"""The item: a stretch of text and what it means."""

from dataclasses import dataclass

from memoryd.memory.consolidation.lexicon import Role


@dataclass(
    slots=True
)  # nobody changes one; to freeze them would cost five times as much, and a text has dozens
class Item:
    """A stretch [start, end) of folded text and what it means.

    Attributes:
        role: a role of the lexicon, or "code", "quantity", "name", "word", "char", "sign".
        key: what is compared; forms that mean the same share it.
        forms: spellings that prove an unknown word the same.
        aside: cues read beside the meaning (change, doubt, ...).
    """

    role: Role | str
    key: str
    surface: str
    start: int
    end: int
    forms: tuple[str, ...] = ()
    aside: frozenset[Role] = frozenset()

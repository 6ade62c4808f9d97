"""Persons in Chinese text: a surname and a character or two that no word claims are one name (周婷, 张伟, 陈总).

Without it the parts are lone characters, 周 a week, and who is who is lost as soon as the sentence is turned round.
"""

from collections.abc import Iterator

from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.lexicon import Lexicon
from memoryd.memory.text import script

_COSTS = {
    2: 24,
    3: 26,
}  # more than any two words cost, less than one unknown character beside another
_GIVEN = frozenset({"concept", "action", "quality", "word"})
_COUNTING = frozenset("一二两三四五六七八九十百千万半几每这那哪某各本上下第整多同")  # 三张图, 每周


def names_at(text: str, at: int, base: int, table: Lexicon) -> Iterator[tuple[int, int, Item]]:
    """Yield the names that may begin at *at*: their length, their cost and the item."""
    if text[at] not in table.surnames or (at and _counts(text[at - 1])):
        return
    if at and text[at - 1] in table.surnames and _are_given(text, at, at + 1, table):
        return  # the given name of 李雷
    for length, cost in _COSTS.items():
        end = at + length
        if end > len(text) or not _are_given(text, at + 1, end, table):
            return
        name = text[at:end]
        yield length, cost, Item("name", name, name, base + at, base + end)


def _counts(before: str) -> bool:
    return before in _COUNTING or before.isdigit()


def _are_given(text: str, start: int, end: int, table: Lexicon) -> bool:
    """May these characters be a given name, or a title of one character: does no word begin among them?"""
    for at in range(start, end):
        if script(text[at]) != "han" or _begins_word(text, at, table):
            return False
        if end - start == 1 and text[at] in table.titles:
            continue
        if end - start > 1:  # 李雷见过他: the third character may be a verb that no table has
            if text[at] not in table.given:
                return False
            continue
        sense = table.phrases.get(text[at])
        if sense is not None and (sense.parts or sense.role not in _GIVEN):
            return False
    return True


def _begins_word(text: str, at: int, table: Lexicon) -> bool:
    longest = min(table.longest.get(text[at], 0), len(text) - at)
    return any(text[at : at + n] in table.phrases for n in range(2, longest + 1))

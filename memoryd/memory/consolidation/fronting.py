"""Where an English main clause begins that follows its condition without a comma, and which nouns look like verbs."""

from collections.abc import Sequence

from memoryd.memory.consolidation.clause import Clause
from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.lexicon import Lexicon
from memoryd.memory.consolidation.unit import Unit

_SUBJECTS = frozenset({"i", "we", "they", "he", "she", "you"})
_MOMENTS = ("time:", "date:", "day:", "seconds:", "months:")
_AFTER_MOMENT = frozenset(
    {"concept", "word", "name", "negate", "modal", "drop", "person", "action"}
)
_NOUNS = frozenset({"concept", "word", "name", "code", "quantity"})
_DETERMINERS = frozenset({"the", "a", "an", "each", "every", "our", "my", "their", "this", "these"})

_GERMAN_OBJECTS = frozenset(  # articles that no genitive has: another noun begins
    {"die", "das", "den", "dem", "ein", "eine", "einen", "einem", "alle"}
)


def ends_fronted(clause: Clause, units: Sequence[Unit], item: Item, table: Lexicon) -> bool:
    """Before lunch the team meets; while baking the map set it off: does the main clause begin with *item*?"""
    last = clause.last
    if table.language != "en" or not clause.opens or last is None:
        return False
    if last.role not in _NOUNS or not clause.units:
        return False
    if last.role == "quantity" and last.key.startswith(_MOMENTS):
        return item.role in _AFTER_MOMENT
    acting = last.role == "word" and last.surface.endswith("ing")
    subject = item.surface.casefold()
    if item.role == "person" and (subject in _SUBJECTS or subject.startswith("the ")):
        return not acting
    if item.role in ("drop", "quantify"):
        return item.surface.casefold() in _DETERMINERS and not acting
    deeds = [units[i] for i in clause.units]
    said = any(unit.kind == "action" or unit.surface.endswith("ing") for unit in deeds)
    bare = not item.surface.casefold().endswith(("s", "ed", "ing"))
    return item.role == "action" and said and bare and not acting


def is_time_phrase(item: Item, table: Lexicon) -> bool:
    """Nie vor 9:30 Uhr ansetzen: is the condition a German preposition of time, inside of the clause whose verb follows?"""
    return table.language == "de" and item.surface.casefold() in table.prepositions


def ends_moment(clause: Clause, units: Sequence[Unit], item: Item, table: Lexicon) -> bool:
    """Vor jedem Release müssen die Tests laufen: does *item* say no more of when, but what then happens?"""
    if clause.scope not in ("before", "after") or not table.prepositions:
        return False
    at = next((i for i in reversed(clause.units) if units[i].kind == "condition"), None)
    if at is None or units[at].surface.casefold() not in table.prepositions:
        return False
    said = [units[i] for i in clause.units if i > at]
    if said and said[-1].kind in _NOUNS | {"action"} and _opens_german_noun(item, table):
        return True  # Frauke prüft vor jedem Release die Übersetzungen
    if not said or (said[0].kind == "action" and len(said) == 1 and item.role == "drop"):
        return False
    if said[-1].kind == "quantity" and said[-1].key.startswith(_MOMENTS):
        noun = table.language == "de" and item.surface[:1].isupper()  # nach 10 Minuten Leerlauf
        return item.role not in ("join", "quantity") and not noun
    begins = item.role in ("modal", "person", "negate", "action")
    return begins or item.surface.casefold() in table.copulas | table.auxiliaries


def _opens_german_noun(item: Item, table: Lexicon) -> bool:
    return table.language == "de" and item.surface in _GERMAN_OBJECTS


def ends_phrase(clause: Clause, units: Sequence[Unit], item: Item, table: Lexicon) -> bool:
    """On Mondays the board: does *item* open another noun behind the phrase that the clause begins with?"""
    if table.language != "en" or not clause.role or clause.last is None:
        return False
    inside = bool(clause.units) and all(units[i].role == clause.role for i in clause.units)
    opens = item.surface.casefold() in _DETERMINERS and clause.last.role in _NOUNS
    return inside and opens


def is_agent(item: Item, table: Lexicon) -> bool:
    """Reviewers review, but are no verb."""
    word = item.surface.casefold()
    agent = word.endswith(("er", "ers", "or", "ors")) and not item.key.endswith(("er", "or"))
    return table.language == "en" and agent

"""Groups of changes that only make sense together, and whether what they touch is found by its own words afterwards.

The same question is asked twice: over the read-only view, before anything is written, of entries that are only taken for
gone (so a dry run knows, too); and by the writer, of what it has written, if anything was changed in between.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from memoryd.model import Entry
from memoryd.store.connection import Connection
from memoryd.store.entry_search import EntryView, is_surely_found, match_entries
from memoryd.store.query import Query, parse_query

CANARY_DEPTH = 10  # a touched fact must be among so many answers to its own words


Change = tuple[Entry | None, Entry]


@dataclass(frozen=True, slots=True)
class Group:
    """Changes that only make sense together.

    Attributes:
        changes: (before, after) of each entry; None: it is new.
        found_by: for each text, the entry that must answer it afterwards, if an entry did before.
    """

    why: str
    changes: tuple[Change, ...]
    found_by: tuple[tuple[str, str], ...] = ()

    @property
    def keeps_words(self) -> bool:
        """Does every entry keep its text, so that the index stays as it is?"""
        return all(before and before.content == after.content for before, after in self.changes)


def group_texts(changes: Iterable[Change], into: str) -> tuple[tuple[str, str], ...]:
    """The canary of a merge: every member's words must lead to the entry that stays; its own do if it keeps them."""
    return tuple(
        (before.content, into)
        for before, after in changes
        if before and not (before.id == into and before.content == after.content)
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a group must not be: which text would be lost among which *rivals*."""

    why: str
    rivals: frozenset[str] = frozenset()


def unanswered(
    connection: Connection, group: Group, hidden: Collection[str] = ()
) -> dict[str, frozenset[str]]:
    """The texts of a group that do not find the entry that must answer them, and what they find."""
    lost: dict[str, frozenset[str]] = {}
    for text, entry in group.found_by:
        view, query = _question(group, text, hidden)
        if is_surely_found(connection, view, query, entry, CANARY_DEPTH):
            continue  # it has all the words, as most have that must answer
        answers = _found(connection, group, text, hidden)
        if entry not in answers:
            lost[text] = answers
    return lost


def was_answered(
    connection: Connection,
    group: Group,
    lost: Mapping[str, frozenset[str]],
    hidden: Collection[str] = (),
) -> Refusal | None:
    """Is a text lost by the change that found an entry of the group before it? None: none is."""
    touched = {after.id for _, after in group.changes}
    for text, rivals in lost.items():
        if touched & _found(connection, group, text, hidden):
            return Refusal(f"{text[:60]!r} would no longer be found", rivals)
    return None


def foresee(connection: Connection, group: Group, gone: set[str]) -> Refusal | None:
    """Why the writer would drop a group, None if it would not; then what leaves with it is added to *gone*.

    Only for groups that keep their words: the index stays as it is, entries leave the answers by their state alone.
    """
    leaving = {after.id for _, after in group.changes if after.state != "active"} - gone
    lost = unanswered(connection, group, gone | leaving)
    refusal = was_answered(connection, group, lost, gone) if lost else None
    if refusal is None:
        gone |= leaving
    return refusal


def _found(
    connection: Connection,
    group: Group,
    text: str,
    hidden: Collection[str],
) -> frozenset[str]:
    view, query = _question(group, text, hidden)
    matches = match_entries(connection, view, query, CANARY_DEPTH)
    return frozenset(match.entry.id for match in matches)


def _question(group: Group, text: str, hidden: Collection[str]) -> tuple[EntryView, Query]:
    """What is asked: a text's words, as a caller sees the bank who saw the group's entries."""
    first = group.changes[0][1]
    view = EntryView(first.namespace, session=first.session_id, hidden=hidden)
    return view, parse_query(" ".join(text.replace('"', " ").split()))

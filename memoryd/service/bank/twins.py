"""Finding an entry that already says what a draft says, so that it is confirmed instead of doubled."""

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.reading import read
from memoryd.model import Entry
from memoryd.service.bank.remembering import FindSame, kind_of
from memoryd.store.connection import Connection
from memoryd.store.entry_search import EntryView, match_entries
from memoryd.store.query import parse_query

LOOKED_AT = 12  # neighbours by words that the guards judge


def says_the_same(a: str, b: str) -> bool:
    """Do the guards find every fact of each text in the other?"""
    return compare(read(a), read(b)).relation == "same"


def load_tables() -> None:
    """Load the tables that judging a draft needs, once in a process; the caller need not hold the writer's lock."""
    kind_of("x")
    says_the_same("x", "y")


def find_twin(connection: Connection) -> FindSame:
    """A finder over the entries of the draft's own namespace, scope, kind of memory and session."""

    def find(draft: Entry) -> Entry | None:
        view = EntryView(draft.namespace, session=draft.session_id)
        query = parse_query(" ".join(draft.content.replace('"', " ").split()))
        reading = read(draft.content)
        for match in match_entries(connection, view, query, LOOKED_AT):
            if (
                _serves_the_same(match.entry, draft)
                and compare(read(match.entry.content), reading).relation == "same"
            ):
                return match.entry
        return None

    return find


def _serves_the_same(entry: Entry, draft: Entry) -> bool:
    return (entry.scope, entry.session_id, entry.kind == "working") == (
        draft.scope,
        draft.session_id,
        draft.kind == "working",
    )

"""Finding messages: full-text search proposes, ranking decides, the text itself confirms what was typed literally."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memoryd.memory.ranking import literal_share, rank_candidates, score, spread_sessions
from memoryd.store.query import Query, parse_query
from memoryd.store.reader import Reader
from memoryd.store.records import Filters, StoredMessage
from memoryd.store.snippet import make_snippet

CONFIRMED = 60  # of the best candidates whose text is looked at
Sort = Literal["relevance", "newest"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that answers. *why* holds the parts of its score by name."""

    message: StoredMessage
    snippet: str
    score: float
    why: Mapping[str, float]


def recall(
    reader: Reader, text: str, filters: Filters, limit: int = 10, sort: Sort = "relevance"
) -> list[Hit]:
    """The messages that answer a query as typed, best (or newest) first.

    Args:
        limit: at most this many, >= 1.
    """
    query = parse_query(text)
    with reader.snapshot():
        if sort == "newest":
            return _newest(reader, query, filters, limit)
        return _best(reader, query, filters, limit)


def _newest(reader: Reader, query: Query, filters: Filters, limit: int) -> list[Hit]:
    words = _words(query)
    return [
        Hit(one, make_snippet(one.text, words), 1.0, {"all_words": 1.0})
        for one in reader.newest(query, filters, limit)
    ]


def _words(query: Query) -> list[str]:
    return [term.text for term in query.pieces()]


def _best(reader: Reader, query: Query, filters: Filters, limit: int) -> list[Hit]:
    words = _words(query)
    ranked = rank_candidates(reader.candidates(query, filters, limit))
    looked_at = reader.messages(one.id for one in ranked[:CONFIRMED])
    literal = {
        row: literal_share(query.text, query.literals, one.text) for row, one in looked_at.items()
    }
    scored = {one.id: score(one, literal.get(one.id, 0.0)) for one in ranked}
    ranked.sort(key=lambda one: (-scored[one.id], -one.id))
    chosen = spread_sessions(ranked)[:limit]
    messages = looked_at | reader.messages(one.id for one in chosen if one.id not in looked_at)
    return [
        Hit(
            messages[one.id],
            make_snippet(messages[one.id].text, words),
            scored[one.id],
            {**one.why, "literal": literal.get(one.id, 0.0)},
        )
        for one in chosen
    ]

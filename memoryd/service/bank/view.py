"""Reading the memory bank: list, search, history, the provenance of an entry."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memoryd.errors import UsageError
from memoryd.memory.recall import Recalled, RecallPolicy, rank_entries
from memoryd.model import Entry, Provenance
from memoryd.service.writer import utc_now
from memoryd.store.bank import get_entry, list_entries, namespace_of, namespaces
from memoryd.store.entry_rows import entry_to_json, stamp
from memoryd.store.entry_search import EntryView, match_entries
from memoryd.store.query import parse_query
from memoryd.store.reader import Reader
from memoryd.store.runs import entry_events

SEARCHED = 50  # candidates of each kind that are fused
SHOWN = 20  # namespaces, scopes or states that a message names


@dataclass(frozen=True, slots=True)
class Answer:
    """What memory answers; *mode* is what was really used, *degraded* why it was not more."""

    mode: str
    hits: Sequence[Recalled]
    milliseconds: float
    degraded: Sequence[str] = ()


Near = Callable[[Reader, EntryView, str, int], "list[Entry] | str"]
NOBODY_NEAR = "no daemon runs, and only a daemon keeps a model warm"


def search_entries(
    reader: Reader,
    view: EntryView,
    text: str,
    limit: int,
    near: Near | None = None,
    policy: RecallPolicy | None = None,
) -> Answer:
    """The entries of a view that answer a text, best first.

    Args:
        near: finds entries near in meaning, or says why it cannot; None: there is nobody to ask.
    """
    started = time.perf_counter()
    matches = match_entries(reader.connection, view, parse_query(text), SEARCHED)
    complete = frozenset(match.entry.id for match in matches if match.complete)
    found = NOBODY_NEAR if near is None else near(reader, view, text, SEARCHED)
    meant, degraded = ((), (found,)) if isinstance(found, str) else (found, ())
    hits = rank_entries(
        [m.entry for m in matches], complete, meant, utc_now(), policy or RecallPolicy()
    )
    mode = "lexical" if degraded else "hybrid"
    return Answer(mode, hits[:limit], 1000 * (time.perf_counter() - started), degraded)


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer in the fields of the contract."""
    hits = [
        {"entry": entry_to_json(hit.entry), "score": hit.score, "why": dict(hit.why)}
        for hit in answer.hits
    ]
    return {
        "mode": answer.mode,
        "degraded": list(answer.degraded),
        "hits": hits,
        "milliseconds": round(answer.milliseconds, 3),
    }


def listed(
    reader: Reader,
    namespace: str | None = None,
    scope: str | None = None,
    states: Sequence[str] = (),
) -> list[Entry]:
    """Entries of one namespace, or of every one in turn; an empty *states* means every state."""
    places = namespaces(reader.connection) if namespace is None else [namespace]
    return [
        entry
        for place in places
        for entry in list_entries(reader.connection, place, scope=scope, states=states)
    ]


def why_none(entries: Sequence[Entry], filters: Mapping[str, str | None]) -> str:
    """Why a list has no entry: which filter leaves none, and what there is instead of it.

    Args:
        filters: by the name of an entry's field, in the order they apply; None lets everything through.
    """
    if not entries:
        return "no entries: `memoryd memory add TEXT` makes one, the nightly run finds them in the history"
    for name, wanted in filters.items():
        there = Counter(getattr(entry, name) for entry in entries)
        if wanted is not None and wanted not in there:
            counts = ", ".join(f"{other} ({count})" for other, count in there.most_common(SHOWN))
            return f"no entries of {name} {wanted}; there are: {counts}"
        entries = [entry for entry in entries if wanted in {None, getattr(entry, name)}]
    return ""


def find_entry(reader: Reader, entry_id: str) -> Entry:
    """One entry by its id.

    Raises:
        UsageError: there is none.
    """
    namespace = namespace_of(reader.connection, entry_id)
    entry = None if namespace is None else get_entry(reader.connection, namespace, entry_id)
    if entry is None:
        raise UsageError(f"there is no entry {entry_id}; `memoryd memory list --all` lists them")
    return entry


def history(reader: Reader, entry_id: str) -> list[dict[str, Any]]:
    """Every version of an entry: who, when, why, before and after."""
    entry = find_entry(reader, entry_id)
    return [
        {
            "at": stamp(event.because.at),
            "who": event.because.who,
            "why": event.because.why,
            "run": event.because.run,
            "before": None if event.before is None else entry_to_json(event.before),
            "after": None if event.after is None else entry_to_json(event.after),
        }
        for event in entry_events(reader.connection, entry.namespace, entry_id)
    ]


def provenance_tree(
    reader: Reader, entry: Entry, seen: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """An entry with the entries it was made of, down to messages, files and bytes."""
    inputs = []
    for entry_id in entry.merged_from:
        if entry_id not in seen:
            found = get_entry(reader.connection, entry.namespace, entry_id)
            if found is not None:
                inputs.append(provenance_tree(reader, found, seen | {entry.id}))
    return {
        "entry": entry_to_json(entry),
        "sources": [_source(reader, one) for one in entry.sources],
        "merged_from": inputs,
    }


def _source(reader: Reader, source: Provenance) -> dict[str, Any]:
    """A source with the words it points at: from the history if they are still there, else as quoted."""
    row = source.message_id
    message = reader.message(int(row)) if row is not None and row.isdigit() else None
    words = source.quote
    if message is not None and source.start is not None and source.end is not None:
        words = message.text[source.start : source.end]
    return {
        "message_id": source.message_id,
        "session_id": source.session_id,
        "path": source.path or (message.path if message else None),
        "start": source.start,
        "end": source.end,
        "bytes": [source.byte_start, source.byte_end] if source.byte_start is not None else None,
        "words": words,
        "role": message.role if message else None,
        "time": stamp(message.time) if message else None,
    }

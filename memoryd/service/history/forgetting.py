"""`forget`: removes for good, through every derived record, index, backup and archive."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memoryd.errors import UsageError
from memoryd.service.bank.remembering import screen_entry
from memoryd.service.history.scrubbing import Gone, scrub_copies
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.bank import Bank, Because, list_entries, namespaces
from memoryd.store.connection import Connection
from memoryd.store.erasing import forget_text, names_holding
from memoryd.store.forgetting import (
    Selection,
    forget_entries,
    forget_messages,
    forget_reports,
    forget_sessions,
    refuse_copies,
    scrub,
    select_session,
    select_source,
    select_text,
    sources_of,
    transcripts_of,
    with_lineage,
)
from memoryd.store.history import source_names


def forget(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Forget a `session`, a `source`, `entries` (ids) or every record that holds a `match`; with `dry_run`, only say what.

    `by_rule`: retention removes entries; backups, which the next nights replace, may still hold them.

    Raises:
        UsageError: nothing is named, or a source or an entry that there is not.

    Returns:
        What went; and what holds it still: `transcripts_left` of the agents, and `names_left`, paths and names by which
        transcripts, sessions and projects are known.
    """
    connection = writer.store.connection
    if arguments.get("source"):
        _check_source(writer, arguments["source"])
    selection = _select(connection, arguments)
    families = _families(connection, selection.entries)
    told = {
        "messages": len(selection.messages),
        "sessions": len(selection.sessions),
        "entries": sorted(one for forgotten, _ in families.values() for one in forgotten),
        "restored": sorted(one for _, restored in families.values() for one in restored),
        "dry_run": bool(arguments.get("dry_run")),
    }
    if arguments.get("dry_run"):
        return told
    gone = Gone(
        frozenset(transcripts_of(connection, selection)),
        frozenset(sources_of(connection, selection)),
        frozenset([arguments["source"]] if arguments.get("source") else []),
        selection.text or "",
    )
    with writer.store.transaction():
        refuse_copies(connection, gone.transcripts)
        forget_messages(connection, selection.messages)
        for namespace, (forgotten, restored) in families.items():
            _bring_back(connection, namespace, restored)
            forget_entries(connection, namespace, forgotten)
            forget_reports(connection, forgotten)
        forget_sessions(connection, selection.sessions)
        if selection.text:
            forget_text(connection, selection.text)
    scrub(connection)
    if arguments.get("by_rule"):
        return told
    names = names_holding(connection, selection.text) if selection.text else []
    return told | scrub_copies(writer, gone) | {"names_left": names}


def _check_source(writer: Writer, name: str) -> None:
    """Refuse a name that nothing was read under and no reader has: forgetting nothing must not look like success."""
    held = source_names(writer.store.connection)
    if name not in {*held, *(source.name for source in writer.scanner.ingest.sources)}:
        raise UsageError(f"no source {name!r}; the history holds: {', '.join(held) or 'nothing'}")


def _select(connection: Connection, arguments: Mapping[str, Any]) -> Selection:
    if arguments.get("session"):
        return select_session(connection, arguments["session"])
    if arguments.get("source"):
        return select_source(connection, arguments["source"])
    if arguments.get("match"):
        return select_text(connection, arguments["match"])
    if arguments.get("entries"):
        return Selection(entries=tuple(arguments["entries"]))
    raise UsageError("one of --session, --source, --entry, --match is needed")


def _families(
    connection: Connection, chosen: tuple[str, ...]
) -> dict[str, tuple[set[str], set[str]]]:
    """By namespace: what to forget with its lineage, and what to bring back."""
    families: dict[str, tuple[set[str], set[str]]] = {}
    unknown = set(chosen)
    for namespace in namespaces(connection):
        entries = list_entries(connection, namespace, states=())
        here = {entry.id for entry in entries} & set(chosen)
        unknown -= here
        if here:
            families[namespace] = with_lineage(entries, here)
    if unknown:
        raise UsageError(
            f"there is no entry {min(unknown)}; `memoryd memory list --all` lists them"
        )
    return families


def _bring_back(connection: Connection, namespace: str, ids: set[str]) -> None:
    """Inputs of a forgotten merge that were not forgotten themselves hold their facts again."""
    bank, now = Bank(connection), utc_now()
    for entry_id in sorted(ids):
        entry = bank.get(namespace, entry_id)
        if entry is not None and entry.state == "merged":
            clean, content, _ = screen_entry(replace(entry, state="active"))
            bank.put(
                clean, content, Because("forget", "what it was merged into was forgotten", now)
            )

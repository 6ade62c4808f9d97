"""The memory bank's writing commands: add, import, change, feedback, access. Each is one transaction."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from memoryd.errors import UsageError
from memoryd.memory.admission import correct
from memoryd.model import Entry
from memoryd.screening import screen
from memoryd.service.bank.lines import numbered_lines, parse_object
from memoryd.service.bank.remembering import (
    Remembered,
    make_draft,
    remember,
    restore_exported,
    screen_entry,
)
from memoryd.service.bank.twins import find_twin
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.bank import ANSWER, SEARCH, Bank, Because, namespace_of
from memoryd.store.entry_rows import entry_to_json

IMPORT_STEP = 500  # entries in one transaction


def add(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Remember one text; arguments are fields of an entry."""
    now = utc_now()
    draft = make_draft(_given(arguments), "memory add", now)
    with writer.store.transaction() as connection:
        done = remember(
            Bank(connection), draft, Because(draft.origin, "", now), find_twin(connection)
        )
    return _told(done)


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _told(done: Remembered) -> dict[str, Any]:
    verdict = done.verdict
    return {
        "entry": None if done.entry is None else entry_to_json(done.entry),
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "with": verdict.other,
    }


def import_lines(
    writer: Writer, arguments: Mapping[str, Any], tell: Tell
) -> Generator[None, None, dict[str, Any]]:
    """Import JSON lines from `path`; with `raw` every line is stored as given."""
    path = Path(arguments["path"])
    counts = dict.fromkeys(("added", "merged", "rejected", "review", "duplicate"), 0)
    results: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for part in _parts(path):
        with writer.store.transaction() as connection:
            for where, number, line in part:
                try:
                    result = _import_line(connection, where, line, raw=bool(arguments.get("raw")))
                except UsageError as error:
                    errors.append({"line": number, "reason": str(error)})
                    continue
                counts[result["outcome"]] += 1
                results.append({"line": number, **result})
        tell({"lines": len(results) + len(errors)})
        yield
    return {**counts, "results": results, "errors": errors}


def _parts(path: Path) -> Iterator[list[tuple[str, int, str]]]:
    lines = numbered_lines(path)
    while part := list(islice(lines, IMPORT_STEP)):
        yield part


def _import_line(connection: Any, where: str, line: str, *, raw: bool) -> dict[str, Any]:
    fields = parse_object(line, where)
    now = utc_now()
    draft = make_draft(fields if raw else _given(fields), where, now)
    if not raw and draft.valid_from and draft.valid_to and draft.valid_to < draft.valid_from:
        raise UsageError(
            f"{where}: valid_to: expected a time not before valid_from, got {fields['valid_to']!r}"
        )
    bank = Bank(connection)
    because = Because("import", where.rpartition("/")[2], now)
    if raw:
        stored = restore_exported(bank, draft, because)
        return {"id": stored.id, "outcome": "added", "reason": "stored as given"}
    done = remember(bank, draft, because, find_twin(connection))
    return {
        "id": None if done.entry is None else done.entry.id,
        "outcome": done.verdict.outcome,
        "reason": done.verdict.reason,
    }


def change(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Change one entry (`id`): `how` is replace (with `text`), remove, pin, unpin or restore."""
    how, now = arguments["how"], utc_now()
    with writer.store.transaction() as connection:
        bank, entry = _find(connection, arguments["id"])
        if how == "replace":
            changed = _reworded(entry, str(arguments["text"]), now)
        else:
            changed = replace(entry, updated_at=now, **_CHANGES[how])
        clean, content, _ = screen_entry(changed)
        bank.put(clean, content, Because("user", how, now))
        if how == "restore":
            bank.allow(entry.namespace, entry.content)
    return {"entry": entry_to_json(clean)}


_CHANGES: dict[str, dict[str, Any]] = {
    "remove": {"state": "removed"},
    "pin": {"pinned": True},
    "unpin": {"pinned": False},
    "restore": {"state": "active", "superseded_by": None, "valid_to": None},
}


def _reworded(entry: Entry, text: str, now: datetime) -> Entry:
    if not text.strip():
        raise UsageError("TEXT is empty; `memory remove` removes an entry")
    return replace(
        entry,
        content=text,
        origin="user",
        updated_at=now,
        valid_from=now,  # a correction is younger than what was said before it
        confidence=max(entry.confidence, 0.9),
        **_CHANGES["restore"],
    )


def _find(connection: Any, entry_id: str) -> tuple[Bank, Entry]:
    namespace = namespace_of(connection, entry_id)
    bank = Bank(connection)
    entry = None if namespace is None else bank.get(namespace, entry_id)
    if entry is None:
        raise UsageError(f"there is no entry {entry_id}; `memoryd memory list --all` lists them")
    return bank, entry


def feedback(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Take in what a person says of an entry (`id`): `judgement` is wrong, right or outdated; optional `note`."""
    now = utc_now()
    with writer.store.transaction() as connection:
        bank, entry = _find(connection, arguments["id"])
        note = screen(str(arguments.get("note") or "")).text
        changed = correct(entry, arguments["judgement"], now, note)
        clean, content, _ = screen_entry(changed)
        bank.put(clean, content, Because("user", f"feedback: {arguments['judgement']}", now))
        if arguments["judgement"] == "wrong":
            bank.refuse(entry.namespace, entry.content, now)
    return {"entry": entry_to_json(clean)}


def note_access(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Count one access a session for the `ids` that were shown, `answers` among them in full; log what the recall cost."""
    now = utc_now()
    with writer.store.transaction() as connection:
        bank = Bank(connection)
        counted = sum(
            bank.count_access(arguments["namespace"], ids, arguments["session"], how, now)
            for how, ids in ((ANSWER, arguments.get("answers", ())), (SEARCH, arguments["ids"]))
        )
        bank.note_recall(
            arguments["namespace"],
            now,
            len(arguments["ids"]),
            arguments["milliseconds"],
            arguments["characters"],
        )
    return {"counted": counted}

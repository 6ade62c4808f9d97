"""Extraction: whole messages through the gate; what passes goes to the write path with its provenance."""

import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memoryd.errors import UsageError
from memoryd.memory.admission import default_ttl
from memoryd.memory.gate import Extracted, Extraction, extract, propose_scope
from memoryd.model import Entry, Origin, Provenance
from memoryd.service.bank.lines import numbered_lines, parse_object
from memoryd.service.bank.remembering import check_name, make_draft, new_id, remember
from memoryd.service.bank.twins import find_twin
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.bank import Bank, Because
from memoryd.store.connection import Connection
from memoryd.store.entry_rows import shown
from memoryd.store.history import spoken_after
from memoryd.store.records import StoredMessage
from memoryd.store.settings import get_setting, put_setting

WATERMARK = "extracted_until"  # the setting that holds the last message the gate has seen
STEP = 200  # messages in one transaction, at most
STEP_SECONDS = 0.2
ORIGINS = ("user", "assistant", "tool", "external", "system")


def read_messages(path: Path) -> list[dict[str, Any]]:
    """Messages as JSON lines {"id", "text", "origin", "namespace"?}; all of them, before anything is done with one.

    Raises:
        UsageError: unreadable, or a line is something else; the line is named.
    """
    return [_message(parse_object(line, where), where) for where, _, line in numbered_lines(path)]


def _message(fields: Mapping[str, Any], where: str) -> dict[str, Any]:
    missing = [name for name in ("id", "text", "origin") if name not in fields]
    if missing:
        raise UsageError(f'{where}: expected {{"id", "text", "origin"}}, {missing[0]} is missing')
    number, text, origin = fields["id"], fields["text"], fields["origin"]
    if not isinstance(number, str | int) or isinstance(number, bool):
        raise UsageError(f"{where}: id: expected text, got {shown(number)}")
    if not isinstance(text, str):
        raise UsageError(f"{where}: text: expected text, got {shown(text)}")
    if origin not in ORIGINS:
        raise UsageError(
            f"{where}: origin: expected one of {', '.join(ORIGINS)}, got {shown(origin)}"
        )
    namespace = fields.get("namespace")
    namespace = "local/default" if namespace is None else namespace
    check_name("namespace", namespace, where)
    return {"id": number, "text": text, "origin": origin, "namespace": namespace}


def judge_file(path: Path) -> Iterator[dict[str, Any]]:
    """What the gate says of every message of a file; nothing is stored."""
    for message in read_messages(path):
        judged = extract(message["text"], message["origin"])
        entries = [_shown(one, one.outcome, one.reason) for one in judged.entries]
        yield {"id": message["id"], "entries": entries, "rejected": _rejected(judged)}


def _shown(extracted: Extracted, outcome: str, reason: str) -> dict[str, Any]:
    return {
        "content": extracted.content,
        "kind": extracted.kind,
        "confidence": extracted.confidence,
        "start": extracted.start,
        "end": extracted.end,
        "outcome": outcome,
        "reason": reason,
    }


def _rejected(judged: Extraction) -> list[dict[str, Any]]:
    return [{"start": one.start, "end": one.end, "reason": one.reason} for one in judged.rejected]


def extract_file(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Pass every message of `path` through the gate and what it lets through into the bank."""
    lines = []
    for message in read_messages(Path(arguments["path"])):
        judged = extract(message["text"], message["origin"])
        entries = []
        with writer.store.transaction() as connection:
            for one in judged.entries:
                source = Provenance(start=one.start, end=one.end, quote=one.content)
                draft = replace(_draft(message, one), sources=(source,))
                because = Because("gate", one.reason, utc_now())
                done = remember(Bank(connection), draft, because, find_twin(connection))
                entries.append(_shown(one, done.verdict.outcome, done.verdict.reason))
        lines.append({"id": message["id"], "entries": entries, "rejected": _rejected(judged)})
    return {"lines": lines}


def _draft(message: Mapping[str, Any], extracted: Extracted) -> Entry:
    fields = {
        "content": extracted.content,
        "kind": extracted.kind,
        "confidence": extracted.confidence,
        "origin": message["origin"],
        "namespace": message["namespace"],
        "state": "review" if extracted.outcome == "review" else "active",
    }
    return make_draft(fields, f"message {message['id']}", utc_now())


def extract_history(
    writer: Writer, arguments: Mapping[str, Any], tell: Tell
) -> Generator[None, None, dict[str, Any]]:
    """Pass what people and assistants said since the last time through the gate, and what passes into the bank."""
    counts = dict.fromkeys(("messages", "added", "merged", "duplicate", "review", "rejected"), 0)
    while True:
        with writer.store.transaction() as connection:
            after = int(get_setting(connection, WATERMARK) or 0)
            messages = spoken_after(connection, after, STEP)
            until, seen = time.monotonic() + STEP_SECONDS, 0
            for message in messages:
                for outcome in _extract_message(connection, message):
                    counts[outcome] += 1
                seen += 1
                if time.monotonic() > until:  # a new line of a transcript waits no longer than this
                    break
            if messages:
                put_setting(connection, WATERMARK, str(messages[seen - 1].id))
        counts["messages"] += seen
        tell(dict(counts))
        if seen == len(messages) < STEP:
            return counts
        yield


def _extract_message(connection: Connection, message: StoredMessage) -> Iterator[str]:
    origin: Origin = "user" if message.role == "user" else "assistant"
    for one in extract(message.text, origin).entries:
        now = utc_now()
        said = message.time or now
        draft = Entry(
            new_id(),
            one.content,
            said,
            said,
            scope=propose_scope(one.content, message.project),
            session_id=message.session_id if one.kind == "working" else None,
            kind=one.kind,
            origin=origin,
            state="review" if one.outcome == "review" else "active",
            confidence=one.confidence,
            ttl_days=default_ttl(one.kind),
            sources=(_provenance(message, one),),
            metadata={"recorded_at": now.isoformat()},
        )
        because = Because("gate", one.reason, now)
        yield remember(Bank(connection), draft, because, find_twin(connection)).verdict.outcome


def _provenance(message: StoredMessage, extracted: Extracted) -> Provenance:
    """The exact characters of the message, the bytes of its record, and the words themselves."""
    start, end = message.span or (None, None)
    return Provenance(
        message_id=str(message.id),
        session_id=message.session_id,
        path=message.path,
        start=extracted.start,
        end=extracted.end,
        byte_start=start,
        byte_end=end,
        quote=extracted.content,
    )

"""Extraction: whole messages through the gate; what passes goes to the write path with its provenance."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memoryd.errors import UsageError
from memoryd.memory.gate import Extracted, Extraction, extract
from memoryd.model import Entry, Provenance
from memoryd.service.remembering import make_draft, remember
from memoryd.service.twins import find_twin
from memoryd.service.writer import Command, Tell, Writer, utc_now
from memoryd.store.bank import Bank, Because

ORIGINS = ("user", "assistant", "tool", "external", "system")


def read_messages(path: Path) -> Iterator[dict[str, Any]]:
    """Messages as JSON lines {"id", "text", "origin", "namespace"?}.

    Raises:
        UsageError: unreadable, or a line is something else; the line is named.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            message = json.loads(line)
            if not isinstance(message["text"], str) or message["origin"] not in ORIGINS:
                raise ValueError(f"origin: expected one of {', '.join(ORIGINS)}")  # noqa: TRY301 - told with the line
            yield {
                "id": message["id"],
                "text": message["text"],
                "origin": message["origin"],
                "namespace": message.get("namespace", "local/default"),
            }
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f'{path} line {number}: expected {{"id", "text", "origin"}}: {error}'
            ) from error


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


COMMANDS: dict[str, Command] = {"memory.extract": extract_file}

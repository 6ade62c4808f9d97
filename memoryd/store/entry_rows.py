"""Entries as rows and as JSON, both without loss.

The JSON has the fields of the command-line contract; it is also what events keep, so that undo is exact.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, Literal, get_args, get_origin, get_type_hints

from memoryd.errors import UsageError
from memoryd.model import Entry, Provenance
from memoryd.screening.copy_form import copy_form
from memoryd.store.records import EPOCH

COLUMNS = tuple(field.name for field in fields(Entry))
TIMES = ("created_at", "updated_at", "last_accessed_at", "valid_from", "valid_to")
_HINTS = get_type_hints(Entry)
_LITERALS = {name: get_args(hint) for name, hint in _HINTS.items() if get_origin(hint) is Literal}

_PROVENANCE = get_type_hints(Provenance)
_HIGHEST = 2**63 - 1  # an integer of SQLite
_SHOWN = 80  # characters of a wrong value


def content_key(text: str) -> bytes:
    """What two texts share that differ only in spacing, width, closing punctuation or the capital of a plain word."""
    words = copy_form(text).rstrip(".!。！")
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def to_microseconds(time: datetime | None) -> int | None:
    """A time as unix microseconds, UTC."""
    return None if time is None else (time - EPOCH) // timedelta(microseconds=1)


def from_microseconds(value: int | None) -> datetime | None:
    """The time that `to_microseconds` stored."""
    return None if value is None else EPOCH + timedelta(microseconds=value)


def entry_to_row(entry: Entry) -> tuple[Any, ...]:
    """The values of `COLUMNS`, as SQLite keeps them."""
    values = {name: getattr(entry, name) for name in COLUMNS}
    values |= {name: to_microseconds(values[name]) for name in TIMES}
    values["pinned"] = int(entry.pinned)
    values["merged_from"] = json.dumps(entry.merged_from)
    values["sources"] = json.dumps(
        [_provenance_json(one) for one in entry.sources], ensure_ascii=False
    )
    values["metadata"] = json.dumps(dict(entry.metadata), ensure_ascii=False)
    return tuple(values[name] for name in COLUMNS)


def row_to_entry(row: tuple[Any, ...]) -> Entry:
    """The entry that `entry_to_row` stored."""
    values = dict(zip(COLUMNS, row, strict=True))
    values |= {name: from_microseconds(values[name]) for name in TIMES}
    values["pinned"] = bool(values["pinned"])
    values["merged_from"] = tuple(json.loads(values["merged_from"]))
    values["sources"] = tuple(Provenance(**one) for one in json.loads(values["sources"]))
    values["metadata"] = json.loads(values["metadata"])
    return Entry(**values)


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """An entry in the fields of the contract."""
    values: dict[str, Any] = {name: getattr(entry, name) for name in COLUMNS}
    values |= {name: stamp(values[name]) for name in TIMES}
    values["merged_from"] = list(entry.merged_from)
    values["sources"] = [_provenance_json(one) for one in entry.sources]
    values["metadata"] = dict(entry.metadata)
    return values


def stamp(time: datetime | None) -> str | None:
    """RFC 3339 in UTC with Z; a fraction only where there is one."""
    return None if time is None else time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _provenance_json(one: Provenance) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in fields(Provenance)}


def entry_from_json(data: Mapping[str, Any], where: str, defaults: Mapping[str, Any]) -> Entry:
    """Read an entry, every field optional but content.

    Args:
        where: names the place in messages, e.g. "in.jsonl line 3".
        defaults: values (as of an Entry) for what is absent; id, created_at and updated_at must be among them.

    Raises:
        UsageError: an unknown field, or a value of the wrong kind.
    """
    unknown = sorted(set(data) - set(COLUMNS))
    content = data.get("content")
    if "content" not in data and unknown:
        raise UsageError(f"{where}: content is missing (unknown field {unknown[0]!r})")
    if unknown:
        raise UsageError(f"{where}: unknown field {unknown[0]!r}; known: {', '.join(COLUMNS)}")
    if not isinstance(content, str) or not content.strip():
        raise UsageError(f"{where}: content: expected text, got {shown(content)}")
    try:
        values = {name: _value(name, value) for name, value in data.items() if value is not None}
    except (ValueError, TypeError, OverflowError) as error:
        raise UsageError(f"{where}: {error}") from error
    return Entry(**{**defaults, **values})


def _value(name: str, value: Any) -> Any:
    """One field, of whatever type the field has."""
    if name in TIMES:
        return _time(name, value)
    if name in _LITERALS and value not in _LITERALS[name]:
        raise ValueError(
            f"{name}: expected one of {', '.join(_LITERALS[name])}, got {shown(value)}"
        )
    if name == "sources":
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise ValueError(f"{name}: expected a list of objects, got {shown(value)}")
        return tuple(_provenance(one) for one in value)
    if name == "merged_from":
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ValueError(f"{name}: expected a list of ids, got {shown(value)}")
        return tuple(value)
    if name in ("confidence", "ttl_days"):
        return _number(name, value)
    if name == "access_count":
        return _count(name, value)
    kind, called = {"pinned": (bool, "true or false"), "metadata": (dict, "an object")}.get(
        name, (str, "text")
    )
    if not isinstance(value, kind):
        raise ValueError(f"{name}: expected {called}, got {shown(value)}")  # noqa: TRY004 - told to a person like the others
    return value


def _provenance(data: Mapping[str, Any]) -> Provenance:
    unknown = sorted(set(data) - set(_PROVENANCE))
    if unknown:
        raise ValueError(
            f"sources: unknown field {shown(unknown[0])}; known: {', '.join(_PROVENANCE)}"
        )
    for name, value in data.items():
        if value is None:
            continue
        if _PROVENANCE[name] == int | None:
            _count(f"sources: {name}", value)
        elif not isinstance(value, str):
            raise ValueError(f"sources: {name}: expected text, got {shown(value)}")
    return Provenance(**data)


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _HIGHEST:
        raise ValueError(f"{name}: expected a whole number from 0 to 2^63-1, got {shown(value)}")
    return value


def _number(name: str, value: object) -> float:
    highest = 1.0 if name == "confidence" else 1e6
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= highest:
        raise ValueError(f"{name}: expected a number from 0 to {highest:g}, got {shown(value)}")
    return float(value)


def _time(name: str, value: object) -> datetime:
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected a time, got {shown(value)}")  # noqa: TRY004 - told to a person like the others
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(
            f"{name}: expected a time like 2026-11-30T12:00:00Z, got {shown(value)}"
        ) from None
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    try:
        time.astimezone(UTC)
    except OverflowError:
        raise ValueError(
            f"{name}: expected a time of the years 1 to 9999 in UTC, got {shown(value)}"
        ) from None
    return time


def shown(value: object) -> str:
    """A value as a message shows it: on one line, and no longer than one."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"

"""Screens a raw record, so that it can be kept as the agent wrote it: a line of JSON stays a line of JSON.

A record without a secret stays as it is, byte for byte. In one that holds a secret the values are screened one by one, each
under its name (`password: …` tells more than the value alone).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from memoryd.screening.text import screen

WRAPPER = "memoryd-screened"  # the type of a record that could only be kept as text


@dataclass(frozen=True, slots=True)
class ScreenedRecord:
    """A record made safe to keep.

    Attributes:
        data: without a line's end if the record had none.
        secrets: how many secrets were replaced.
        wrapped: the record could not stay what it was: its text stands in a small one of ours.
    """

    data: bytes
    secrets: int = 0
    wrapped: bool = False


def screen_record(data: bytes) -> ScreenedRecord:
    """Screen one record of JSON, or, if it is none, a text. What was JSON is JSON afterwards."""
    try:
        record = _decode(data)
    except (ValueError, RecursionError):
        return screen_bytes(data)
    found = screen("\n".join(_outline(record)))
    if not found.secrets and not found.removed:
        return ScreenedRecord(data)
    secrets = sum(found.secrets.values())
    clean = _clean(record, "")
    again = screen("\n".join(_outline(clean)))
    if again.secrets:  # only all values together tell that it is one
        wrapper = {"type": WRAPPER, "text": found.text}
        return ScreenedRecord(orjson.dumps(wrapper), secrets, wrapped=True)
    return ScreenedRecord(_encode(clean), secrets)


def screen_bytes(data: bytes) -> ScreenedRecord:
    """Screen a text; one that holds nothing to screen stays byte for byte what it was."""
    text = data.decode("utf-8", "replace")
    found = screen(text)
    if found.text == text:
        return ScreenedRecord(data)
    return ScreenedRecord(found.text.encode(), sum(found.secrets.values()))


def holds(data: bytes, folded: str) -> bool:
    """Does a record hold a text, case aside, as it is written or as its values read?

    Args:
        folded: the text, casefolded.
    """
    if folded in data.decode("utf-8", "replace").casefold():
        return True
    if b"\\" not in data:
        return False
    try:
        record = _decode(data)
    except (ValueError, RecursionError):
        return False
    return folded in "\n".join(_outline(record)).casefold()


def _decode(data: bytes) -> Any:
    """The object or list in a record.

    Raises:
        ValueError: it is none.
    """
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError:
        record = json.loads(data)  # knows lone surrogates and huge numbers
    if not isinstance(record, dict | list):
        raise ValueError("not an object")  # noqa: TRY004 - as of any other text
    return record


def _encode(record: Any) -> bytes:
    try:
        return orjson.dumps(record)
    except (TypeError, orjson.JSONEncodeError):
        return json.dumps(record, separators=(",", ":")).encode()


def _outline(value: Any, name: str = "") -> Iterator[str]:
    """Every value under its name, a line each."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _outline(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _outline(inner, name)
    elif value is not None:
        yield f"{name}: {value}"


def _clean(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return {screen(key).text: _clean(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner, name) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    alone, prefix = screen(str(value)), f"{name}: "
    named = screen(f"{prefix}{alone.text}").text
    text = named.removeprefix(prefix) if named.startswith(prefix) else alone.text
    return value if text == str(value) else text

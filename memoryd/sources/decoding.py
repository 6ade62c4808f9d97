"""From the bytes of one line to the records in it, whatever happened to the line.

A sound line never comes here: `salvage` is for lines that orjson refused. Two records may stand on one line, a
record may be cut off and the next begin in its middle, NULs may fill a hole after a crash. Every whole record
is recovered; every other byte is accounted for as a fragment with a reason.

Structure is found in the line read as Latin-1, where one character is one byte, so offsets are true; the
text of a record is then decoded as UTF-8, leniently.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

import orjson

_BOM = "\xef\xbb\xbf"  # as Latin-1
_BLANK = re.compile(r"[ \t\r\n\0]*")
_START = re.compile(r'\{[ \t]*"')
_NESTING_COST = 100_000  # characters' worth of work that a hopelessly deep nesting is charged
_COUNTING = 64  # characters that are counted in the time in which one is decoded
_SPARSE = 4  # in UTF-16 at least every fourth byte of a record is NUL, whatever the language
_EFFORT = 16  # times the length of a line that searching it may cost


@dataclass(frozen=True, slots=True)
class Fragment:
    """Bytes [start, end) of a line: a record, or, where *reason* is set, something that is none."""

    start: int
    end: int
    record: Any = None
    reason: str = ""


def salvage(line: bytes) -> list[Fragment]:
    """Every record in a damaged line, and every stretch of bytes that is none, in order."""
    text = line.decode("latin-1")
    fragments: list[Fragment] = []
    done = len(_BOM) if text.startswith(_BOM) else 0  # everything before this is accounted for
    position = _blank_end(text, done)
    effort = _Effort(_EFFORT * len(text) + _NESTING_COST)
    likely = re.compile(re.escape(text[position : text.find(":", position) + 1] or "{"))
    while position < len(text):
        start, end = position, _object_end(text, position, effort)
        if not end:
            start, end = _next_object(text, position, likely, effort)
        if not end:
            break
        fragments += _junk(line, done, start)
        fragments.append(_decode(line, start, end))
        done, position = end, _blank_end(text, end)
    return fragments + _junk(line, done, len(text))


def decode_whole(data: bytes) -> list[Any] | None:
    """The records in *data*, or None if anything in it is not a whole JSON object.

    An object that is whole is never the beginning of a longer one, so a last line without its newline may
    be taken as soon as this succeeds.
    """
    if not data.rstrip().endswith(b"}"):
        return None
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        fragments = salvage(data)
        if any(fragment.reason for fragment in fragments):
            return None
        return [fragment.record for fragment in fragments]
    return [found] if isinstance(found, dict) else None


def clean(value: Any) -> Any:
    """*value* with every lone surrogate replaced, so that all text can be encoded."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    return value


def _integer(digits: str) -> int | str:
    try:
        return int(digits)
    except ValueError:  # more digits than Python converts
        return digits


_DECODER = json.JSONDecoder(parse_int=_integer, strict=False)


@dataclass(slots=True)
class _Effort:
    """What searching may still cost, in characters looked at."""

    left: int


def _object_end(text: str, position: int, effort: _Effort) -> int:
    """The end of the JSON object at *position*; 0: there is none."""
    if text[position] != "{":
        return 0
    try:
        end = _DECODER.raw_decode(text, position)[1]
    except json.JSONDecodeError as error:
        # Making the error counts the lines before it.
        effort.left -= error.pos - position + position // _COUNTING + 1
        return 0
    except RecursionError:
        effort.left -= _NESTING_COST
        return 0
    effort.left -= end - position
    return end


def _next_object(
    text: str, position: int, likely: re.Pattern[str], effort: _Effort
) -> tuple[int, int]:
    """Where the next record behind a damaged place begins and ends; 0, 0: there is none.

    First what begins like the line itself is tried, then anything that begins like an object.
    """
    for pattern in (likely, _START):
        for found in pattern.finditer(text, position + 1):
            end = _object_end(text, found.start(), effort)
            if end and _continues(text, end):
                return found.start(), end
            if effort.left < 0:
                return 0, 0
    return 0, 0


def _continues(text: str, end: int) -> bool:
    """Is what follows *end* the end of the line or another object? Objects inside a record fail here."""
    following = _blank_end(text, end)
    return following == len(text) or _START.match(text, following) is not None


def _blank_end(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def _decode(line: bytes, start: int, end: int) -> Fragment:
    data = line[start:end]
    try:
        return Fragment(start, end, orjson.loads(data))
    except orjson.JSONDecodeError:
        pass
    try:
        return Fragment(start, end, clean(_DECODER.decode(data.decode("utf-8", "replace"))))
    except (ValueError, RecursionError):
        return Fragment(start, end, reason="not JSON")


def _junk(line: bytes, start: int, end: int) -> list[Fragment]:
    """What stands between records: nothing if only white space does."""
    data = line[start:end].strip()
    if not data:
        return []
    return [Fragment(start, end, reason=_reason(data))]


def _reason(data: bytes) -> str:
    if not data.strip(b"\0"):
        return "NUL bytes"
    # Every sign of JSON has a NUL beside it there, and a hole in a file has many in a row.
    if _SPARSE * data.count(b"\0") >= len(data) and b"\0\0\0" not in data:
        return "not UTF-8 but UTF-16"
    return "not JSON"


def decode_document(data: bytes) -> Any:
    """One whole JSON document, decoded as leniently as a record.

    Raises:
        ValueError: it is not JSON, not finished, or nested too deeply.
    """
    data = data.removeprefix(_BOM.encode("latin-1"))
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return clean(_DECODER.decode(data.decode("utf-8", "replace")))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error

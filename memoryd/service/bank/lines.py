"""JSON lines that a person hands to a command: what is wrong with a line is told with its file and number.

Transcripts are read leniently (`sources.jsonl`), since nobody can mend them. These lines somebody can.
"""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memoryd.errors import UsageError

DEPTH = 64  # objects and lists inside each other; screening and SQLite go down as deep
_SHOWN = 60  # characters of a bad line
_DIGITS = 400  # a float has at most 309 before its point
_NO_UTF8 = re.compile("[\udc80-\udcff]")  # how bytes that are no UTF-8 are read


def numbered_lines(path: Path) -> Iterator[tuple[str, int, str]]:
    """Every line that is not blank: where it stands ("in.jsonl line 3"), its number from 1, its text.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"{path} line {number}", number, line
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def parse_object(line: str, where: str) -> dict[str, Any]:
    """The JSON object in a line.

    Raises:
        UsageError: it is none, no UTF-8, nested deeper than `DEPTH`, or holds a number that JSON does not know or
            nobody can mean; *where* is named.
    """
    if bad := _NO_UTF8.search(line):
        raise UsageError(
            f"{where}: expected UTF-8, got the byte 0x{ord(bad[0]) - 0xDC00:02x} at column {bad.start() + 1}"
        )
    try:
        value = json.loads(line, parse_constant=_no_number, parse_float=_finite, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{where}: expected a JSON object, got {_shown(line)} ({error.msg} at column {error.colno})"
        ) from error
    except ValueError as error:
        raise UsageError(f"{where}: expected a JSON object: {error}") from error
    except RecursionError:
        raise _too_deep(where) from None
    if not isinstance(value, dict):
        raise UsageError(f"{where}: expected a JSON object, got {_shown(line)}")
    # Counting is much faster than walking, and few lines have so many.
    if line.count("[") + line.count("{") > DEPTH and _is_deep(value):
        raise _too_deep(where)
    return value


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:_SHOWN]} is too large a number")
    return number


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"{digits[:_SHOWN]}… is too large a number")
    return int(digits)


def _shown(line: str) -> str:
    words = line.strip()
    return repr(words if len(words) <= _SHOWN else words[:_SHOWN] + "…")


def _too_deep(where: str) -> UsageError:
    return UsageError(
        f"{where}: expected a JSON object of at most {DEPTH} levels, got one nested deeper"
    )


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(DEPTH):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return any(isinstance(one, dict | list) for one in level)

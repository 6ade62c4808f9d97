"""Small tools that every source needs to turn an agent's record into text, times and keys.

Nothing here raises on odd input: formats are undocumented and move, so what is not understood is None or "".
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from hashlib import blake2b
from typing import Any

import orjson

CALL_CHARS = 500  # a tool call is one line; what a heredoc wrote is not worth more
_UNIQUE_ID = 20  # characters
_CALL_FIELDS = (
    "command", "commandline", "cmd", "script", "filepath", "notebookpath", "filename", "absolutepath",
    "targetfile", "pattern", "query", "searchterm", "path", "directorypath", "url", "description", "prompt",
    "message",
)  # fmt: skip
_NUMBER = re.compile(r"\s*\d{9,20}(?:\.\d{1,20})?\s*")
_YEAR = 31_536_000  # seconds
_SCALES = ((1e11, 1), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9))
_FIRST_YEAR = 1971
_SEARCHES = ("pattern", "query", "searchterm")


def parse_time(value: object, zone: tzinfo | None = UTC) -> datetime | None:
    """A time in any of the forms agents write: ISO 8601, or a number since 1970 in s, ms, µs or ns.

    Before 1971 it is none: programs write the year 1 or 1970 for "not known".

    Args:
        zone: of an ISO time that names none; None: this machine's.
    """
    if isinstance(value, str):
        if _NUMBER.fullmatch(value):  # first: 13 digits also pass for a day in the year 1712
            return _from_number(float(value))
        try:
            found = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        if found.year < _FIRST_YEAR:
            return None
        if found.tzinfo is None:
            found = found.replace(tzinfo=zone) if zone else found.astimezone()
        return found
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def content_key(*parts: object) -> str:
    """A key from content, for records to which the agent gives no id: 32 hexadecimal digits."""
    text = "\x1f".join("" if part is None else str(part) for part in parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def call_key(identifier: object, ending: str, *scope: object) -> str:
    """The key of a tool call (or, with an *ending*, of its result) from the id the agent gave it.

    Anthropic's and OpenAI's ids are unique; those of some gateways count from 0 in every response and are
    only told apart by a *scope*.
    """
    if isinstance(identifier, str) and len(identifier) >= _UNIQUE_ID:
        return identifier + ending
    return content_key(identifier, ending, *scope)


def call_line(name: object, arguments: object) -> str:
    """A tool call in one line: its name, and the command, path or description it was given."""
    subject = arguments if isinstance(arguments, str) else _subject(arguments)
    line = " ".join(f"{name or 'tool'}: {subject}".split())
    return line if len(line) <= CALL_CHARS else line[: CALL_CHARS - 1] + "…"


def clip(text: str, limit: int) -> str:
    """*text* with its middle left out if it is longer than *limit* characters."""
    if len(text) <= limit:
        return text
    mark = f"\n… {len(text) - limit} characters left out …\n"
    room = limit - len(mark)
    if room <= 0:
        return text[:limit]
    tail = room // 3
    return text[: room - tail] + mark + text[len(text) - tail :]


def block_texts(content: object, kinds: Iterable[str] = ("text",)) -> list[str]:
    """The texts of a message's content: a string, or a list of strings and blocks with a `text`."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return []
    return [text for item in content if (text := _block_text(item, kinds))]


def join(texts: Iterable[str]) -> str:
    """Texts of one record as one: separated by a blank line, empty ones left out."""
    return "\n\n".join(stripped for text in texts if (stripped := text.strip()))


def parsed(value: object) -> Any:
    """*value*, or what it says where it is a text that holds a JSON object."""
    if isinstance(value, str) and value.startswith("{"):
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(value)
    return value


def lookup(record: object, dotted: str) -> Any:
    """The value at a dotted name, e.g. "message.content.0.text"; None if it is not there."""
    for name in dotted.split("."):
        if isinstance(record, Mapping):
            record = record.get(name)
        elif isinstance(record, list) and name.isdecimal() and int(name) < len(record):
            record = record[int(name)]
        else:
            return None
    return record


def text_or_none(value: object) -> str | None:
    """*value* if it is a text with something in it."""
    return value if isinstance(value, str) and value else None


def _block_text(item: object, kinds: Iterable[str]) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping) and item.get("type", "text") in kinds:
        text = item.get("text")
        return text if isinstance(text, str) else ""
    return ""


def _subject(arguments: object) -> str:
    if not isinstance(arguments, Mapping):
        return ""
    # file_path, filePath and FilePath are one name.
    named = {str(name).replace("_", "").lower(): _flat(arguments[name]) for name in arguments}
    for name in _CALL_FIELDS:
        if named.get(name):
            place = named.get("path") if name in _SEARCHES else None
            return f"{named[name]} {place}" if place else named[name]
    return next((value for value in named.values() if value), "")


def _flat(value: object) -> str:
    if isinstance(value, list):
        return " ".join(filter(None, (_flat(item) for item in value)))
    if isinstance(value, Mapping):  # of a list of files or tasks the first text of each
        return next((item for item in value.values() if isinstance(item, str)), "")
    if not isinstance(value, str):
        return ""
    return value[1:-1] if value[:1] == value[-1:] == '"' and len(value) > 1 else value


def _from_number(value: float) -> datetime | None:
    """Seconds below 1e11, then ms, µs and ns, each a thousand times as much; before 1971 it is no time."""
    if not _YEAR <= value < 1e20:  # noqa: PLR2004 - also NaN
        return None
    scale = next(scale for limit, scale in _SCALES if value < limit)
    try:
        return datetime.fromtimestamp(value / scale, UTC)
    except (OverflowError, ValueError, OSError):
        return None

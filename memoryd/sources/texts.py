"""Small tools that every source needs to turn an agent's record into text, times and keys.

Nothing here raises on odd input: formats are undocumented and move, so what is not understood is None or "".
"""

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from hashlib import blake2b
from typing import Any

import orjson

CALL_CHARS = 500  # a tool call is one line; what a heredoc wrote is not worth more
_UNIQUE_ID = 20  # characters
_CALL_FIELDS = (
    "command", "cmd", "script", "file_path", "filePath", "notebook_path", "filename", "absolute_path",
    "target_file", "pattern", "query", "path", "url", "description", "prompt", "message",
)  # fmt: skip


def parse_time(value: object, zone: tzinfo = UTC) -> datetime | None:
    """A time in any of the forms agents write: ISO 8601, or a number since 1970 in s, ms or µs.

    Args:
        zone: of an ISO time that names none.
    """
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value.strip())
        except ValueError:
            return _parse_number(value)
        return found if found.tzinfo else found.replace(tzinfo=zone)
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
    for name in _CALL_FIELDS:
        value = arguments.get(name)
        if isinstance(value, list):
            value = " ".join(item for item in value if isinstance(item, str))
        if isinstance(value, str) and value:
            place = arguments.get("path") if name in ("pattern", "query") else None
            return f"{value} {place}" if isinstance(place, str) else value
    return next((value for value in arguments.values() if isinstance(value, str)), "")


def _parse_number(text: str) -> datetime | None:
    try:
        return _from_number(float(text))
    except ValueError:
        return None


def _from_number(value: float) -> datetime | None:
    """Seconds below 1e11, milliseconds below 1e14, else microseconds; before 1971 it is no time."""
    if not math.isfinite(value) or value < 31_536_000:  # noqa: PLR2004 - one year
        return None
    scale = 1 if value < 1e11 else 1e3 if value < 1e14 else 1e6  # noqa: PLR2004 - as said above
    try:
        return datetime.fromtimestamp(value / scale, UTC)
    except (OverflowError, ValueError, OSError):
        return None

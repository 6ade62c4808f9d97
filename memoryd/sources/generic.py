"""`[sources.<name>] type = "jsonl"`: any program's JSON lines, told where its fields are.

`fields` maps our names (role, text, time, session, id, project, title) to dotted names in the record,
e.g. `text = "message.content"`. What is not mapped is looked for under the usual names.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memoryd.model import Message, Role
from memoryd.sources.base import ReadLimits
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from memoryd.sources.texts import block_texts, clip, content_key, join, lookup, parse_time

FIELDS: Mapping[str, tuple[str, ...]] = {
    "role": ("role", "message.role", "type", "sender", "author", "from"),
    "text": ("text", "content", "message.content", "message", "body", "parts"),
    "time": ("timestamp", "time", "created_at", "createdAt", "ts", "date"),
    "session": ("session_id", "sessionId", "session", "conversation_id", "thread_id"),
    "id": ("id", "uuid", "message_id", "messageId"),
    "project": ("project", "cwd"),
    "title": ("title",),
}
_ROLES: Mapping[str, Role] = {
    "user": "user", "human": "user", "person": "user", "me": "user", "prompt": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "bot": "assistant",
    "agent": "assistant", "gemini": "assistant", "gpt": "assistant", "response": "assistant",
    "tool": "tool", "function": "tool", "tool_result": "tool", "toolresult": "tool",
    "system": "system", "developer": "system",
}  # fmt: skip
_KINDS = ("text", "input_text", "output_text")


class GenericJsonLines(JsonLinesSource):
    """JSON lines of a program that memoryd does not know."""

    def __init__(
        self,
        name: str,
        roots: Sequence[Path],
        limits: ReadLimits | None = None,
        *,
        pattern: str = "",
        fields: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare.

        Args:
            pattern: which files, as a glob relative to a root, e.g. "**/*.jsonl"; "": every `.jsonl`.
            fields: our field -> its dotted name in the record.
        """
        super().__init__(roots, limits)
        self.name = name
        self.title = name
        self._pattern = pattern
        self._fields = {
            field: ((fields or {})[field],) if field in (fields or {}) else usual
            for field, usual in FIELDS.items()
        }

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """None: a generic source is told its roots."""
        return []

    def transcript(self, path: Path) -> Path | None:
        """A file below a root that matches the pattern."""
        found = super().transcript(path)
        if not self._pattern:
            return found
        plain = Path(self.logical(path))
        return plain if matches_below(plain, self.roots, self._pattern) else None

    def parse(self, record: Record, context: Context) -> Iterable[Message]:
        """The message in a record, if its role is a known one."""
        named = str(self._value(record, "role")).lower()
        session = str(self._value(record, "session") or context.path.stem)
        project, title = self._value(record, "project"), self._value(record, "title")
        context.note(
            session,
            project=project if isinstance(project, str) else None,
            title=title if isinstance(title, str) else None,
        )
        if named not in _ROLES:
            context.skip("unknown role")
            return
        role, text = _ROLES[named], self._text(record)
        if role == "tool":
            text = clip(text, context.limits.tool_output_chars)
        identifier, time = self._value(record, "id"), self._value(record, "time")
        if identifier is not None:
            key = content_key(session, identifier)
        elif time is not None:
            key = content_key(session, time, role, text)
        else:
            key = content_key(session, role, text, context.occurrence(session, role, text))
        native = None if identifier is None else str(identifier)
        yield context.message(session, role, text, time=parse_time(time), native_id=native, key=key)

    def _value(self, record: Record, field: str) -> object:
        found = (lookup(record, name) for name in self._fields[field])
        return next((value for value in found if isinstance(value, str | int | float)), None)

    def _text(self, record: Record) -> str:
        for name in self._fields["text"]:
            texts = block_texts(lookup(record, name), _KINDS)
            if texts:
                return join(texts)
        return ""


def matches_below(path: Path, roots: Sequence[Path], pattern: str) -> bool:
    """Does *path* match the glob *pattern* relative to one of the roots (or is it a root itself)?"""
    expression = _glob_expression(pattern)
    for root in roots:
        if path == root:
            return True
        if path.is_relative_to(root) and expression.fullmatch(path.relative_to(root).as_posix()):
            return True
    return False


def _glob_expression(pattern: str) -> re.Pattern[str]:
    """A glob as a regular expression: `**/` any folders, `*` and `?` within one name."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts))

"""The base of sources that are whole texts: read anew whenever anything in them changed.

A text is small and is edited anywhere, so there is no offset to go on from. Messages are known by their
content; what was edited away is withdrawn.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar

from memoryd.errors import SourceError
from memoryd.model import Batch, Cursor, Message
from memoryd.sources.base import Source
from memoryd.sources.context import Context
from memoryd.sources.files import FileFacts, file_facts, open_regular

_KEYS = "keys"  # in the state: what the text gave when last read


class TextSource(Source):
    """Whole text files.

    Attributes:
        names: a transcript's path (with `/`) matches this.
        current: the text says what holds now: what is no longer in it is withdrawn.
    """

    names: ClassVar[re.Pattern[str]] = re.compile(r"\.(?:md|markdown|txt)$", re.IGNORECASE)
    current: ClassVar[bool] = True

    @abstractmethod
    def parse_text(self, text: str, context: Context, changed: datetime) -> Iterable[Message]:
        """The messages in a text that was last changed at *changed*."""

    def transcript(self, path: Path) -> Path | None:
        """The text itself."""
        return path if self.names.search(path.as_posix()) else None

    def read(self, path: Path, cursor: Cursor | None) -> Iterator[Batch]:
        """Yield one batch if the text is another than *cursor* knows; see `Source.read`."""
        try:
            with open_regular(path) as file:
                facts, data = file_facts(file), file.read(self.limits.line_bytes)
        except OSError as error:
            raise SourceError(f"cannot read {path}: {error.strerror}") from error
        fingerprint = blake2b(data, digest_size=16).hexdigest()
        if cursor is not None and (cursor.fingerprint, cursor.size) == (fingerprint, facts.size):
            return
        context = Context(self.name, path, self.limits, {})
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\0", "")
        for message in self.parse_text(text, context, _changed(facts)):
            context.add(message)
        if facts.size > len(data):
            context.reject(len(data), facts.size, "text too long", b"")
        yield self._batch(context, cursor, facts, fingerprint)

    def _batch(
        self, context: Context, cursor: Cursor | None, facts: FileFacts, fingerprint: str
    ) -> Batch:
        keys = [*context.messages]
        if cursor is not None and self.current:
            present = set(keys)
            context.retract(key for key in cursor.state.get(_KEYS, ()) if key not in present)
        found = Cursor(
            path=str(context.path),
            device=facts.device,
            inode=facts.inode,
            size=facts.size,
            mtime_ns=facts.mtime_ns,
            offset=facts.size,
            fingerprint=fingerprint,
            state={_KEYS: keys} if self.current else {},
        )
        return context.batch(found, facts.size, restarted=cursor is not None)


def _changed(facts: FileFacts) -> datetime:
    return datetime.fromtimestamp(facts.mtime_ns / 1e9, UTC)

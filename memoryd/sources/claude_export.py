"""Claude Code's sessions on the web, exported as one JSON document: `{"loglines": [records as in a transcript]}`.

As seen in December 2025. There is no default place; a file given by hand is recognised.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message
from memoryd.sources.claude_code import ClaudeCode
from memoryd.sources.combined import CombinedSource
from memoryd.sources.context import Context
from memoryd.sources.documents import DocumentSource

_HEAD = re.compile(rb'\s*\{\s*"loglines"\s*:')


class ClaudeExport(DocumentSource):
    """An exported session."""

    name = ClaudeCode.name
    title = ClaudeCode.title
    names = re.compile(r"(?!)")
    patterns = ()

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """None: see the module."""
        return []

    def discover(self, root: Path) -> Iterator[Path]:
        """None: see the module."""
        return iter(())

    def recognises(self, head: bytes) -> bool:
        """The only field of the document."""
        return _HEAD.match(head) is not None

    def open_session(self, document: Any, context: Context) -> dict[str, Any] | None:
        """The records say everything themselves."""
        return {} if isinstance(document, dict) and "loglines" in document else None

    def items(self, document: Any, session: dict[str, Any]) -> Iterable[Any]:
        """The records of a transcript."""
        return document["loglines"] or ()

    def parse(self, item: Any, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """As in a transcript."""
        return ClaudeCode(self.roots, self.limits).parse(item, context)


class ClaudeCodeWithExports(CombinedSource):
    """Claude Code: its transcripts, and exports given by hand."""

    name = ClaudeCode.name
    title = ClaudeCode.title
    parts = (ClaudeCode, ClaudeExport)

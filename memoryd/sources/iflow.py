"""iFlow CLI: `projects/<folder>/session-<uuid>.jsonl`, Claude Code's records written by a fork of Gemini CLI.

As seen in version 1.0.0 (January 2026). One response is several growing snapshots that repeat its tool calls; these
are known by their own ids.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from memoryd.sources.claude_code import ClaudeCode
from memoryd.sources.jsonl import Record


class IFlow(ClaudeCode):
    """Sessions of iFlow."""

    name = "iflow"
    title = "iFlow CLI"
    names = re.compile(r"/session-[^/]+\.jsonl$")

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Its own folder."""
        return [home / ".iflow" / "projects"]

    def cleanup_days(self, root: Path) -> float | None:
        """It has been seen to delete nothing."""
        return None

    def owns(self, record: Record) -> bool:
        """Claude Code's session ids have no such beginning."""
        session = record.get("sessionId")
        return isinstance(session, str) and session.startswith("session-") and super().owns(record)

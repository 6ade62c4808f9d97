"""OpenClaw in two versions: bootstrap files that share one budget, counted in UTF-16 code units.

From openclaw 2026.9.6 as published, and MEMORY_FILES.md B1 for the older rule of 2026.1. OpenClaw records who
wrote its memory files (see `ledger`): a direct write is allowed only where it has no record.
"""

from memoryd.memory_files.markdown import parse_markdown
from memoryd.memory_files.profiles.base import FileRule, Profile, Purpose
from memoryd.memory_files.profiles.generic import join_markdown

FILE_LIMIT = 20_000
TOTAL_LIMIT = 60_000
USER_LIMIT = 4_000
DREAMING_LIMIT = (
    10_000  # the nightly "dreaming" keeps MEMORY.md below this by dropping its oldest sections
)


def _shown(name: str, purpose: Purpose) -> FileRule:
    """A bootstrap file that people own."""
    return FileRule(name, purpose, "utf16", FILE_LIMIT, "bootstrap")


def _memory(writer_limit: int | None) -> FileRule:
    return FileRule(
        "MEMORY.md",
        "memory",
        "utf16",
        FILE_LIMIT,
        "bootstrap",
        writer_limit=writer_limit,
        manage="entries",
        permission="ledger",
    )


OPENCLAW = Profile(
    name="openclaw",
    title="OpenClaw 2026.9",
    rules=(
        FileRule(
            "AGENTS.md",
            "rules",
            "utf16",
            FILE_LIMIT,
            "digest",
            head_share=0.45,
            tail_share=0.15,
        ),
        _shown("SOUL.md", "persona"),
        _shown("IDENTITY.md", "persona"),
        FileRule(
            "USER.md",
            "user",
            "utf16",
            USER_LIMIT,
            "bootstrap",
            fixed=True,
            manage="entries",
            permission="ledger",
        ),
        _shown("BOOTSTRAP.md", "rules"),
        _memory(DREAMING_LIMIT),
        FileRule("*", "notes", "utf16"),
    ),
    parser=parse_markdown,
    join=join_markdown,
    total=TOTAL_LIMIT,
    minimum=64,
    mark_missing=True,
)

OPENCLAW_2026_1 = Profile(
    name="openclaw-2026.1",
    title="OpenClaw 2026.1",
    rules=(
        _shown("AGENTS.md", "rules"),
        _shown("SOUL.md", "persona"),
        _shown("TOOLS.md", "rules"),
        _shown("IDENTITY.md", "persona"),
        FileRule(
            "USER.md",
            "user",
            "utf16",
            FILE_LIMIT,
            "bootstrap",
            manage="entries",
            permission="ledger",
        ),
        _shown("HEARTBEAT.md", "rules"),
        _shown("BOOTSTRAP.md", "rules"),
        _memory(None),
        FileRule("*", "notes", "utf16"),
    ),
    parser=parse_markdown,
    join=join_markdown,
    total=TOTAL_LIMIT,
    minimum=64,
    mark_missing=True,
)

"""Codex: a summary is loaded, the rest of its memories is searched; Codex consolidates them itself in a git repository.

Of memory_summary.md about 2,500 tokens are loaded; Codex estimates a token as four bytes and keeps both ends of a
longer text. AGENTS.md: the first 32 KiB (`project_doc_max_bytes`). Propose only.
"""

from memoryd.memory_files.markdown import parse_markdown
from memoryd.memory_files.profiles.base import FileRule, Profile
from memoryd.memory_files.profiles.generic import join_markdown

CODEX = Profile(
    name="codex",
    title="Codex",
    rules=(
        FileRule("AGENTS.md", "rules", "bytes", 32_768, "start"),
        FileRule(
            "memory_summary.md",
            "memory",
            "bytes",
            10_000,
            "ends",
            head_share=0.5,
            tail_share=0.5,
            manage="entries",
            permission="propose",
        ),
        FileRule("MEMORY.md", "notes", "bytes", manage="entries", permission="propose"),
        FileRule("*", "notes", "bytes"),
    ),
    parser=parse_markdown,
    join=join_markdown,
)

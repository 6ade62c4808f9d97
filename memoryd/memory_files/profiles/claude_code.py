"""Claude Code: MEMORY.md of its auto memory is an index of which only the beginning is loaded.

200 lines or 25 KB, whichever comes first (Claude Code's documentation on memory; counted in UTF-16 units and cut at
a line's end, agent-almanac#407). Agents append at the bottom, so the newest lines are lost first
(claude-code#40210). CLAUDE.md files are written by people: read and reported, never rewritten.
"""

from memoryd.memory_files.markdown import parse_markdown
from memoryd.memory_files.profiles.base import FileRule, Profile
from memoryd.memory_files.profiles.generic import join_markdown

CLAUDE_CODE = Profile(
    name="claude-code",
    title="Claude Code",
    rules=(
        FileRule("CLAUDE.md", "rules", "utf16"),
        FileRule("CLAUDE.local.md", "rules", "utf16"),
        FileRule(
            "MEMORY.md",
            "memory",
            "utf16",
            25_000,
            "lines",
            max_lines=200,
            manage="entries",
            permission="direct",
        ),
        FileRule("*", "notes", "utf16"),
    ),
    parser=parse_markdown,
    join=join_markdown,
)

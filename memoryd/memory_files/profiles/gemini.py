"""Gemini CLI and Qwen Code: files of people's own, to which a save tool appends below one heading.

Only that section may be proposed for compaction; the rest stays byte for byte.
"""

from memoryd.memory_files.markdown import parse_markdown
from memoryd.memory_files.profiles.base import FileRule, Profile
from memoryd.memory_files.profiles.generic import join_markdown


def _saved(name: str, agent: str) -> FileRule:
    return FileRule(
        name,
        "memory",
        manage="section",
        section=f"{agent} Added Memories",
        permission="propose",
    )


GEMINI = Profile(
    name="gemini",
    title="Gemini CLI and Qwen Code",
    rules=(
        _saved("QWEN.md", "Qwen"),
        _saved("*", "Gemini"),
    ),
    parser=parse_markdown,
    join=join_markdown,
)

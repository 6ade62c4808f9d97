"""Any Markdown file: no limit is known; memoryd manages only its own block in it."""

from collections.abc import Iterable

from memoryd.memory_files.markdown import parse_markdown
from memoryd.memory_files.profiles.base import FileRule, Profile


def join_markdown(contents: Iterable[str]) -> str:
    """Contents as a list; lines after the first are indented, so that each stays one item."""
    return "\n".join("- " + "\n  ".join(content.split("\n")) for content in contents)


GENERIC = Profile(
    name="generic",
    title="Markdown",
    rules=(
        FileRule("SOUL.md", "persona", manage="block", permission="direct"),
        FileRule("USER.md", "user", manage="block", permission="direct"),
        FileRule("*", "memory", manage="block", permission="direct"),
    ),
    parser=parse_markdown,
    join=join_markdown,
)

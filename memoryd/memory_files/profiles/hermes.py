"""Hermes: MEMORY.md and USER.md of entries joined by §, whole in the prompt; SOUL.md as the persona.

From hermes-agent 0.19.0 as published (July 2026): limits in code points of the joined entries gate Hermes' own
writes only, an over-long file is still loaded whole. Its lock is flock on `<FILE>.lock`.
"""

from memoryd.memory_files.profiles.base import FileRule, Profile, Purpose
from memoryd.memory_files.sections import join_sections, parse_sections
from memoryd.memory_files.threats import scan_as_hermes


def _cut(name: str, purpose: Purpose) -> FileRule:
    """A file of which Hermes keeps both ends; 20,000 is the floor, more for models with a large context."""
    return FileRule(name, purpose, limit=20_000, cut="ends", head_share=0.7, tail_share=0.2)


HERMES = Profile(
    name="hermes",
    title="Hermes",
    rules=(
        _cut("SOUL.md", "persona"),
        FileRule("USER.md", "user", limit=1_375, manage="entries", permission="direct"),
        FileRule("MEMORY.md", "memory", limit=2_200, manage="entries", permission="direct"),
        _cut("AGENTS.md", "rules"),
        FileRule("*", "notes"),
    ),
    parser=parse_sections,
    join=join_sections,
    sidecar_lock=".lock",
    scan=scan_as_hermes,
)

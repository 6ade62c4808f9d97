"""The agents' profiles by name.

Entry points: `PROFILES`, `find_profile`. To add an agent, write a module with one `Profile` and name it here.
"""

from memoryd.errors import UsageError
from memoryd.memory_files.profiles.base import FileRule, Profile
from memoryd.memory_files.profiles.claude_code import CLAUDE_CODE
from memoryd.memory_files.profiles.codex import CODEX
from memoryd.memory_files.profiles.gemini import GEMINI
from memoryd.memory_files.profiles.generic import GENERIC
from memoryd.memory_files.profiles.hermes import HERMES
from memoryd.memory_files.profiles.openclaw import OPENCLAW, OPENCLAW_2026_1

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (HERMES, OPENCLAW, OPENCLAW_2026_1, CLAUDE_CODE, CODEX, GEMINI, GENERIC)
}

__all__ = ["PROFILES", "FileRule", "Profile", "find_profile"]


def find_profile(name: str) -> Profile:
    """The profile of this name.

    Raises:
        UsageError: there is none; the message lists those known.
    """
    if name not in PROFILES:
        raise UsageError(f"unknown profile {name!r}; known: {', '.join(PROFILES)}")
    return PROFILES[name]

"""What memoryd may write into a file as an entry: its own pointer, and texts that every agent reads back as they are."""

from memoryd.memory_files.markdown import BLOCK_BEGIN, BLOCK_END
from memoryd.memory_files.profiles import Profile
from memoryd.memory_files.sections import DELIMITER
from memoryd.memory_files.units import is_utf8
from memoryd.screening import find_instructions, screen

POINTER = (
    "[memoryd] More notes are kept outside this file; find them with: memoryd memory search WORDS"
)


def read_back(content: str, profile: Profile, name: str) -> str:
    """A new entry's words as they will be read from the file; "" when they would be read as something else."""
    entries = profile.parse(name, profile.join([content])).entries
    return entries[0].content if len(entries) == 1 and entries[0].kind == "item" else ""


def judge_content(content: str, profile: Profile) -> str:
    """Why memoryd may not write this text as an entry; "" when it may."""
    if not content.strip() or content != content.strip():
        return "it is empty or begins or ends with space"
    if DELIMITER in f"\n{content}\n" or any(
        mark in content for mark in (BLOCK_BEGIN, BLOCK_END, "<!--")
    ):
        return "it holds a delimiter or a comment"
    if not is_utf8(content):
        return "it is not valid UTF-8"
    if names := profile.scan(content):
        return f"{profile.title} would keep it from the prompt ({', '.join(names)})"
    if screen(content).secrets:
        return "it holds a secret"
    return "it is an instruction rather than a fact" if find_instructions(content) else ""

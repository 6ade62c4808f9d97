"""Adds one entry to a memory file, or refuses with everything that is in the way.

Never a silent cut: a file over its limit is refused with the full list of its entries and their sizes.
"""

from dataclasses import dataclass

from memoryd.memory_files.budgets import plan_loading
from memoryd.memory_files.contents import judge_content, read_back
from memoryd.memory_files.editing import Edit, apply_edits
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.folding import fold
from memoryd.memory_files.problems import CROWDED_PERCENT
from memoryd.memory_files.profiles import Profile
from memoryd.memory_files.units import Unit, encode, measure


@dataclass(frozen=True, slots=True)
class Addition:
    """The outcome of adding an entry.

    Attributes:
        after: the file's new bytes; None when refused.
        refused: why, "" otherwise. "duplicate" entries are not refused: *after* is then the file as it is.
        entries: every entry of the file with its size in *unit*, when refused for want of room.
        crowded: from CROWDED_PERCENT on, the file should be queued for consolidation.
    """

    after: bytes | None
    refused: str
    used: int
    limit: int | None
    unit: Unit
    entries: tuple[tuple[str, int], ...] = ()
    crowded: bool = False


def plan_addition(file: MemoryFile, profile: Profile, content: str) -> Addition:
    """Plan to add an entry to a file (missing files begin empty)."""
    name = file.path.name
    rule = profile.rule(name)
    entries = profile.parse(name, file.text).entries
    reason = judge_content(content, profile)
    words = read_back(content, profile, name)
    if not reason and not words:
        reason = "it would read back as something else"
    if rule.manage == "nothing":
        reason = f"people write {name}: memoryd only reads it"
    same = any(fold(piece.content) == fold(content) for piece in entries)
    edits = () if same or reason else (Edit((), (words,)),)
    text = apply_edits(file.text, edits, profile, name) if edits else file.text
    after = encode(text or "")
    loading = plan_loading([MemoryFile(file.path, after)], profile)[0]
    if not reason and loading.is_over:
        sizes = tuple((piece.content, measure(piece.content, rule.unit)) for piece in entries)
        reason = f"{name} would have {loading.raw} of {loading.limit} {loading.unit}: remove or merge entries first"
        return Addition(None, reason, loading.raw, loading.limit, loading.unit, sizes, crowded=True)
    crowded = bool(loading.limit) and loading.raw * 100 >= (loading.limit or 0) * CROWDED_PERCENT
    return Addition(
        None if reason else after, reason, loading.raw, loading.limit, loading.unit, (), crowded
    )

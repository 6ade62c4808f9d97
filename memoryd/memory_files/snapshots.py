"""The block that an agent should load at the start of a session: persona, user, memories, within both limits.

The bytes depend on nothing but the arguments, so that an unchanged memory keeps a prompt cache warm. Entries are
whole or left out, and a line says how many were left out. Secrets are replaced, and entries that the agent's own scan
would block or that carry planted instructions are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.memory_files.budgets import Loading, plan_loading
from memoryd.memory_files.documents import Piece
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.folding import fold
from memoryd.memory_files.profiles import FileRule, Profile
from memoryd.memory_files.tokens import estimate_tokens
from memoryd.memory_files.units import measure
from memoryd.screening import find_instructions, screen

CONTEXT_SHARE = 0.5  # of what is left of the context; the rest is for the conversation
_ORDER = ("persona", "user", "memory")
_MIDDLE = 0.5


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An entry that may be shown.

    Attributes:
        text: as shown; heading: to be shown above it; section: which stretch under one heading it stands in.
        value: worth between 0 and 1; position: among the file's entries, later is newer.
    """

    text: str
    heading: str
    section: int
    value: float
    position: int


def make_snapshot(
    files: Sequence[MemoryFile],
    profile: Profile,
    *,
    context_tokens: int | None = None,
    used_tokens: int = 0,
    values: Mapping[Path, Mapping[int, float]] | None = None,
) -> str:
    """The text to load, or "" when there is nothing or no room.

    Args:
        files: of one agent; files with rules for the agent (AGENTS.md) and topic notes are not part of it.
        context_tokens: the model's context window; None: no soft limit.
        used_tokens: what of it is taken already.
        values: worth of a file's entries by their index in the file, between 0 and 1; 0.5 where none is given.

    Returns:
        One block a file, in the order persona, user, memory; within the hard limit of every file by the agent's own
        count, and together within `CONTEXT_SHARE` of the tokens that are left.
    """
    shown = [file for file in files if file.data and profile.rule(file.path.name).purpose in _ORDER]
    shown.sort(
        key=lambda file: (
            _ORDER.index(profile.rule(file.path.name).purpose),
            profile.order(file.path.name),
        )
    )
    room = None if context_tokens is None else max(0, context_tokens - used_tokens) * CONTEXT_SHARE
    blocks: list[str] = []
    for file in shown:
        block = _make_block(file, profile, room, (values or {}).get(file.path, {}))
        if block:
            blocks.append(block)
            room = None if room is None else room - estimate_tokens(block + "\n\n")
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _make_block(
    file: MemoryFile, profile: Profile, room: float | None, values: Mapping[int, float]
) -> str:
    loading = plan_loading([file], profile)[0]
    pieces = profile.parse(file.path.name, loading.text).entries
    candidates = _list_candidates(pieces, profile, loading.rule, values)
    header = _make_header(loading)
    if room is not None:
        room -= estimate_tokens(header + _note(len(pieces), len(pieces)) + "\n\n")
    chosen = _choose(candidates, profile, loading, room)
    if not pieces or (not chosen and room is not None and room < 0):
        return ""
    if _is_whole(chosen, pieces) and _fits(loading, room):
        return f"{header}\n{loading.text.strip()}"
    missing = len(pieces) - len(chosen)
    parts = (header, _render(chosen, profile), _note(missing, len(pieces)) if missing else "")
    return "\n".join(part for part in parts if part)


def _is_whole(chosen: Sequence[_Candidate], pieces: Sequence[Piece]) -> bool:
    return [one.text for one in chosen] == [piece.text for piece in pieces]


def _fits(loading: Loading, room: float | None) -> bool:
    """Does the file fit as it stands, with its headings, blank lines and front matter?"""
    return not loading.is_over and (room is None or estimate_tokens(loading.text) <= room)


def _list_candidates(
    pieces: Sequence[Piece], profile: Profile, rule: FileRule, values: Mapping[int, float]
) -> list[_Candidate]:
    candidates: list[_Candidate] = []
    seen: set[tuple[str, str]] = set()
    section = 0
    for position, piece in enumerate(pieces):
        section += position > 0 and piece.heading != pieces[position - 1].heading
        same = (piece.heading, fold(piece.content) or piece.text)
        if same in seen or not _is_safe(piece, profile, rule):
            continue
        seen.add(same)
        safe = screen(piece.text)
        text = str(safe.text) if safe.secrets else piece.text
        value = values.get(position, _MIDDLE)
        candidates.append(_Candidate(text, piece.heading, section, value, position))
    return candidates


def _is_safe(piece: Piece, profile: Profile, rule: FileRule) -> bool:
    if rule.purpose == "persona":
        return True
    return not profile.scan(piece.content) and not find_instructions(piece.text)


def _make_header(loading: Loading) -> str:
    name = loading.file.path.name
    if not loading.limit:
        return f"== {name} [{loading.raw:,} {loading.unit}] =="
    percent = loading.raw * 100 // loading.limit
    return f"== {name} [{percent}% — {loading.raw:,}/{loading.limit:,} {loading.unit}] =="


def _note(missing: int, total: int) -> str:
    return f"[{missing} of {total} entries left out; find them with: memoryd memory search WORDS]"


def _choose(
    candidates: Sequence[_Candidate], profile: Profile, loading: Loading, room: float | None
) -> list[_Candidate]:
    """The most valuable, of equal ones the newest, that fit whole; in file order.

    Sizes add up over entries and what joins them, so one pass is enough.
    """
    limits = {loading.rule.unit: loading.rule.limit, "lines": loading.rule.max_lines}
    left = {unit: limit for unit, limit in limits.items() if limit is not None}
    chosen: list[_Candidate] = []
    sections: set[int] = set()
    for candidate in sorted(candidates, key=lambda one: (-one.value, -one.position)):
        text = _joint(profile) + candidate.text
        if candidate.section not in sections:
            text += _show_heading(candidate.heading, profile)
        costs = {
            unit: text.count("\n") + 1 if unit == "lines" else measure(text, unit) for unit in left
        }
        tokens = estimate_tokens(text)
        if any(costs[unit] > left[unit] for unit in left) or (room is not None and tokens > room):
            continue
        left = {unit: left[unit] - costs[unit] for unit in left}
        room = None if room is None else room - tokens
        sections.add(candidate.section)
        chosen.append(candidate)
    return sorted(chosen, key=lambda one: one.position)


def _joint(profile: Profile) -> str:
    """What stands between two entries."""
    return profile.join(["", ""]) if profile.sidecar_lock else "\n"


def _show_heading(heading: str, profile: Profile) -> str:
    return "" if not heading or profile.sidecar_lock else f"\n# {heading}\n"


def _render(chosen: Sequence[_Candidate], profile: Profile) -> str:
    parts: list[str] = []
    section = -1
    for candidate in chosen:
        if candidate.section != section:
            section = candidate.section
            parts.append(_show_heading(candidate.heading, profile).rstrip("\n"))
        parts.append(candidate.text)
    return _joint(profile).join(part for part in parts if part).lstrip("\n")

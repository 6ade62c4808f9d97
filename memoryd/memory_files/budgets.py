"""What an agent loads of its files at the start of a session: the agents' own rules, counted in their own units.

The numbers for OpenClaw equal those of its published package (golden vectors in the tests). Offsets are characters
of the text as the agent sees it (`Loading.text`); amounts are in the rule's unit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.profiles import FileRule, Profile
from memoryd.memory_files.sections import read_newlines
from memoryd.memory_files.units import JAVASCRIPT_SPACE, Unit, head_length, measure, tail_length

_LEAST_CONTENT = (
    16  # characters beside OpenClaw's full marker; with less room it uses a compact one
)

Cause = Literal["max/file", "max/total", "max/lines", "on demand", "missing"]


@dataclass(frozen=True, slots=True)
class Cut:
    """What is loaded of one text.

    Attributes:
        loaded: everything that reaches the agent, its markers included.
        head, tail: of the text itself, as the agent states them; None when nothing is cut.
        head_end, tail_start: characters before and from which the text is loaded.
    """

    loaded: int
    head_end: int
    tail_start: int
    head: int | None = None
    tail: int | None = None


@dataclass(frozen=True, slots=True)
class Loading:
    """What an agent loads of one file.

    Attributes:
        text: as the agent sees it: line endings read, space at the ends gone.
        raw: the whole text, in *unit*.
        limit: the limit that held for it (what was left of the total, where that is less); None: no limit.
        loaded: what is loaded.
        charged: what it takes of the total; more than *loaded* only where the agent's digest is not modelled.
        cause: why anything is cut, None when nothing is.
    """

    file: MemoryFile
    rule: FileRule
    text: str
    unit: Unit
    raw: int
    limit: int | None
    loaded: int
    charged: int
    cut: Cut
    cause: Cause | None = None

    @property
    def is_cut(self) -> bool:
        return self.cut.head is not None

    @property
    def is_over(self) -> bool:
        """Is the file itself above a limit, whether the agent cuts it or not?"""
        return self.is_cut or (self.limit is not None and self.raw > self.limit)

    def reaches(self, start: int, end: int) -> bool:
        """Are the characters [start, end) of the text loaded?"""
        return end <= self.cut.head_end or start >= self.cut.tail_start


def plan_loading(files: Sequence[MemoryFile], profile: Profile) -> tuple[Loading, ...]:
    """What the agent loads of files that it budgets together, in its loading order.

    Args:
        files: of one folder; a file with `data` None is expected there and missing.

    Source: MEMORY_FILES.md A2, B1; the agents' published packages.
    """
    remaining = profile.total
    planned: list[Loading] = []
    for file in sorted(files, key=lambda file: profile.order(file.path.name)):
        loading = _plan_file(file, profile, remaining)
        planned.append(loading)
        if remaining is not None:
            remaining = max(0, remaining - loading.charged)
    return tuple(planned)


def _plan_file(file: MemoryFile, profile: Profile, remaining: int | None) -> Loading:
    rule = profile.rule(file.path.name)
    if file.data is None:
        return _plan_missing(file, profile, rule, remaining)
    text = seen_text(file.text, profile, rule)
    raw = measure(text, rule.unit)
    whole = Cut(raw, len(text), len(text))
    if not rule.at_start:
        nothing = Cut(0, 0, len(text))
        return Loading(file, rule, text, rule.unit, raw, None, 0, 0, nothing, "on demand")
    if rule.cut == "lines":
        return _plan_lines(file, rule, text)
    limit = rule.limit
    if remaining is not None and limit is not None:
        limit = min(limit, remaining)
        if remaining < profile.minimum:
            return _skip(file, rule, text, remaining)
    if limit is None or raw <= limit or rule.cut == "none":
        return Loading(file, rule, text, rule.unit, raw, limit, raw, raw, whole)
    cut = _CUTS[rule.cut](text, rule, limit)
    charged = limit if rule.cut == "digest" else cut.loaded
    cause: Cause = "max/file" if limit == rule.limit else "max/total"
    return Loading(file, rule, text, rule.unit, raw, limit, cut.loaded, charged, cut, cause)


def seen_text(text: str, profile: Profile, rule: FileRule) -> str:
    """The text that the agent counts: without the space at its end, and for Hermes its entries joined."""
    if profile.sidecar_lock and rule.purpose in {"memory", "user"}:
        return profile.join(piece.content for piece in profile.parser(text).entries)
    if rule.unit == "utf16":
        return text.rstrip(JAVASCRIPT_SPACE)
    return read_newlines(text).strip() if rule.unit == "codepoints" and rule.limit else text


def _plan_missing(
    file: MemoryFile, profile: Profile, rule: FileRule, remaining: int | None
) -> Loading:
    marker = (
        measure(f"[MISSING] Expected at: {file.path}", rule.unit) if profile.mark_missing else 0
    )
    charged = marker if remaining is None else min(marker, remaining)
    return Loading(
        file, rule, "", rule.unit, 0, rule.limit, charged, charged, Cut(0, 0, 0), "missing"
    )


def _skip(file: MemoryFile, rule: FileRule, text: str, remaining: int) -> Loading:
    """The rest of the total is too small for another file: loading ends here, whatever still follows."""
    raw = measure(text, rule.unit)
    if raw == 0:
        return Loading(file, rule, "", rule.unit, 0, remaining, 0, remaining, Cut(0, 0, 0))
    cut = Cut(0, 0, len(text), 0, 0)
    return Loading(file, rule, text, rule.unit, raw, remaining, 0, remaining, cut, "max/total")


def _cut_bootstrap(text: str, rule: FileRule, limit: int) -> Cut:
    """OpenClaw's cut: head and tail around a marker that names both, all within the limit.

    The marker's own length depends on the numbers in it, so the shares are found by repetition, as there.
    """
    total = measure(text, "utf16")
    marker_length = _marker_length(rule.name, total, limit)
    head = tail = 0
    for _ in range(3):
        room = max(0, limit - marker_length(head, tail))
        shares = (int(room * rule.head_share), int(room * rule.tail_share))
        if shares == (head, tail):
            break
        head, tail = shares
    head, tail = _shrink(head, tail, limit, marker_length)
    cut = _ends(text, "utf16", head, tail, marker_length(head, tail))
    return replace(cut, loaded=min(cut.loaded, limit))


def _marker_length(name: str, total: int, limit: int) -> Callable[[int, int], int]:
    """The length of the marker and the newlines beside it, for given amounts of head and tail."""
    full = len(
        f"\n[...truncated, read {name} for full content...]\n…(truncated {name}: kept + chars of {total})…\n"
    )
    compact = len(f"[…truncated +/{total}]")
    around = 2 + 2  # the digits of 0+0, the newlines beside the marker
    is_full = limit - full - around >= _LEAST_CONTENT

    def length(head: int, tail: int) -> int:
        digits = len(str(head)) + len(str(tail))
        return full + digits + (head > 0) + (tail > 0) if is_full else compact + digits

    return length


def _shrink(
    head: int, tail: int, limit: int, marker_length: Callable[[int, int], int]
) -> tuple[int, int]:
    """Give up tail, then head, until all of it fits."""
    while (overflow := head + tail + marker_length(head, tail) - limit) > 0 and head + tail > 0:
        if tail > 0:
            tail = max(0, tail - overflow)
        else:
            head = max(0, head - overflow)
    if head + tail == 0 and 1 + marker_length(1, 0) <= limit:
        head = 1
    return head, tail


def _ends(text: str, unit: Unit, head: int, tail: int, marker: int) -> Cut:
    """Keep both ends; characters that a border would split are left out of both."""
    head_end = head_length(text, head, unit)
    kept_tail = tail_length(text, tail, unit)
    loaded = measure(text[:head_end], unit) + marker
    loaded += measure(text[len(text) - kept_tail :], unit) if kept_tail else 0
    return Cut(loaded, head_end, len(text) - kept_tail, head, tail)


def _cut_digest(text: str, rule: FileRule, limit: int) -> Cut:
    """AGENTS.md of OpenClaw 2026.9: both ends are certain; the digest between them is not modelled."""
    return _ends(text, rule.unit, int(limit * rule.head_share), int(limit * rule.tail_share), 0)


def _cut_ends(text: str, rule: FileRule, limit: int) -> Cut:
    """Shares of the limit from both ends; the marker between them is not counted."""
    return _ends(text, rule.unit, int(limit * rule.head_share), int(limit * rule.tail_share), 0)


def _cut_start(text: str, rule: FileRule, limit: int) -> Cut:
    return _ends(text, rule.unit, limit, 0, 0)


def _plan_lines(file: MemoryFile, rule: FileRule, text: str) -> Loading:
    """Claude Code: so many lines, then so many units ending with a line; stated in the unit that cut it."""
    lines = measure(text, "lines")
    units = measure(text, rule.unit)
    limit, max_lines = rule.limit or 0, rule.max_lines or 0
    end = head_length(text, max_lines, "lines")
    by_lines = lines > max_lines
    if measure(text[:end], rule.unit) > limit:
        by_lines = False
        end = head_length(text, limit, rule.unit)
        newline = text.rfind("\n", 0, end + 1)
        end = newline if newline > 0 else end
    fullest: Unit = (
        "lines"
        if by_lines or (end == len(text) and lines * limit > units * max_lines)
        else rule.unit
    )
    kept = measure(text[:end], fullest)
    cut = end < len(text)
    return Loading(
        file,
        rule,
        text,
        fullest,
        measure(text, fullest),
        max_lines if fullest == "lines" else limit,
        kept,
        kept,
        Cut(
            kept,
            end if cut else len(text),
            len(text),
            kept if cut else None,
            0 if cut else None,
        ),
        ("max/lines" if by_lines else "max/file") if cut else None,
    )


_CUTS: dict[str, Callable[[str, FileRule, int], Cut]] = {
    "bootstrap": _cut_bootstrap,
    "digest": _cut_digest,
    "ends": _cut_ends,
    "start": _cut_start,
}

"""Changes to a file as edits of entries, and their application to any version of the file.

An edit names entries by their words, not by their place, so it can be applied to what is on disk by now: that is the
three-way merge. An edit that no longer fits is never forced.
"""

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memoryd.memory_files.documents import Document, Piece
from memoryd.memory_files.markdown import BLOCK_BEGIN, BLOCK_END
from memoryd.memory_files.profiles import FileRule, Profile
from memoryd.memory_files.units import decode, encode, is_utf8

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKER = re.compile(r"[ ]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LINE_END = re.compile(r"\A[ \t]*(?:\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class Edit:
    """Entries that go and entries that come in their place; contents, not raw text."""

    removed: tuple[str, ...]
    added: tuple[str, ...] = ()


def is_managed(piece: Piece, rule: FileRule) -> bool:
    """May memoryd rewrite this entry?"""
    if piece.kind != "item":
        return False
    if rule.manage == "entries":
        return True
    if rule.manage == "section":
        return piece.heading.casefold() == rule.section.casefold()
    return rule.manage == "block" and piece.managed


def apply_edits(text: str, edits: Sequence[Edit], profile: Profile, name: str) -> str | None:
    """The text with every edit applied, or None when one does not fit.

    Args:
        text: any version of the file; only entries that the profile may manage are touched.
        name: the file's name.
    """
    rule = profile.rule(name)
    pieces = list(profile.parse(name, text).pieces)
    for edit in edits:
        places = _find_places(pieces, edit, rule)
        if places is None:
            return None
        _apply(pieces, places, edit, rule, profile)
    if profile.sidecar_lock:
        return profile.join(piece.content for piece in pieces if piece.is_entry)
    return Document(tuple(pieces)).text


def _find_places(pieces: list[Piece], edit: Edit, rule: FileRule) -> list[int] | None:
    """Where the entries stand that go, the last of equal ones first; None when one is gone."""
    places: list[int] = []
    for content in edit.removed:
        for place in reversed(range(len(pieces))):
            piece = pieces[place]
            if place not in places and piece.content == content and is_managed(piece, rule):
                places.append(place)
                break
        else:
            return None
    return places


def _apply(
    pieces: list[Piece], places: list[int], edit: Edit, rule: FileRule, profile: Profile
) -> None:
    old = [pieces[place] for place in sorted(places)]
    if edit.added and old:
        first = min(places)
        pieces[first] = _reword(old, edit.added[0])
        places = [place for place in places if place != first]
    for place in sorted(places, reverse=True):
        _drop(pieces, place)
    for content in edit.added[1:] if old else edit.added:
        _append(pieces, content, rule, profile)


def _reword(old: Sequence[Piece], content: str) -> Piece:
    """One entry in the place of several, with the marker of the first and the annotations of all."""
    comments = list(dict.fromkeys(found for piece in old for found in _COMMENT.findall(piece.text)))
    lines = [line for line in comments if "openclaw-memory-" in line]
    marker = next((found[0] for piece in old if (found := _MARKER.match(_body(piece.text)))), "")
    tail = "".join(" " + comment for comment in comments if comment not in lines)
    body = f"\n{' ' * len(marker)}".join(content.split("\n"))
    text = "".join(line + "\n" for line in lines) + marker + body + tail
    return replace(old[0], text=text, content=content)


def _body(text: str) -> str:
    """The text without comment lines above its list marker."""
    while text.lstrip().startswith("<!--") and "-->" in text:
        text = text[text.index("-->") + len("-->") :].lstrip("\r\n")
    return text


def _drop(pieces: list[Piece], place: int) -> None:
    """Remove an entry with the rest of its last line, or at the end of a file with the newline before it."""
    del pieces[place]
    if place < len(pieces):
        following = pieces[place]
        if not following.is_entry:
            pieces[place] = replace(following, text=_LINE_END.sub("", following.text))
    elif pieces and not pieces[-1].is_entry:
        pieces[-1] = replace(pieces[-1], text=re.sub(r"(?:\r\n|\n|\r)\Z", "", pieces[-1].text))


def _append(pieces: list[Piece], content: str, rule: FileRule, profile: Profile) -> None:
    """Add an entry behind the last one that the profile may manage, or open a place for it."""
    managed = [place for place, piece in enumerate(pieces) if is_managed(piece, rule)]
    entry = Piece(
        "item", profile.join([content]), content, rule.section, managed=rule.manage == "block"
    )
    if managed:
        at = managed[-1] + 1
        pieces[at:at] = [Piece("between", "\n", "", rule.section, entry.managed), entry]
        return
    opened = next((place for place, piece in enumerate(pieces) if _opens(piece, rule)), None)
    if opened is not None:
        pieces[opened + 1 : opened + 1] = [entry, Piece("between", "\n")]
        return
    before, after = _frame(rule)
    ended = not pieces or pieces[-1].text.endswith("\n")
    pieces.extend(
        [Piece("between", ("" if ended else "\n") + before), entry, Piece("between", after)]
    )


def _opens(piece: Piece, rule: FileRule) -> bool:
    """Does memoryd's block, or the agent's section, begin behind this piece?"""
    if piece.is_entry:
        return False
    if rule.manage == "block":
        return piece.text.rstrip().endswith(BLOCK_BEGIN)
    return rule.manage == "section" and piece.heading.casefold() == rule.section.casefold()


def _frame(rule: FileRule) -> tuple[str, str]:
    """What stands around the first entry that memoryd adds at the end of a file."""
    if rule.manage == "block":
        return f"\n{BLOCK_BEGIN}\n", f"\n{BLOCK_END}\n"
    return f"\n## {rule.section}\n" if rule.manage == "section" else "", "\n"


def derive_edits(base: Document, ours: Document) -> tuple[Edit, ...]:
    """What turns the entries of one version into those of another."""
    old = [piece.content for piece in base.entries]
    new = [piece.content for piece in ours.entries]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(tuple(old[a:b]), tuple(new[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    )


def merge_versions(
    base: bytes, theirs: bytes, ours: bytes, profile: Profile, name: str
) -> bytes | None:
    """Join two changes of one file, entry by entry; None when both changed the same entry.

    Everything between the entries is taken from *theirs*: a hand edit is the user's word.
    """
    edits = derive_edits(profile.parse(name, decode(base)), profile.parse(name, decode(ours)))
    merged = apply_edits(decode(theirs), edits, profile, name)
    return None if merged is None else encode(merged)


def make_merge(
    base: bytes | None, edits: Sequence[Edit], profile: Profile, name: str
) -> Callable[[bytes, bytes, bytes], bytes | None]:
    """A merge for the writer that knows what was meant.

    Whatever stands on disk instead of *base* gets the edits themselves, and none of them if one does not fit: an entry
    that was to be merged but was changed by hand is seen, even where the merged text equals another entry.
    """

    def merge(old: bytes, theirs: bytes, ours: bytes) -> bytes | None:
        if old != (base or b""):
            return merge_versions(old, theirs, ours, profile, name)
        text = apply_edits(decode(theirs), edits, profile, name)
        return None if text is None else encode(text)

    return merge


def make_diff(before: bytes, after: bytes, name: str) -> str:
    """A unified diff for people; bytes that are no UTF-8 are shown as replacement characters."""
    old, new = (_lines(data) for data in (before, after))
    return "".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))


def _lines(data: bytes) -> list[str]:
    text = decode(data)
    shown = text if is_utf8(text) else data.decode("utf-8", "replace")
    lines = shown.split("\n")
    ended = [line + "\n" for line in lines[:-1]]
    return ended + ([lines[-1] + "\n\\ No newline at end of file\n"] if lines[-1] else [])

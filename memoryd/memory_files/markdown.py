"""Markdown as people and agents write it in memory files, parsed line by line without losing a character.

Entries are list items (with everything indented below them), paragraphs and fenced code; headings, blank lines,
front matter, rules, comments and link definitions stand between. This is no CommonMark renderer: where a file is
odd, the parser may draw an entry's border elsewhere than a browser would, but never changes the text.

memoryd's own block is delimited by BLOCK_BEGIN and BLOCK_END, each alone on its line.
"""

import re
from dataclasses import dataclass, field
from textwrap import dedent

from memoryd.memory_files.documents import Document, Piece, PieceKind

BLOCK_BEGIN = "<!-- memoryd:begin -->"
BLOCK_END = "<!-- memoryd:end -->"

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ITEM = re.compile(r"[ ]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?\n?\Z")
_RULE = re.compile(r"[ ]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)\r?\n?\Z")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_DEFINITION = re.compile(r"[ ]{0,3}\[[^\]\n]+\]:[ \t]*\S")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# Lines that OpenClaw's dreaming sets directly above the entry they belong to (MEMORY_FILES.md B3).
_ENTRY_MARK = re.compile(
    r"[ ]{0,3}<!--[ \t]*openclaw-memory-(?:promotion|lineage):[^\n]*-->[ \t]*\r?\n?\Z"
)


@dataclass(slots=True)
class _Builder:
    """Collects lines into pieces; *kind* is that of the piece under construction."""

    pieces: list[Piece] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    kind: PieceKind = "between"
    heading: str = ""
    managed: bool = False

    def start(self, kind: PieceKind, line: str) -> None:
        self.close()
        self.kind = kind
        self.lines.append(line)

    def between(self, line: str) -> None:
        if self.kind != "between":
            self.close()
        self.lines.append(line)

    def close(self) -> None:
        """Finish the piece; the blank end of an entry goes between."""
        text = "".join(self.lines)
        self.lines.clear()
        kind, self.kind = self.kind, "between"
        if kind == "between":
            self._add(kind, text)
            return
        body = text.rstrip()
        self._add(kind, body)
        self.lines.append(text[len(body) :])

    def _add(self, kind: PieceKind, text: str) -> None:
        if text:
            content = "" if kind == "between" else clean_content(text)
            self.pieces.append(Piece(kind, text, content, self.heading, self.managed))


def parse_markdown(text: str) -> Document:
    """Split Markdown into entries and what stands between; the pieces join to *text* exactly."""
    lines = _LINE.findall(text)
    builder = _Builder()
    position = 0
    while position < len(lines):
        position = _take(lines, position, builder)
    builder.close()
    if builder.lines:
        builder.close()
    return Document(_join_between(builder.pieces))


def _take(lines: list[str], position: int, builder: _Builder) -> int:
    """Consume the block that begins at *position*; return where the next one begins."""
    line = lines[position]
    end = _block_end(lines, position)
    if end > position:
        for quiet in lines[position:end]:
            builder.between(quiet)
    elif line.strip() in {BLOCK_BEGIN, BLOCK_END}:
        builder.between(line)
        builder.close()
        builder.managed = line.strip() == BLOCK_BEGIN
    elif heading := _HEADING.match(line):
        builder.close()
        builder.heading = (heading[1] or "").strip()
        builder.between(line)
    elif not line.strip() or _RULE.match(line) or _DEFINITION.match(line):
        builder.between(line)
    else:
        return _take_entry(lines, position, builder)
    return max(end, position + 1)


def _block_end(lines: list[str], position: int) -> int:
    """The end of front matter or of a comment that begins here; *position* itself when there is none."""
    line = lines[position]
    if position == 0 and line.rstrip() == "---":
        for end in range(1, len(lines)):
            if lines[end].rstrip() in {"---", "..."}:
                return end + 1
        return position
    if not line.lstrip(" ").startswith("<!--") or line.strip() in {BLOCK_BEGIN, BLOCK_END}:
        return position
    if _ENTRY_MARK.match(line) and position + 1 < len(lines) and _ITEM.match(lines[position + 1]):
        return position
    for end in range(position, len(lines)):
        if "-->" in lines[end]:
            return end + 1
    return position


def _take_entry(lines: list[str], position: int, builder: _Builder) -> int:
    line = lines[position]
    if _FENCE.match(line):
        return _take_range(lines, position, _fence_end(lines, position), "code", builder)
    first = position
    while _ENTRY_MARK.match(lines[first]) and first + 1 < len(lines):
        first += 1
    if _ITEM.match(lines[first]):
        return _take_range(lines, position, _item_end(lines, first), "item", builder)
    end = position + 1
    while end < len(lines) and not _begins_block(lines[end]):
        end += 1
    return _take_range(lines, position, end, "paragraph", builder)


def _take_range(lines: list[str], start: int, end: int, kind: PieceKind, builder: _Builder) -> int:
    builder.start(kind, "".join(lines[start:end]))
    builder.close()
    return end


def _fence_end(lines: list[str], position: int) -> int:
    """Just past the fence that closes the one at *position*, or the end of the file."""
    opened = _FENCE.match(lines[position])
    assert opened is not None  # noqa: S101 - the caller matched it
    mark = opened[1]
    for end in range(position + 1, len(lines)):
        closing = lines[end].strip()
        if len(closing) >= len(mark) and closing == mark[0] * len(closing):
            return end + 1
    return len(lines)


def _item_end(lines: list[str], position: int) -> int:
    """Just past a list item: its lazy and indented lines, and indented blocks after blank lines."""
    end = position + 1
    while end < len(lines):
        line = lines[end]
        indented = line.startswith(("  ", "\t"))
        if indented and _FENCE.match(line):
            end = _fence_end(lines, end)
        elif not line.strip():
            following = next((later for later in lines[end:] if later.strip()), "")
            if not following.startswith(("  ", "\t")):
                return end
            end += 1
        elif indented or not _begins_block(line):
            end += 1
        else:
            return end
    return end


def _begins_block(line: str) -> bool:
    """Does this line end a paragraph, as a blank line or as the start of something else?"""
    return (
        not line.strip()
        or line.lstrip(" ").startswith("<!--")
        or any(pattern.match(line) for pattern in (_ITEM, _HEADING, _RULE, _FENCE))
    )


def _join_between(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Join neighbours that stand between under the same heading and on the same side of the block's border."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and not piece.is_entry and not last.is_entry and _same_place(last, piece):
            joined[-1] = Piece("between", last.text + piece.text, "", last.heading, last.managed)
        else:
            joined.append(piece)
    return tuple(joined)


def _same_place(one: Piece, other: Piece) -> bool:
    return (one.heading, one.managed) == (other.heading, other.managed)


def clean_content(text: str) -> str:
    """An entry's words: no list marker, no HTML comments, no outer space, no indentation common to its lines."""
    bare = _COMMENT.sub("", text).replace("\r\n", "\n").strip()
    marker = _ITEM.match(bare)
    first, newline, rest = bare[marker.end() if marker else 0 :].partition("\n")
    return (first + newline + dedent(rest)).strip()

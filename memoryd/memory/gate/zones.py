"""What of a message is nobody's own words: code, quotations, pasted output, injected tags.

Zones are cut out before any sentence is judged. Whatever is cut here can never become an entry, so a cue
inside a log line or a block quote counts for nothing. Patterns look at one line at a time and are bounded.
"""

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoryd.memory.sentences import Span, find_fences


@dataclass(frozen=True, slots=True)
class Zone:
    """Characters [start, end) that are not the writer's own words, and what they are."""

    start: int
    end: int
    reason: str


_OPENING_TAG = re.compile(r"<([a-zA-Z][\w.-]{0,40})(?:\s[^<>\n]{0,300})?>")
_CLOSING_TAG = re.compile(r"</([a-zA-Z][\w.-]{0,40})>")
# A mail or a document that was pasted below one's own words: all that follows belongs to it.
_REST = (
    (
        "mail",
        re.compile(
            r"^[ \t]{0,4}(?:-{2,10} ?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine"
            r"|mensaje original|原始邮件|转发的邮件|원본 메시지)|begin forwarded message"
            r"|on [^\n]{6,120} wrote:|am [^\n]{6,120} schrieb[^\n]{0,60}:|le [^\n]{6,120} a écrit ?:"
            r"|el [^\n]{6,120} escribió:|在[^\n]{4,80}写道[:：])",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    (
        "session",
        re.compile(
            r"^[^\w\n]{0,8}(?:\[ ?new ?\] )?(?:this session is being continued from|caveat: the messages below"
            r"|\[request interrupted|stop hook feedback:|base directory for this skill:)",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    (
        "document",
        re.compile(
            r"^[^\n]{0,60}\b(?:implement|execute|review|follow) (?:the|this) (?:following )?(?:plan|spec|design|prd|ticket|issue)\b[^\n]{0,40}:\s*$",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
)
_COMMAND_LINE = re.compile(
    r"[ \t]{0,4}/[a-z][a-z0-9_:-]{1,40}(?:\s|$)"
)  # /ask …, typed to the agent's own shell
_QUOTED_LINE = re.compile(r"[ \t]{0,4}(?:>|&gt;|\|>)")
_HEADING = re.compile(r"^#{1,6} \S", re.MULTILINE)
_DOCUMENT_HEADINGS = 3  # people type no headings into a prompt; three make a pasted document
_OUTPUT_LINES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*\[?\(?\d{4}[-/]\d\d[-/]\d\d[T ,]\s?\d\d:\d\d",  # 2031-03-04T09:12:44Z INFO
        r"\s*\[?\(?\d{1,2}:\d\d:\d\d(?:[.,]\d+)?[\])]?[\s|]",  # [10:02:11]
        r"\s*[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d[ .,]",  # Mar  4 09:12:44 host
        r"\s*\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|PASS|FAIL|FAILED|OK|SKIP|PANIC)\b[\]:!]?(?:\s|$)",
        r"\s*\[(?:信息|警告|错误|调试|情報|エラー|경고|오류|trace|debug|info|warn|warning|error|fatal|stderr|stdout)\]",
        r"\s*(?:npm|yarn|pnpm|pip|cargo|make(?:\[\d+\])?|go|git|bash|zsh|sh|ld|gcc|clang|docker|error|warning|fatal|fehler|erreur|warnung|panic|exception)(?: (?:ERR!|WARN|notice))?(?:\[[\w:]+\])?!?:? ?(?:0x|E[A-Z]{3,}|ERR!|WARN\b|\S{1,80}:\d+)",
        r"\s*(?i:error|warning|fatal|fehler|erreur|panic|exception|traceback|cannot find|undefined reference)(?:\[\w+\]| 0x[0-9a-f]+| \d+)?:\s",
        r"\s*(?:BUILD|Build|Tests?|TESTS?) (?:FAILED|FAILURE|SUCCESS(?:FUL)?|PASSED|failed|succeeded)\b.{0,40}$",
        r"\s*Traceback \(most recent",
        r"\s*(?:File \"[^\"]+\", line \d+|at [\w$.<>/\[\] ]{1,120}\(?[^\s)]{1,200}:\d+(?::\d+)?\)?|\.\.\. \d+ more|Caused by:)",
        r"\s*[\w.]{1,80}(?:Error|Exception|Warning|Errno \d+)\b[:(]",
        r"(?:diff --git |index [0-9a-f]{7}|@@ -\d|--- [ab/]|\+\+\+ [ab/]|[+-]{1}(?:[ \t]{2,}|[\w\"'}{(\[]).{0,400}[;{}()=,:]\s*$)",
        r"\s*(?:={3,}|-{3,}|#{3,}|\*{3,}) ?\w?",
        r"\s*\[\w+[:/][\w:/-]+\] ",
        r"\s*[\w./-]{1,40}: (?i:cannot|could not|can't|unable to|unknown|no such|permission denied|not found|failed|error|warning|command not found)",
        r"\s*(?i:unknown command|command not found|operation stopped by|permission denied|no such file|usage:)",
        r"\s*[{}\[\]][\s,;]*$",
        r"\s*[\[{]?\s*\"[^\"\n]{1,80}\"\s*:\s*\S",  # "key": value
        r"\s*\{\s*[\"'\w].{0,400}[:=].{0,400}\}[,;]?\s*$",
        r"\s*<[/!?a-zA-Z][^\n]{0,400}>[,;]?\s*$",
        r"\s*(?:export |set |\$env:)?[A-Z][A-Z0-9_]{2,60}=\S",  # KEY=value
        r"\s*[\w.-]{1,60}\s?=\s?[\"'\[{\d]",  # key = "value"
        r"\s*(?:[$%❯➜#]|>>>|PS [^>\n]{1,100}>|\w[\w.-]{0,30}@[\w.-]{1,40}[:~ ][^\n]{0,80}[$#%]) ?(?:\S+/)?[a-z.]",  # a shell prompt
        r"\s*(?:def|class|func|fn|const|let|var|public|private|static|import|from|return|package|SELECT|INSERT|UPDATE|CREATE|elif|else:)\s[^\n]{0,300}[;{}():=\"']",
        r".{0,300}(?:[;{}]|=>|\):)\s*$(?<![.!?])",
        r"(?!\s*(?:[A-Za-z'’]+[,.;:]? ){4}).{0,300}\);?\s*$",  # four plain words make it prose: "… (too slow)"
        r"\s*(?:Running|Compiling|Building|Downloading|Installing|Fetching|Collecting|Resolving|Checking|Linking)\b[^?!\n]{0,300}\.\.\.\s*$",
        r".{0,300}[⎿⏺]",  # a line copied from an agent's window
        r"\s*(?://|/\*|\*/|--\s|<!--)",
        r"\s*[|+][-=+|: ]{3,}",
        r"\s*\|.{0,400}\|\s*$",
        r"\s*[\w./~-]{1,200}\.\w{1,8}:\d+(?::\d+)?:?(?:\s|$)",  # path:line:
        r"\s*[-dl][rwxst-]{9}[+@.]?\s",
        r"\s*(?:stdout|stderr|exit code|exit status|returncode|real|user|sys)\b[: \t]\s?[\d\w]{0,40}$",
        r"\s*[0-9a-f]{7,40}\s\S",  # git log --oneline
        r"\s*(?:⨯|✓|✗|✔|✖|×|●|○|⎿|⏺|╭|╰|│|├|└|─|┌|┐|█|▶|⠋)",
        r"\s*\d+\s*[|│]\s",
        r"\s*(?:[├└│─]+|`--|\|--)\s",
        r"\s*[\w-]{1,40}/\s*$",  # a folder in a tree
        r"\s*(?:0x[0-9a-fA-F]{4,}|[0-9a-f]{2}(?: [0-9a-f]{2}){6,})",
    )
)
# After a command or the head of a trace, everything down to the next blank line is what it printed.
_PRINTS_BELOW = re.compile(
    r"\s*(?:[$%❯➜] ?\S|>>> |Traceback \(most recent|\w[\w.-]{0,30}@[\w.-]{1,40}[:~ ][^\n]{0,80}[$#%] )"
)
_READING = re.compile(r"\d|[:：=|]")
_PROSE_END = re.compile(r"[.!?。！？…:：][\"'”’」』)）]*\s*$")
_LIST_LINE = re.compile(r"\s{0,12}(?:[-*•·]|\d{1,2}[.)、])\s+\S")
_LINE_CHARS = 1000  # a longer line is judged by its head


def find_zones(text: str) -> list[Zone]:
    """Find the zones of a message.

    Returns:
        Zones in order, without overlap. Reasons: code, tag, mail, session, document, block quote, command, output.
    """
    found = [Zone(fence.start, fence.end, "code") for fence in find_fences(text)]
    found += _tagged(text)
    found += _rests(text)
    found = _merge(found)
    for gap in gaps(found, len(text)):
        found += _line_zones(text, gap)
    return _merge(found)


def gaps(zones: Sequence[Zone], end: int) -> list[Span]:
    """What lies between *zones*, which are in order and do not overlap, up to *end*."""
    edges = [0, *(edge for zone in zones for edge in (zone.start, zone.end)), end]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [Span(start, stop) for start, stop in pairs if start < stop]


def _tagged(text: str) -> Iterator[Zone]:
    closings: dict[str, list[int]] = {}
    for closing in _CLOSING_TAG.finditer(text):
        closings.setdefault(closing[1], []).append(closing.end())
    position = 0
    for opening in _OPENING_TAG.finditer(text):
        ends = closings.get(opening[1], [])
        nearest = bisect.bisect_right(ends, opening.end())
        if opening.start() >= position and nearest < len(ends):
            position = ends[nearest]
            yield Zone(opening.start(), position, "tag")


def _rests(text: str) -> Iterator[Zone]:
    for reason, pattern in _REST:
        start = pattern.search(text)
        if start:
            yield Zone(start.start(), len(text), reason)
    headings = list(_HEADING.finditer(text))
    if len(headings) >= _DOCUMENT_HEADINGS:
        yield Zone(headings[0].start(), len(text), "document")


def _line_zones(text: str, gap: Span) -> Iterator[Zone]:
    for paragraph in _paragraphs(text, gap):
        own: list[Span] = []
        for line in paragraph:
            if _QUOTED_LINE.match(text, line.start, line.end):
                yield Zone(line.start, line.end, "block quote")
            elif _COMMAND_LINE.match(text, line.start, line.end):
                yield Zone(line.start, line.end, "command")
            else:
                own.append(line)
        if own:
            yield from _output_zones(text, own)


def _paragraphs(text: str, gap: Span) -> Iterator[list[Span]]:
    paragraph: list[Span] = []
    position = gap.start
    while position < gap.end:
        end = text.find("\n", position, gap.end)
        end = gap.end if end < 0 else end
        if text[position:end].strip():
            paragraph.append(Span(position, end))
        elif paragraph:
            yield paragraph
            paragraph = []
        position = end + 1
    if paragraph:
        yield paragraph


def _output_zones(text: str, lines: Sequence[Span]) -> Iterator[Zone]:
    """A paragraph mostly of output is output; else its output lines are, with what hangs on to them."""
    machine = [
        _is_output(text[line.start : min(line.end, line.start + _LINE_CHARS)]) for line in lines
    ]
    if _are_readings(text, lines):
        machine = [True] * len(lines)
    if not any(machine):
        return
    all_of_it = sum(machine) * 2 > len(lines)
    hanging = printed = False
    for line, is_output in zip(lines, machine, strict=True):
        is_prose = bool(_PROSE_END.search(text[max(line.start, line.end - 40) : line.end]))
        printed = printed or bool(_PRINTS_BELOW.match(text, line.start, line.end))
        hanging = is_output or (hanging and not is_prose)
        if hanging or printed or (all_of_it and not is_prose):
            yield Zone(line.start, line.end, "output")


def _are_readings(text: str, lines: Sequence[Span]) -> bool:
    """Several lines without an end of sentence, most with a number or a colon: a status display."""
    bodies = [text[line.start : min(line.end, line.start + _LINE_CHARS)] for line in lines]
    if len(lines) < 2 or any(_PROSE_END.search(body) or _LIST_LINE.match(body) for body in bodies):  # noqa: PLR2004 - two lines are several
        return False
    return sum(bool(_READING.search(body)) for body in bodies) * 2 > len(lines)


def _is_output(line: str) -> bool:
    if _LIST_LINE.match(line):
        return False
    return any(pattern.match(line) for pattern in _OUTPUT_LINES)


def _merge(zones: Sequence[Zone]) -> list[Zone]:
    merged: list[Zone] = []
    for zone in sorted(zones, key=lambda zone: (zone.start, -zone.end)):
        if merged and zone.start < merged[-1].end:
            if zone.end > merged[-1].end:
                merged[-1] = Zone(merged[-1].start, zone.end, merged[-1].reason)
        else:
            merged.append(zone)
    return merged

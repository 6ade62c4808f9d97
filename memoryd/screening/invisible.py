"""Removes characters that a reader cannot see: they hide text, reorder it, or split a secret in two.

Joiners, variation selectors and direction marks are writing in Persian, Hindi, Hebrew or an emoji
family, and are kept there. They never survive between two ASCII characters (but in a keycap), so
no token can be split by one. The list of characters follows docs on memory poisoning: tag block,
bidirectional controls, zero-width characters, fillers, C0 and C1.
"""

import re

# One character class, written as ranges; what each is stands beside it.
_ALWAYS = (
    "\x00-\x08\x0e-\x1a\x1f\x7f-\x84\x86-\x9f"  # C0 and C1 but for escape and line breaks
    "\xad\u034f"  # soft hyphen, combining grapheme joiner
    "\u061c\u202a-\u202e\u2066-\u206f"  # bidirectional controls, deprecated format characters
    "\u115f\u1160\u3164\uffa0\u17b4\u17b5"  # Hangul fillers, Khmer vowels without a shape
    "\u180e\u200b\u2060-\u2065\ufeff"  # zero-width spaces, invisible operators
    "\ufe00-\ufe0d\ufff9-\ufffb"  # variation selectors no emoji uses, annotation marks
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # musical controls; tags and selectors
)
_CONTEXTUAL = "\u180b-\u180d\u180f\u200c-\u200f\ufe0e\ufe0f"  # kept where a script needs them
_BREAKS = "\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"  # other ways to end a line
_SURROGATES = "\ud800-\udfff"

_SUSPECT = re.compile(f"[\x1b{_ALWAYS}{_CONTEXTUAL}{_BREAKS}{_SURROGATES}]")
_UNSEEN = re.compile(f"[\x1b{_ALWAYS}{_CONTEXTUAL}]")
_BREAK = re.compile(f"\r\n|[{_BREAKS}]")
# The flags of England, Scotland and Wales are the only tag sequences in use (Unicode RGI set).
_FLAG_TAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_REMOVED = re.compile(
    rf"(?P<flag>\U0001f3f4(?:{_FLAG_TAGS}))"
    r"|\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # terminal colours and cursor moves (ECMA-48 CSI)
    r"|\x1b\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\)"  # terminal titles and links (OSC)
    rf"|\x1b|[{_ALWAYS}]+"
)
_CONTEXTUAL_RUN = re.compile(f"[{_CONTEXTUAL}]+")

_EMOJI = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
# Arabic to Thaana and N'Ko, the Indic blocks with Sinhala, Tibetan and Myanmar, Khmer, Mongolian,
# later Indic blocks, Arabic presentation forms: scripts whose letters join.
_JOINING = re.compile(
    "[\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff"
    "\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U000117ff]"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_MONGOLIAN = re.compile("[\u1820-\u18aa]")


def has_invisible(foreign: str) -> bool:
    """May `strip_invisible` change a text whose characters outside ASCII are *foreign*?"""
    return bool(_SUSPECT.search(foreign))


def is_invisible(character: str) -> bool:
    """Is *character* one that a reader cannot see, in whatever context?"""
    return bool(_UNSEEN.match(character))


def strip_invisible(text: str) -> tuple[str, int]:
    """Return *text* without invisible characters, and how many were removed.

    Line breaks of other kinds become "\\n", lone surrogates U+FFFD (neither is counted), and a
    surrogate pair its character: the result always encodes to UTF-8. Idempotent.
    """
    text = _repair_surrogates(text)
    text = _BREAK.sub("\n", text)
    length = len(text)
    text = _REMOVED.sub(lambda match: match["flag"] or "", text)
    text = _CONTEXTUAL_RUN.sub(_keep_in_context, text)
    return text, length - len(text)


def _repair_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _keep_in_context(match: re.Match[str]) -> str:
    """What of a run of contextual characters belongs to the writing around it."""
    text, start, end = match.string, match.start(), match.end()
    before, after = text[start - 1 : start], text[end : end + 1]
    run = match[0]
    if _EMOJI.match(before):
        selector = run[0] if run[0] in "\ufe0e\ufe0f" else ""
        joiner = "\u200d" if "\u200d" in run and _EMOJI.match(after) else ""
        return selector + joiner
    if run[0] == "\ufe0f" and after == "\u20e3":
        return "\ufe0f" if re.match("[0-9#*]", before) else ""
    if run[0] in "\u180b\u180c\u180d\u180f":
        return run[0] if _MONGOLIAN.match(before) else ""
    if run[0] in "\u200c\u200d":
        return run[0] if _JOINING.match(before) else ""
    if run[0] in "\u200e\u200f":
        return run[0] if _RIGHT_TO_LEFT.match(before) or _RIGHT_TO_LEFT.match(after) else ""
    return ""

"""Which families of cues a sentence holds, and how they weigh up: the scorer, without a decision."""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from memoryd.memory.gate.language import CODE, QUOTED, Form, blank_quotations, plain_form
from memoryd.memory.gate.tables import load_families, load_weights

_MAX_CHARS = 600  # a longer "sentence" is a document or data; cues find something in any of them
_SHORT_WORDS = 4
_SHORT_CHARS = 5  # of a script without spaces
_BRIEF_WORDS = 5  # less is hardly a statement that stands alone
_BRIEF_CHARS = 7
_TYPED_WORDS = 6
_VERBS = frozenset({"stative", "obligation", "failure"})
_CURT, _WORDY = 40, 110  # characters
_EAST_WIDTH = 2  # a character of a script without spaces says as much as two others
_SPECIFIC = re.compile(
    r"\d|[\w-]+[/_@.][\w-]+|\b[A-Z]{2,}|\b[a-z]+[A-Z]\w|(?<=[\w,;:] )[A-ZÀ-Þ]\w+|[\u3040-\u9fff\uac00-\ud7af] ?[A-Za-z]{2,}"
)
# What keeps a sentence from being a plain statement.
_NO_STATEMENT = frozenset({"question", "order", "greeting", "thanks", "heading", "short", "brief"})
# What a heading's cues say of the lines below it.
_HEADERS = {"header": "listed", "order_header": "order", "taint": "taint"}
# A name from the code itself, outside of inline code: parseHeader(), getGitDir, server.go:42.
_IDENTIFIER = re.compile(
    r"\w\(\)|\b(?=\w{8,60}\b)[a-z]{2,20}(?:[A-Z][a-z0-9]{1,20}){1,6}\b|\b(?:[A-Z][a-z0-9]{1,20}){3,6}\b"
    r"|\b\w{2,40}\.[a-z]{1,4}:\d|\b[a-z]{2,20}\.[A-Z]\w{2,40}|^[a-z]{2,20}(?:_[a-z0-9]{1,20}){2,6} [a-z]"
)
# A word that nobody would say but as a password: letters with digits or marks inside, or many digits.
_HIDDEN_WORD = re.compile(
    r"(?<![\w./@-])(?=[\w!@#$%^&*+=~-]{0,40}\d)(?=[\w!@#$%^&*+=~-]{0,40}[A-Za-z!@#$%^&*])"
    r"[\w!@#$%^&*+=~-]{5,80}(?![\w/@])|(?<![\w.,:/-])\d{4,12}(?![\w%/]|[.,:-]\d)",
    re.ASCII,
)
_OPEN_QUOTES = ('"', "“", "„", "«", "「", "『")
_CITATION = re.compile(rf"[:：]\s*{QUOTED}[\s.。!！)）*_]*$")
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Weighing:
    """What a sentence's families weigh.

    Attributes:
        score: the log-odds that the sentence is worth remembering.
        evidence: names, strongest first in the order of families.toml.
        doubts: names of those that count, heaviest first.
    """

    score: float
    evidence: tuple[str, ...]
    doubts: tuple[str, ...]


def read_families(sentence: str, home: str) -> frozenset[str]:
    """Name every family of cues found in *sentence*; *home* is the message's Latin-script language.

    What is too long to be a sentence is only named "long". Foreign words among Chinese, Japanese or Korean
    ("deploy 窗口") raise no doubt: there they are names of things.
    """
    if len(sentence) > _MAX_CHARS:
        return frozenset({"long"})
    form = plain_form(sentence, home)
    doubts = load_families().doubt
    found = {
        family
        for language in form.languages
        for family, cues in language.cues.items()
        if family not in _HEADERS and cues.found(form.sentence, form.opened)
        if language is form.languages[0] or family not in doubts
    }
    if "credential" in found and _HIDDEN_WORD.search(sentence):
        found.add("secret")
    found |= _read_shape(sentence, form)
    if not found & _NO_STATEMENT and (_is_well_formed(sentence) or _is_typed(form, found)):
        found.add("statement")
    return frozenset(found)


def without_overruled(found: AbstractSet[str]) -> frozenset[str]:
    """Leave out the doubts that do not count beside the evidence *found*."""
    table = load_families()
    sound = [*table.evidence.values(), *table.part.values()]
    overruled = {name for family in sound if family.name in found for name in family.overrules}
    return frozenset(found) - overruled


def is_confirmed(sentence: str, home: str) -> bool:
    """Does it hold a cue of the family "confirmed"? Much cheaper than reading every family."""
    form = plain_form(sentence[:_MAX_CHARS], home)
    return any(
        language.cues["confirmed"].found(form.sentence, form.opened) for language in form.languages
    )


def read_header(line: str, families: AbstractSet[str], home: str) -> frozenset[str]:
    """What a line that ends in a colon says of the lines below it, in the names of families."""
    if not line.rstrip(" *_").endswith((":", "：")):
        return frozenset()
    form = plain_form(line.rstrip(" *_").replace("：", ":"), home)
    found = {
        family
        for language in form.languages
        for cue, family in _HEADERS.items()
        if cue in language.cues and language.cues[cue].found(form.sentence, form.opened)
    }
    if "listed" in found:
        found -= {"order"}
    return frozenset(found | (families & {"confirmed"}))


def weigh(found: AbstractSet[str]) -> Weighing:
    """Sum up what the families *found* in a sentence weigh, its marks of place among them."""
    families, weights = load_families(), load_weights()
    sound = [*families.evidence, *families.part]
    doubts = {name: weights.alone.get(name, 0.0) for name in found & families.doubt.keys()}
    for name in doubts:
        if found & families.evidence.keys():
            doubts[name] += weights.beside_evidence.get(name, 0.0)
        if "statement" in found:
            doubts[name] += weights.in_statement.get(name, 0.0)
    other = sum(weights.alone.get(name, 0.0) for name in found - doubts.keys())
    counted = sorted((name for name in doubts if doubts[name] < 0), key=lambda name: doubts[name])
    return Weighing(
        weights.bias + other + sum(doubts.values()),
        tuple(name for name in sound if name in found),
        tuple(counted),
    )


def _read_shape(sentence: str, form: Form) -> set[str]:
    shape: set[str] = set()
    if _SPECIFIC.search(sentence) or CODE in form.sentence or QUOTED in form.sentence:
        shape.add("specific")
    if sentence.rstrip("\"'”’」』） )*_").endswith(("?", "？")):
        shape.add("question")
    shape |= _read_quoting(form)
    if _IDENTIFIER.search(blank_quotations(sentence)):
        shape.add("identifier")
    if form.sentence.rstrip(" *_").endswith((":", "：")):
        shape.add("heading")
    if _is_shorter(form.opened, _SHORT_WORDS, _SHORT_CHARS):
        shape.add("short")
    if _is_shorter(form.opened, _BRIEF_WORDS, _BRIEF_CHARS):
        shape.add("brief")
    length = len(sentence) * (_EAST_WIDTH if _EAST.search(sentence) else 1)
    if length < _CURT:
        shape.add("curt")
    if length > _WORDY:
        shape.add("wordy")
    return shape


def _read_quoting(form: Form) -> set[str]:
    """Does it hold quoted words, and are they what it says? A quotation that is closed is a mark by now."""
    if form.sentence.startswith(_OPEN_QUOTES) or _CITATION.search(form.sentence):
        return {"quoting", "quotation"}
    return {"quoting"} if QUOTED in form.sentence else set()


def _is_well_formed(sentence: str) -> bool:
    """Does it end like a sentence? In scripts without spaces people leave the full stop out."""
    end = sentence.rstrip("\"'”’」』»)） *_")
    return bool(_EAST.search(sentence)) or (
        end.endswith((".", "!", "。", "！")) and not end.endswith("..")
    )


def _is_typed(form: Form, found: AbstractSet[str]) -> bool:
    """Does it say something, though it ends without a full stop, as people type?"""
    said = form.opened.rstrip()
    return (
        bool(found & _VERBS)
        and len(said.split()) >= _TYPED_WORDS
        and (said[-1:].isalnum() or said.endswith((")", CODE, QUOTED, "/")))
    )


def _is_shorter(sentence: str, words: int, chars: int) -> bool:
    """Has it fewer words, or in a script without spaces fewer characters (a foreign word counts two)?"""
    east = len(_EAST.findall(sentence))
    counted = len(sentence.split())
    return east + 2 * counted < chars if east else counted < words

"""Which families of cues a sentence holds, and how they weigh up: the scorer, without a decision."""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from memoryd.memory.gate.language import CODE, QUOTED, Form, plain_form
from memoryd.memory.gate.tables import Families, load_families

_MAX_CHARS = 600  # a longer "sentence" is a document or data; cues find something in any of them
_SHORT_WORDS = 4
_SHORT_CHARS = 7  # of a script without spaces
_SPECIFIC = re.compile(
    r"\d|[\w-]+[/_@.][\w-]+|\b[A-Z]{2,}|\b[a-z]+[A-Z]\w|(?<=[\w,;:] )[A-ZÀ-Þ]\w+|[\u3040-\u9fff\uac00-\ud7af] ?[A-Za-z]{2,}"
)
# What a heading's cues say of the lines below it.
_HEADERS = {"header": "listed", "order_header": "order", "taint": "taint"}
# A word that nobody would say but as a password: letters with digits or marks inside, or many digits.
_HIDDEN_WORD = re.compile(
    r"(?<![\w./@-])(?=[\w!@#$%^&*+=~-]{0,40}\d)(?=[\w!@#$%^&*+=~-]{0,40}[A-Za-z!@#$%^&*])"
    r"[\w!@#$%^&*+=~-]{5,80}(?![\w/@])|(?<![\w.,:/-])\d{4,12}(?![\w.,:%/-])",
    re.ASCII,
)
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Weighing:
    """What a sentence's families weigh.

    Attributes:
        score: evidence minus the doubts that count.
        evidence: names, strongest first in the order of families.toml.
        doubts: names of those that count, heaviest first.
    """

    score: float
    evidence: tuple[str, ...]
    doubts: tuple[str, ...]


def read_families(sentence: str, home: str) -> frozenset[str]:
    """Name every family of cues found in *sentence*; *home* is the message's Latin-script language.

    What is too long to be a sentence is only named "long".
    """
    if len(sentence) > _MAX_CHARS:
        return frozenset({"long"})
    form = plain_form(sentence, home)
    found = {
        family
        for language in form.languages
        for family, cues in language.cues.items()
        if family not in _HEADERS and cues.found(form.sentence, form.opened)
    }
    if "credential" in found and _HIDDEN_WORD.search(sentence):
        found.add("secret")
    return frozenset(found | _read_shape(sentence, form))


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


def weigh(found: AbstractSet[str], carried: AbstractSet[str] = frozenset()) -> Weighing:
    """Sum up the families *found* in a sentence; doubts *carried* over from its neighbours count half."""
    families = load_families()
    evidence = tuple(name for name in families.evidence if name in found)
    overruled = {doubt for name in evidence for doubt in families.evidence[name].overrules}
    own = {
        name: families.doubt[name].weight for name in found - overruled if name in families.doubt
    }
    doubts = own | {name: families.doubt[name].weight / 2 for name in carried - own.keys()}
    score = _evidence(families, evidence) - sum(doubts.values())
    return Weighing(score, evidence, tuple(sorted(doubts, key=lambda name: -doubts[name])))


def _evidence(families: Families, names: tuple[str, ...]) -> float:
    return sum(families.evidence[name].weight for name in names)


def _read_shape(sentence: str, form: Form) -> set[str]:
    shape = set()
    if _SPECIFIC.search(sentence) or CODE in form.sentence or QUOTED in form.sentence:
        shape.add("specific")
    if sentence.rstrip("\"'”’」』） )*_").endswith(("?", "？")):
        shape.add("question")
    if form.sentence.rstrip(" *_").endswith((":", "：")):
        shape.add("heading")
    if _is_short(form.opened):
        shape.add("short")
    return shape


def _is_short(sentence: str) -> bool:
    east = len(_EAST.findall(sentence))
    words = len(sentence.split())
    return words < _SHORT_WORDS if not east else east + 2 * words < _SHORT_CHARS

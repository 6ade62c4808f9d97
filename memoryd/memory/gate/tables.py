"""The readable tables of the gate, compiled once: families.toml, weights.toml, languages/<language>.toml.

A cue is a regular expression over a sentence in lower case (see `plain_form`). In a language that puts
spaces between words it must begin and end at a word's edge. "^" ties it to the first word after the
lead-ins; "…" is a gap of up to 40 characters that stays in the sentence. A cue must not repeat a
repetition, or hostile text makes it slow (a test looks).
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

from memoryd.model import EntryKind

LANGUAGES = ("en", "zh", "ja", "ko", "de", "fr", "es")
_UNSPACED = frozenset({"zh", "ja", "ko"})
_MARKS = ",:;"
_GAP = r"[^.!?。！？\n]{0,40}?"


@dataclass(frozen=True, slots=True)
class Family:
    """What a family of cues means.

    Attributes:
        kind, confidence: of an entry it speaks for, and how sure a user's own words are.
        overrules: doubts that do not count beside this evidence.
        bars, unless: does it keep a sentence out, and which families let it pass all the same?
    """

    name: str
    kind: EntryKind | None = None
    confidence: float = 0.7
    overrules: frozenset[str] = frozenset()
    bars: bool = False
    unless: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Families:
    """families.toml: the families by name and role, evidence in order of strength."""

    evidence: Mapping[str, Family]
    part: Mapping[str, Family]
    doubt: Mapping[str, Family]
    mark: Mapping[str, Family]


@dataclass(frozen=True, slots=True)
class Weights:
    """weights.toml: what a family adds to the log-odds that a sentence is worth remembering.

    Attributes:
        evident, doubted, bare: the log-odds from which it becomes an entry: with evidence and no doubt,
            with both, without evidence. Of mere statements most are about the work at hand.
        review, bare_review: from which it waits for a person, with evidence and without. A list of statements
            that are nearly all about the work at hand is one that nobody reads.
        bias: the log-odds of a sentence without any family.
        alone: by family; beside_evidence, in_statement: what a doubt adds there.
    """

    evident: float
    doubted: float
    bare: float
    review: float
    bare_review: float
    bias: float
    alone: Mapping[str, float]
    beside_evidence: Mapping[str, float]
    in_statement: Mapping[str, float]

    def needed(self, families: AbstractSet[str]) -> float:
        """The log-odds that a sentence of these families needs to become an entry."""
        if "remember" in families:  # asked for: a doubt may lower the weight, not raise the bar
            return self.evident
        if "evidence" not in families:
            return self.bare
        return self.doubted if "doubt" in families else self.evident

    def waits(self, families: AbstractSet[str]) -> float:
        """The log-odds from which a sentence of these families is not thrown away."""
        return self.review if "evidence" in families else self.bare_review


@dataclass(frozen=True, slots=True)
class Cues:
    """The cues of one family in one language."""

    opening: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None

    def found(self, sentence: str, opened: str) -> bool:
        """Is one of them in *sentence*, or at the head of *opened* (the same after its lead-ins)?"""
        if self.anywhere and self.anywhere.search(sentence):
            return True
        return bool(self.opening and (self.opening.match(opened) or self.opening.match(sentence)))


@dataclass(frozen=True, slots=True)
class Language:
    """One language's table: its cues by family, and what it is recognised by."""

    name: str
    cues: Mapping[str, Cues]
    lead: re.Pattern[str]
    words: frozenset[str]


@cache
def load_families() -> Families:
    """Read families.toml."""
    data = _read("families.toml")
    return Families(*(_families(data[role]) for role in ("evidence", "part", "doubt", "mark")))


@cache
def load_weights() -> Weights:
    """Read weights.toml."""
    return Weights(**_read("weights.toml"))


@cache
def load_language(name: str) -> Language:
    """Read and compile one language's table; *name* is one of LANGUAGES."""
    data = _read(f"languages/{name}.toml")
    spaced = name not in _UNSPACED
    lead, words = data.pop("lead"), data.pop("words", "")
    return Language(
        name,
        {family: _compile(cues, spaced=spaced) for family, cues in data.items()},
        re.compile(
            rf"(?:{'|'.join(lead)})" + (r"(?!\w)" if spaced else "") + r"[\s,.:;!，。、！：~～–—-]*"
        ),
        frozenset(words.split()),
    )


def _read(path: str) -> dict[str, Any]:
    text = resources.files(__package__).joinpath(path).read_text(encoding="utf-8")
    return tomllib.loads(text)


def _families(data: Mapping[str, Mapping[str, Any]]) -> dict[str, Family]:
    return {
        name: Family(
            name,
            cast("EntryKind | None", row.get("kind")),
            float(row.get("confidence", 0.7)),
            frozenset(row.get("overrules", ())),
            bool(row.get("bars")),
            frozenset(row.get("unless", ())),
        )
        for name, row in data.items()
    }


def _compile(cues: Sequence[str], *, spaced: bool) -> Cues:
    cues = [cue.replace("…", _GAP) for cue in cues]
    opening = [cue.removeprefix("^") for cue in cues if cue.startswith("^")]
    anywhere = [cue for cue in cues if not cue.startswith("^")]
    return Cues(_joined(opening, spaced=spaced), _joined(anywhere, spaced=spaced))


def _joined(cues: Sequence[str], *, spaced: bool) -> re.Pattern[str] | None:
    if not cues:
        return None
    if not spaced:
        return re.compile("|".join(f"(?:{cue})" for cue in cues))
    # A cue begins at a word's edge, but for one that begins with a mark (", not …"), which follows a word.
    words = "|".join(f"(?:{cue})" for cue in cues if cue[0] not in _MARKS)
    marks = [f"(?:{cue})" for cue in cues if cue[0] in _MARKS]
    body = "|".join([rf"(?<!\w)(?:{words})", *marks] if words else marks)
    return re.compile(rf"(?:{body})(?:(?<!\w)|(?!\w))")

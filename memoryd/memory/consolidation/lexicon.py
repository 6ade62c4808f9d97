"""The language tables, compiled once: phrase -> what it means to the reader.

The tables live in languages/*.toml and are the only place where words stand; code never names a word.
A phrase of a spaced language is a tuple of words, of an unspaced one a string of characters.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from memoryd.memory.consolidation.conjugation import japanese_forms, korean_forms
from memoryd.memory.consolidation.phrases import clean_phrase, longest_by_start
from memoryd.memory.text import unaccent

Language = Literal["en", "zh", "ja", "ko", "de", "fr", "es"]
Role = Literal[
    "concept", "action", "drop", "frame", "person", "negate", "ignore", "modal", "quantify", "compare",
    "condition", "marker", "join", "boundary", "change", "past", "future", "done", "pending", "doubt", "also",
    "number", "ordinal", "month", "weekday", "unit", "clock", "quantity", "quality",
]  # fmt: skip

FINISHED = "finished"  # the key of a complement
UNSPACED: frozenset[str] = frozenset({"zh", "ja", "ko"})
_TENSES: dict[str, Role] = {
    "past_state": "past",
    "future": "future",
    "done": "done",
    "pending": "pending",
}
_GROUPS: dict[str, Role] = {
    "units": "unit",
    "person": "person",
    "modality": "modal",
    "quantity": "quantify",
    "compare": "compare",
    "condition": "condition",
    "markers": "marker",
    "markers_after": "marker",
    "join": "join",
    "concepts": "concept",
    "qualities": "quality",
    "actions": "action",
}
_LISTS: dict[str, Role] = {
    "drop": "drop",
    "frames": "frame",
    "boundary": "boundary",
    "change": "change",
    "doubt": "doubt",
    "also": "also",
    **_TENSES,
}
_VALUES: dict[str, Role] = {
    "numbers": "number",
    "ordinals": "ordinal",
    "months": "month",
    "weekdays": "weekday",
    "clock": "clock",
}
# A word that stands in several tables takes the meaning of the first of these that has it; cues for change,
# tense and doubt are read beside the main meaning, never instead of it.
_ASIDE: frozenset[Role] = frozenset(
    {"change", "past", "future", "done", "pending", "doubt", "also", "boundary"}
)


@dataclass(frozen=True, slots=True)
class Sense:
    """What one phrase means: a main role with a key, and cues read beside it."""

    role: Role
    key: str
    aside: frozenset[Role] = frozenset()
    parts: tuple[tuple[Role, str], ...] = ()  # compounds: several meanings in one word


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One language.

    Attributes:
        phrases: phrase -> sense; words joined by one space, or characters without space.
        cues: phrases read beside the words they are made of ("moved to").
        longest: the number of words (characters if unspaced) of the longest phrase by its first one.
        bases: irregular form -> base form.
        past: forms that put a clause into the past.
        requests: frames that make a question a request.
        attributes: "single", "multi", "owner" -> phrases that decide about updates.
        ordered: words that make the order of a list part of the fact.
        opposites: pairs of keys or words, both ways.
        fragile: single characters that are function words only at the seam of two words.
        name_prefixes: characters that make a name with the one after them.
        measures: counters that may stand behind a numeral.
        classifiers: those of them that say nothing (台, not 页).
        perfective: words that say that something is done as well as those of [done] do.
        postpositions: words behind a place (里).
        hence: words between what happens and what is then done (就).
        heads: keys of nouns that add nothing to the word before them (搜索功能).
        helping: keys of verbs that add nothing to the verb behind them (负责办理).
        lacking, forbidding: two negations that say what is needed (没有 ... 不能 ...).
        extents: keys of words that a quantity beside them implies (12 characters long).
        rivals: words between what is wanted and what is not (prefer A over B).
        wishing: words that make a polite frame a wish, whose past forms are none.
        frequency: words for always; "not always" is no never.
        deeds: nouns that may also be the verb of their clause (登记).
        nobody: negations that with a second one say that all do (没有一个 ... 不 ...).
        within: words that behind a span of time (seconds, or a key of spans) say that it is not to be passed.
        sequels: words between what is done first and what is done then (再).
        linking: words between two negations that make a must of them (without X, then not Y).
        labels: keys of nouns that may be missing beside a name ("the file X" = X).
        light: keys of verbs that may be missing ("run the tests" = "the tests").
        copulas: phrases that divide subject and value.
        light_verbs: verb that is no unit ("give", "keep") -> its senses; two such verbs must share one.
        unaccented: a word of a table without its accents (also ae, oe, ue) -> as it is written.
        plain_words: every single word of the tables, for telling names from words.
        common: ordinary words that no table says anything about; they only help to cut unspaced text.
    """

    language: Language
    phrases: Mapping[str, Sense]
    cues: Mapping[str, frozenset[Role]]
    longest: Mapping[str, int]
    bases: Mapping[str, str]
    past: frozenset[str]
    requests: tuple[str, ...]
    attributes: Mapping[str, frozenset[str]]
    ordered: frozenset[str]
    opposites: frozenset[tuple[str, str]]
    fragile: frozenset[str] = frozenset()
    name_prefixes: frozenset[str] = frozenset()
    measures: frozenset[str] = frozenset()
    classifiers: frozenset[str] = frozenset()
    copulas: frozenset[str] = frozenset()
    light: frozenset[str] = frozenset()
    light_verbs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    labels: frozenset[str] = frozenset()
    perfective: frozenset[str] = frozenset()
    postpositions: frozenset[str] = frozenset()
    hence: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    helping: frozenset[str] = frozenset()
    lacking: frozenset[str] = frozenset()
    forbidding: frozenset[str] = frozenset()
    extents: frozenset[str] = frozenset()
    rivals: frozenset[str] = frozenset()
    wishing: frozenset[str] = frozenset()
    frequency: frozenset[str] = frozenset()
    deeds: frozenset[str] = frozenset()
    nobody: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    spans: frozenset[str] = frozenset()
    sequels: frozenset[str] = frozenset()
    linking: frozenset[str] = frozenset()
    markers_after: bool = False
    unaccented: Mapping[str, str] = field(default_factory=dict)
    plain_words: frozenset[str] = field(default_factory=frozenset)
    common: frozenset[str] = frozenset()


@cache
def lexicon(language: Language) -> Lexicon:
    """Load the tables of one language."""
    return _compile(language, _table(language), _table(f"{language}_words"))


@cache
def simplified() -> Mapping[int, int]:
    """Traditional Chinese characters -> the simplified ones they are read as, for `str.translate`."""
    pairs = _table("zh_traditional")["pairs"]
    return {ord(a): ord(b) for row, plain in pairs for a, b in zip(row, plain, strict=True)}


def _table(name: str) -> Mapping[str, Any]:
    file = files(__package__).joinpath("languages", f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _compile(language: Language, tables: Mapping[str, Any], words: Mapping[str, str]) -> Lexicon:
    spaced = language not in UNSPACED
    main, aside = _meanings(tables, spaced)
    bases = tables.get("irregular", {})
    cues = {phrase: roles for phrase, roles in aside.items() if _is_said_aside(phrase, main, bases)}
    phrases = _phrases(tables, main, {p: roles for p, roles in aside.items() if p not in cues})
    common = _common_words(words, phrases)
    phrases |= common
    return Lexicon(
        language=language,
        phrases=phrases,
        cues=cues,
        longest=longest_by_start((*phrases, *cues), spaced),
        bases=bases,
        past=frozenset(tables.get("past", {}).get("words", ())),
        requests=tuple(tables.get("requests", {}).get("phrases", ())),
        attributes={key: frozenset(words) for key, words in tables.get("attributes", {}).items()},
        ordered=frozenset(tables.get("ordered", {}).get("words", ())),
        opposites=_pairs(tables.get("opposites", {}).get("pairs", ())),
        fragile=_words(tables, "fragile"),
        name_prefixes=frozenset(tables.get("names", {}).get("prefixes", ())),
        measures=_words(tables, "measures"),
        classifiers=_words(tables, "classifiers"),
        copulas=_words(tables, "copulas"),
        light=_words(tables, "light"),
        light_verbs=_light_verbs(tables),
        labels=_words(tables, "labels"),
        perfective=_words(tables, "perfective"),
        postpositions=_words(tables, "postpositions"),
        hence=_words(tables, "hence"),
        heads=_words(tables, "heads"),
        helping=_words(tables, "helping"),
        lacking=_words(tables, "lacking"),
        forbidding=_words(tables, "forbidding"),
        extents=_words(tables, "extents"),
        rivals=_words(tables, "rivals"),
        wishing=_words(tables, "wishing"),
        frequency=_words(tables, "frequency"),
        deeds=_words(tables, "deeds"),
        nobody=_words(tables, "nobody"),
        within=_words(tables, "within"),
        spans=_words(tables, "spans"),
        sequels=_words(tables, "sequels"),
        linking=_words(tables, "linking"),
        markers_after="markers_after" in tables,
        unaccented=_unaccented(phrases) if spaced else {},
        plain_words=frozenset(word for phrase in phrases for word in phrase.split()),
        common=frozenset(common),
    )


def _common_words(words: Mapping[str, str], phrases: Mapping[str, Sense]) -> dict[str, Sense]:
    """Give the words that no other table knows; each stands for itself."""
    return {
        word: Sense(role, word)
        for section, role in _SYNONYMS.items()
        for word in words.get(section, "").split()
        if word not in phrases
    }


def _meanings(
    tables: Mapping[str, Any], spaced: bool
) -> tuple[dict[str, Sense], dict[str, frozenset[Role]]]:
    """Collect the main sense of every phrase, and the cues read beside it."""
    main: dict[str, Sense] = {}
    aside: dict[str, frozenset[Role]] = {}
    for raw, role, key in _rows(tables):
        if not (phrase := clean_phrase(raw, spaced)):
            continue
        if role in _ASIDE:
            aside[phrase] = aside.get(phrase, frozenset()) | {role}
        else:
            main.setdefault(phrase, Sense(role, key))
    _add_synonyms(tables, main, spaced)
    for section, role in (("verbs", "action"), ("nouns", "concept")):
        for word in _words(tables, section):
            main.setdefault(word, Sense(role, word))
    main |= {p: s for p, s in _finished(tables, main).items() if p not in main}
    for phrase, meaning in tables.get("compounds", {}).items():
        parts = _parts(meaning, main, tables)
        main[clean_phrase(phrase, spaced)] = Sense(parts[0][0], parts[0][1], parts=parts)
    return main, aside


def _finished(tables: Mapping[str, Any], main: Mapping[str, Sense]) -> dict[str, Sense]:
    """Verbs with a complement behind them (写完): the verb, and that it comes to its end."""
    verbs = {p: sense for p, sense in main.items() if sense.role == "action" and not sense.parts}
    return {
        verb + end: Sense("action", sense.key, parts=(("action", sense.key), ("action", FINISHED)))
        for verb, sense in verbs.items()
        for end in _words(tables, "complements")
    }


def _phrases(
    tables: Mapping[str, Any], main: Mapping[str, Sense], aside: Mapping[str, frozenset[Role]]
) -> dict[str, Sense]:
    """Join senses and cues; what is only a cue drops out, words without synonyms stand for themselves."""
    phrases = {p: Sense(s.role, s.key, aside.get(p, frozenset()), s.parts) for p, s in main.items()}
    for phrase, roles in aside.items():
        known = (main.get(form) for form in _stripped(phrase, tables.get("irregular", {})))
        content = next((s for s in known if s and s.role in (*_SYNONYMS.values(), "negate")), None)
        sense = content or Sense("drop", "")
        phrases.setdefault(phrase, Sense(sense.role, sense.key, roles))
    return phrases


def _stripped(word: str, bases: Mapping[str, str]) -> Iterator[str]:
    """Give what an English verb form may be a form of; no word of another language is cut."""
    first, gap, rest = word.partition(" ")
    yield bases.get(first, first) + gap + rest
    for tail in ("d", "ed", "s", "led"):
        if word.endswith(tail):
            yield word.removesuffix(tail)
    if word.endswith("pped"):
        yield word[:-3]


def _words(tables: Mapping[str, Any], section: str) -> frozenset[str]:
    return frozenset(tables.get(section, {}).get("words", ()))


def _light_verbs(tables: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    senses: dict[str, set[str]] = {}
    for sense, verbs in tables.get("light_verbs", {}).items():
        for verb in verbs:
            senses.setdefault(verb, set()).add(sense)
    return {verb: frozenset(found) for verb, found in senses.items()}


def _unaccented(phrases: Mapping[str, Sense]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in sorted({word for phrase in phrases for word in phrase.split()}):
        umlauts = word.translate(_UMLAUTS)
        for plain in (unaccent(word), unaccent(umlauts)):
            if plain != word:
                found.setdefault(plain, word)
    return found


def _rows(tables: Mapping[str, Any]) -> Iterator[tuple[str, Role, str]]:
    """Yield (phrase, role, key), the roles that must win first."""
    for kind in ("ignore", "verbal", "contrast", "inherent", "post"):
        for phrase in tables.get("negation", {}).get(kind, ()):
            yield phrase, "ignore" if kind == "ignore" else "negate", kind
    for section, role in _VALUES.items():
        for phrase, value in tables.get(section, {}).items():
            yield phrase, role, str(value)
    for section, role in _GROUPS.items():
        for key, phrases in tables.get(section, {}).items():
            forms = (form for phrase in phrases for form in _inflected(phrase, role, tables))
            yield from ((form, role, key.rstrip("_")) for form in forms)
    for section, role in _LISTS.items():
        table = tables.get(section, {})
        for phrase in (*table.get("words", ()), *table.get("phrases", ())):
            yield phrase, role, section


def _inflected(word: str, role: Role, tables: Mapping[str, Any]) -> Iterable[str]:
    forms = _CONJUGATIONS.get(tables.get("language", "")) if role == "action" else None
    return forms(word) if forms else (word,)


_CONJUGATIONS = {"ja": japanese_forms, "ko": korean_forms}
_UMLAUTS = str.maketrans({ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss"})
_SYNONYMS: dict[str, Role] = {"verbs": "action", "nouns": "concept", "adjectives": "quality"}


def _add_synonyms(tables: Mapping[str, Any], main: dict[str, Sense], spaced: bool) -> None:
    """Add the lines of [synonyms]: words of one meaning, comma-separated; a known one lends its key to the others."""
    content = frozenset(_SYNONYMS.values())
    for section, role in _SYNONYMS.items():
        for line in tables.get("synonyms", {}).get(section, ()):
            words = [clean_phrase(word.strip(), spaced) for word in line.split(",")]
            words = [form for word in words for form in _inflected(word, role, tables)]
            known = (main[word] for word in words if word in main and main[word].role in content)
            sense = next(known, Sense(role, words[0]))
            for word in words:
                main.setdefault(word, sense)


_RESERVED: dict[str, tuple[Role, str]] = {
    "by": ("marker", "by"),
    "toward": ("marker", "toward"),
    "for": ("marker", "for"),
    "not": ("negate", "verbal"),
    "must": ("modal", "must"),
    "may": ("modal", "may"),
    "should": ("modal", "should"),
    "every": ("quantify", "all"),
    "at_most": ("compare", "at_most"),
    "1st": ("quantify", "first"),
    "2nd": ("quantity", "ordinal:2"),
    "3rd": ("quantity", "ordinal:3"),
    "4th": ("quantity", "ordinal:4"),
    "hour": ("concept", "unit:h"),
    "day": ("concept", "unit:d"),
    "week": ("concept", "unit:wk"),
    "month": ("concept", "unit:mo"),
    "year": ("concept", "unit:yr"),
}


def _parts(
    meaning: str, main: Mapping[str, Sense], tables: Mapping[str, Any]
) -> tuple[tuple[Role, str], ...]:
    if meaning.startswith("every "):
        return (("quantity", meaning.replace(" ", ":")),)
    return tuple(_part(word, main, tables) for word in meaning.split())


def _part(word: str, main: Mapping[str, Sense], tables: Mapping[str, Any]) -> tuple[Role, str]:
    if word in _RESERVED:
        return _RESERVED[word]
    return ("action" if word in tables.get("actions", {}) else "concept"), word


def _is_said_aside(phrase: str, main: Mapping[str, Sense], bases: Mapping[str, str]) -> bool:
    """moved to, raised to: the cue holds content, which must still be read word by word."""
    words = phrase.split()
    known = (
        main.get(form)
        for word in words
        for form in (word, word[:-1], word[:-2], bases.get(word, word))
    )
    return len(words) > 1 and any(
        sense is not None and sense.role in ("action", "concept") for sense in known
    )


def _pairs(pairs: list[list[str]]) -> frozenset[tuple[str, str]]:
    return frozenset((a, b) for a, b in pairs) | frozenset((b, a) for a, b in pairs)

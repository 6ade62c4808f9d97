"""The language tables, compiled once: phrase -> what it means to the reader.

The tables live in languages/*.toml and are the only place where words stand; code never names a word.
A phrase of a spaced language is a tuple of words, of an unspaced one a string of characters.
"""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from memoryd.memory.consolidation.meanings import (
    FINISHED,
    SYNONYMS,
    Language,
    Role,
    Sense,
    is_said_aside,
    joined_senses,
    meanings,
    words_of,
)
from memoryd.memory.consolidation.phrases import longest_by_pair, longest_by_start
from memoryd.memory.consolidation.sayings import Sayings
from memoryd.memory.consolidation.verb_forms import bases_of_forms, past_forms
from memoryd.memory.text import unaccent

__all__ = ["FINISHED", "UNSPACED", "Language", "Lexicon", "Role", "Sense", "lexicon", "simplified"]

_LISTED = (
    "fragile",
    "measures",
    "classifiers",
    "copulas",
    "light",
    "labels",
    "perfective",
    "postpositions",
    "hence",
    "heads",
    "helping",
    "lacking",
    "forbidding",
    "extents",
    "rivals",
    "wishing",
    "frequency",
    "deeds",
    "nobody",
    "pointing",
    "people",
    "admitting",
    "insisting",
    "within",
    "spans",
    "events",
    "single",
    "endings",
    "sequels",
    "linking",
    "agreeing",
    "keeping",
    "existing",
    "directing",
    "causing",
    "separable",
    "doers",
    "objects",
    "passives",
    "perfects",
    "hours",
    "prepositions",
    "auxiliaries",
    "speaking",
    "surnames",
    "titles",
    "given",
)
UNSPACED: frozenset[str] = frozenset({"zh", "ja", "ko"})
_UMLAUTS = str.maketrans({ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss"})


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One language.

    Attributes:
        phrases: phrase -> sense; words joined by one space, or characters without space.
        cues: phrases read beside the words they are made of ("moved to").
        longest: the number of words (characters if unspaced) of the longest phrase by its first one.
        longest_by_pair: the same by its first two words, of a spaced language.
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
        admitting: negations that before a ban allow (不是不可以).
        insisting: words that with a ban at the end of their clause make a must (非得 ... 不可).
        people: last characters of words for who can act (经理, 客户).
        pointing: words that open a clause which only says what the clause before is about (这是).
        nobody: negations that with a second one say that all do (没有一个 ... 不 ...).
        within: words that behind a span of time (seconds, or a key of spans) say that it is not to be passed.
        endings: forms of the Korean verbs that make a verb of the noun before them (하지).
        single: characters that reverse or undo the verb they stand with (停用 is not 用).
        sequels: words between what is done first and what is done then (再).
        linking: words between two negations that make a must of them (without X, then not Y).
        agreeing: negations that deny nothing more where one stands before them (no ... nunca).
        keeping: keys of verbs that say nothing where two denials cancel out (leave no X without Y).
        existing: keys of verbs that only say that it is, is there or is valid (costs, is based), where the other text has no verb.
        directing: words that make an order of a statement (is to).
        causing: words that open a clause which gives the reason.
        separable: particles that end the clause of their verb (schaltet ... ab).
        prepositions: words for before and after that a noun follows, not a clause.
        auxiliaries: words with which, behind such a noun, the sentence goes on (se, on, wird).
        hours: words that begin a time of day (halb zehn).
        passives, perfects: auxiliaries that with a participle say that it is done to one, or was done.
        doers, objects: articles of who does something, and of what it is done to (der, den).
        speaking: words for the user who speaks; "the user" is who others speak of, as "she" is.
        surnames: characters that make a name with the unknown ones after them.
        titles: characters that make one with the surname before them (陈总).
        given: characters of given names, two of which may stand behind a surname.
        sayings: whole sentences around a fact (the user said once more that).
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
    longest_by_pair: Mapping[str, int]
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
    pointing: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    admitting: frozenset[str] = frozenset()
    insisting: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    spans: frozenset[str] = frozenset()
    single: frozenset[str] = frozenset()
    endings: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()
    sequels: frozenset[str] = frozenset()
    linking: frozenset[str] = frozenset()
    existing: frozenset[str] = frozenset()
    agreeing: frozenset[str] = frozenset()
    keeping: frozenset[str] = frozenset()
    directing: frozenset[str] = frozenset()
    causing: frozenset[str] = frozenset()
    separable: frozenset[str] = frozenset()
    doers: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    passives: frozenset[str] = frozenset()
    perfects: frozenset[str] = frozenset()
    hours: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    auxiliaries: frozenset[str] = frozenset()
    speaking: frozenset[str] = frozenset()
    surnames: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    sayings: Sayings | None = None
    markers_after: bool = False
    unaccented: Mapping[str, str] = field(default_factory=dict)
    plain_words: frozenset[str] = field(default_factory=frozenset)
    common: frozenset[str] = frozenset()


@cache
def lexicon(language: Language) -> Lexicon:
    """Load the tables of one language."""
    words = dict(_table(f"{language}_words"))
    tables = _table(language)
    denials = tuple(tables.get("negation", {}).get("verbal", ()))
    for section, swapped in _swapped_words(language, denials).items():
        words[section] = words.get(section, "") + swapped
    return _compile(language, tables, words)


@cache
def simplified() -> Mapping[int, int]:
    """Traditional Chinese characters -> the simplified ones they are read as, for `str.translate`."""
    pairs = _table("zh_traditional")["pairs"]
    return {ord(a): ord(b) for row, plain in pairs for a, b in zip(row, plain, strict=True)}


def _swapped_words(language: Language, denials: tuple[str, ...]) -> dict[str, str]:
    """Give the words that stand in the table of swaps of an unspaced language, by their section; none that denies."""
    file = files(__package__).joinpath("languages", f"{language}_swaps.txt")
    found: dict[str, str] = {}
    section = ""
    for line in (
        file.read_text("utf-8").splitlines() if language in UNSPACED and file.is_file() else ()
    ):
        if line.startswith("="):
            section = line.removeprefix("=").strip()
        elif not line.startswith("#"):
            long = (word for word in line.split() if len(word) > 1 and not word.startswith(denials))
            found[section] = " ".join((found.get(section, ""), *long, ""))
    return found


def _table(name: str) -> Mapping[str, Any]:
    file = files(__package__).joinpath("languages", f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _compile(language: Language, tables: Mapping[str, Any], words: Mapping[str, str]) -> Lexicon:
    spaced = language not in UNSPACED
    main, aside = meanings(tables, spaced)
    bases = tables.get("irregular", {})
    cues = {phrase: roles for phrase, roles in aside.items() if is_said_aside(phrase, main, bases)}
    phrases = joined_senses(tables, main, {p: roles for p, roles in aside.items() if p not in cues})
    common = _common_words(words, {*phrases, *words_of(tables, "apart")})
    phrases |= common
    light = _light_verbs(tables)
    verbs = (p for p in phrases if p in light or phrases[p].role == "action")
    formed = bases_of_forms(language, verbs, phrases)
    bases = formed | dict(bases)
    return Lexicon(
        language=language,
        phrases=phrases,
        cues=cues,
        longest=longest_by_start((*phrases, *cues), spaced),
        longest_by_pair=longest_by_pair((*phrases, *cues)) if spaced else {},
        bases=bases,
        past=frozenset(tables.get("past", {}).get("words", ())) | past_forms(language, formed),
        requests=tuple(tables.get("requests", {}).get("phrases", ())),
        attributes={key: frozenset(words) for key, words in tables.get("attributes", {}).items()},
        ordered=frozenset(tables.get("ordered", {}).get("words", ())),
        opposites=_pairs(tables.get("opposites", {}).get("pairs", ())),
        name_prefixes=frozenset(tables.get("names", {}).get("prefixes", ())),
        light_verbs=light,
        **_word_lists(tables),
        sayings=_sayings(tables.get("sayings")),
        markers_after="markers_after" in tables,
        unaccented=_unaccented(phrases) if spaced else {},
        plain_words=frozenset(word for phrase in phrases for word in phrase.split()),
        common=frozenset(common),
    )


def _word_lists(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Give the sections that are mere lists of words, by the name of their attribute."""
    return {name: words_of(tables, name) for name in _LISTED}


def _sayings(table: Mapping[str, Any] | None) -> Sayings | None:
    return Sayings(table["slots"], table["templates"]) if table else None


def _common_words(words: Mapping[str, str], phrases: Collection[str]) -> dict[str, Sense]:
    """Give the words that no other table knows; each stands for itself."""
    return {
        word: Sense(role, word)
        for section, role in SYNONYMS.items()
        for word in words.get(section, "").casefold().split()
        if word not in phrases
    }


def _light_verbs(tables: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    senses: dict[str, set[str]] = {}
    for sense, verbs in tables.get("light_verbs", {}).items():
        for verb in verbs:
            senses.setdefault(verb, set()).add(sense)
    return {verb: frozenset(found) for verb, found in senses.items()}


def _unaccented(phrases: Mapping[str, Sense]) -> dict[str, str]:
    found: dict[str, str] = {}
    words = {word for phrase in phrases for word in phrase.split()}
    for word in sorted(word for word in words if not word.isascii()):
        umlauts = word.translate(_UMLAUTS)
        for plain in (unaccent(word), unaccent(umlauts)):
            if plain != word:
                found.setdefault(plain, word)
    return found


def _pairs(pairs: list[list[str]]) -> frozenset[tuple[str, str]]:
    return frozenset((a, b) for a, b in pairs) | frozenset((b, a) for a, b in pairs)

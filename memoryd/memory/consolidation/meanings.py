"""What the rows of a language table say: phrase -> its meaning, and the cues read beside it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from memoryd.memory.consolidation.conjugation import japanese_forms, korean_forms
from memoryd.memory.consolidation.phrases import clean_phrase

Language = Literal["en", "zh", "ja", "ko", "de", "fr", "es"]
Role = Literal[
    "concept", "action", "drop", "frame", "person", "negate", "ignore", "modal", "quantify", "compare",
    "condition", "marker", "join", "boundary", "change", "past", "future", "done", "pending", "doubt", "also",
    "number", "ordinal", "month", "weekday", "unit", "clock", "quantity", "quality",
]  # fmt: skip

FINISHED = "finished"  # the key of a complement
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


class Sense(NamedTuple):
    """What one phrase means: a main role with a key, and cues read beside it."""

    role: Role
    key: str
    aside: frozenset[Role] = frozenset()
    parts: tuple[tuple[Role, str], ...] = ()  # compounds: several meanings in one word


def meanings(
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
        for word in words_of(tables, section):
            main.setdefault(word, Sense(role, word))
    main |= {p: s for p, s in _finished(tables, main).items() if p not in main}
    for word in (w for pair in tables.get("opposites", {}).get("pairs", ()) for w in pair):
        if not spaced and len(word) > 1:
            main.setdefault(word, Sense("concept", word))
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
        for end in words_of(tables, "complements")
    }


def joined_senses(
    tables: Mapping[str, Any], main: Mapping[str, Sense], aside: Mapping[str, frozenset[Role]]
) -> dict[str, Sense]:
    """Join senses and cues; what is only a cue drops out, words without synonyms stand for themselves."""
    phrases = {p: s._replace(aside=aside[p]) if p in aside else s for p, s in main.items()}
    for phrase, roles in aside.items():
        known = (main.get(form) for form in _stripped(phrase, tables.get("irregular", {})))
        content = next((s for s in known if s and s.role in (*SYNONYMS.values(), "negate")), None)
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


def words_of(tables: Mapping[str, Any], section: str) -> frozenset[str]:
    return frozenset(tables.get(section, {}).get("words", ()))


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
SYNONYMS: dict[str, Role] = {"verbs": "action", "nouns": "concept", "adjectives": "quality"}


def _add_synonyms(tables: Mapping[str, Any], main: dict[str, Sense], spaced: bool) -> None:
    """Add the lines of [synonyms]: words of one meaning, comma-separated; a known one lends its key to the others."""
    content = frozenset(SYNONYMS.values())
    for section, role in SYNONYMS.items():
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
    "not": ("negate", "inherent"),
    "must": ("modal", "must"),
    "may": ("modal", "may"),
    "should": ("modal", "should"),
    "every": ("quantify", "all"),
    "each": ("quantify", "all"),
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


def is_said_aside(phrase: str, main: Mapping[str, Sense], bases: Mapping[str, str]) -> bool:
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

"""Which languages a sentence is written in, and the plain form in which its cues are looked for."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from memoryd.memory.gate.tables import Language, load_language
from memoryd.memory.sentences import find_quotations, list_mark

QUOTED = "▮"  # stands for quoted words, whose content is no cue
CODE = "▯"  # stands for inline code
_KANA = re.compile(r"[\u3041-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[a-zà-öø-ÿœß']{1,40}")
_MARKED_LETTER = re.compile(r"[ß-öø-ÿœ¿¡]")
_SPACED = ("en", "de", "fr", "es")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?![\s*_])([^*_\n]{1,80})(?<!\s)\1(?![\w*])")
# "been doing C for years", "hate tabs", "allergic to nuts": who speaks is left out.
_ELIDED = (
    (
        re.compile(r"^been (?=(?:doing|using|working|writing|coding|burned|living|in)\b)"),
        "i've been ",
    ),
    (
        re.compile(
            r"^(?=(?:hate|love|prefer|dislike|can't stand|don't (?:eat|drink|read|like|work|do|use any))\b)"
        ),
        "i ",
    ),
    (
        re.compile(
            r"^(?=(?:allergic to|vegetarian|vegan|left-handed|colou?r-?blind|new to|not an? \w+ person|based in|responsible for)\b)"
        ),
        "i'm ",
    ),
    (
        re.compile(r"^(?=(?:learned|learnt|promised|moved to|joined|switched to|left the|quit) )"),
        "i ",
    ),
)
_NOUN_IS = re.compile(
    r"\b(?!(?:it|that|he|she|there|what|who|here|let|where|how|this|one)')(\w{2,40})'s(?= (?:on|in|at|out|off|gone|called|dead|based|built|written|hosted|now|not|only|down|back|still|the|an?)\b)"
)
_APOSTROPHES = str.maketrans("’‘`´", "''''")
_LEAD_INS = 5
# People type "dont" and "id rather"; only forms that are no words of another language in the tables.
_BARE_CONTRACTION = re.compile(
    r"\b(?:(do|does|did|is|are|was|were|wo|ca|have|has|would|should|could)nt"
    r"|(i|you|we|they)(ve)|(i|they)(m|re)|(i)(d)(?= (?:rather|prefer|like|love|say))"
    r"|(that|there|what|it|he|she)(s)(?= (?:a|an|the|how|what|why|not|no|all|my|our)\b))\b"
)


@dataclass(frozen=True, slots=True)
class Form:
    """A sentence as the cues see it: lower case, quotations blanked, without list mark.

    Attributes:
        opened: the same without its lead-ins ("ok, also …").
    """

    sentence: str
    opened: str
    languages: tuple[Language, ...]


def plain_form(text: str, home: str) -> Form:
    """Prepare one sentence; *home* is the Latin-script language of the whole message."""
    plain = blank_quotations(text[list_mark(text, 0, len(text)) :])
    plain = " ".join(_EMPHASIS.sub(r"\2", plain).lower().translate(_APOSTROPHES).split())
    names = languages_of(plain, home)
    if "en" in names:
        plain = _NOUN_IS.sub(r"\1 is", _BARE_CONTRACTION.sub(_with_apostrophe, plain))
    languages = tuple(load_language(name) for name in names)
    opened = _without_lead_ins(plain, languages)
    if "en" in names:
        opened = _with_subject(opened)
        plain = _with_subject(plain)
    return Form(plain, opened, languages)


def _with_subject(sentence: str) -> str:
    for pattern, subject in _ELIDED:
        sentence = pattern.sub(subject, sentence, count=1)
    return sentence


def _with_apostrophe(found: re.Match[str]) -> str:
    if found[1]:
        return f"{found[1]}n't"
    return "'".join(part for part in found.groups()[1:] if part)


def blank_quotations(text: str) -> str:
    """Put one mark in the place of every quotation and of every piece of inline code."""
    pieces, position = [], 0
    for quotation in find_quotations(text):
        mark = CODE if text[quotation.start] == "`" else QUOTED
        pieces += [text[position : quotation.start], mark]
        position = quotation.end
    return "".join([*pieces, text[position:]])


def languages_of(sentence: str, home: str) -> tuple[str, ...]:
    """The languages whose tables apply: by script, then by function words; mixed text gets both."""
    east = ""
    if _KANA.search(sentence):
        east = "ja"
    elif _HANGUL.search(sentence):
        east = "ko"
    elif _HAN.search(sentence):
        east = "ja" if home == "ja" else "zh"
    if not _LATIN_WORD.search(sentence):
        return (east,) if east else ()
    west = "en" if east else latin_language(sentence, home)
    return (east, west) if east else (west,)


def home_language(text: str) -> str:
    """The language that a message falls back on: ja if it holds kana, else its Latin-script one."""
    return "ja" if _KANA.search(text) else latin_language(text.lower(), "en")


def latin_language(text: str, default: str) -> str:
    """Tell en, de, fr and es apart by their function words.

    One such word is not enough to leave *default*, unless a letter with a mark stands beside it or no
    word of *default* does.
    """
    owners = _function_words()
    words = _LATIN_WORD.findall(text)
    counts = Counter(name for word in words for name in owners.get(word, ()))
    best = max(_SPACED, key=lambda name: (counts[name], name == default))
    is_telling = _MARKED_LETTER.search(text) or not counts[default]
    needed = 1 if is_telling else 2
    return (
        best
        if counts[best] - counts[default] >= min(needed, counts[best]) and counts[best] >= needed
        else default
    )


@cache
def _function_words() -> dict[str, tuple[str, ...]]:
    tables = {name: load_language(name).words for name in _SPACED}
    return {
        word: tuple(name for name, words in tables.items() if word in words)
        for word in frozenset[str]().union(*tables.values())
    }


def _without_lead_ins(sentence: str, languages: tuple[Language, ...]) -> str:
    for _ in range(_LEAD_INS):
        for language in languages:
            lead = language.lead.match(sentence)
            if lead and lead.end() < len(sentence):
                sentence = sentence[lead.end() :]
                break
        else:
            break
    return sentence

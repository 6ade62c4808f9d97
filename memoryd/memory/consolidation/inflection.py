"""Forms of a word: the base forms that the tables may know, and the keys by which unknown words meet.

Light on purpose: an ending is cut only where the result is proved by a table or by the other text. Names are never
cut.
"""

from collections.abc import Iterator
from functools import lru_cache

from memoryd.memory.consolidation.lexicon import Language, Lexicon, lexicon
from memoryd.memory.text import unaccent

_MIN_STEM = 3
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("ies", "y"), ("es", ""), ("s", ""), ("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"),
        ("ly", ""), ("d", ""), ("er", ""), ("er", "e"), ("ers", ""), ("ers", "e"),
    ),
    "fr": (("s", ""), ("es", ""), ("e", ""), ("x", "")),
    "es": (("s", ""), ("es", "")),
    "de": (("en", ""), ("n", ""), ("e", ""), ("s", ""), ("es", ""), ("er", ""), ("em", "")),
}  # fmt: skip
_CUTS: dict[str, tuple[str, ...]] = {
    "fr": ("ées", "és", "ée", "é", "ent", "er", "es", "e", "s"),
    "es": ("adas", "ados", "ada", "ado", "idas", "idos", "ida", "ido", "amos", "emos", "imos", "aron", "aban", "aba", "an", "en", "ar", "er", "ir", "as", "os", "es", "a", "o", "e", "s"),
    "de": ("test", "ten", "tet", "te", "et", "en", "st", "t", "e", "n"),
}  # fmt: skip
_PRONOUNS = ("selo", "sela", "melo", "nos", "los", "las", "les", "se", "me", "lo", "la", "le", "te")
_UMLAUTS = str.maketrans("äöü", "aou")
# participle ending -> endings of the same verb; only such a pair, or a plural, makes two forms one word
_PARTICIPLES: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "fr": (
        *((end, ("e", "er", "ent")) for end in ("ées", "és", "ée", "é", "ons", "ez")),
        ("ent", ("e", "er")),
        ("er", ("e",)),
    ),
    "es": (
        *((end, ("a", "an", "ar", "amos")) for end in ("adas", "ados", "ada", "ado", "amos")),
        *((end, ("e", "en", "er", "ir")) for end in ("idas", "idos", "ida", "ido", "emos", "imos")),
        ("an", ("a", "ar")),
        ("ar", ("a",)),
        ("er", ("e",)),
        ("ir", ("e",)),
    ),
    "de": tuple((end, ("t", "en", "e")) for end in ("t", "et")),
}


@lru_cache(maxsize=65536)
def known_forms(word: str, language: Language) -> tuple[str, ...]:
    """Give a lower-case word and the base forms of it that the tables know."""
    table = lexicon(language)
    forms = [word]
    if base := table.bases.get(word) or _without_pronoun(word, language, table):
        forms.append(base)
    forms += _known_bases(word, language, table)
    if len(forms) == 1 and word not in table.plain_words and word in table.unaccented:
        forms.append(table.unaccented[word])  # piece: pièce
    return tuple(forms)


def _without_pronoun(word: str, language: Language, table: Lexicon) -> str | None:
    """Give the infinitive of a Spanish verb form with a pronoun behind it (guardarse, respóndeme)."""
    if language != "es" or word in table.plain_words:
        return None
    for tail in _PRONOUNS:
        stem = unaccent(word.removesuffix(tail))
        if word.endswith(tail) and len(stem) > _MIN_STEM:
            return stem if stem in table.phrases else table.bases.get(stem)
    return None


def _known_bases(word: str, language: Language, table: Lexicon) -> list[str]:
    found = [base for base in bases(word, language) if base in table.plain_words and base != word]
    if language == "de" and not found:  # Passwörter
        plain = (base.translate(_UMLAUTS) for base in (*bases(word, language), word))
        found = [base for base in plain if base in table.plain_words and base != word]
    if word in table.plain_words:
        return found
    for tail, endings in _PARTICIPLES.get(language, ()):
        stem = word.removesuffix(tail)
        if stem == word or len(stem) < _MIN_STEM:
            continue
        stem = stem.removeprefix("ge") if language == "de" else stem
        for verb in (stem + ending for ending in endings):
            known = verb if verb in table.plain_words else table.unaccented.get(unaccent(verb))
            if known:
                return [*found, known]
    return found


def bases(word: str, language: Language) -> Iterator[str]:
    for tail, put in _ENDINGS.get(language, ()):
        stem = word.removesuffix(tail)
        if stem == word or len(stem) < (
            _MIN_STEM + 1 if tail in ("ly", "er", "ers", "d") else _MIN_STEM - 1
        ):
            continue
        yield stem + put
        if language == "en" and len(stem) > _MIN_STEM and stem[-1] == stem[-2]:
            yield stem[:-1]


@lru_cache(maxsize=65536)
def unknown_forms(word: str, language: Language) -> tuple[str, tuple[str, ...]]:
    """Give the key under which an unknown lower-case word is looked up, and the forms that prove it the same."""
    if language == "en":
        return english_stem(word), (word,)
    plain = unaccent(word)
    stem = plain.removeprefix("ge") if language == "de" and len(word) > _MIN_STEM + 3 else plain
    for tail in _CUTS.get(language, ()):
        if stem.endswith(unaccent(tail)) and len(stem) - len(tail) >= _MIN_STEM:
            stem = stem[: -len(tail)]
            break
    return stem, (
        word,
        plain,
        *(form for form in _verb_forms(word, plain, language) if form != word),
    )


def _verb_forms(word: str, plain: str, language: Language) -> Iterator[str]:
    yield plain
    if language == "de":
        plain = plain.removeprefix("ge")
    elif word.endswith("s"):
        yield plain[:-1]
    for tail, endings in _PARTICIPLES.get(language, ()):
        if (
            plain.endswith(unaccent(tail))
            and word.endswith(tail)
            and len(plain) - len(tail) >= _MIN_STEM
        ):
            yield from (plain[: -len(tail)] + ending for ending in endings)
            return


@lru_cache(maxsize=65536)
def english_stem(word: str) -> str:
    """Cut plural and verb endings of an unknown English word."""
    if len(word) > _MIN_STEM + 1 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") else word[:-1]
    for tail in ("ing", "ed"):
        if word.endswith(tail) and len(word) - len(tail) >= _MIN_STEM:
            word = word.removesuffix(tail)
            word = word[:-1] if word[-1] == word[-2] and word[-1] not in "ls" else word
            break
    return word.removesuffix("e") if len(word) > _MIN_STEM else word

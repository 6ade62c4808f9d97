"""Infinitives of German, French and Spanish verbs -> the forms in which a sentence may hold them.

Regular verbs, and the common changes of a stem (achète, vuelve, envía). What is irregular stands in the tables,
under [irregular]. A form only leads back to its infinitive; what the tables say of the form itself comes first.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

_MIN_FORM = 4  # letters; shorter forms are too often other words
_UNSTRESSED = (
    "be",
    "ge",
    "er",
    "ver",
    "zer",
    "ent",
    "emp",
    "miss",
    "über",
    "unter",
    "wider",
    "hinter",
)
_ACCENTED = re.compile(r"[eé](?=[^aeiouyéè]+$)")
_DIPHTHONGS = (("o", "ue"), ("e", "ie"), ("u", "ue"))


_ER = (
    "e", "es", "ent", "ons", "ez", "é", "ée", "és", "ées", "ait", "aient", "era", "eront", "ant",
)  # fmt: skip
_IR = ("is", "it", "issons", "issez", "issent", "issait", "i", "ie", "ies", "ira", "iront")
_RE = ("s", "", "ons", "ez", "ent", "ait", "u", "ue", "us", "ues", "ra", "ront")


def german_forms(verb: str) -> Iterator[str]:
    """Yield the forms of a regular German verb.

    >>> {"prüft", "prüfte", "geprüft"} <= set(german_forms("prüfen"))
    True
    """
    tail = next((end for end in ("eln", "ern", "en") if verb.endswith(end)), "")
    if not tail:
        return
    stem = verb[:-2] if tail == "en" else verb[:-1]
    soft = "e" if stem.endswith(("t", "d", "chn", "ffn", "gn", "tm")) else ""
    yield from (stem + soft + end for end in ("t", "te", "ten", "test", "tet"))
    yield from (stem + end for end in ("e", "end", "est" if soft else "st"))
    plain = verb.endswith("ieren") or verb.startswith(_UNSTRESSED)
    participle = ("" if plain else "ge") + stem + soft + "t"
    yield from (participle + end for end in ("", "e", "en", "er", "es", "em"))


def french_forms(verb: str) -> Iterator[str]:
    """Yield the forms of a French verb in -er, -ir, -re, and of the families of venir, prendre, mettre and the like.

    >>> {"envoyée", "envoyons"} <= set(french_forms("envoyer")), "achète" in set(french_forms("acheter"))
    (True, True)
    """
    for tail, put, participle in _FRENCH_FAMILIES:
        if verb.endswith(tail):
            stem = verb.removesuffix(tail)
            yield from (stem + end for end in put)
            yield from (stem + participle + end for end in ("", "e", "s", "es"))
            return
    stem, tail = verb[:-2], verb[-2:]
    if tail == "er":
        yield from (stem + end for end in _ER)
        for changed in (_ACCENTED.sub("è", stem), stem[:-1] + "i" if stem.endswith("y") else stem):
            if changed != stem:
                yield from (changed + end for end in ("e", "es", "ent", "era", "eront"))
        if stem.endswith(("c", "g")):
            soft = stem[:-1] + "ç" if stem.endswith("c") else stem + "e"
            yield from (soft + end for end in ("ons", "ait", "aient", "ant"))
    else:
        yield from (stem + end for end in {"ir": _IR, "re": _RE}.get(tail, ()))


_FRENCH_FAMILIES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("enir", ("iens", "ient", "enons", "enez", "iennent", "enait", "iendra"), "enu"),
    ("prendre", ("prends", "prend", "prenons", "prenez", "prennent", "prenait", "prendra"), "pris"),
    ("mettre", ("mets", "met", "mettons", "mettez", "mettent", "mettait", "mettra"), "mis"),
    ("crire", ("cris", "crit", "crivons", "crivez", "crivent", "crivait", "crira"), "crit"),
    ("uire", ("uis", "uit", "uisons", "uisez", "uisent", "uisait", "uira"), "uit"),
    ("lire", ("lis", "lit", "lisons", "lisez", "lisent", "lisait", "lira"), "lu"),
    ("ouvrir", ("ouvre", "ouvres", "ouvrons", "ouvrez", "ouvrent", "ouvrira"), "ouvert"),
    ("evoir", ("ois", "oit", "evons", "evez", "oivent", "evra"), "u"),
    ("aître", ("ais", "aît", "aissons", "aissez", "aissent", "aîtra"), "u"),
)  # fmt: skip


def spanish_forms(verb: str) -> Iterator[str]:
    """Yield the forms of a regular Spanish verb, and those with the common changes of its stem.

    >>> {"despliega", "desplegamos", "despliegue"} <= set(spanish_forms("desplegar"))
    True
    """
    stem, tail = verb[:-2], verb[-2:]
    stems = [stem, *_changed_stems(stem, tail)]
    if tail == "ar":
        soft = [_softened(one) for one in stems]
        yield from (one + end for one in stems for end in ("o", "a", "as", "an"))
        yield from (one + end for one in soft for end in ("e", "es", "en"))
        yield from (
            stem + end
            for end in ("amos", "áis", "ó", "aron", "aba", "aban", "ando", "ará", "arán", "ad")
        )
        yield from (_softened(stem) + end for end in ("é", "emos"))
        participle = "ad"
    elif tail in ("er", "ir"):
        yield from (one + end for one in stems for end in ("o", "e", "es", "en", "a", "as", "an"))
        yield from (
            stem + end for end in ("emos", "imos", "ió", "ieron", "ía", "ían", "iendo", "amos")
        )
        yield from (verb + end for end in ("á", "án"))
        participle = "id"
    else:
        return
    yield from (stem + participle + end for end in ("o", "a", "os", "as"))


def _changed_stems(stem: str, tail: str) -> Iterator[str]:
    if tail == "ar" and stem.endswith("i"):
        yield stem[:-1] + "í"
    for plain, changed in _DIPHTHONGS:
        at = stem.rfind(plain)
        if at >= 0 and not re.search("[aeiou]", stem[at + 1 :]):
            yield stem[:at] + changed + stem[at + 1 :]
            if tail == "ir" and plain == "e":
                yield stem[:at] + "i" + stem[at + 1 :]


def _softened(stem: str) -> str:
    for hard, soft in (("gu", "gü"), ("c", "qu"), ("g", "gu"), ("z", "c")):
        if stem.endswith(hard):
            return stem.removesuffix(hard) + soft
    return stem


_FORMS: dict[str, Callable[[str], Iterator[str]]] = {
    "de": german_forms,
    "fr": french_forms,
    "es": spanish_forms,
}


_PAST: dict[str, tuple[str, ...]] = {
    "de": ("te", "ten", "test", "tet"),
    "fr": ("ait", "aient"),
    "es": ("ó", "aron", "aba", "aban", "ieron", "ía", "ían"),
}


def past_forms(language: str, bases: Mapping[str, str]) -> frozenset[str]:
    """Give those of the forms that put their clause into the past; "vacía" and "arbeitet" are present, too."""
    ends = _PAST.get(language, ())
    return frozenset(
        form
        for form, verb in bases.items()
        if form.endswith(ends) and any(_is_past(form, verb, end) for end in ends)
    )


def _is_past(form: str, verb: str, end: str) -> bool:
    stem = form.removesuffix(end)
    if stem == form or stem.startswith("ge"):
        return False
    root = verb[:-2] if verb.endswith(("en", "er", "ir", "ar", "re")) else verb[:-1]
    if end in ("test", "tet", "te", "ten") and root.endswith("t"):
        return form == root + "e" + end
    if end in ("ía", "ían") and verb.endswith("ar"):
        return False
    return stem.startswith(root[:3]) and len(stem) >= len(root) - 1


def bases_of_forms(
    language: str, verbs: Iterable[str], known: Mapping[str, object]
) -> dict[str, str]:
    """Give form -> infinitive for every form of *verbs* that no table knows as a word of its own."""
    forms_of = _FORMS.get(language)
    found: dict[str, str] = {}
    for verb in verbs if forms_of else ():
        for form in forms_of(verb) if forms_of and verb.isalpha() else ():
            if len(form) >= _MIN_FORM and form not in known:
                found.setdefault(form, verb)
    return found

"""The readable tables: whole, consistent, and quick on any text."""

import re
import time
import tomllib
from importlib import resources

import pytest

from memoryd.memory.gate.language import blank_quotations, home_language, languages_of, plain_form
from memoryd.memory.gate.reading import read_families
from memoryd.memory.gate.tables import LANGUAGES, load_families, load_language, load_weights

SPECIAL = {"header", "order_header", "taint", "credential", "project", "working", "refers"}
BY_SHAPE = {
    "statement",
    "specific",
    "listed",
    "short",
    "brief",
    "quoting",
    "quotation",
    "identifier",
    "pasted",
    "referred",
    "reviewed",
}


def table(path: str) -> dict[str, object]:
    folder = resources.files("memoryd.memory.gate")
    return tomllib.loads(folder.joinpath(path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_family_of_a_language_is_worth_something(name: str) -> None:
    families = load_families()
    known = {*families.evidence, *families.part, *families.doubt} | SPECIAL

    assert set(load_language(name).cues) <= known


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_has_cues_of_every_weighty_family(name: str) -> None:
    families = load_families()
    optional = BY_SHAPE | {"code_talk", "proposal", "obligation", "failure"}

    assert {*families.evidence, *families.part, *families.doubt} - optional <= set(
        load_language(name).cues
    )


def test_what_lets_a_barred_sentence_pass_exists() -> None:
    families = load_families()

    for doubt in families.doubt.values():
        assert doubt.unless <= {*families.evidence, *families.part}


def test_every_weight_belongs_to_a_family_and_every_evidence_has_one() -> None:
    families, weights = load_families(), load_weights()
    known = {*families.evidence, *families.part, *families.doubt, *families.mark}

    assert weights.alone.keys() <= known
    assert {*weights.beside_evidence, *weights.in_statement} <= families.doubt.keys()
    assert families.evidence.keys() <= weights.alone.keys()
    assert weights.review <= weights.evident < weights.doubted < weights.bare


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_cue_matches_nothing(name: str) -> None:
    """A cue that matches the empty string would find itself in every sentence."""
    for family, cues in table(f"languages/{name}.toml").items():
        if isinstance(cues, list):
            assert [] == [cue for cue in cues if re.fullmatch(cue.removeprefix("^"), "")], family


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_cue_is_slow_on_a_long_sentence(name: str) -> None:
    language = load_language(name)
    for unit in ("a ", "the ", "的", "は", "if we ", "no, ", "x,", "-", "don't use ", "▮ "):
        sentence = (unit * 600)[:600]
        for family, cues in language.cues.items():
            start = time.perf_counter()
            cues.found(sentence, sentence)
            assert time.perf_counter() - start < 0.5, (family, unit)


@pytest.mark.parametrize(
    ("sentence", "home", "expected"),
    [
        ("we always use tabs", "en", ("en",)),
        ("wir nutzen immer die gleiche datei", "en", ("de",)),
        ("on utilise toujours le même fichier", "en", ("fr",)),
        ("siempre usamos el mismo fichero para eso", "en", ("es",)),
        ("以后都用四个空格", "en", ("zh",)),
        ("以后 commit 用英文", "de", ("zh", "en")),
        ("今後は英語で", "en", ("ja",)),
        ("英語", "ja", ("ja",)),
        ("앞으로 영어로", "en", ("ko",)),
        ("42 %", "en", ()),
        ("kürzer bitte", "de", ("de",)),
    ],
)
def test_a_sentence_gets_the_tables_of_its_script_and_words(
    sentence: str, home: str, expected: tuple[str, ...]
) -> None:
    assert expected == languages_of(sentence, home)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wir nutzen das für alle.", "de"),
        ("これはテストです", "ja"),
        ("Hello", "en"),
        ("¿Qué es esto?", "es"),
    ],
)
def test_a_message_has_a_language_to_fall_back_on(text: str, expected: str) -> None:
    assert expected == home_language(text)


def test_quotations_and_code_are_blanked_apart() -> None:
    assert "say ▮ and run ▯" == blank_quotations('say "always" and run `never`')


@pytest.mark.parametrize(
    ("sentence", "opened"),
    [
        ("- Ok, also please run it", "run it"),
        ("好的，另外把它删掉", "把它删掉"),
        ("Übrigens, nimm bitte Tabs", "nimm bitte tabs"),
        ("Thanks", "thanks"),
    ],
)
def test_lead_ins_are_passed_over(sentence: str, opened: str) -> None:
    assert opened == plain_form(sentence, home_language(sentence)).opened


@pytest.mark.parametrize(
    ("text", "name"),
    [("Ich hasse Rosinen.", "de"), ("I hate raisins.", "en"), ("Odio las pasas.", "es")],
)
def test_one_function_word_tells_a_language_where_none_speaks_for_another(
    text: str, name: str
) -> None:
    assert (name,) == languages_of(text.lower(), home_language(text))


def test_foreign_words_among_chinese_raise_no_doubt() -> None:
    assert "order" in read_families("deploy window", "en") | read_families("Deploy it.", "en")
    assert "order" not in read_families("deploy 窗口是周二", "en")

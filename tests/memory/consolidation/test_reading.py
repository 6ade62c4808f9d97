"""What the reader sees: one key for a quantity in any notation, negation with its scope, roles, conditions."""

import pytest

from memoryd.memory.consolidation.lexicon import Language, lexicon
from memoryd.memory.consolidation.reading import guess_language, read

LANGUAGES: tuple[Language, ...] = ("en", "zh", "ja", "ko", "de", "fr", "es")


def keys(text: str) -> list[str]:
    return [unit.key for unit in read(text).units if unit.kind == "quantity"]


@pytest.mark.parametrize(
    "notations",
    [
        ["9am", "9:00", "09:00", "9 a.m.", "上午9点", "9 Uhr", "午前9時", "오전 9시"],
        ["3 pm", "15:00", "下午三点", "three in the afternoon", "午後3時", "las 3 de la tarde"],
        ["half past eight", "8:30"],
        ["1,000", "1000", "1k", "一千", "thousand"],
        ["30 s", "30 seconds", "三十秒", "半分钟", "30 Sekunden", "30秒", "30초"],
        ["two weeks", "14 days", "两周", "zwei Wochen", "deux semaines", "dos semanas"],
        ["1 hour 30 minutes", "90 minutes", "1.5 hours", "90 分钟", "1 小时 30 分钟"],
        ["5%", "5 percent", "百分之五", "fünf Prozent"],
        ["March 5th, 2026", "5 March 2026", "2026-03-05", "2026年3月5日", "二〇二六年三月五日", "5. März 2026", "5 mars 2026"],
        ["March 5th", "3月5日", "5 de marzo", "3월 5일"],
        ["Wednesday", "周三", "星期三", "Mittwoch", "mercredi", "miércoles", "水曜日", "수요일"],
        ["500 euros", "€500", "500 €", "500 欧元"],
        ["１２", "12", "十二", "twelve", "zwölf", "douze"],
        ["1.5 万", "15000", "15,000"],
    ],
)  # fmt: skip
def test_a_quantity_has_one_key_in_every_notation_and_script(notations: list[str]) -> None:
    found = {tuple(keys(text)) for text in notations}

    assert len(found) == 1, found
    assert len(found.pop()) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 MB", "5 MiB"),
        ("30 s", "30 min"),
        ("$5", "€5"),
        ("1.22", "1.2.2"),
        ("3", "-3"),
        ("3月5日", "5月3日"),
        ("周三", "周四"),
    ],
)
def test_other_quantities_have_other_keys(one: str, other: str) -> None:
    assert keys(one) != keys(other)


@pytest.mark.parametrize(
    "text",
    [
        "日志不断增长。",
        "不同角色看到不同菜单。",
        "不仅支持 CSV。",
        "It supports not only CSV.",
        "危ない道。",
        "안내 메일을 보낸다.",
        "Nicht nur CSV.",
    ],
)
def test_what_looks_like_a_negation_is_none(text: str) -> None:
    assert not any(clause.negated for clause in read(text).clauses)


@pytest.mark.parametrize(
    "text",
    [
        "Never skip the check.",
        "This is not optional.",
        "变更单不能不填。",
        "不填单子不行。",
        "Kein Test darf ausgelassen werden.",
    ],
)
def test_two_negations_that_cancel_each_other_affirm(text: str) -> None:
    assert not any(clause.negated for clause in read(text).clauses)


def test_two_negations_side_by_side_both_deny() -> None:
    assert {unit.sign for unit in read("用户不吃肉不喝酒。").units} == {-1}


@pytest.mark.parametrize(
    ("text", "positive", "negative"),
    [
        ("Use yarn, not npm.", "yarn", "npm"),
        ("用 yarn，不要用 npm。", "yarn", "npm"),
        ("敬語ではなく常体で書く。", "plain_form", "polite_form"),
        ("Nutze yarn statt npm.", "yarn", "npm"),
    ],
)
def test_a_negation_reaches_what_it_denies_and_no_more(
    text: str, positive: str, negative: str
) -> None:
    units = read(text).units
    signs = {name: unit.sign for unit in units for name in (unit.key, unit.surface)}

    assert signs[positive] == 1
    assert signs[negative] == -1


def test_a_name_made_of_function_characters_stays_a_name() -> None:
    assert [unit.surface for unit in read("由阿可维护。").units[:2]] == ["阿", "可"]


def test_markup_is_no_difference() -> None:
    assert [u.key for u in read("Run `make seed` after **cloning**").units] == [
        u.key for u in read("Run make seed after cloning").units
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Vertrag ist nicht gültig.", "de"), ("La réunion est le lundi.", "fr"), ("La reunión es el lunes.", "es"),
        ("会議は月曜です。", "ja"), ("회의는 월요일이다.", "ko"), ("周一开会。", "zh"), ("The meeting is on Monday.", "en"), ("404", "en"),
        # told by the forms of verbs alone
        ("Redis port in dev is 6379", "en"), ("Order 994 was refunded", "en"), ("Bugs are reported in #bugs.", "en"),
        ("Anna kennt Ben", "de"), ("La API devuelve JSON", "es"), ("Mon ami arrive", "fr"),
    ],
)  # fmt: skip
def test_the_language_is_guessed(text: str, language: Language) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_table_compiles_and_is_broad(language: Language) -> None:
    table = lexicon(language)

    assert len(table.phrases) > 400
    assert {"drop", "frame", "negate", "modal", "quantify", "compare", "condition"} <= {
        s.role for s in table.phrases.values()
    }
    assert table.attributes["single"] and table.attributes["multi"] and table.attributes["owner"]


@pytest.mark.parametrize(
    "text", ["", "。", "!!!", "``", "(((", "a" * 5000, "不" * 300, "\u0301\u0301", "𝔘𝔫𝔦 ①②③ ㎏"]
)
def test_any_text_can_be_read_and_every_unit_lies_in_it(text: str) -> None:
    reading = read(text)

    assert all(0 <= unit.start <= unit.end <= len(reading.text) for unit in reading.units)
    assert len(reading.offsets) == len(reading.text) + 1


@pytest.mark.parametrize("text", ["We have millions of rows.", "Hundreds came.", "5 MB millions"])
def test_a_plural_of_a_number_word_is_a_word(text: str) -> None:
    for language in ("en", "fr", "es", "de"):
        assert read(text, language).units

"""Dictionary forms of Japanese and Korean verbs -> the forms in which a sentence may hold them.

Only what stands before the endings of the tables is made (書か before ない, 써 before 요); the endings keep their
own meaning, so that no negation, tense or wish is swallowed.
"""

import re
from collections.abc import Iterator

# dictionary ending -> what it becomes before ます, ない, て; not before る, which would mean can
_GODAN = {
    "う": "いわっ", "く": "きかい", "ぐ": "ぎがい", "す": "しさ", "つ": "ちたっ", "ぬ": "になん", "ぶ": "びばん", "む": "みまん",
    "る": "りらっ",
}  # fmt: skip
_ICHIDAN = re.compile(r"[いきぎしじちにひびみりえけげせぜてでねへべめれ]る$")
_JAPANESE = re.compile(r"[\u4e00-\u9fff][ぁ-ん]{0,2}$")
_BASE, _VOWELS, _FINALS = 0xAC00, 21, 28
_BRIGHT = frozenset({0, 2, 8, 12})  # ㅏ ㅑ ㅗ ㅛ: -아, all others -어
_EU, _I, _O, _U = 18, 20, 8, 13
_RIEUL, _NIEUN, _BIEUP = 8, 4, 17
_JOINED = {_O: 9, _U: 14, _I: 6}  # ㅗ+ㅏ=ㅘ, ㅜ+ㅓ=ㅝ, ㅣ+ㅓ=ㅕ


def japanese_forms(verb: str) -> Iterator[str]:
    """Yield *verb* and what remains of it before endings; a word that is no verb in -u yields itself only.

    >>> sorted(japanese_forms("書く"))
    ['書い', '書か', '書き', '書く']
    """
    yield verb
    if not _JAPANESE.search(verb) or verb[-1] not in _GODAN:
        return
    if _ICHIDAN.search(verb):
        yield verb[:-1]
        return
    yield from (verb[:-1] + kana for kana in _GODAN[verb[-1]])


def korean_forms(verb: str) -> Iterator[str]:
    """Yield the forms of a verb in -다, by its last syllable (regular verbs, and those in ㄹ and ㅡ); others as they are.

    >>> {"쓴다", "씁니다", "써", "쓰고"} <= set(korean_forms("쓰다"))
    True
    """
    yield verb
    stem = verb.removesuffix("다")
    if stem == verb or not stem or verb.endswith("니다") or _syllable(stem[-1])[2] == _NIEUN:
        return  # 쓴다: no dictionary form
    initial, vowel, final = _syllable(stem[-1])
    head = stem[:-1]
    yield from (stem + ending for ending in ("고", "기", "지", "며"))
    if final in (0, _RIEUL):
        yield from (head + _join(initial, vowel, last) for last in (0, _RIEUL) if last or final)
        yield head + _join(initial, vowel, _NIEUN) + "다"
        yield head + _join(initial, vowel, _BIEUP) + "니다"
        yield head + _join(initial, vowel, 0) + "는"
        yield head + _join(initial, vowel, _NIEUN)
    else:
        yield from (stem + ending for ending in ("는다", "습니다", "는", "은", "을"))
    past = _connected(head, initial, vowel, final)
    yield from (past + ending for ending in ("", "요", "서"))


def korean_stem(word: str) -> tuple[str, bool] | None:
    """Give the stem of a verb that no table knows, by an ending that nothing else has, and whether it says must.

    >>> korean_stem("찍습니다"), korean_stem("드신다"), korean_stem("찍어야")
    (('찍', False), ('드시', False), ('찍', True))
    """
    for ending in ("습니다", "는다"):
        if word.endswith(ending) and len(word) > len(ending):
            return word.removesuffix(ending), False
    for ending in ("어야", "아야"):
        if word.endswith(ending) and len(word) > len(ending):
            return word.removesuffix(ending), True
    for ending, final in (("니다", _BIEUP), ("다", _NIEUN)):
        head = word.removesuffix(ending)
        if head != word and len(head) > 1 and _is_hangul(head[-1]):
            initial, vowel, last = _syllable(head[-1])
            if last == final:
                return head[:-1] + _join(initial, vowel, 0), False
    return None


def _is_hangul(char: str) -> bool:
    return "가" <= char <= "힣"


def _connected(head: str, initial: int, vowel: int, final: int) -> str:
    """Join stem and -아/-어: 쓰 -> 써, 보내 -> 보내, 두 -> 둬, 먹 -> 먹어."""
    if final:
        return head + _join(initial, vowel, final) + ("아" if vowel in _BRIGHT else "어")
    if vowel in _JOINED:
        return head + _join(initial, _JOINED[vowel], 0)
    if vowel == _EU:
        bright = bool(head) and _syllable(head[-1])[1] in _BRIGHT
        return head + _join(initial, 0 if bright else 4, 0)
    return head + _join(initial, vowel, 0)


def _syllable(char: str) -> tuple[int, int, int]:
    code = ord(char) - _BASE
    return code // (_VOWELS * _FINALS), code // _FINALS % _VOWELS, code % _FINALS


def _join(initial: int, vowel: int, final: int) -> str:
    return chr(_BASE + (initial * _VOWELS + vowel) * _FINALS + final)

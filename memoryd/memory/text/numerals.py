"""Numbers written in Han characters (三十, 四百五十, 一万二千, 二〇二六, 十五, 两) and in Korean (세, 열두, 삼십)."""

import re

_DIGITS = {
    "〇": 0,
    "零": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_SHORT = {"百": 10, "千": 100, "万": 1000}  # of what a last digit behind them counts
_LARGE = {"万": 10**4, "亿": 10**8, "億": 10**8}

_NATIVE = {
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "하나": 1, "둘": 2, "셋": 3, "넷": 4,
    "석": 3, "넉": 4, "스무": 20,
}  # fmt: skip
_NATIVE_TENS = {"열": 10, "스물": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70, "여든": 80, "아흔": 90}  # fmt: skip
_SINO = str.maketrans("일이삼사오육칠팔구십백천만", "一二三四五六七八九十百千万")

HAN_NUMERAL = re.compile(r"[〇零一二两三四五六七八九十百千万亿億]+")


def parse_han_numeral(text: str, chinese: bool = False) -> int | None:
    """Read a numeral made of Han characters only; None if it is not a well-formed one.

    In Chinese 两百五 is 250, and only 两百零五 is 205; in Japanese 二百五 is 205.
    """
    if not text or any(c not in _DIGITS and c not in _SMALL and c not in _LARGE for c in text):
        return None
    if all(c in _DIGITS for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total = section = 0
    digit: int | None = None
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _SMALL:
            section += (1 if digit is None else digit) * _SMALL[char]
            digit = None
        else:
            total = (total + section + (digit or 0) or 1) * _LARGE[char]
            section, digit = 0, None
    if chinese and digit and len(text) > 1:
        digit *= _SHORT.get(text[-2], 1)
    return total + section + (digit or 0)


def parse_korean_numeral(text: str) -> int | None:
    """Read a Korean numeral, native (세, 열두) or from Chinese (삼십); None if it is none."""
    tens = next((ten for ten in _NATIVE_TENS if text.startswith(ten)), "")
    rest = text[len(tens) :]
    if tens and not rest:
        return _NATIVE_TENS[tens]
    if rest in _NATIVE and (not tens or _NATIVE[rest] < 10):  # noqa: PLR2004 - a digit
        return _NATIVE_TENS.get(tens, 0) + _NATIVE[rest]
    han = text.translate(_SINO)
    return parse_han_numeral(han) if han != text else None

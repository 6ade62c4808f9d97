"""Numbers written in Han characters: 三十, 四百五十, 一万二千, 二〇二六, 十五, 两."""

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
_LARGE = {"万": 10**4, "亿": 10**8, "億": 10**8}

HAN_NUMERAL = re.compile(r"[〇零一二两三四五六七八九十百千万亿億]+")


def parse_han_numeral(text: str) -> int | None:
    """Read a numeral made of Han characters only; None if it is not a well-formed one."""
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
    return total + section + (digit or 0)

"""Quantities in any notation -> one key: 9am = 09:00 = 上午9点, 1,000 = 1000 = 1k, 3月5日 = March 5th.

A key says kind and value: "time:09:00", "date:2026-03-05", "day:03-05", "weekday:3", "number:1000",
"ordinal:3". Units join a number later, when the word after it is known (`with_unit`).
"""

import re
from decimal import Decimal
from fractions import Fraction

from memoryd.memory.text import parse_han_numeral

_NUMBER = "number:"
_HAN = r"〇零一二两三四五六七八九十"
_N = rf"(?:\d{{1,2}}|[{_HAN}]{{1,3}})"
# The characters that a quantity in a run of unspaced script begins with; asked first, at every character of a run.
_OPENING = r"[\d〇零一二两三四五六七八九十百上下午凌早清晚夜中傍오周星礼月火水木金土日월화수목금토일第제前后後]"
_PART = r"(?:上午|下午|午后|凌晨|早上|早晨|清晨|晚上|夜里|中午|傍晚|午前|午後|오전|오후)"
IN_RUN = rf"""
    (?={_OPENING})(?:
    (?:[〇零一二三四五六七八九]{{4}}年){_N}月(?:{_N}[日号])? |
    [一二三四五六七八九]成(?![本为了立功员都]) | 百分之(?:\d+|[{_HAN}百]+) | (?:[二两三四五六七八九]|十[一二]?)[点點](?:半|钟|整)? |
    {_N}\s?[月월]\s?{_N}\s?[日号일]
  | {_PART}\s?{_N}\s?(?:[点點时]|時(?!間)|시(?!간))(?:\s?[半반]|\s?{_N}\s?[分분]?)?
  | {_PART}\s?\d{{1,2}}:\d{{2}}
  | (?:周|星期|礼拜)[一二三四五六日天](?![个])
  | [月火水木金土日]曜日?
  | [월화수목금토일]요일
  | 第\s?(?:\d+|[{_HAN}百]+) | 제\s?\d+
  | [{_HAN}百]+分之[{_HAN}百]+
  | [前后後]\s?(?:\d+|[{_HAN}百]+)\s?[位名条页章行列项个排]
  | (?:1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])\s?[月월](?:[份])?(?![\d一二三四五六七八九十])
    )
"""
PATTERN = rf"""
    \d{{4}}\s?[年년]\s?{_N}\s?[月월](?:\s?{_N}\s?[日号일])?      # 2026年3月5日
  | {IN_RUN}
  | (?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])[./](?:19|20)\d\d(?!\d)          # 03.04.2026
  | \d{{4}}[-/.](?:0?[1-9]|1[0-2])[-/.](?:[12]\d|3[01]|0?[1-9])(?!\d)
  | \d{{1,2}}\s?(?:[点點]|時(?!間)|시(?!간))(?:\s?[半반]|\s?\d{{1,2}}\s?[分분])?
  | \d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?(?:[ap]\.m\.|[apAP][mM]\b))?(?!\d)
  | \d{{1,2}}(?:[:.]\d{{2}})?\s?(?:[ap]\.m\.|[apAP][mM]\b|o'clock\b)
  | \d{{1,2}}(?:[.:]\d{{2}})?\s?Uhr\b
  | \d{{1,2}}\s?h\s?\d{{2}}(?!\d)
  | \d+(?:st|nd|rd|th)\b
  | (?<![\w/.,-])\d{{1,2}}/\d{{1,2}}(?![\w/.-])                                    # 3/4
  | (?<![\w.])[+\-−]\d+(?:[.,]\d+)*(?![\w])
  | [+\-](?=\d+(?:\.\d+)?\s?(?:%|°|[元度]))(?<![\w][+\-])\d+(?:\.\d+)?
  | \d{{1,3}}(?:[,']\d{{3}})+(?:\.\d+)?(?![\d]) | \d{{1,3}}(?:\ \d{{3}})+(?![\d])
  | \d+(?:\.\d+)+(?![A-Za-z_])
  | \d+,\d{{1,2}}(?![\d,])
  | \d+(?:\.\d+)?[kK](?![A-Za-z0-9])
  | (?<=[€$£])\d+(?:\.\d+)?\s?(?:[mM]|[mb]n)\b
  | \d+(?:\.\d+)?(?=(?:ms|s|min|h|d|x|px|Hz|kHz|MHz|GHz|[kKMGT]i?B|[kmc]?m|k?g|[cm]?[lL]|st|%|€|[kMG]?bps)(?![A-Za-z0-9]))
  | \d+(?![A-Za-z0-9_])
  | \d+(?=[A-Za-z]{{2,}}(?![A-Za-z0-9_]))
"""  # fmt: skip
_DATE = re.compile(
    rf"(?:(\d{{4}}|[〇零一二三四五六七八九]{{4}})\s?[年년]\s?)?({_N})\s?[月월](?:\s?({_N})\s?[日号일])?"
)
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_SHORT_DATE = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_CLOCK = re.compile(
    rf"({_PART})?\s?({_N})\s?(?:[点點时時시:.h]|Uhr)?\s?([半반]|{_N})?(?::(\d\d))?", re.IGNORECASE
)
_SLASHED = re.compile(r"\d{1,2}/\d{1,2}")
_DAY_SIGN = re.compile(r"[周星礼曜요]")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_HOUR_SIGN = re.compile(r"[点點时時시:]|[ap]\.?m\.?$|Uhr|h\s?\d|o'clock", re.IGNORECASE)
_SIGNED = re.compile(r"[+-]?\d+(\.\d+)?")
_EUROPEAN_THOUSANDS = re.compile(r"number:\d{1,3}(\.\d{3})+")
_DAY_MONTH_YEAR = re.compile(r"dmy:(\d+)/(\d+)/(\d{4})")
_COMMA_DECIMAL = re.compile(r"^(number:\d+),(\d+)$")
_MAGNIFIED = re.compile(r"(\d+(?:\.\d+)?)\s?([kKmMb])n?")
_GAP = re.compile(r"(?<=\d) (?=\d{3})")
_THOUSANDS = re.compile(r"\d{1,3}(?:[,']\d{3})+(?:\.\d+)?")
_MERIDIEM = re.compile(r"([ap])\.?m\.?$", re.IGNORECASE)
_WEEKDAYS = {
    c: i
    for row in ("一二三四五六日", "月火水木金土日", "월화수목금토일")
    for i, c in enumerate(row, 1)
}
_LATE = frozenset({"下午", "午后", "晚上", "傍晚", "夜里", "午後", "오후"})
_NIGHT = frozenset({"夜里", "凌晨", "晚上"})
_SECONDS = {
    "ms": Decimal("0.001"),
    **{
        k: Decimal(v) for k, v in (("s", 1), ("min", 60), ("h", 3600), ("d", 86400), ("wk", 604800))
    },
}
_DIGITS = 20  # eight below what decimals keep
_MONTHS = {"mo": Decimal(1), "yr": Decimal(12)}
_BYTES = {unit: Decimal(1000**n) for n, unit in enumerate(("B", "kB", "MB", "GB", "TB"))}
_METRES = {k: Decimal(v) for k, v in (("mm", "0.001"), ("cm", "0.01"), ("m", "1"), ("km", "1000"))}
_GRAMS = {k: Decimal(v) for k, v in (("mg", "0.001"), ("g", "1"), ("kg", "1000"), ("t", "1000000"))}
_LITRES = {k: Decimal(v) for k, v in (("ml", "0.001"), ("cl", "0.01"), ("dl", "0.1"), ("l", "1"))}
_BASES: dict[str, tuple[str, Decimal]] = {
    unit: (name, factor)
    for name, factors in (
        ("seconds", _SECONDS),
        ("months", _MONTHS),
        ("bytes", _BYTES),
        ("metres", _METRES),
        ("grams", _GRAMS),
        ("litres", _LITRES),
    )
    for unit, factor in factors.items()
}
_NOON = _MONTHS_A_YEAR = 12
_PARTS = frozenset({2, 3, 4, 5, 10})
_MAGNITUDES = {"k": 10**3, "m": 10**6, "b": 10**9}


def read_quantity(text: str) -> str:  # noqa: C901, PLR0911, PLR0912 - one answer for each case
    """Turn a match of PATTERN into its key."""
    if text.isdecimal():
        return _NUMBER + text
    if match := _ISO.fullmatch(text):
        year, month, day = map(int, match.groups())
        return f"date:{year:04}-{month:02}-{day:02}"
    if match := _SHORT_DATE.fullmatch(text):
        day, month, year = map(int, match.groups())
        return month_day(month, day, year) if "." in text or day > _MONTHS_A_YEAR else f"dmy:{text}"
    if _SLASHED.fullmatch(text):
        return _fraction(text)
    if text.startswith("百分之"):
        return f"pct:{_integer(text[3:])}"
    if "分之" in text:
        whole, part = text.split("分之")
        return f"fraction:{_integer(part)}/{_integer(whole)}"
    if text[0] in "前后後":
        side = "head" if text[0] == "前" else "tail"
        return f"{side}:{_integer(text[1:-1].strip())}"
    if text.endswith("成"):
        return f"pct:{_integer(text[0]) * 10}"
    if _DAY_SIGN.search(text) and text[-1] != "h":
        return f"weekday:{_weekday(text)}"
    if text[0] in "第제":
        return f"ordinal:{_integer(text[1:].strip())}"
    if _ORDINAL.fullmatch(text):
        return f"ordinal:{int(text[:-2])}"
    if (match := _DATE.fullmatch(text)) and ("月" in text or "월" in text):
        return _date(match)
    if _HOUR_SIGN.search(text):
        return _time(text)
    return _NUMBER + _number(text)


def with_unit(key: str, unit: str) -> str:
    """Join a number's key and a unit; durations become seconds, decimal sizes bytes.

    >>> with_unit("number:1", "h") == with_unit("number:3600", "s")
    True
    """
    value = key.removeprefix(_NUMBER)
    if unit in _BASES and _SIGNED.fullmatch(value) and is_exact(value):
        name, factor = _BASES[unit]
        return f"{name}:{plain(Decimal(value) * factor)}"
    return f"{unit}:{value}"


def share_key(share: Fraction) -> str:
    """The key of a share: a percentage where it is a whole one."""
    percent = share * 100
    return f"pct:{percent}" if percent.denominator == 1 else f"share:{share}"


def european(key: str) -> str:
    """Read 1.000 as a thousand and 2,5 as two and a half."""
    if _EUROPEAN_THOUSANDS.fullmatch(key):
        return key.replace(".", "")
    if match := _DAY_MONTH_YEAR.fullmatch(key):
        return month_day(int(match[2]), int(match[1]), int(match[3]))
    return _COMMA_DECIMAL.sub(r"\1.\2", key)


def month_day(month: int, day: int, year: int | None) -> str:
    """The key of a date read from words."""
    return f"date:{year:04}-{month:02}-{day:02}" if year else f"day:{month:02}-{day:02}"


def _fraction(text: str) -> str:
    """3/4 is a share; 24/7 and 6/8 are what they are."""
    above, below = map(int, text.split("/"))
    if below in _PARTS and 0 < above < below and Fraction(above, below).denominator == below:
        return share_key(Fraction(above, below))
    return f"share:{text}"


def _date(match: re.Match[str]) -> str:
    year, month, day = match.groups()
    if day is None:
        return f"month:{year or ''}-{_integer(month):02}"
    return month_day(_integer(month), _integer(day), _integer(year) if year else None)


def _time(text: str) -> str:
    meridiem = _MERIDIEM.search(text)
    match = _CLOCK.match(text)
    if match is None:
        return "time:" + text
    part, hour_text, minute_text, _ = match.groups()
    hour = _integer(hour_text)
    minute = (
        30 if minute_text and minute_text in "半반" else _integer(minute_text) if minute_text else 0
    )
    late = (meridiem and meridiem.group(1).lower() == "p") or part in _LATE
    if late and hour < _NOON:
        hour += 12
    elif hour == _NOON and (part in _NIGHT or (meridiem and meridiem.group(1).lower() == "a")):
        hour = 0
    return f"time:{hour:02}:{minute:02}"


def _weekday(text: str) -> int:
    if "曜" in text or "요" in text:
        return _WEEKDAYS[text[0]]
    return 7 if text[-1] == "天" else _WEEKDAYS[text[-1]]


def _integer(text: str) -> int:
    return int(text) if text.isdigit() else parse_han_numeral(text) or 0


def _number(text: str) -> str:
    text = text.replace("−", "-")
    if (match := _MAGNIFIED.fullmatch(text)) and is_exact(text):
        return plain(Decimal(match[1]) * _MAGNITUDES[match[2].casefold()])
    text = _GAP.sub("", text)
    if _THOUSANDS.fullmatch(text):
        return text.replace(",", "").replace("'", "")
    return text


def is_exact(digits: str) -> bool:
    """Can one calculate with a number as written? Of a longer one the last digits would be lost, and two would be equal."""
    return len(digits) <= _DIGITS


def plain(value: Decimal) -> str:
    """Write a number without exponent and without needless digits."""
    return format(value.normalize(), "f")

"""Cut runs of unspaced script into words of the tables, numerals, names and single unknown characters.

Chinese and Japanese: the cut with the fewest unknown characters, then the fewest pieces (dynamic programming over
the run). Korean: word by word; a word that the tables do not cover whole is one unknown word with its particles.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from memoryd.memory.consolidation.chinese_names import names_at
from memoryd.memory.consolidation.conjugation import korean_stem
from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.korean_numbers import counted_at
from memoryd.memory.consolidation.lexicon import Lexicon, Sense
from memoryd.memory.consolidation.quantities import with_unit
from memoryd.memory.text import HAN_NUMERAL, parse_han_numeral, script

_NUMBER = "number:"
_KATAKANA = re.compile("[ァ-ヺー]")
_MOST_EXACT = 10**15  # beyond it a float is not every whole number, and two would be equal
_UNKNOWN = 30  # cost of a character that no word covers; a word costs 10, a lone character or a merely common word 11
_MULTIPLIERS = {
    "万": 10**4, "千": 1000, "百": 100, "亿": 10**8, "億": 10**8, "만": 10**4, "천": 1000, "백": 100, "억": 10**8,
}  # fmt: skip
_VALUE_ROLES: dict[str, tuple[str, str]] = {
    "weekday": ("quantity", "weekday"),
    "ordinal": ("quantity", "ordinal"),
    "clock": ("quantity", "time"),
    "unit": ("concept", "unit"),
}
_NUMERALS = frozenset(
    "〇零一二两三四五六七八九十百千万亿億半"
)  # what a numeral or a half begins with
_LONGEST_UNIT = 5
_CASES = frozenset("をはがへ")  # other particles end words, too
_PARTICLES = frozenset({"drop", "marker", "join"})  # 가로로 is no row of three of them


def sense_items(sense: Sense, surface: str, start: int, end: int) -> list[Item]:
    """Turn a sense into items: one, or the parts of a compound."""
    if sense.parts:
        return [
            Item(role, key, surface, start, end, aside=sense.aside) for role, key in sense.parts
        ]
    if sense.role == "number" and sense.key != "1":  # 한 is a verb, too
        return [Item("quantity", _NUMBER + sense.key, surface, start, end, aside=sense.aside)]
    if sense.role in _VALUE_ROLES:
        kind, of = _VALUE_ROLES[sense.role]
        return [Item(kind, f"{of}:{sense.key}", surface, start, end, (), sense.aside)]
    return [Item(sense.role, sense.key, surface, start, end, (), sense.aside)]


def segment(text: str, base: int, at: int, table: Lexicon) -> Iterator[Item]:
    """Yield the items of a run of Chinese or Japanese from *at* on; *base* is its place in the text."""
    while at < len(text):
        cut = text.find(" ", at)
        stop = len(text) if cut < 0 else cut
        yield from _with_loan_words(_pieces(text[at:stop], base + at, table))
        at = stop + 1


def _with_loan_words(items: Iterable[Item]) -> Iterator[Item]:
    """Join characters that no word claims to one unit where they are katakana: アンナ is one name, not three characters."""
    run: list[Item] = []
    for item in items:
        if item.role == "char" and _KATAKANA.fullmatch(item.surface):
            run.append(item)
            continue
        yield from _joined(run)
        run = []
        yield item
    yield from _joined(run)


def _joined(run: Sequence[Item]) -> Iterator[Item]:
    if run:
        word = "".join(item.surface for item in run)
        yield Item("char", word, word, run[0].start, run[-1].end)


def _pieces(text: str, base: int, table: Lexicon) -> Iterator[Item]:
    at, unknown = 0, -1
    for end, item in _best_cut(text, base, table):
        if item is not None:
            yield item
        elif end - at == 1 and (
            text[at:end] not in table.phrases or _is_fragile(text, at, table, unknown)
        ):
            unknown = end
            yield Item("char", text[at:end], text[at:end], base + at, base + end)
        elif _is_name(text, at, end, table):
            yield from (
                Item("char", text[k], text[k], base + k, base + k + 1) for k in range(at, end)
            )
        else:
            yield from sense_items(table.phrases[text[at:end]], text[at:end], base + at, base + end)
        at = end


def _best_cut(text: str, base: int, table: Lexicon) -> list[tuple[int, Item | None]]:
    """Choose the cheapest way from left to right; give the end of each piece, and its item if it is a numeral."""
    costs = [0] * (len(text) + 1)
    steps: list[tuple[int, Item | None]] = [(0, None)] * (len(text) + 1)
    for at in range(len(text) - 1, -1, -1):
        best: tuple[int, int, Item | None] = (_UNKNOWN + costs[at + 1], at + 1, None)
        for length, cost, item in _options(text, at, base, table):
            if cost + costs[at + length] < best[0]:
                best = (cost + costs[at + length], at + length, item)
        costs[at], steps[at] = best[0], (best[1], best[2])
    path, at = [], 0
    while at < len(text):
        path.append(steps[at])
        at = steps[at][0]
    return path


def _options(
    text: str, at: int, base: int, table: Lexicon
) -> Iterator[tuple[int, int, Item | None]]:
    for length in range(min(table.longest.get(text[at], 0), len(text) - at), 0, -1):
        if (word := text[at : at + length]) in table.phrases:
            yield length, 10 if length > 1 and word not in table.common else 11, None
    if text[at] in _NUMERALS and (numeral := _numeral(text, at, base, table)):
        yield numeral.end - base - at, 9, numeral
    if text[at] in table.name_prefixes and at + 1 < len(text) and text[at + 1] not in "的于":
        yield 2, 21, None
    if text[at] in table.surnames:
        yield from names_at(text, at, base, table)


def _is_name(text: str, at: int, end: int, table: Lexicon) -> bool:
    """小桃, 阿珂: a prefix and the character after it are a name, even if that is a function word."""
    return end - at == 2 and text[at] in table.name_prefixes and text[at:end] not in table.phrases  # noqa: PLR2004


def _is_fragile(text: str, at: int, table: Lexicon, unknown: int) -> bool:
    """Is this one character part of an unknown word (which ended at *unknown* so far), and not a word of its own?"""
    if text[at] not in table.fragile:
        return False
    if table.language == "ja":
        return (at == unknown and script(text[at - 1]) == "kana") or _is_particle(
            text, at - 1, table
        )
    after = at + 1
    if table.phrases[text[at]].role == "join" and text[max(at - 2, 0) : at] in table.phrases:
        return False  # 牛奶和黄油
    return (
        after < len(text) and script(text[after]) == "han" and not _starts_word(text, after, table)
    )


def _is_particle(text: str, at: int, table: Lexicon) -> bool:
    """Is the character a word of its own, behind which no ending stands (電気をつける)?"""
    sense = table.phrases.get(text[at]) if at >= 0 else None
    return sense is not None and text[at] in _CASES


def _starts_word(text: str, at: int, table: Lexicon) -> bool:
    if text[at] in table.name_prefixes or HAN_NUMERAL.match(text, at):
        return True
    return any(
        text[at : at + n] in table.phrases for n in range(1, table.longest.get(text[at], 0) + 1)
    )


def _numeral(text: str, at: int, base: int, table: Lexicon) -> Item | None:
    match = HAN_NUMERAL.match(text, at)
    if match is None or (at and HAN_NUMERAL.match(text, at - 1)):
        return _half(text, at, base, table)
    value = parse_han_numeral(match.group(), table.language == "zh")
    if value is None:
        return None
    end, key = match.end(), f"{_NUMBER}{value}"
    if value == 1 and text[at : end + 1] in table.phrases:
        return None  # 一家公司: no number
    if found := unit_at(text, end, table):
        unit, length = found
        return Item(
            "quantity",
            with_unit(key, unit),
            text[at : end + length],
            base + at,
            base + end + length,
        )
    counted = measure_at(text, end, table)
    if len(match.group()) == 1 and not counted and text[end : end + 1] not in table.measures:
        return None
    return Item("quantity", key, match.group(), base + at, base + end + counted)


def measure_at(text: str, at: int, table: Lexicon) -> int:
    """Give the length of the classifier at *at* (台 in 三台设备): 1, or 0 if it begins another word."""
    if at >= len(text) or text[at] not in table.classifiers:
        return 0
    longest = min(table.longest.get(text[at], 0), len(text) - at)
    return int(all(text[at : at + n] not in table.phrases for n in range(2, longest + 1)))


def _half(text: str, at: int, base: int, table: Lexicon) -> Item | None:
    if text[at] != "半":
        return None
    found = ("mo", 1) if text[at : at + 2] == "半月" else unit_at(text, at + 1, table)
    if found is None:
        return None
    end = at + 1 + found[1]
    return Item("quantity", with_unit("number:0.5", found[0]), text[at:end], base + at, base + end)


def unit_at(text: str, at: int, table: Lexicon) -> tuple[str, int] | None:
    """Find the longest unit that starts at *at*; return its key and length."""
    for length in range(min(_LONGEST_UNIT, len(text) - at), 0, -1):
        sense = table.phrases.get(text[at : at + length])
        if sense and sense.role == "unit":
            return sense.key, length
    return None


def multiply(key: str, text: str) -> tuple[str, int]:
    """Read 万, 百, 천만 ... after digits (1.5 万); return the number's key and the characters used."""
    used, factor = 0, 1
    while more := _MULTIPLIERS.get(text[used : used + 1]):
        factor, used = factor * more, used + 1
    try:
        number = float(key.removeprefix(_NUMBER))
    except ValueError:  # 3,4 万: three or four
        return key, 0
    if not used or number * factor > _MOST_EXACT:
        return key, 0
    return f"{_NUMBER}{number * factor:.0f}", used


def korean(text: str, base: int, at: int, table: Lexicon) -> Iterator[Item]:
    """Yield the items of a run of Korean, word by word, from *at* on."""
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        if counted := counted_at(text, at, base, table):
            item, at = counted
            yield item
            continue
        found, at = _korean_word(text, base, at, table)
        yield from found


def _korean_word(text: str, base: int, at: int, table: Lexicon) -> tuple[list[Item], int]:
    found: list[Item] = []
    here = at
    while here < len(text) and (text[here] != " " or here == at):
        phrase = _longest_at(text, here, table)
        if not phrase:
            break
        found += sense_items(table.phrases[phrase], phrase, base + here, base + here + len(phrase))
        here += len(phrase)
    end = text.find(" ", here)
    end = len(text) if end < 0 else end
    if here >= end and not (
        len(found) > 1 and all(i.role in _PARTICLES and len(i.surface) == 1 for i in found)
    ):
        return found, here
    begin = max(text.rfind(" ", 0, here) + 1, at)
    kept = [item for item in found if item.end - base <= begin]
    return [*kept, *_korean_unknown(text[begin:end], base + begin, table)], end


def _korean_unknown(word: str, start: int, table: Lexicon) -> Iterator[Item]:
    """Yield the word under its possible stems, and the particle behind the likeliest."""
    forms = [word]
    particle = None
    if ending := _deed_ending(word, table):
        yield from _deed(word, ending, start, table)
        return
    if verb := korean_stem(word):
        stem, must = verb
        yield Item("word", stem, word, start, start + len(word), forms=(stem,))
        if must:
            yield Item("modal", "must", "", start + len(word), start + len(word))
        return
    for cut in range(1, min(4, len(word))):
        sense = table.phrases.get(word[-cut:])
        if _is_given_name(word, cut, table):
            continue
        if sense and sense.role in ("drop", "marker", "join"):
            forms.append(word[:-cut])
            particle = (sense, cut) if len(word) - cut > 1 else particle
    key = min((form for form in forms if len(form) > 1), key=len, default=word)
    end = start + len(word)
    unknown = Item("word", key, word, start, end, forms=tuple(forms))
    yield unknown
    if particle:
        sense, cut = particle
        yield replace(
            unknown, role=sense.role, key=sense.key, surface=word[-cut:], start=end, forms=()
        )


def _is_given_name(word: str, cut: int, table: Lexicon) -> bool:
    """김민수, 김민지: the last of a surname and two syllables is part of the name, though others end with it."""
    named = cut == 1 and len(word) == len("김민수") and word[0] in table.surnames
    return named and word[-1] in table.given


def _deed(word: str, ending: int, start: int, table: Lexicon) -> Iterator[Item]:
    """Yield the noun, known or not, and what the form of the verb behind it means."""
    noun, verb, cut = word[:-ending], word[-ending:], start + len(word) - ending
    if known := table.phrases.get(noun):
        yield from sense_items(known, noun, start, cut)
    else:
        yield Item("word", noun, noun, start, cut, forms=(noun,))
    yield from sense_items(table.phrases[verb], verb, cut, start + len(word))


def _deed_ending(word: str, table: Lexicon) -> int:
    """Give the length of the form of 하다 or 되다 that makes a verb of the noun before it (접속하지: 접속)."""
    for cut in range(min(5, len(word) - 2), 0, -1):
        if word[-cut:] in table.endings:
            return cut
    return 0


def _longest_at(text: str, at: int, table: Lexicon) -> str:
    for length in range(min(table.longest.get(text[at], 0), len(text) - at), 0, -1):
        if text[at : at + length] in table.phrases:
            return text[at : at + length]
    return ""

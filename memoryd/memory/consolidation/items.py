"""Tokens -> items: every stretch of the text gets its meaning from the tables, the longest phrase first."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from memoryd.memory.consolidation.lexicon import UNSPACED, Language, Lexicon, Role, Sense, lexicon
from memoryd.memory.consolidation.quantities import month_day, with_unit
from memoryd.memory.consolidation.tokens import Token, tokens
from memoryd.memory.text import HAN_NUMERAL, parse_han_numeral, script

_NUMBER = "number:"
_DAYS = 31


@dataclass(frozen=True, slots=True)
class Item:
    """A stretch [start, end) of folded text and what it means.

    Attributes:
        role: a role of the lexicon, or "code", "quantity", "name", "word", "char", "sign".
        key: what is compared; forms that mean the same share it.
        forms: other keys under which an unknown word may be met.
        aside: cues read beside the meaning (change, doubt, ...).
    """

    role: Role | str
    key: str
    surface: str
    start: int
    end: int
    forms: tuple[str, ...] = ()
    aside: frozenset[Role] = frozenset()


def items(text: str, language: Language) -> list[Item]:
    """Read folded *text* in *language*; Latin words inside unspaced text are read as English."""
    reader = _Reader(text, language)
    return _join_dates(list(reader.read()))


class _Reader:
    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.shouting = text.isupper()
        self.table = lexicon(language)
        self.spaced = lexicon("en" if language in UNSPACED else language)
        self.seq = list(tokens(text))
        self.skip = 0  # folded offset up to which a unit has eaten into the next run

    def read(self) -> Iterator[Item]:
        i = 0
        while i < len(self.seq):
            token = self.seq[i]
            if token.kind == "run":
                yield from self._run(token)
                i += 1
            elif token.kind == "sign":
                yield Item("sign", token.text, token.text, token.start, token.end)
                i += 1
            else:
                found, used = self._spaced(i)
                yield from found
                i += used

    def _spaced(self, i: int) -> tuple[list[Item], int]:
        token = self.seq[i]
        if token.kind == "quantity":
            item, used = self._with_unit(self._item("quantity", token.key, token, token), i + 1)
            return [item], used + 1
        sense, count = self._phrase(i)
        found, used = self._meant(i, sense, count)
        if cues := self._cues(i):
            found[0] = replace(found[0], aside=found[0].aside | cues)
        return found, used

    def _cues(self, i: int) -> frozenset[Role]:
        """Find a cue that is said along with the words it is made of."""
        if not self.spaced.cues:
            return frozenset()
        span = self._span(i, self.spaced.longest.get(self.seq[i].text.casefold(), 0))
        found = (
            self.spaced.cues.get(phrase)
            for n in range(len(span), 1, -1)
            for phrase in _readings(span[:n])
        )
        return next((cues for cues in found if cues), frozenset())

    def _meant(self, i: int, sense: Sense | None, count: int) -> tuple[list[Item], int]:
        token = self.seq[i]
        if sense is None:
            return [self._unknown(token)], 1
        last = self.seq[i + count - 1]
        if count == 1 and self._is_name(i, sense):
            return [self._unknown(token)], 1
        if sense.role == "number":
            return self._spelled(i)
        if (
            sense.role == "unit"
            and sense.key.isupper()
            and token.text in "€$£"
            and i + 1 < len(self.seq)
        ):
            after = self.seq[i + 1]
            if after.kind == "quantity":
                return [self._item("quantity", with_unit(after.key, sense.key), token, after)], 2
        return self._senses(sense, token, last), count

    def _is_name(self, i: int, sense: Sense) -> bool:
        """Go, May, Will: a function word with a capital inside a sentence is a name."""
        word = self.seq[i].text
        if sense.role not in ("drop", "marker", "modal") or not word[:1].isupper() or len(word) < 2:  # noqa: PLR2004 - "I"
            return False
        mixed = self.table.language in UNSPACED
        starts = i == 0 or self.seq[i - 1].text in (".", "!", "?", ":", ";", "-", "—", "(", '"')
        return not self.shouting and word[1:].islower() and (mixed or not starts)

    def _senses(self, sense: Sense, first: Token, last: Token) -> list[Item]:
        head = self._item(sense.role, sense.key, first, last, aside=sense.aside)
        if not sense.parts:
            return [_value_item(head)]
        return [replace(head, role=role, key=key) for role, key in sense.parts]

    def _item(
        self, role: str, key: str, first: Token, last: Token, **more: frozenset[Role]
    ) -> Item:
        return Item(role, key, self.text[first.start : last.end], first.start, last.end, **more)

    def _phrase(self, i: int) -> tuple[Sense | None, int]:
        """Find the longest phrase of the tables that starts at token *i*."""
        heads = _forms(self.seq[i].text, self.spaced)
        reach = max((self.spaced.longest.get(head, 0) for head in heads), default=0)
        span = self._span(i, reach)
        for count in range(len(span), 0, -1):
            for phrase in _readings(span[:count]):
                if sense := self.spaced.phrases.get(phrase):
                    return sense, count
        return None, 0

    def _span(self, i: int, reach: int) -> list[tuple[str, ...]]:
        """Give the forms of up to *reach* tokens that stand side by side (a hyphen may join them)."""
        span: list[tuple[str, ...]] = []
        for token in self.seq[i : i + reach]:
            if token.kind not in ("word", "code", "quantity"):
                break
            span.append(_forms(token.text, self.spaced))
        return span

    def _unknown(self, token: Token) -> Item:
        if token.kind == "code":
            key = token.text.casefold() if self.shouting else token.text
            key = key.removesuffix("()").rstrip("/") or key
            return self._item("code", key, token, token)
        lower = token.text.casefold()
        named = token.text[0].isupper() and not self.shouting and self.table.language != "de"
        stem = lower if self.spaced.language not in ("en", "fr", "es") else _stem(lower)
        role = "name" if named else "word"
        return Item(role, stem, token.text, token.start, token.end, forms=(lower,))

    def _spelled(self, i: int) -> tuple[list[Item], int]:
        """Read number words: twenty five, three hundred."""
        total, used = 0, 0
        while i + used < len(self.seq):
            sense = self.spaced.phrases.get(self.seq[i + used].text.casefold())
            if sense is None or sense.role != "number":
                break
            value = int(sense.key)
            total = max(total, 1) * value if value >= 100 else total + value  # noqa: PLR2004 - hundred
            used += 1
        item = self._item("quantity", f"{_NUMBER}{total}", self.seq[i], self.seq[i + used - 1])
        item, more = self._with_unit(item, i + used)
        return [item], used + more

    def _with_unit(self, item: Item, i: int) -> tuple[Item, int]:
        """Join a number and the unit after it; return the tokens used up."""
        if not item.key.startswith(_NUMBER) or i >= len(self.seq):
            return item, 0
        token, gap = self.seq[i], self.text[item.end : self.seq[i].start]
        if gap.strip(" -") or token.kind == "quantity":
            return item, 0
        if token.kind == "run":
            return self._unit_of_run(item, token), 0
        for count, text in ((2, self._joined(i, 2)), (1, token.text)):
            unit = _unit(text, self.spaced) or _unit(text, lexicon("en"))
            if unit:
                last = self.seq[i + count - 1]
                surface = self.text[item.start : last.end]
                return replace(
                    item, key=with_unit(item.key, unit), end=last.end, surface=surface
                ), count
        return item, 0

    def _joined(self, i: int, count: int) -> str:
        pair = self.seq[i : i + count]
        return self.text[pair[0].start : pair[-1].end] if len(pair) == count else ""

    def _unit_of_run(self, item: Item, token: Token) -> Item:
        if found := _unit_at(token.text, 0, self.table):
            unit, length = found
            self.skip = token.start + length
            end = token.start + length
            return replace(
                item, key=with_unit(item.key, unit), end=end, surface=self.text[item.start : end]
            )
        return item

    def _run(self, token: Token) -> Iterator[Item]:
        at = max(self.skip - token.start, 0)
        if self.table.language == "ko":
            yield from self._korean(token, at)
            return
        while at < len(token.text):
            found, at = self._unspaced(token, at)
            yield from found

    def _unspaced(self, token: Token, at: int) -> tuple[list[Item], int]:
        text, start = token.text, token.start
        if numeral := self._numeral(text, at, start):
            return [numeral], numeral.end - start
        if (length := self._name(text, at)) and not self._known(text, at, 2):
            return [
                Item("char", c, c, start + at + k, start + at + k + 1)
                for k, c in enumerate(text[at : at + length])
            ], at + length
        phrase = _longest_at(text, at, self.table)
        if phrase and not self._is_fragile(text, at, phrase):
            first = Token("run", phrase, start + at, start + at + len(phrase))
            return self._senses(self.table.phrases[phrase], first, first), at + len(phrase)
        return [Item("char", text[at], text[at], start + at, start + at + 1)], at + 1

    def _known(self, text: str, at: int, length: int) -> bool:
        return len(_longest_at(text, at, self.table)) >= length

    def _name(self, text: str, at: int) -> int:
        """小桃, 阿珂: a prefix and the character after it are a name, even if that is a function word."""
        if text[at] not in self.table.name_prefixes or at + 1 >= len(text):
            return 0
        follows = len(_longest_at(text, at + 1, self.table)) > 1  # 小会议室: a small meeting room
        return 2 if text[at + 1] not in "的于" and not follows else 0

    def _is_fragile(self, text: str, at: int, phrase: str) -> bool:
        """Is this one character part of an unknown word, and not a word of its own?"""
        if phrase not in self.table.fragile:
            return False
        if self.table.language == "ja":
            return (
                at > 0
                and script(text[at - 1]) == "kana"
                and not _longest_at(text, at - 1, self.table)
            )
        after = at + 1
        return after < len(text) and script(text[after]) == "han" and not (
            _longest_at(text, after, self.table) or HAN_NUMERAL.match(text, after)
        )  # fmt: skip

    def _numeral(self, text: str, at: int, start: int) -> Item | None:
        match = HAN_NUMERAL.match(text, at)
        if match is None:
            return self._half(text, at, start)
        value = parse_han_numeral(match.group())
        if value is None:
            return None
        end, key = match.end(), f"{_NUMBER}{value}"
        if found := _unit_at(text, end, self.table):
            unit, length = found
            return Item(
                "quantity",
                with_unit(key, unit),
                text[at : end + length],
                start + at,
                start + end + length,
            )
        known = len(_longest_at(text, at, self.table))
        counted = end < len(text) and text[end] in self.table.measures
        if known > len(match.group()) or (len(match.group()) == 1 and not counted):
            return None
        return Item("quantity", key, match.group(), start + at, start + end)

    def _half(self, text: str, at: int, start: int) -> Item | None:
        found = _unit_at(text, at + 1, self.table) if text[at] == "半" else None
        if found is None:
            return None
        end = at + 1 + found[1]
        return Item(
            "quantity", with_unit("number:0.5", found[0]), text[at:end], start + at, start + end
        )

    def _korean(self, token: Token, at: int) -> Iterator[Item]:
        """Read words with their particles; a word that the tables do not cover whole is one unknown word."""
        text = token.text
        while at < len(text):
            if text[at] == " ":
                at += 1
                continue
            found, after = self._korean_word(token, at)
            yield from found
            at = after

    def _korean_word(self, token: Token, at: int) -> tuple[list[Item], int]:
        text, start = token.text, token.start
        found: list[Item] = []
        here = at
        while here < len(text) and (text[here] != " " or here == at):
            phrase = _longest_at(text, here, self.table)
            if not phrase:
                break
            first = Token("run", phrase, start + here, start + here + len(phrase))
            found += self._senses(self.table.phrases[phrase], first, first)
            here += len(phrase)
        end = text.find(" ", here)
        end = len(text) if end < 0 else end
        if here >= end and not (
            len(found) > 1 and all(i.role == "drop" and len(i.surface) == 1 for i in found)
        ):
            return found, here
        word_start = text.rfind(" ", 0, here) + 1
        kept = [item for item in found if item.end - start <= word_start]
        begin = max(word_start, at)
        return [*kept, *self._korean_unknown(text[begin:end], start + begin)], end

    def _korean_unknown(self, word: str, start: int) -> Iterator[Item]:
        """Yield the word under its possible stems, and the particle behind the likeliest."""
        forms = [word]
        particle = None
        for cut in range(1, min(4, len(word))):
            sense = self.table.phrases.get(word[-cut:])
            if sense and sense.role in ("drop", "marker", "join"):
                forms.append(word[:-cut])
                particle = (sense, cut) if len(word) - cut > 1 else particle
        key = min((form for form in forms if len(form) > 1), key=len, default=word)
        end = start + len(word)
        yield Item("word", key, word, start, end, forms=tuple(forms))
        if particle:
            sense, cut = particle
            yield Item(sense.role, sense.key, word[-cut:], end, end)


def _value_item(item: Item) -> Item:
    """Weekdays and ordinals of the tables are quantities."""
    if item.role in ("weekday", "ordinal"):
        return replace(item, role="quantity", key=f"{item.role}:{item.key}")
    return replace(item, role="concept", key=f"unit:{item.key}") if item.role == "unit" else item


def _longest_at(text: str, at: int, table: Lexicon) -> str:
    for length in range(min(table.longest.get(text[at], 0), len(text) - at), 0, -1):
        if text[at : at + length] in table.phrases:
            return text[at : at + length]
    return ""


def _unit_at(text: str, at: int, table: Lexicon) -> tuple[str, int] | None:
    for length in range(min(5, len(text) - at), 0, -1):
        sense = table.phrases.get(text[at : at + length])
        if sense and sense.role == "unit":
            return sense.key, length
    return None


def _unit(text: str, table: Lexicon) -> str | None:
    sense = table.phrases.get(text.casefold())
    return sense.key if sense and sense.role == "unit" else None


@lru_cache(maxsize=65536)
def _forms_of(word: str, language: Language) -> tuple[str, ...]:
    """Give the word in lower case and the base forms that the tables know."""
    table = lexicon(language)
    forms = [word]
    if base := table.bases.get(word):
        forms.append(base)
    forms += [
        base for base in _bases(word, language) if base in table.plain_words and base not in forms
    ]
    return tuple(forms)


def _forms(word: str, table: Lexicon) -> tuple[str, ...]:
    return _forms_of(word.casefold(), table.language)


_MIN_STEM = 3
_ENGLISH = (
    ("ies", "y"),
    ("es", ""),
    ("s", ""),
    ("ied", "y"),
    ("ed", ""),
    ("ed", "e"),
    ("ing", ""),
    ("ing", "e"),
    ("ly", ""),
)
_PLURALS = {
    "en": _ENGLISH,
    "fr": (("s", ""), ("es", "")),
    "es": (("s", ""), ("es", "")),
    "de": (("en", ""), ("n", ""), ("e", ""), ("s", "")),
}


def _bases(word: str, language: Language) -> Iterator[str]:
    for tail, put in _PLURALS.get(language, ()):
        stem = word.removesuffix(tail)
        if stem == word or len(stem) < _MIN_STEM - 1:
            continue
        yield stem + put
        if language == "en" and len(stem) > _MIN_STEM and stem[-1] == stem[-2]:
            yield stem[:-1]


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """Cut plural and verb endings of an unknown word, so that its forms meet."""
    if len(word) > _MIN_STEM + 1 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") else word[:-1]
    for tail in ("ing", "ed"):
        if word.endswith(tail) and len(word) - len(tail) >= _MIN_STEM:
            word = word.removesuffix(tail)
            word = word[:-1] if word[-1] == word[-2] and word[-1] not in "ls" else word
            break
    return word.removesuffix("e") if len(word) > _MIN_STEM else word


def _readings(span: list[tuple[str, ...]]) -> Iterator[str]:
    """Give the phrases that a span can be read as: as written first, then with base forms."""
    yield " ".join(forms[0] for forms in span)
    if len(span) == 1:
        yield from span[0][1:]
        return
    yield " ".join(forms[-1] for forms in span)
    for i, forms in enumerate(span):
        for form in forms[1:]:
            yield " ".join(form if k == i else other[0] for k, other in enumerate(span))


def _join_dates(found: list[Item]) -> list[Item]:
    """Join a month's name with the day and the year beside it: 4 March 2025, March 4th, 3 de febrero."""
    out: list[Item] = []
    i = 0
    while i < len(found):
        if found[i].role == "month" or _is_may(found, i):
            i = _date_at(found, i, out)
        elif found[i].key == "weekday:7" and out and (k := _saturday(out)):
            first = out[-k]
            del out[-k:]
            out.append(replace(first, role="concept", key="weekend", end=found[i].end))
            i += 1
        else:
            out.append(found[i])
            i += 1
    return out


def _saturday(out: list[Item]) -> int:
    """How far back Saturday stands, if Sunday makes a weekend of it."""
    for back in (1, 2):
        if len(out) >= back and out[-back].key == "weekday:6":
            return back if back == 1 or out[-1].role in ("join", "sign") else 0
    return 0


def _is_may(found: list[Item], i: int) -> bool:
    if found[i].surface != "May" or found[i].role != "modal":
        return False
    beside = [found[k] for k in (i - 1, i + 1) if 0 <= k < len(found)]
    return any(_day(item) for item in beside) or (i > 0 and found[i - 1].role == "marker")


def _day(item: Item) -> int:
    kind, _, value = item.key.partition(":")
    return (
        int(value)
        if kind in ("number", "ordinal") and value.isdigit() and 0 < int(value) <= _DAYS
        else 0
    )


def _date_at(found: list[Item], i: int, out: list[Item]) -> int:
    month = int(found[i].key) if found[i].role == "month" else 5
    first, last, day, year = found[i], found[i], 0, None
    before = len(out) - 1
    while before >= 0 and (out[before].key in (".", "of") or out[before].surface in ("de", "the")):
        before -= 1
    if before >= 0 and _day(out[before]):
        day, first = _day(out[before]), out[before]
        del out[before:]
    elif i + 1 < len(found) and _day(found[i + 1]):
        i += 1
        day, last = _day(found[i]), found[i]
    k = (
        i + 2
        if i + 1 < len(found) and (found[i + 1].key == "," or found[i + 1].surface == "de")
        else i + 1
    )
    if k < len(found) and re.fullmatch(r"number:(19|20)\d\d", found[k].key):
        year, last, i = int(found[k].key[7:]), found[k], k
    key = month_day(month, day, year) if day else f"month:{year or ''}-{month:02}"
    out.append(Item("quantity", key, "", first.start, last.end))
    return i + 1

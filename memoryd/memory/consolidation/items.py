"""Text -> items: every stretch gets its meaning from the tables, the longest phrase first."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import TypeVar

from memoryd.memory.consolidation.inflection import known_forms, unknown_forms
from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.joining import join
from memoryd.memory.consolidation.lexicon import UNSPACED, Language, Lexicon, Role, Sense, lexicon
from memoryd.memory.consolidation.quantities import european, is_exact, plain, with_unit
from memoryd.memory.consolidation.segmentation import (
    korean,
    measure_at,
    multiply,
    segment,
    sense_items,
    unit_at,
)
from memoryd.memory.consolidation.separable import join_verbs
from memoryd.memory.consolidation.tokens import Token, tokens

_Meaning = TypeVar("_Meaning")

_NUMBER = "number:"
_SENTENCE_STARTS = frozenset('.!?:;-—("')
_COMMA_DECIMALS = frozenset({"de", "fr", "es"})
_AMOUNT = re.compile(r"\d+(\.\d+)?")
_VERSION = re.compile(r"v(\d+(?:\.\d+)*)")
_SIGNS = {
    "≤": ("compare", "at_most"), "<=": ("compare", "at_most"), "≥": ("compare", "at_least"), ">=": ("compare", "at_least"),
    "<": ("compare", "less"), ">": ("compare", "more"), "≈": ("quantify", "about"), "~": ("quantify", "about"),
}  # fmt: skip
_SHORT = 4  # letters
_FORMLESS = frozenset({"marker", "join", "condition", "person", "frame"})
_RANGES = frozenset("-–~")
_MAGNITUDES = frozenset({12, 100, 1000, 10**6, 10**9})  # of which there may be several: two dozen
_LONGEST_BORROWED = 3  # Latin words
_ORDINARY = frozenset({"drop", "marker", "modal"})
_PHRASED = frozenset({"word", "code", "quantity"})


def items(
    text: str, language: Language, slips: Mapping[str, str] = MappingProxyType({})
) -> list[Item]:
    """Read folded *text* in *language*, *slips* as what they mean; Latin words in unspaced text are read as English."""
    return join(list(_Reader(text, language, slips).read()))


class _Reader:
    def __init__(self, text: str, language: Language, slips: Mapping[str, str]) -> None:
        self.text = text
        self.shouting = text.isupper() and language not in UNSPACED  # 必须用 HTTPS shouts nothing
        self.table = lexicon(language)
        self.spaced = lexicon("en" if language in UNSPACED else language)
        self.seq = list(tokens(text))
        if slips:
            self.seq = [_meant(token, slips) for token in self.seq]
        if self.table.separable:
            self.seq = join_verbs(self.seq, self.table)
        self.forms = [_forms(token, self.spaced.language) for token in self.seq]
        self.said = self.table.sayings.spans(text) if self.table.sayings else {}
        self.skip = 0  # folded offset up to which a unit has eaten into the next run

    def read(self) -> Iterator[Item]:
        i = 0
        while i < len(self.seq):
            token = self.seq[i]
            if token.start in self.said:
                end = self.said[token.start]
                yield Item("frame", "", self.text[token.start : end], token.start, end)
                i = next((k for k, t in enumerate(self.seq) if t.start >= end), len(self.seq))
            elif token.kind == "run":
                cut = korean if self.table.language == "ko" else segment
                yield from cut(token.text, token.start, max(self.skip - token.start, 0), self.table)
                i += 1
            elif token.kind == "sign":
                counts = i + 1 < len(self.seq) and self.seq[i + 1].kind == "quantity"
                ranged = counts and i > 0 and self.seq[i - 1].kind == "quantity"
                role, key = (
                    _SIGNS.get(token.text, ("sign", token.text)) if counts else ("sign", token.text)
                )
                if ranged and token.text in _RANGES:
                    role, key = "marker", "toward"
                if self._is_open_end(i):
                    role, key = "compare", "at_least"
                yield Item(role, key, token.text, token.start, token.end)
                i += 1
            else:
                found, used = self._spaced(i)
                yield from found
                i += used

    def _is_open_end(self, i: int) -> bool:
        """Python 3.11+ is 3.11 or later."""
        token, before = self.seq[i], self.seq[max(i - 1, 0)]
        touches = before.kind == "quantity" and before.end == token.start
        return token.text == "+" and touches and not self.text[token.end : token.end + 1].isalnum()

    def _spaced(self, i: int) -> tuple[list[Item], int]:
        token = self.seq[i]
        if token.kind == "quantity":
            key = european(token.key) if self.table.language in _COMMA_DECIMALS else token.key
            item, used = self._with_unit(self._item("quantity", key, token, token), i + 1)
            return [item], used + 1
        reach = self._reach(i)
        sense, count = self._phrase(i, reach)
        if sense and sense.role == "quality" and count > 1 and self._goes_on(i + count):
            sense, count = self._phrase(i, count - 1)  # is on Monday: no switch
        found, used = self._meant(i, sense, count)
        if reach > 1 and (cues := self._cues(i, reach)):
            found[0] = replace(found[0], aside=found[0].aside | cues)
        return found, used

    def _cues(self, i: int, reach: int) -> frozenset[Role]:
        """Find a cue of up to *reach* words that is said along with the words it is made of."""
        reach = min(reach, self.spaced.longest.get(self.forms[i][0], 0))
        found = self._several(i, reach, self.spaced.cues) if self.spaced.cues else None
        return found[0] if found else frozenset()

    def _meant(self, i: int, sense: Sense | None, count: int) -> tuple[list[Item], int]:
        token = self.seq[i]
        if sense is None:
            return self._unknown(token), 1
        last = self.seq[i + count - 1]
        if count == 1 and self._is_name(i, sense):
            return self._unknown(token), 1
        if sense.role == "number":
            return self._spelled(i)
        if sense.role == "unit" and token.text in "€$£" and i + 1 < len(self.seq):
            after = self.seq[i + 1]
            if after.kind == "quantity":
                return [self._item("quantity", with_unit(after.key, sense.key), token, after)], 2
        surface = self.text[token.start : last.end]
        if count == 1 and self.table.separable:
            surface = token.text  # with the particle that stands at the end
        return sense_items(sense, surface, token.start, last.end), count

    def _is_name(self, i: int, sense: Sense) -> bool:
        """Go, May, Will: a function word with a capital inside a sentence is a name."""
        word = self.seq[i].text
        if word == "A" and i and self.seq[i - 1].kind == "word":
            return not self.shouting  # Squad A
        if sense.role == "compare" and word[:1].isupper() and word[1:].islower():
            return self._is_light(i + 1)  # Max is ...
        if self.table.language == "de" or sense.role not in _ORDINARY:
            return False
        if not word[:1].isupper() or len(word) < 2:  # noqa: PLR2004 - "I"
            return False
        mixed = self.table.language in UNSPACED
        starts = i == 0 or self.seq[i - 1].text in _SENTENCE_STARTS
        return not self.shouting and word[1:].islower() and (mixed or not starts)

    def _item(self, role: str, key: str, first: Token, last: Token) -> Item:
        return Item(role, key, self.text[first.start : last.end], first.start, last.end)

    def _is_light(self, i: int) -> bool:
        if i >= len(self.seq) or self.seq[i].kind != "word":
            return False
        sense, _ = self._phrase(i, self._reach(i))
        return sense is not None and sense.role in _ORDINARY

    def _goes_on(self, i: int) -> bool:
        """Is the token before *i* a preposition that token *i* belongs to?"""
        if i >= len(self.seq) or self.seq[i].kind == "sign":
            return False
        before = self.spaced.phrases.get(self.seq[i - 1].text.casefold())
        here = self.spaced.phrases.get(self.seq[i].text.casefold())
        return (
            before is not None
            and before.role == "marker"
            and before.key == "in"
            and (here is None or here.role not in ("marker", "join", "condition", "boundary"))
        )

    def _phrase(self, i: int, reach: int) -> tuple[Sense | None, int]:
        """Find the longest phrase of the tables that starts at token *i*, of up to *reach* tokens."""
        if self.table is not self.spaced and (found := self._borrowed(i)):
            return found
        if reach > 1 and (found := self._several(i, reach, self.spaced.phrases)):
            return found
        forms = self.forms[i] if reach else ()
        for form in forms:
            sense = self.spaced.phrases.get(form)
            if sense and _may_be_form(forms[0], form, sense):
                return sense, 1
        return None, 0

    def _several(
        self, i: int, reach: int, known: Mapping[str, _Meaning]
    ) -> tuple[_Meaning, int] | None:
        """Find the longest known phrase of two to *reach* words at token *i*."""
        span = self._span(i, reach)
        for count in range(len(span), 1, -1):
            for phrase in _readings(span[:count]):
                if phrase in known:
                    return known[phrase], count
        return None

    def _reach(self, i: int) -> int:
        """Give the number of words of the longest phrase that may begin at token *i*; for most words it is one."""
        forms, longest = self.forms[i], self.spaced.longest
        reach = 0
        for form in forms:
            reach = max(reach, longest.get(form, 0))
        if reach <= 1 or i + 1 == len(self.seq):
            return min(reach, 1)
        pairs = self.spaced.longest_by_pair
        behind = self.forms[i + 1]
        return max([pairs.get(f"{one} {two}", 1) for one in forms for two in behind], default=1)

    def _borrowed(self, i: int) -> tuple[Sense, int] | None:
        """Find a Latin phrase that the table of unspaced text has itself (push, pull request)."""
        words = [token.text.casefold() for token in self.seq[i : i + _LONGEST_BORROWED]]
        for count in range(len(words), 0, -1):
            if sense := self.table.phrases.get(" ".join(words[:count])):
                return sense, count
        return None

    def _span(self, i: int, reach: int) -> list[tuple[str, ...]]:
        """Give the forms of up to *reach* tokens that stand side by side."""
        span = self.forms[i : i + reach]
        return span[: span.index(())] if () in span else span

    def _unknown(self, token: Token) -> list[Item]:
        if token.kind == "code":
            if match := _VERSION.fullmatch(token.text):
                version = self._item("concept", "version", token, token)
                return [version, replace(version, role="quantity", key=f"{_NUMBER}{match[1]}")]
            key = token.text.casefold() if self.shouting else token.text
            key = key.removesuffix("()").rstrip("*").rstrip("/") or key
            return [self._item("code", key, token, token)]
        lower = token.text.casefold()
        named = token.text[0].isupper() and not self.shouting and self.table.language != "de"
        if not named and (turned := self._turned(lower)):
            negation = self._item("negate", "inherent", token, token)
            return [negation, replace(negation, role=turned.role, key=turned.key)]
        key, forms = unknown_forms(lower, self.spaced.language)
        if token.text[0].isupper() and not self.shouting:
            forms = (
                (lower,) if self.spaced.language == "en" else (lower, lower)
            )  # a name is spelled as it is
        return [
            Item("name" if named else "word", key, token.text, token.start, token.end, forms=forms)
        ]

    def _turned(self, word: str) -> Sense | None:
        """unlogged: not logged."""
        if self.spaced.language != "en" or not word.startswith("un"):
            return None
        senses = (self.spaced.phrases.get(form) for form in known_forms(word[2:], "en"))
        return next((s for s in senses if s and s.role in ("action", "concept")), None)

    def _spelled(self, i: int) -> tuple[list[Item], int]:
        """Read number words: twenty five, three hundred."""
        total, used = 0, 0
        while i + used < len(self.seq):
            sense = self.spaced.phrases.get(self.seq[i + used].text.casefold())
            if sense is None or sense.role != "number":
                break
            value = int(sense.key)
            total = max(total, 1) * value if value in _MAGNITUDES else total + value
            used += 1
            if value in _MAGNITUDES and self._goes_on_with_number(i + used):
                used += 1  # two hundred and forty
        if not used:
            return self._unknown(self.seq[i]), 1  # millions of rows
        item = self._item("quantity", f"{_NUMBER}{total}", self.seq[i], self.seq[i + used - 1])
        item, more = self._with_unit(item, i + used)
        return [item], used + more

    def _goes_on_with_number(self, i: int) -> bool:
        """Is there an "and" at *i*, and a number word behind it?"""
        if i + 1 >= len(self.seq) or self.seq[i].text.casefold() != "and":
            return False
        sense = self.spaced.phrases.get(self.seq[i + 1].text.casefold())
        return sense is not None and sense.role == "number"

    def _with_unit(self, item: Item, i: int) -> tuple[Item, int]:  # noqa: PLR0911 - one answer for each case
        """Join a number and the unit after it; return the tokens used up."""
        if not item.key.startswith(_NUMBER) or i >= len(self.seq):
            return item, 0
        if magnitude := self._magnitude(item, i):
            item, more = self._with_unit(magnitude, i + 1)
            return item, more + 1
        if self.seq[i].text == "°" and i + 1 < len(self.seq):
            joined, more = self._with_unit(item, i + 1)
            return joined, more + 1 if more else 0
        token, gap = self.seq[i], self.text[item.end : self.seq[i].start]
        if gap == " " and token.text.casefold() in ("de", "d'") and i + 1 < len(self.seq):
            unit = _unit(self.seq[i + 1].text, self.spaced)
            if unit and item.surface[-1:].isalpha():  # 1,5 million d'euros
                end = self.seq[i + 1].end
                key = with_unit(item.key, unit)
                return replace(item, key=key, end=end, surface=self.text[item.start : end]), 2
        if gap.strip(" -°") or token.kind == "quantity":
            return item, 0
        if token.kind == "run":
            return self._unit_of_run(item, token), 0
        for count, text in ((2, self._joined(i, 2)), (1, token.text)):
            unit = _unit(text, self.spaced) or _unit(text, lexicon("en"))
            if unit:
                last = self.seq[i + count - 1]
                surface = self.text[item.start : last.end]
                key = with_unit(item.key, unit)
                return replace(item, key=key, end=last.end, surface=surface), count
        return item, 0

    def _magnitude(self, item: Item, i: int) -> Item | None:
        """1.5 million, 2 dozen."""
        sense = self.spaced.phrases.get(self.seq[i].text.casefold())
        if sense is None or sense.role != "number" or item.surface[-1:].isalpha():
            return None
        value = item.key.removeprefix(_NUMBER)
        if int(sense.key) not in _MAGNITUDES or not _AMOUNT.fullmatch(value) or not is_exact(value):
            return None
        key = f"{_NUMBER}{plain(Decimal(value) * int(sense.key))}"
        end = self.seq[i].end
        return replace(item, key=key, end=end, surface=self.text[item.start : end])

    def _joined(self, i: int, count: int) -> str:
        pair = self.seq[i : i + count]
        return self.text[pair[0].start : pair[-1].end] if len(pair) == count else ""

    def _unit_of_run(self, item: Item, token: Token) -> Item:
        key, used = multiply(item.key, token.text)
        gap = int(used > 0 and token.text.startswith(" ", used))  # 80만 원
        if found := unit_at(token.text, used + gap, self.table):
            key, used = with_unit(key, found[0]), used + gap + found[1]
        used += measure_at(token.text, used, self.table)
        if not used:
            return item
        self.skip = end = token.start + used
        return replace(item, key=key, end=end, surface=self.text[item.start : end])


def _forms(token: Token, language: Language) -> tuple[str, ...]:
    """Give what a token may be looked up by; nothing if no phrase holds it."""
    return known_forms(token.text.casefold(), language) if token.kind in _PHRASED else ()


def _meant(token: Token, slips: Mapping[str, str]) -> Token:
    word = slips.get(token.text.casefold())
    return token._replace(text=word) if word else token


def _unit(text: str, table: Lexicon) -> str | None:
    sense = table.phrases.get(text.casefold())
    return sense.key if sense and sense.role == "unit" else None


def _may_be_form(word: str, base: str, sense: Sense) -> bool:
    """Function words have no forms (Ines is no "in"), and a short noun no -ing (inning, inn)."""
    if word == base:
        return True
    if len(base) < _SHORT and sense.role not in ("action", "drop", "unit"):
        return sense.role == "concept" and word == base + "s"
    return sense.role not in _FORMLESS


def _readings(span: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Give the phrases that several words can be read as: as written first, then with base forms."""
    yield " ".join(forms[0] for forms in span)
    if max(map(len, span)) == 1:
        return
    yield " ".join(forms[-1] for forms in span)
    for i, forms in enumerate(span):
        for form in forms[1:]:
            yield " ".join(form if k == i else other[0] for k, other in enumerate(span))

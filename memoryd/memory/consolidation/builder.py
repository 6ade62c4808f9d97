"""Items -> units and clauses: function words are no units, but they leave their mark.

A preposition names the role of the units after it, a negation turns their sign, a condition opens a scope, a
bracket or comma ends a clause.
"""

import re
import sys
from dataclasses import replace

from memoryd.memory.consolidation.clause import Clause, signs
from memoryd.memory.consolidation.inflection import known_forms
from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.lexicon import UNSPACED, Lexicon
from memoryd.memory.consolidation.lists import number_lists
from memoryd.memory.consolidation.unit import IMPERATIVE, TIMES, ClauseFacts, Reading, Unit

_CONTENT = frozenset({
    "quality", "concept", "action", "name", "word", "char", "code", "quantity", "quantify", "compare", "condition",
})  # fmt: skip
_SCOPED = frozenset({"if", "unless", "except", "until", "before", "after", "than"})
_BREAKS = frozenset(",;:.!?，。；：！？、—–\n→…")
_HENCEFORTH = frozenset({"以后", "今後", "앞으로"})
_GLUE = frozenset({"", "的", "の", "了", "过"})
_ROUNDS = ("every:", "weekday:")  # 日报每天下班前发: every day is when it is sent
_POINTS = ("time:", "date:", "day:", "weekday:", "month:")
_HONORIFICS = frozenset({"さん", "様", "氏", "님", "씨"})
_OBJECTS = frozenset({"obj", "toward", "in"})
_IS = frozenset({"是", "叫", "即"})  # other Chinese copulas are verbs too
_OPTIONAL_QUANTIFIERS = frozenset({"all", "exactly", "even"})
_OPTIONAL_CONDITIONS = frozenset({"when", "where", "though", "than", "including", "then"})
_OPENING = frozenset({"if", "when", "until", "before", "after", "unless", "except", "though"})
_POSTPOSED = frozenset(
    {"if", "when", "until", "before", "after", "except"}
)  # may stand behind, in Chinese
_ABBREVIATED = frozenset({"dr", "mr", "mrs", "ms", "prof", "st", "vs", "ca", "bzw", "no", "nr"})
_AUXILIARIES = frozenset({"have", "get"})
_ORDER_WORDS = frozenset({"first", "next", "last", "then"})


class ReadingBuilder:
    """Collects the units of one entry, clause by clause."""

    def __init__(self, table: Lexicon, text: str) -> None:
        self.table = table
        self.text = text
        self.units: list[Unit] = []
        self.clauses: list[ClauseFacts | None] = []
        self.outer: list[Clause] = []
        self.dropped: list[str] = []
        self.persons: set[str] = set()
        self.quantifiers: set[str] = set()
        self.agents: set[int] = set()
        self.request = self.wish = self.asks = self.ordered = False
        self.now = self._open()

    def _open(self) -> Clause:
        self.clauses.append(None)
        return Clause(len(self.clauses) - 1)

    def take(self, item: Item) -> None:
        if item.role == "sign":
            self._sign(item)
            return
        if self._starts_clause(item):
            self.close()
        self.now.started = item.start if self.now.started < 0 else self.now.started
        self.now.ended = item.end
        self.now.cues |= item.aside
        if item.surface.casefold() in self.table.ordered:
            self.ordered = True
        self._dispatch(item)
        self.now.last = item

    def _sign(self, item: Item) -> None:
        if item.key in "?？":
            self.asks = True
        if (item.key == "、" and self.table.language == "zh") or (
            item.key == "/" and self.now.last
        ):
            self.now.joined = True
            return
        if item.key in "([":
            self.outer.append(self.now)
            self.now = self._open()
        elif item.key in ")]" and self.outer:
            self.close()
            self.now = self.outer.pop()
        if item.key == "." and self.now.last and self.now.last.surface.casefold() in _ABBREVIATED:
            return
        dash = item.key == "-" and self.text[max(item.start - 1, 0)].isspace()
        if (item.key in ":：" or dash or item.key == "—") and self._is_label():
            self.now.divides, self.now.scope = item.start, ""
            self.now.role = self.now.role if self.now.role == "by" else ""  # 负责人：小林
            return
        if item.key in ",，" and self._is_topic():
            self.now.role = ""
            return
        if item.key in _BREAKS or dash:
            self.close()

    def _is_label(self) -> bool:
        """Port: 5432. What stands before the colon is what the rest is about; together they are one clause."""
        opens = self.table.language in UNSPACED and self.now.number == 0 and not self.now.modals
        undivided = self.now.divides < 0 or opens
        return undivided and bool(self.now.units) and not self.now.negations

    def _is_topic(self) -> bool:
        """On Fridays, ...: where and when are said first and belong to what follows."""
        units = [self.units[i] for i in self.now.units]
        if (
            not units
            or self.now.number > 0
            or self.now.negations
            or self.now.divides >= 0
            or self.now.cues
        ):
            return False
        return all(unit.role or unit.kind == "quantity" or unit.key in TIMES for unit in units)

    def _starts_clause(self, item: Item) -> bool:
        if self.now.started < 0:
            return False
        unspaced = self.table.language in UNSPACED
        if "boundary" in item.aside or (item.role == "condition" and item.key in _OPENING):
            return not unspaced or item.key not in _POSTPOSED
        joined = self.now.last is not None and self.now.last.role == "join"
        if not joined or unspaced:
            return False
        verb = item.role in ("action", "modal") or self._is_copula(item)
        return item.role == "negate" or (verb and self.now.divides >= 0)

    def _dispatch(self, item: Item) -> None:
        handler = getattr(self, "_" + item.role, None)
        if handler is not None:
            handler(item)
        elif item.role in _CONTENT:
            self._add(item)
        elif item.role == "month":
            self._add(replace(item, role="quantity", key=f"month:-{int(item.key):02}"))
        else:
            self._drop(item)

    def _drop(self, item: Item) -> None:
        surface = item.surface.casefold()
        self.dropped.append(surface)
        self.now.light = item
        if item.role == "drop" and surface in self.table.postpositions:
            self._mark_back("in", item.start)
            self.now.role = ""
        if surface in _GLUE:
            self.now.attributes.append(len(self.units))
        if surface in self.table.hence:
            self._scope_all("when")
        if item.role != "marker" and self.now.role == "with" and self._is_instrument_named(item):
            self.now.role = ""
        if (
            item.role in ("drop", "modal", "marker")
            and self._divides_here(item)
            and self._is_copula(item)
        ):
            self.now.divides = item.start
        self._note_tense(item)
        self._note_light_verb(item)
        if not self.now.units and item.role == "drop":
            self.now.reason = self.now.reason or "boundary" in item.aside

    def _note_light_verb(self, item: Item) -> None:
        """Remember what sense a dropped verb has; have and get may turn out auxiliaries (has moved, gets sent)."""
        senses = self._light_senses(item)
        self.now.verbs |= senses
        if senses and not self.now.units and item.role == "drop" and not self._has_subject():
            self.now.verbs.add(IMPERATIVE)
        self.now.perfect = next(iter(senses & _AUXILIARIES), "")

    def _has_subject(self) -> bool:
        last = self.now.last
        return last is not None and last.role == "person"

    def _light_senses(self, item: Item) -> frozenset[str]:
        if not self.table.light_verbs:
            return frozenset()
        first, gap, rest = item.surface.casefold().partition(" ")
        forms = known_forms(first, self.table.language)
        known = (self.table.light_verbs.get(form + gap + rest) for form in forms)
        return next((senses for senses in known if senses), frozenset())

    def _divides_here(self, item: Item) -> bool:
        """Nothing divided the clause yet, or only a noun that might be a verb (the review is ...)."""
        last = self.now.last
        noun = last is not None and last.role == "action" and last.start == self.now.divides
        if item.surface in _IS and self.now.divides >= 0 and not self.now.modals:
            return True  # 打包脚本叫 build.sh
        plain = self.table.language not in UNSPACED
        return self.now.divides < 0 or (noun and plain)

    def _is_copula(self, item: Item) -> bool:
        words = item.surface.casefold()
        forms = (words, self.table.bases.get(words, words), words.removesuffix("s"))
        return any(form in self.table.copulas for form in forms)

    def _is_instrument_named(self, item: Item) -> bool:
        """用邮件来通知: the function word ends what is used."""
        last = self.now.last
        content = last is not None and last.role in _CONTENT
        return self.table.language == "zh" and content and item.surface not in _GLUE

    def _note_tense(self, item: Item) -> None:
        surface = item.surface.casefold()
        base = self.table.bases.get(surface, surface)
        if surface in self.table.past and (not self.now.auxiliary or base == "be"):
            self.now.past = True
        if item.role == "modal" or (item.role == "drop" and base in ("be", "have", "get")):
            self.now.auxiliary = True

    def _frame(self, item: Item) -> None:
        self.dropped.append(item.surface.casefold())
        self.request = self.request or any(
            r in item.surface.casefold() for r in self.table.requests
        )

    def _is_object(self) -> bool:
        """Does a Chinese text say of users what is done to them, or whose they are?"""
        last = self.now.last
        if last is None or not self.units or self.table.language != "zh":
            return False
        return last.surface in _GLUE or last.role in ("action", "marker", "frame")

    def _person(self, item: Item) -> None:
        if item.key == "user" and self._is_object():
            self._add(replace(item, role="concept"))  # 老板的用户, 添加用户: not the one who speaks
            return
        self.persons.add(item.key)  # but not: muss kurz sein
        self.dropped.append(item.surface.casefold())

    def _ignore(self, item: Item) -> None:
        self._add(replace(item, role="word")) if self.table.language in UNSPACED else self._drop(
            item
        )

    def _negate(self, item: Item) -> None:
        kind = item.key
        previous = self.now.last
        if kind == "verbal" and item.surface.casefold() == "not" and previous is not None:
            verbal = previous.role in ("drop", "modal", "person") or not self.now.units
            kind = "verbal" if verbal else "contrast"
        self.now.negations.append((kind, len(self.units)))
        self.now.denied.append(item.surface)
        if kind == "inherent":
            self.now.verbs |= self._light_senses(item)
        if kind == "contrast" and not self.table.markers_after:
            self.now.scope = "without"

    def _modal(self, item: Item) -> None:
        last = self.now.last
        if (
            item.surface.casefold() in self.table.frequency
            and last is not None
            and last.role == "negate"
        ):
            self._affirm()  # not always: sometimes
            self._add(replace(item, role="quantify", key="not_all"))
            return
        if item.key == "exempt":
            self.now.negations.append(
                ("post" if self.table.markers_after else "verbal", len(self.units))
            )
            self.now.denied.append(item.surface)
        self.now.modals.add(item.key)
        if item.key == "must":
            self._need(item)
        self._drop(item)

    def _need(self, item: Item) -> None:
        """Note what must be: all behind the word, or before it if it says that only then something may be."""
        at = len(self.units)
        if item.surface[:1] in self.table.linking:
            said = self.now.needed[0].start if self.now.needed else min((at, *self.now.units))
            self.now.needed = [range(said, at)]
            self.now.conditional = True
        elif not self.now.conditional:
            self.now.needed.append(range(at, sys.maxsize))

    def _marker(self, item: Item) -> None:
        if self.table.markers_after:
            last = self.now.last
            if last is not None and last.role == "person" and item.key in _OBJECTS:
                self._add(replace(last, role="concept"))
            self._mark_back(item.key, item.start)
        elif self._is_rival(item) and "prefer" in self.now.verbs:
            self._negate(replace(item, role="negate", key="contrast"))
            return
        elif item.key == "of" and item.surface == "'s":
            self._mark_back("of", item.start)
        else:
            self.now.role = item.key
            if self.now.scope and self.units[self.now.units[-1]].kind == "quantity":
                self.now.scope = ""  # after 3pm on Fridays
        self._drop(item)

    def _mark_back(self, role: str, near: int) -> None:
        """Give the units right before a particle their role."""
        for i in reversed(self.now.units):
            unit = self.units[i]
            if unit.role or (
                near - unit.end > 1 and self.text[unit.end : near].strip() not in _HONORIFICS
            ):
                break
            self.units[i] = replace(unit, role=role)
            near = unit.start
            if role == "by":
                self.agents.add(i)

    def _join(self, item: Item) -> None:
        self.now.joined = True
        self._drop(item)

    def _quantify(self, item: Item) -> None:
        if self._limits_negation(item):
            return
        self.quantifiers.add(item.key)
        if item.key in _ORDER_WORDS:
            self.ordered = True
        if item.key in _OPTIONAL_QUANTIFIERS or (item.key == "first" and self._scoped("before")):
            self._drop(item)
        else:
            self._add(item)

    def _limits_negation(self, item: Item) -> bool:
        """Not all, not every: some are and some are not, which is no negation of the rest."""
        last = self.now.last
        if item.key != "all" or last is None or last.role != "negate" or self.table.markers_after:
            return False
        self._affirm()
        self._add(replace(item, key="not_all"))
        return True

    def _affirm(self) -> None:
        self.now.negations.pop()
        self.now.denied.pop()

    def _scoped(self, key: str) -> bool:
        return any(unit.key == key for unit in (self.units[i] for i in self.now.units))

    def _compare(self, item: Item) -> None:
        if self._is_rival(item):
            self._negate(replace(item, role="negate", key="contrast"))
            return
        self.now.verbs |= self._light_senses(item)
        self._add(item)

    def _is_rival(self, item: Item) -> bool:
        """Prefer tea over coffee, like tea better than coffee: what follows is what is not wanted."""
        words = self.table.rivals
        if not words or item.surface.casefold() not in words or "want" not in self.now.modals:
            return False
        units = [self.units[i] for i in self.now.units]
        return bool(units) and all(unit.kind not in ("action", "quantity") for unit in units)

    def _condition(self, item: Item) -> None:
        if self._is_rival(item):
            self._negate(replace(item, role="negate", key="contrast"))
            return
        self.now.cues.add(item.key)
        if item.key == "then":
            self.ordered = True
        if item.key in _OPTIONAL_CONDITIONS:
            if item.key == "than":
                self.now.scope = "than"
            elif item.key == "when" and self.table.language == "zh":
                self._scope_back("when", item.start)
            self._drop(item)
            return
        backward = self.table.language in UNSPACED and (
            item.key in ("before", "after") or self._follows(item)
        )
        if item.key == "after" and item.surface in _HENCEFORTH and not self.now.units:
            self._drop(item)  # 以后用中文: from now on
            return
        if backward:
            self._scope_back(item.key, item.start)
            self._add(item)
        else:
            self._add(item)
            self.now.scope = item.key if item.key in _SCOPED else self.now.scope
        self.now.role = ""

    def _follows(self, item: Item) -> bool:
        return self.table.markers_after or item.surface in (
            "以外",
            "之外",
            "除外",
            "例外",
            "的话",
            "为止",
        )

    def _scope_all(self, key: str) -> None:
        """出错就重启: all that stands before the word is when the rest happens."""
        for i in self.now.units:
            if not self.units[i].scope:
                self.units[i] = replace(self.units[i], scope=key)
        self.now.scope = ""
        if self.now.units:
            self.now.cues.add(key)

    def _scope_back(self, key: str, near: int) -> None:
        start = near
        placed = False  # 服务器在内存用完时崩溃: what stands before 在 is not when
        for i in reversed(self.now.units):
            said = self.units[i].key.startswith(_ROUNDS) and near != start
            if said or (placed and self.units[i].role != "in"):
                break
            placed = self.units[i].role == "in"
            gap = re.sub(r"\W", "", self.text[self.units[i].end : near])
            if self.units[i].scope or (gap not in _GLUE and self.table.language != "zh"):
                break
            near = self.units[i].start
            self.units[i] = replace(self.units[i], scope=key)
            if self.units[i].key.startswith(_POINTS):
                break  # 会议室晚上 9 点以后关闭: after nine

    def _action(self, item: Item) -> None:
        if self.now.divides < 0:
            self.now.divides = item.start
        self._note_tense(item)
        self._add(item)
        self.now.role = ""

    def _add(self, item: Item) -> None:
        if item.key in ("", "unset_") and item.role == "concept":
            return
        self.now.participle = self.now.participle or item.surface.endswith("ed")
        self.now.past |= item.surface.casefold().startswith(("was ", "were "))
        if self.now.perfect and self._is_participle(item):
            self.now.verbs.discard(self.now.perfect)
        if self.table.language != "de":  # whose participle ends the clause
            self.now.perfect = ""
        unit = Unit(
            key=item.key,
            kind=item.role,
            surface=item.surface or self.text[item.start : item.end],
            start=item.start,
            end=item.end,
            clause=self.now.number,
            forms=item.forms,
            role=self._role_of(item),
            scope=self.now.scope,
            joined=self.now.joined,
        )
        if unit.role == "by" and unit.kind != "quality":
            self.agents.add(len(self.units))
        self.now.joined = False
        self.now.units.append(len(self.units))
        self.units.append(unit)
        if (
            self.now.role == "with"
            and self.table.language == "zh"
            and unit.kind in ("code", "name")
        ):
            self.now.role = ""  # 用 Redis 缓存会话: what follows is done with it

    def _is_participle(self, item: Item) -> bool:
        word = item.surface.casefold()
        if self.table.language == "de":
            return "ge" in word and word.endswith(("t", "en"))
        return word.endswith(("ed", "en")) or self.table.bases.get(word, word) != word

    def _role_of(self, item: Item) -> str:
        """Nouns get the role of the preposition before them; "to archive" is a verb, "to the archive" a noun."""
        if item.role == "condition":
            return ""
        if item.role == "action":
            last = self.now.last
            noun = last is not None and (
                last.role == "drop" or (last.role == "marker" and last.key != "toward")
            )
            return self.now.role if noun else ""
        return self.now.role

    def close(self) -> None:
        """End the clause: give its units their sign and write down what holds for all of it."""
        now = self.now
        if now.started < 0:
            return
        if now.negations and not now.units and now.light is not None:
            self._add(replace(now.light, role="word", key=now.light.surface.casefold()))
        turned = signs(now, self.units, self.dropped, self.table)
        for i, sign in turned.items():
            self.units[i] = replace(self.units[i], sign=sign)
        negated = bool(turned)
        bounded = any(self.units[i].key in ("at_most", "at_least") for i in now.units)
        modals = frozenset(now.modals) - (
            {"may"} if negated or bounded or (self.request and self.asks) else set()
        )
        self.clauses[now.number] = ClauseFacts(
            start=now.started,
            end=now.ended,
            modals=modals,
            cues=frozenset(now.cues),
            tense=self._tense(),
            inside=self.outer[-1].number if self.outer else -1,
            denials=len(now.negations),
            needed=frozenset(i for i in now.units if any(i in part for part in now.needed)),
            conditional=now.conditional,
            verbs=frozenset(now.verbs),
            negated=negated,
            divides=now.divides,
            opens_with_reason=now.reason,
        )
        self.now = self._open()

    def _tense(self) -> str:
        if self.wish:
            return ""  # if you didn't ...: a wish, not the past
        if self.now.past or "past" in self.now.cues:
            return "past"
        if "future" in self.now.cues:
            return "future"
        return "participle" if self.now.participle else ""

    def finish(self, offsets: tuple[int, ...]) -> Reading:
        self.close()
        while self.outer:
            self.now = self.outer.pop()
            self.close()
        clauses = tuple(clause or ClauseFacts(0, 0) for clause in self.clauses)
        return Reading(
            language=self.table.language,
            units=tuple(number_lists(self.units, clauses)),
            clauses=clauses,
            dropped=tuple(self.dropped),
            persons=frozenset(self.persons),
            question=self.asks and not self.request,
            ordered=self.ordered,
            quantifiers=frozenset(self.quantifiers),
            agents=frozenset(self.agents),
            text=self.text,
            offsets=offsets,
        )

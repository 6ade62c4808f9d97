"""The marks that function words leave on the units and clauses around them: signs, modalities, conditions, roles."""

import re
import sys
from abc import ABC, abstractmethod
from dataclasses import replace

from memoryd.memory.consolidation.clause import Clause
from memoryd.memory.consolidation.inflection import known_forms
from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.lexicon import UNSPACED, Lexicon
from memoryd.memory.consolidation.unit import NEED, ClauseFacts, Unit

_NO_WORD = re.compile(r"\W")
_SCOPED = frozenset({"if", "unless", "except", "until", "before", "after", "than"})
_HENCEFORTH = frozenset({"以后", "今後", "앞으로"})
GLUE = frozenset({"", "的", "の", "了", "过"})
_ROUNDS = ("every:", "weekday:")  # 日报每天下班前发: every day is when it is sent
_POINTS = ("time:", "date:", "day:", "weekday:", "month:")
_HONORIFICS = frozenset({"さん", "様", "氏", "님", "씨"})
_OBJECTS = frozenset({"obj", "toward", "in"})
_OPTIONAL_QUANTIFIERS = frozenset({"all", "exactly", "even"})
_OPTIONAL_CONDITIONS = frozenset({"when", "where", "though", "than", "including", "then"})
_ORDER_WORDS = frozenset({"first", "next", "last", "then"})


class Marks(ABC):
    """What is being read, and the words that change what the words around them say."""

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
        self.lack: Clause | None = None  # the clause before, if it only says what is missing
        self.now = self._open()

    def _open(self) -> Clause:
        self.clauses.append(None)
        return Clause(len(self.clauses) - 1)

    @abstractmethod
    def _add(self, item: Item) -> None:
        """Take an item as a unit; the builder knows how."""

    @abstractmethod
    def _drop(self, item: Item) -> None:
        """Take an item as a word without a unit of its own; the builder knows how."""

    def _is_object(self) -> bool:
        """Does a Chinese text say of users what is done to them, or whose they are?"""
        last = self.now.last
        if last is None or self.table.language != "zh":
            return False
        if last.role == "marker":
            return True
        return bool(self.units) and (last.surface in GLUE or last.role in ("action", "frame"))

    def _is_addressed(self, item: Item) -> bool:
        """Shows it to the team: not the ones who speak, as in "the team shows"."""
        last = self.now.last
        named = last is not None and last.role == "marker" and last.key in ("toward", "from")
        return named and item.surface.casefold().startswith("the ")

    def _light_senses(self, item: Item) -> frozenset[str]:
        if not self.table.light_verbs:
            return frozenset()
        first, gap, rest = item.surface.casefold().partition(" ")
        forms = known_forms(first, self.table.language)
        known = (self.table.light_verbs.get(form + gap + rest) for form in forms)
        return next((senses for senses in known if senses), frozenset())

    def _person(self, item: Item) -> None:
        if item.key == "we" and self._is_addressed(item):
            self._add(replace(item, role="concept", key="team"))
            return
        if item.key == "user" and self._is_object():
            self._add(replace(item, role="concept"))  # 老板的用户, 添加用户: not the one who speaks
            return
        self.persons.add(item.key)  # but not: muss kurz sein
        self.dropped.append(item.surface.casefold())

    def _ignore(self, item: Item) -> None:
        if self.table.language in UNSPACED:
            self._add(replace(item, role="word", key=item.surface))  # 不足 is not 不错
        else:
            self._drop(item)

    def _negate(self, item: Item) -> None:
        kind = item.key
        previous = self.now.last
        if item.surface.casefold() in self.table.agreeing and any(
            before == "verbal" for before, _ in self.now.negations
        ):
            self._drop(item)
            return
        if kind == "verbal" and item.surface.casefold() == "not" and previous is not None:
            verbal = previous.role in ("drop", "modal", "person") or not self.now.units
            kind = "verbal" if verbal else "contrast"
        if self.table.language == "ko" and previous is not None and previous.key == "if":
            self._unsay_if()  # 하면 안 된다: no condition
        if self.now.ruled and "may" in self.now.modals and not self.now.negations:
            self.now.modals.add("exempt")  # es ist erlaubt, nicht zu ...
        self.now.negations.append((kind, len(self.units)))
        self.now.denied.append(item.surface)
        if kind == "inherent":
            self.now.verbs |= self._light_senses(item)
        if kind == "contrast" and not self.table.markers_after:
            self.now.scope = "without"

    def _unsay_if(self) -> None:
        if not self.now.units or self.units[-1].key != "if":
            return
        self.units.pop()
        self.now.units.pop()
        self.now.cues.discard("if")
        for i in self.now.units:
            if self.units[i].scope == "if":
                self.units[i] = replace(self.units[i], scope="")

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
        if item.key == "may" and "want" in self.now.modals and self.table.language == "zh":
            self._drop(item)  # 希望你能: a wish, no permission
            return
        if item.key == "exempt":
            self.now.negations.append(
                ("post" if self.table.markers_after else "verbal", len(self.units))
            )
            self.now.denied.append(item.surface)
        self.now.modals |= {"must", "ought"} if item.key == "ought" else {item.key}
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
            for i in self.now.units:
                if self.units[i].key == "only":  # 只有 X 才 Y says no more than X 才 Y
                    self.units[i] = replace(self.units[i], key=NEED)
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
            if self.now.units and self.units[self.now.units[-1]].kind == "quantity":
                self.now.scope = ""  # after 3pm on Fridays
        self._drop(item)

    def _mark_back(self, role: str, near: int) -> None:
        """Give the units right before a particle their role."""
        start = near
        for i in reversed(self.now.units):
            unit = self.units[i]
            if unit.role or (
                near - unit.end > 1 and self.text[unit.end : near].strip() not in _HONORIFICS
            ):
                break
            if self.table.language == "zh" and unit.kind == "action" and near != start:
                break  # 系统过滤评论里的链接: only what is behind the verb is in it
            self.units[i] = replace(unit, role=role)
            near = unit.start
            if role == "by":
                self.agents.add(i)

    def _join(self, item: Item) -> None:
        self.now.joined = True
        if item.key == "or":
            self.now.cues.add("or")
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
        if item.key == "at_most" and self._ends_range(item):
            return
        self._add(item)

    def _ends_range(self, item: Item) -> bool:
        """12시부터 1시까지: no bound, the other end."""
        ends = [self.units[i] for i in self.now.units[-2:]]
        if len(ends) < 2 or not self.table.markers_after or ends[0].role != "from":  # noqa: PLR2004
            return False
        if {unit.kind for unit in ends} != {"quantity"}:
            return False
        self.units[self.now.units[-2]] = replace(ends[0], role="")
        self.units[self.now.units[-1]] = replace(ends[1], role="toward")
        self._drop(item)
        return True

    def _is_rival(self, item: Item) -> bool:
        """Prefer tea over coffee, like tea better than coffee: what follows is what is not wanted."""
        words = self.table.rivals
        if not words or item.surface.casefold() not in words or "want" not in self.now.modals:
            return False
        units = [self.units[i] for i in self.now.units]
        return bool(units) and all(unit.kind not in ("action", "quantity") for unit in units)

    def _note_condition(self, item: Item) -> None:
        self.now.cues.add(item.key)
        if item.key == "before" and self.table.language == "ko" and not self.now.units:
            self.now.past = True  # 전에는 ...: formerly
        if item.key == "then":
            self.ordered = True

    def _condition(self, item: Item) -> None:
        if self._is_rival(item):
            self._negate(replace(item, role="negate", key="contrast"))
            return
        self._note_condition(item)
        opens = item.key == "after" and not self.now.units and item.surface not in _HENCEFORTH
        if (opens or item.surface in self.table.sequels) and self._sequel(item):
            return
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
        if item.key == "after" and item.surface in _HENCEFORTH and not self._is_event():
            self._drop(item)  # 以后用中文: from now on
            return
        if item.surface in _HENCEFORTH:
            self.now.cues.discard("change")  # 下午 3 点以后: only when
        if backward:
            self._scope_back(item.key, item.start)
            self._add(item)
        else:
            self._add(item)
            self.now.scope = item.key if item.key in _SCOPED else self.now.scope
        self.now.role = ""

    def _is_verbless(self, i: int) -> bool:
        """Does a copula, and no verb, divide the clause behind unit *i*?"""
        return all(self.units[k].start != self.now.divides for k in self.now.units if k > i)

    def _is_event(self) -> bool:
        """Is the last thing said one after which something may be: 下班以后, but not 日报以后?"""
        if not self.now.units:
            return False
        last = self.units[self.now.units[-1]]
        events = self.table.events | self.table.deeds
        return last.kind != "concept" or not {last.key, last.surface}.isdisjoint(events)

    def _is_span(self) -> bool:
        """Was the last thing said a number of days or hours?"""
        units = [self.units[i] for i in self.now.units[-2:]]
        return any(
            unit.key.startswith(("seconds:", "months:")) or unit.key in self.table.spans
            for unit in units
        )

    def _is_rule(self) -> bool:
        """Es ist nicht erlaubt, ...: what must or may be is said behind the comma."""
        ruled = bool(self.table.separable and self.now.modals and not self.now.units)
        self.now.ruled = self.now.ruled or ruled
        return ruled

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
        begun = next((i for i in self.now.units if self.units[i].key == "if"), -1)
        for i in self.now.units:
            if not self.units[i].scope and i > begun:
                self.units[i] = replace(self.units[i], scope=key)
        self.now.scope = ""
        if self.now.units:
            self.now.cues.add(key)

    def _sequel(self, item: Item) -> bool:
        """先跑测试再提交, 跑测试，之后提交: what was said so far comes first, as if it were before 之后."""
        last = self.now.last
        if not self.table.sequels or (last is not None and last.role == "negate"):
            return False
        before = self.now.units or [
            i for i, unit in enumerate(self.units) if unit.clause == self.now.number - 1
        ]
        if all(self.units[i].kind in ("quantity", "quantify") for i in before):
            return False
        opens = next((i for i in before if self.units[i].key == "first"), -1)
        before = [i for i in before if i >= opens]  # what stands before 先 is the topic
        if any(self.units[i].scope == "after" for i in before):
            return True  # 测试后再提交: said already
        for i in before:
            if not self.units[i].scope:
                self.units[i] = replace(self.units[i], scope="after")
        self.now.role = ""
        self.now.cues.add("after")
        self._add(replace(item, role="condition", key="after"))
        return True

    def _scope_back(self, key: str, near: int) -> None:
        start = near
        placed = False  # 服务器在内存用完时崩溃: what stands before 在 is not when
        for i in reversed(self.now.units):
            said = self.units[i].key.startswith(_ROUNDS) and near != start
            if self.units[i].end <= self.now.divides < near and self._is_verbless(i):
                break  # X 是上线前必须跑的
            if said or (placed and self.units[i].role != "in"):
                break
            placed = self.units[i].role == "in"
            gap = _NO_WORD.sub("", self.text[self.units[i].end : near])
            glued = gap in GLUE or gap in self.table.endings
            if self.units[i].scope or not (glued or self.table.language == "zh"):
                break
            near = self.units[i].start
            self.units[i] = replace(self.units[i], scope=key)
            if self.units[i].key.startswith(_POINTS) or self.units[i].key in self.table.events:
                break  # 会议室晚上 9 点以后关闭: after nine

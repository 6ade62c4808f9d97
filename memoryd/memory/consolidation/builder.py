"""Items -> units and clauses: function words are no units, but they leave their mark.

A preposition names the role of the units after it, a negation turns their sign, a condition opens a scope, a
bracket or comma ends a clause.
"""

from collections.abc import Sequence
from dataclasses import replace

from memoryd.memory.consolidation.clause import Clause, role_of, signs
from memoryd.memory.consolidation.fronting import (
    ends_fronted,
    ends_moment,
    ends_phrase,
    is_agent,
    is_time_phrase,
)
from memoryd.memory.consolidation.item import Item
from memoryd.memory.consolidation.lexicon import UNSPACED
from memoryd.memory.consolidation.lists import is_respective, number_lists
from memoryd.memory.consolidation.marks import GLUE, Marks
from memoryd.memory.consolidation.passive import is_perfect
from memoryd.memory.consolidation.unit import (
    IMPERATIVE,
    LABEL,
    NEED,
    TIMES,
    ClauseFacts,
    Reading,
    Unit,
    shared,
)

_UNITS = frozenset({"quality", "concept", "name", "word", "char", "code", "quantity"})
_CONTENT = _UNITS | {"action", "quantify", "compare", "condition"}
_BREAKS = frozenset(",;:.!?，。；：！？、—–\n→…")
_IS = frozenset({"是", "叫", "即"})  # other Chinese copulas are verbs too
_OPENING = frozenset({"if", "when", "until", "before", "after", "unless", "except", "though"})
_POSTPOSED = frozenset(
    {"if", "when", "until", "before", "after", "except"}
)  # may stand behind, in Chinese
_ABBREVIATED = frozenset({"dr", "mr", "mrs", "ms", "prof", "st", "vs", "ca", "bzw", "no", "nr"})
_AUXILIARIES = frozenset({"have", "get"})
_SAID_OF_ALL = frozenset(
    {"action", "drop", "negate"}
)  # was used for, was forbidden; not: was born on


class ReadingBuilder(Marks):
    """Collects the units of one entry, clause by clause."""

    def take(self, item: Item) -> None:
        if item.role == "sign":
            self._sign(item)
            return
        if self._starts_clause(item):
            self.close()
        if self.now.started < 0:
            self.now.started, self.now.opens = item.start, item.role == "condition"
        if self.now.scope and ends_moment(self.now, self.units, item, self.table):
            self.now.scope = ""
        self.now.ended = item.end
        self.now.cues |= item.aside
        if item.role in _SAID_OF_ALL:
            self.now.past |= item.surface.casefold().startswith(("was ", "were "))
        if item.surface.casefold() in self.table.ordered:
            self.ordered = True
        if self.now.role and ends_phrase(self.now, self.units, item, self.table):
            self.now.role = ""
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
        if item.key in ",，" and (self._is_rule() or self._is_topic()):
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
        if item.role == "condition" and is_time_phrase(item, self.table):
            return False
        if "boundary" in item.aside or (item.role == "condition" and item.key in _OPENING):
            return not unspaced or item.key not in _POSTPOSED
        if self.now.opens and ends_fronted(self.now, self.units, item, self.table):
            return True
        joined = self.now.last is not None and self.now.last.role == "join"
        if not joined or unspaced:
            return False
        verb = item.role in ("action", "modal") or self._is_copula(item)
        return item.role == "negate" or (verb and self.now.divides >= 0)

    def _dispatch(self, item: Item) -> None:
        if item.role in _UNITS:
            self._add(item)
        elif handler := getattr(self, "_" + item.role, None):
            handler(item)
        elif item.role == "month":
            self._add(replace(item, role="quantity", key=f"month:-{int(item.key):02}"))
        else:
            self._drop(item)

    def _drop(self, item: Item) -> None:
        surface = item.surface.casefold()
        self.dropped.append(surface)
        self.now.light = item
        if surface in self.table.within and self._is_span():
            self._add(replace(item, role="compare", key="at_most"))  # 三天内
            return
        if item.role == "drop" and surface in self.table.postpositions:
            self._mark_back("in", item.start)
            self.now.role = ""
        if surface in GLUE:
            self.now.attributes.append(len(self.units))
        if surface in self.table.hence:
            self._scope_all("when")
        if surface in self.table.sequels:
            self._sequel(item)
        if item.role != "marker" and self.now.role == "with" and self._is_instrument_named(item):
            self.now.role = ""
        if (
            item.role in ("drop", "modal", "marker")
            and self._divides_here(item)
            and self._is_copula(item)
        ):
            self.now.divides = item.start
        senses = self._light_senses(item)
        if self.table.prepositions and (item.role == "modal" or senses or self._is_copula(item)):
            self.now.role = ""  # als Datenbank nutzt das Team X
        self._note_tense(item)
        self._note_light_verb(item, senses)
        if not self.now.units and item.role == "drop":
            self.now.reason = self.now.reason or "boundary" in item.aside

    def _note_light_verb(self, item: Item, senses: frozenset[str]) -> None:
        """Remember what senses a dropped verb has; have and get may turn out auxiliaries (has moved, gets sent)."""
        self.now.verbs |= senses
        if "have" in senses and "must" in self.now.modals:
            self.now.verbs.add("need")
        if senses and not self.now.units and item.role == "drop" and not self._has_subject():
            self.now.verbs.add(IMPERATIVE)
        self.now.perfect = next(iter(senses & _AUXILIARIES), "")

    def _has_subject(self) -> bool:
        last = self.now.last
        return last is not None and last.role == "person"

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
        return self.table.language == "zh" and content and item.surface not in GLUE

    def _note_tense(self, item: Item) -> None:
        surface = item.surface.casefold()
        base = self.table.bases.get(surface, surface)
        if surface in self.table.past and (not self.now.auxiliary or base == "be"):
            self.now.past = True
        if item.role == "modal" or (item.role == "drop" and base in ("be", "have", "get")):
            self.now.auxiliary = True

    def _frame(self, item: Item) -> None:
        said = item.surface.casefold()
        self.dropped.append(said)
        self.request |= any(request in said for request in self.table.requests)
        self.wish |= not self.table.wishing.isdisjoint(said.split())

    def _action(self, item: Item) -> None:
        if self.now.divides < 0 and not is_agent(item, self.table):
            self.now.divides = item.start
        self._note_tense(item)
        self._add(item)
        self.now.role = ""

    def _add(self, item: Item) -> None:
        if item.key in ("", "unset_") and item.role == "concept":
            return
        self.now.participle |= item.surface.partition(" ")[0].endswith("ed")  # pushed back
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
            role=role_of(self.now, item),
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

    def close(self) -> None:
        """End the clause: give its units their sign and write down what holds for all of it."""
        now = self.now
        if now.started < 0:
            return
        if now.negations and not now.units and now.light is not None:
            sense = now.light.key if now.light.role == "marker" else now.light.surface.casefold()
            self._add(replace(now.light, role="word", key=sense))  # 别用 = 不要使用
        elif now.negations and not now.units and self.table.language not in UNSPACED:
            text = self.text[now.started : now.ended]  # at the end of every line, never
            self._add(Item("quantify", "denied", text, now.started, now.ended))
        self._join_need(now)
        self._point_back(now)
        turned = signs(now, self.units, self.dropped, self.table)
        for i, sign in turned.items():
            self.units[i] = replace(self.units[i], sign=sign)
        negated = bool(turned)
        plain = self.table.language not in UNSPACED  # may be omitted, may be vegetarian: no ban
        forbids = negated and not (plain and all(kind == "inherent" for kind, _ in now.negations))
        bounded = any(self.units[i].key == "at_most" for i in now.units)
        modals = frozenset(now.modals) - (
            {"may"} if forbids or bounded or (self.request and self.asks) else set()
        )
        self.clauses[now.number] = ClauseFacts(
            start=now.started,
            end=now.ended,
            modals=shared(modals),
            cues=shared(now.cues),
            tense=self._tense(),
            inside=self.outer[-1].number if self.outer else -1,
            denials=len(now.negations),
            needed=shared(i for part in now.needed for i in now.units if i in part),
            conditional=now.conditional,
            verbs=shared(now.verbs),
            negated=negated,
            divides=now.divides,
            opens_with_reason=now.reason,
        )
        self.now = self._open()

    def _point_back(self, now: Clause) -> None:
        """一律藏青，这是演出服的规定: what this is belongs to the clause before, as its topic."""
        before = self.clauses[now.number - 1] if now.number else None
        if before is None or now.negations or not self.table.pointing:
            return
        if not self.text[now.started : now.ended].startswith(tuple(self.table.pointing)):
            return
        for i in now.units:
            if not self.units[i].role:
                label = i == now.units[-1] and self.text[: self.units[i].start].endswith("的")
                role = LABEL if label else "topic"
                self.units[i] = replace(self.units[i], clause=now.number - 1, role=role)

    def _join_need(self, now: Clause) -> None:
        """没有 X，不能 Y: what the clause before lacks is what this one needs, as in one clause."""
        before = self.lack
        self.lack = None
        if len(now.negations) != 1:
            return
        word, alone = now.denied[0], not now.modals & {"must", "may"}
        if "else" in now.cues and before is None:
            before = self._excepted(now)
        opens = now.units and now.negations[0][1] <= now.units[0]
        if word in self.table.lacking and opens and alone:
            self.lack = now
        elif (
            before is not None and word in self.table.forbidding and before.number == now.number - 1
        ):
            self._need_of(before, now)

    def _excepted(self, now: Clause) -> Clause | None:
        """除非 X，否则不能 Y: give the clause of X, with the words of condition as mere repetition."""
        units = [i for i, unit in enumerate(self.units) if unit.clause == now.number - 1]
        if not units or self.units[units[0]].key != "unless":
            return None
        for i in (units[0], *now.units):
            if self.units[i].key in ("unless", "else"):
                self.units[i] = replace(self.units[i], key=NEED, scope="")
        for i in units:
            self.units[i] = replace(self.units[i], scope="")
        return Clause(now.number - 1, units=units, started=self.units[units[0]].start)

    def _need_of(self, before: Clause, now: Clause) -> None:
        for i in before.units:
            self.units[i] = replace(self.units[i], sign=1, clause=now.number)
        facts = self.clauses[before.number]
        if facts is not None:
            self.clauses[before.number] = replace(
                facts, denials=0, negated=False, modals=frozenset(), cues=frozenset()
            )
        now.needed = [range(before.units[0], before.units[-1] + 1)]
        now.units = [*before.units, *now.units]
        now.conditional = True
        now.negations, now.denied = [], []
        now.modals = (now.modals - {"may", "exempt"}) | {"must"}
        now.cues -= {"else"}
        now.started = before.started

    def _tense(self) -> str:
        if self.wish:
            return ""  # if you didn't ...: a wish, not the past
        if self.now.past or "past" in self.now.cues or self._is_perfect():
            return "past"
        if "future" in self.now.cues:
            return "future"
        return "participle" if self.now.participle else ""

    def _is_perfect(self) -> bool:
        deeds = [u for u in (self.units[i] for i in self.now.units) if u.kind == "action"]
        return is_perfect(self.text, self.now.ended, deeds, self.table)

    def finish(self, offsets: Sequence[int]) -> Reading:
        self.close()
        while self.outer:
            self.now = self.outer.pop()
            self.close()
        clauses = tuple(clause or ClauseFacts(0, 0) for clause in self.clauses)
        return Reading(
            language=self.table.language,
            units=tuple(number_lists(self.units, clauses, self.table.language)),
            clauses=clauses,
            dropped=tuple(self.dropped),
            persons=shared(self.persons),
            question=self.asks and not self.request,
            ordered=self.ordered or is_respective(self.text),
            quantifiers=shared(self.quantifiers),
            agents=shared(self.agents),
            text=self.text,
            offsets=offsets,
        )

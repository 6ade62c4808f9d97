"""Who acts on whom, where no unit tells: Eva trusts me, I trust Eva; the user hired, the user was hired; 日志由小王审核."""

import re
from collections.abc import Callable
from functools import cache, lru_cache

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.lexicon import UNSPACED
from memoryd.memory.consolidation.movement import turned
from memoryd.memory.consolidation.passive import is_done_to
from memoryd.memory.consolidation.tables import table
from memoryd.memory.consolidation.unit import TIMES, Reading

_NAMING = frozenset({"name", "word", "concept", "code", "action", "char"})
_THINGS = frozenset({"name", "word", "concept", "code"})
_OBJECT = re.compile(r"を|[가-힣][을를] ")
_PERSONS = ("ユーザー", "さん", "氏", "사용자", "씨", "님")
_FIRST = frozenset({"i"})
_POINTING = frozenset("他她它我你您咱")  # no units
_OWNER = re.compile(r"(\w+)'s\b|\bof (?:the |an? )?(\w+)|\b(my)\b")
_AND = re.compile(r"\b(?:and|but|while|whereas)\b|[,;]")
_DENIED = re.compile(
    r"(\w+) (?:can't|cannot|(?:could|do|does|did|is|are|was|were|will|would|ha[sd]|have|should|must|may)(?:n't| not))\b"
)
_USER = re.compile(r"\busers? ", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


def acting_problem(a: Reading, b: Reading) -> str | None:
    """Say that a person acts in one of two texts of one language and is acted on in the other, or None.

    Orders (give me short answers) and what is told of another's deed (I was hired by Tom) tell nothing of that.
    """
    if a.language != b.language or a.agents or b.agents:
        return None
    ours, theirs = (set(_words(reading.text)) for reading in (a, b))
    if _denied_another(a, b):
        return "another is denied"
    for forms in _pronouns().get(a.language, {}).values():
        for acts, bears, told in ((ours, theirs, b), (theirs, ours, a)):
            active = acts & forms["subject"] and not acts & forms["object"]
            borne = bears & forms["object"] and not bears & forms["subject"]
            if active and borne and _somebody_acts(told, forms["object"]):
                return "who acts is another"
    return None


def _denied_another(a: Reading, b: Reading) -> bool:
    """Kate can swim and Ben can't: is it said of another that both texts name?"""
    ours, theirs = (set(_DENIED.findall(reading.text.casefold())) for reading in (a, b))
    joined = all(_AND.search(reading.text.casefold()) for reading in (a, b))
    if not ours or not theirs or ours & theirs or not joined:
        return False
    return ours <= set(_words(b.text)) and theirs <= set(_words(a.text))


def voice_problem(a: Reading, b: Reading, alignment: Alignment) -> str | None:
    """Say that the user acts in one text only, or that what leads both texts acts in one and has it done to it in the other."""
    if a.language != b.language:
        return None
    back = turned(alignment)
    told: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("the user acts in only one of them", lambda: _is_another_part(a, b)),
        (
            "with somebody is not by him",
            lambda: _is_with_another(a, b, alignment) or _is_with_another(b, a, back),
        ),
        ("whose it is is another's", lambda: _owner_problem(a, b)),
        ("who is to do it is another", lambda: _is_told_to(a, b) or _is_told_to(b, a)),
        ("it is done to it in only one of them", lambda: _is_turned_passive(a, b)),
        ("who gets it is not who gives it", lambda: _is_receiver(a, b) or _is_receiver(b, a)),
        (
            "who does it is another",
            lambda: _is_by_another(a, b, alignment) or _is_by_another(b, a, back),
        ),
    )
    return next((says for says, holds in told if holds()), None)


def _is_another_part(a: Reading, b: Reading) -> bool:
    """Does the user act in one text, and is he acted on in the other?"""
    if (noun := _noun_behind_user(a)) and noun == _noun_behind_user(b):
        return False  # escape user input, user input must be escaped
    roles = {_user_role(a), _user_role(b)}
    return "subject" in roles and len(roles) > 1 and "" not in roles


def _noun_behind_user(reading: Reading) -> str:
    """Give the key of the noun of which "user" only says whose it is; "" for none."""
    match = _USER.search(reading.text) if reading.language == "en" else None
    if match is None:
        return ""
    behind = (u for u in reading.units if u.start == match.end())
    return next((u.key for u in behind if u.kind in ("concept", "word")), "")


def _is_by_another(passive: Reading, active: Reading, alignment: Alignment) -> bool:
    """Is one a passive with its doer, who stands behind the verb of the other, which begins as the first does?"""
    pattern = _voices("by").get(passive.language)
    by = pattern.search(passive.text.casefold()) if pattern else None
    if pattern is None or by is None or pattern.search(active.text.casefold()):
        return False
    return _is_done_by_another(passive, active, dict(alignment.pairs), by.end())


def _is_with_another(a: Reading, b: Reading, alignment: Alignment) -> bool:
    """I work with Anna, Anna works: is somebody the user's company in a, and acts in b, where the user is not?"""
    if "user" not in a.persons or "user" in b.persons:
        return False
    return any(
        a.units[i].role == "with" and not b.units[j].role and b.units[j].kind == "name"
        for i, j in alignment.pairs
    )


def _owner_problem(a: Reading, b: Reading) -> bool:
    """The boss of Ben is Anna, Ben is Anna's boss; Ben borrowed my bike, I borrowed Ben's: does it belong to another?"""
    if not a.language == b.language == "en":
        return False
    ours, theirs = _owners(a.text), _owners(b.text)
    if not ours or not theirs or ours & theirs:
        return False
    mine, yours = set(_words(a.text)), set(_words(b.text))
    return ours <= yours | _FIRST and theirs <= mine | _FIRST and bool((ours | theirs) - {"i"})


@lru_cache(maxsize=16384)
def _owners(text: str) -> frozenset[str]:
    found = _OWNER.findall(text.casefold())
    return frozenset("i" if "my" in one else next(filter(None, one)) for one in found)


def _is_told_to(a: Reading, b: Reading) -> bool:
    """Send Ben the report, Ben sends the report: is a an order, and does somebody it names do it in b?"""
    if a.language in UNSPACED or len(b.units) < 2 or not a.units:  # noqa: PLR2004 - who, and what he does
        return False
    order, doer, deed = a.units[0], b.units[0], b.units[1]
    ordered = (
        order.kind == "action" and order.start == 0 and doer.kind == "name" and doer.start == 0
    )
    if not ordered or deed.key != order.key or deed.role or a.agents or b.agents:
        return False
    return not is_done_to(b, 1)  # strip the output, output must be stripped


def _is_turned_passive(a: Reading, b: Reading) -> bool:
    """アンナはベンに解雇された, アンナはベンを解雇した: is the same thing spoken of, in the passive and in the active?"""
    passive, topic = _voices("passive").get(a.language), _voices("topic").get(a.language)
    if passive is None or topic is None:
        return False
    spoken = [topic.match(reading.text) for reading in (a, b)]
    told = [passive.search(reading.text) is not None for reading in (a, b)]
    if told[0] == told[1] or spoken[0] is None or spoken[1] is None:
        return False
    active = (b if told[0] else a).text
    # ログは削除する speaks of what is deleted: only where something else is, or a person acts, is the topic who acts.
    acts = _OBJECT.search(active) or spoken[0][1].strip().endswith(_PERSONS)
    return bool(acts) and spoken[0][1] == spoken[1][1]


def _is_receiver(a: Reading, b: Reading) -> bool:
    """Ben was shown the demo, Ben showed the demo; I was told, I told."""
    passive, active = _voices("receives").get(a.language), _voices("gives").get(a.language)
    if passive is None or active is None:
        return False
    gets, gives = passive.match(a.text.casefold()), active.match(b.text.casefold())
    return gets is not None and gives is not None and gets[1] == gives[1]


def _is_done_by_another(
    passive: Reading, active: Reading, partner: dict[int, int], by: int
) -> bool:
    """Do both begin with the same thing, while the doer of the passive stands behind the verb of the active?"""
    doer = next((i for i, unit in enumerate(passive.units) if unit.start >= by), None)
    pointed = passive.text[0] == active.text[0] and passive.text[0] in _POINTING
    if doer is None or not (pointed or partner.get(0) == 0) or doer not in partner:
        return False
    if passive.units[doer].kind == "quantity":  # by Friday
        return False
    verbs = [k for k, unit in enumerate(active.units) if unit.kind in ("action", "word")]
    first = -1 if pointed else 0
    return any(first < k < partner[doer] for k in verbs)


def _user_role(reading: Reading) -> str:
    """What the user is in a text: "subject", "object" (also of a passive), or "" where that cannot be told."""
    pattern = _voices("user").get(reading.language)
    text = reading.text.casefold()
    match = pattern.search(text) if pattern else None
    if match is None:
        return ""
    if reading.language == "de":
        return _german_role(match, text)
    if parts := table("voices")["part"].get(reading.language):
        return str(parts.get(match[1], ""))
    if _voices("undergoes")[reading.language].match(text, match.end()):
        return "object"
    before = [
        unit
        for unit in reading.units
        if unit.start < match.start() and unit.kind in _NAMING and unit.key not in TIMES
    ]
    if reading.language == "en":  # on the bus the user reads
        before = [unit for unit in before if unit.kind == "action" or not unit.role]
    doer = text[: match.start()].removesuffix("the ").rstrip().endswith(("by", "被", "由"))
    return "subject" if doer or not before else "object"


def _german_role(match: re.Match[str], text: str) -> str:
    article = match[1]
    if article in ("den", "dem"):
        by = text[: match.start()].rstrip().endswith(("von", "bei", "mit", "für"))
        return "" if by else "object"
    if article != "der" or match.start() > 0:
        return ""
    clause = text[match.end() :].partition(",")[0].rstrip(" .!")
    return "object" if _voices("undergoes")["de"].search(clause) else "subject"


@lru_cache(maxsize=16384)
def _words(text: str) -> dict[str, int]:
    """Every word, and where it stands first."""
    found: dict[str, int] = {}
    for match in _WORD.finditer(text.casefold()):
        found.setdefault(match[0], match.start())
    return found


def _somebody_acts(reading: Reading, objects: frozenset[str]) -> bool:
    """Is a thing or another person named before the pronoun that is acted on?"""
    words = _words(reading.text)
    here = min(place for word, place in words.items() if word in objects)
    subjects = set().union(*(forms["subject"] for forms in _pronouns()[reading.language].values()))
    spoken = any(words.get(word, here) < here for word in (*subjects, "you", "du"))
    return spoken or any(unit.kind in _THINGS and unit.start < here for unit in reading.units)


@cache
def _voices(name: str) -> dict[str, re.Pattern[str]]:
    """One of the tables of languages/voices.toml, by language."""
    return {language: re.compile(pattern) for language, pattern in table("voices")[name].items()}


@cache
def _pronouns() -> dict[str, dict[str, dict[str, frozenset[str]]]]:
    return {
        language: {
            person: {role: frozenset(words) for role, words in forms.items()}
            for person, forms in persons.items()
        }
        for language, persons in table("pronouns").items()
    }

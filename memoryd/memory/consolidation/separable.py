"""German verbs in two parts, read as one: schaltet ... ab, abgeschaltet, abzuschalten -> abschaltet, abschalten.

A particle that ends its clause belongs to the verb before it; where that is only "is", both say a state (ist aus).
"""

from collections.abc import Iterator, Sequence

from memoryd.memory.consolidation.inflection import known_forms
from memoryd.memory.consolidation.lexicon import Lexicon
from memoryd.memory.consolidation.quantities import read_quantity
from memoryd.memory.consolidation.tokens import Token

_VERB_ENDINGS = ("t", "e", "en", "ern", "eln")
_STATE = " sein"  # "an sein": how the tables spell a particle that is the whole predicate
_MIN_REST = 3
_AT, _FROM = "um", "von"


def join_verbs(seq: Sequence[Token], table: Lexicon) -> list[Token]:
    """Give the tokens with every particle at the verb it belongs to."""
    seq = list(_with_clock(seq, table))
    joined = [_contracted(token, table) for token in seq]
    taken: set[int] = set()
    for at, token in enumerate(seq):
        if not token.text.islower() or token.text not in table.separable or not _ends(seq, at):
            continue
        clause = range(_begin(seq, at), at)
        verb = _known_verb(seq, clause, token.text, table)
        if verb is None and any(seq[i].text.casefold() == _FROM for i in clause):
            continue  # von Montag an
        verb = _verb(seq, clause, table) if verb is None else verb
        if verb is None:
            joined[at] = token._replace(text=token.text + _STATE)
        else:
            joined[verb] = seq[verb]._replace(text=token.text + seq[verb].text.casefold())
            taken.add(at)
    return [token for at, token in enumerate(joined) if at not in taken]


def _with_clock(seq: Sequence[Token], table: Lexicon) -> Iterator[Token]:
    """Read um zwei Uhr as 2 Uhr."""
    at = 0
    while at < len(seq):
        token, after = seq[at], seq[at + 1] if at + 1 < len(seq) else None
        sense = table.phrases.get(token.text.casefold())
        spelled = after is not None and after.text == "Uhr" and sense and sense.role == "number"
        if spelled and after is not None and sense is not None:
            text = f"{sense.key} Uhr"
            yield Token("quantity", text, token.start, after.end, read_quantity(text))
            at += 1
        elif token.text.casefold() != _AT or not _tells_time(seq, at + 1, table):
            yield token
        at += 1


def _tells_time(seq: Sequence[Token], at: int, table: Lexicon) -> bool:
    if at >= len(seq):
        return False
    timed = seq[at].key.startswith("time:") or any(t.text == "Uhr" for t in seq[at : at + 2])
    return timed or seq[at].text.casefold() in table.hours


def _contracted(token: Token, table: Lexicon) -> Token:
    """Read abgeschaltet as abschaltet, abzuschalten as abschalten, if no table knows the word itself."""
    word = token.text
    if token.kind != "word" or not word.islower() or word in table.plain_words:
        return token
    if not word.endswith(_VERB_ENDINGS) or ("ge" not in word and "zu" not in word):
        return token  # most words, before all particles are tried
    for particle in table.separable:
        for between in ("ge", "zu"):
            rest = word.removeprefix(particle + between)
            if rest != word and len(rest) > _MIN_REST and rest.endswith(_VERB_ENDINGS):
                return token._replace(text=particle + rest)
    return token


def _ends(seq: Sequence[Token], at: int) -> bool:
    """Does the clause end behind token *at*?"""
    if at + 1 == len(seq):
        return True
    after = seq[at + 1]
    return after.kind == "sign" or after.text in ("und", "oder", "aber", "sondern")


def _begin(seq: Sequence[Token], at: int) -> int:
    return next((i + 1 for i in range(at - 1, -1, -1) if seq[i].kind == "sign"), 0)


def _known_verb(seq: Sequence[Token], clause: range, particle: str, table: Lexicon) -> int | None:
    """Find the first word that makes a verb of the tables with the particle."""
    for i in _candidates(seq, clause):
        whole = particle + seq[i].text.casefold()
        if any(form in table.phrases for form in known_forms(whole, "de")):
            return i
    return None


def _verb(seq: Sequence[Token], clause: range, table: Lexicon) -> int | None:
    """Find the first word that may be a verb, a known one or one that no table knows."""
    for i in _candidates(seq, clause):
        word = seq[i].text.casefold()
        sense = table.phrases.get(word)
        if word.endswith(_VERB_ENDINGS) and (sense is None or sense.role == "action"):
            return i
    return None


def _candidates(seq: Sequence[Token], clause: range) -> list[int]:
    return [i for i in clause if seq[i].kind == "word" and _may_be_verb(seq[i], i == clause[0])]


def _may_be_verb(token: Token, opens: bool) -> bool:
    return token.text.islower() or (opens and token.text[1:].islower())

"""A statement and a question in one sentence: "the client pays in CHF until May, can you check the form?".

People who type tie what holds to what they want with a comma or a dash; the question would bar all of it. Only
a statement that speaks for itself is taken apart from it: half a sentence is seldom one.
"""

import re
from collections.abc import Iterator

from memoryd.memory.gate.reading import read_families
from memoryd.memory.gate.tables import load_families
from memoryd.memory.sentences import Span, find_quotations

_LONGEST = 600  # characters; what is longer is no sentence
_HEAD_CHARS = 20  # less says nothing by itself
_EAST_HEAD_CHARS = 8
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BOUNDARY = re.compile(
    r"\s{1,3}[-–—]{1,2}\s{1,3}|\s?—\s?|;\s{1,3}|\s?\.{2,6}\s{1,3}|[，；]\s{0,2}|——"
    r"|,\s{1,3}(?:(?:so|then|and so|also|und|donc|alors|así que|entonces)\s{1,3})?"
)
# A clause that hangs on to another, or tells what just went wrong: "if we drop it", "and the other one".
_HANGING = re.compile(
    r"\s{0,3}(?:if|when|whenever|while|although|unless|and|but|so|or|for|with|in|on|that|in case|assuming"
    r"|wenn|falls|und|aber|oder|si|quand|et|mais|ou|cuando|y|pero|o|q:|question:)\b|[如若要假]|虽然|但|而",
    re.IGNORECASE,
)
# Of the moment, whatever else it holds, once a question follows.
_MOMENT = frozenset({"narrative", "hedge", "anaphora", "artefact", "code_talk", "reply", "one_off"})


def split_off_question(text: str, sentence: Span, home: str) -> Iterator[Span]:
    """Yield *sentence*, or the statement it begins with and the question it ends in."""
    boundary = _find_question(text[sentence.start : sentence.end], home)
    if boundary is None:
        yield sentence
    else:
        yield Span(sentence.start, sentence.start + boundary.start)
        yield Span(sentence.start + boundary.end, sentence.end)


def _find_question(sentence: str, home: str) -> Span | None:
    """Where the statement ends and the question begins, if there are both."""
    if len(sentence) > _LONGEST or not _asks(sentence, home):
        return None
    quoted = list(find_quotations(sentence))
    least = _EAST_HEAD_CHARS if _EAST.search(sentence) else _HEAD_CHARS
    for found in _BOUNDARY.finditer(sentence, least):
        if any(one.start < found.end() and found.start() < one.end for one in quoted):
            continue
        head, tail = sentence[: found.start()], sentence[found.end() :]
        if _asks(tail, home) and _speaks(head, home):
            return Span(found.start(), found.end())
    return None


def _asks(clause: str, home: str) -> bool:
    return bool(clause) and "question" in read_families(clause, home)


def _speaks(clause: str, home: str) -> bool:
    """Does it hold evidence, and does it stand alone?"""
    families = read_families(clause, home)
    evidence = load_families().evidence.keys() - {"confirmed"}
    return (
        bool(families & evidence)
        and not families & ({"question"} | _MOMENT)
        and not _HANGING.match(clause)
    )
